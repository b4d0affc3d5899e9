"""Small printed images for labels, boxes and dials, and wood grain. All are (H, W, 3) uint8, row 0 at the top."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assets.objects.palette import Rgb, rgb

if TYPE_CHECKING:
    from PIL import Image, ImageDraw


def rgb8(color: str | Rgb) -> tuple[int, int, int]:
    """Colour as three bytes."""
    r, g, b = rgb(color)
    return (round(255 * r), round(255 * g), round(255 * b))


def canvas(width: int, height: int, color: str | Rgb) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """Blank image and its pen (Pillow is imported here, on use)."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (width, height), rgb8(color))
    return image, ImageDraw.Draw(image)


def write(pen: ImageDraw.ImageDraw, text: str, center: tuple[float, float], height: float, color: str | Rgb) -> None:
    """Centred line of text with capital letters about ``height`` pixels high."""
    from PIL import ImageFont

    pen.text(center, text, fill=rgb8(color), anchor="mm", font=ImageFont.load_default(size=height * 1.35))


def pixels(image: Image.Image) -> np.ndarray:
    """Picture as an array."""
    return np.asarray(image, np.uint8).copy()


def band_label(
    rng: np.random.Generator,
    text: str,
    base: str | Rgb,
    accent: str | Rgb,
    ink: str | Rgb,
    size: tuple[int, int] = (192, 80),
    repeat: int = 2,
) -> np.ndarray:
    """Wrap-around label: the text ``repeat`` times, with one of several ornaments."""
    width, height = size
    image, pen = canvas(width, height, base)
    style = int(rng.integers(4))
    if style == 3 and ink == accent:
        ink = base
    if style == 0:  # rules above and below
        pen.rectangle((0, 0, width, height * 0.14), fill=rgb8(accent))
        pen.rectangle((0, height * 0.86, width, height), fill=rgb8(accent))
    elif style == 1:  # wave
        x = np.arange(width + 1)
        wave = height * (0.72 + 0.10 * np.sin(2 * np.pi * x / width * repeat))
        pen.polygon([(0, height), *zip(x.tolist(), wave.tolist(), strict=True), (width, height)], fill=rgb8(accent))
    elif style == 2:  # diagonal stripes at the foot
        for k in range(-2, 24):
            left = k * width / 20
            pen.line((left, height, left + height * 0.3, height * 0.76), fill=rgb8(accent), width=max(2, width // 48))
    for k in range(repeat):
        x = (k + 0.5) * width / repeat
        if style == 3:  # badge behind the text
            pen.ellipse((x - width * 0.15, height * 0.12, x + width * 0.15, height * 0.88), fill=rgb8(accent))
        write(pen, text, (x, height * 0.46), min(height * 0.3, width * 0.30 / max(len(text), 3)), ink)
    return pixels(image)


def grain(rng: np.random.Generator, color: Rgb, size: int = 64) -> np.ndarray:
    """Wood: growth rings along u, fine fibres across v."""
    u, v = np.meshgrid(np.linspace(0, 1, size), np.linspace(0, 1, size))
    bend = sum(rng.uniform(0.02, 0.06) * np.sin(2 * np.pi * (k * u + rng.random())) for k in (1, 2))
    rings = np.sin(2 * np.pi * (rng.uniform(3, 6) * (v + bend)))
    fibre = np.repeat(rng.normal(size=(size, 4)), size // 4, axis=1)
    tone = 1 + 0.09 * rings + 0.04 * fibre
    return np.clip(255 * tone[..., None] * np.asarray(color), 0, 255).astype(np.uint8)


def weave(rng: np.random.Generator, color: Rgb, cells: int = 8, size: int = 64) -> np.ndarray:
    """Basket weave: strands that go over and under each other."""
    u, v = np.meshgrid(np.arange(size) / size * cells, np.arange(size) / size * cells)
    over = (np.floor(u) + np.floor(v)) % 2 == 0
    across = np.where(over, u % 1, v % 1)
    along = np.where(over, v % 1, u % 1)
    tone = 0.55 + 0.45 * np.sin(np.pi * across) ** 0.5 * (0.75 + 0.25 * np.sin(np.pi * along))
    tone = tone * (1 + 0.05 * rng.normal(size=tone.shape))
    return np.clip(255 * tone[..., None] * np.asarray(color), 0, 255).astype(np.uint8)


def speckle(rng: np.random.Generator, color: Rgb, amount: float = 0.06, size: int = 64) -> np.ndarray:
    """Fine noise over a colour, blotchy at two scales: crust, cork, felt."""
    fine = rng.normal(size=(size, size))
    coarse = np.kron(rng.normal(size=(size // 8, size // 8)), np.ones((8, 8)))
    for axis in (0, 1):  # soften the blocks; the image wraps around
        coarse = sum(np.roll(coarse, k, axis) for k in range(-4, 5)) / 9
    tone = 1 + amount * fine + 2.0 * amount * coarse
    return np.clip(255 * tone[..., None] * np.asarray(color), 0, 255).astype(np.uint8)


def face_label(
    rng: np.random.Generator,
    text: str,
    base: str | Rgb,
    accent: str | Rgb,
    ink: str | Rgb,
    size: tuple[int, int] = (96, 96),
) -> np.ndarray:
    """Front of a package: a heading, a field and an ornament."""
    width, height = size
    image, pen = canvas(width, height, base)
    style = int(rng.integers(4))
    x, y = width / 2, height * 0.62
    radius = min(width, height) * 0.24
    if style == 0:
        pen.rectangle((0, 0, width, height * 0.36), fill=rgb8(accent))
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=rgb8(accent))
        pen.ellipse((x - radius / 2, y - radius / 2, x + radius / 2, y + radius / 2), fill=rgb8(base))
    elif style == 1:  # leaf
        pen.polygon([(x, y - radius), (x + radius * 0.7, y), (x, y + radius), (x - radius * 0.7, y)], fill=rgb8(accent))
        pen.line((x, y - radius, x, y + radius), fill=rgb8(base), width=2)
    elif style == 2:  # hills
        pen.polygon([(0, height), (width * 0.3, y - radius * 0.6), (width * 0.6, height)], fill=rgb8(accent))
        pen.polygon([(width * 0.35, height), (width * 0.7, y - radius * 0.2), (width, height)], fill=rgb8(ink))
    else:
        for k in range(3):
            top = height * (0.5 + 0.15 * k)
            pen.rectangle((width * 0.12, top, width * 0.88, top + height * 0.08), fill=rgb8(accent))
    write(pen, text, (x, height * 0.2), min(height * 0.16, 1.05 * width / max(len(text), 4)), ink)
    return pixels(image)


def qr_code(rng: np.random.Generator, modules: int = 21, cell: int = 4) -> np.ndarray:
    """Picture that looks like a QR code (it encodes nothing)."""
    grid = rng.random((modules, modules)) < 0.5
    finder = np.zeros((8, 8), bool)
    finder[:7, :7] = True
    finder[1:6, 1:6] = False
    finder[2:5, 2:5] = True
    grid[:8, :8], grid[:8, -8:], grid[-8:, :8] = finder, finder[:, ::-1], finder[::-1]
    framed = np.pad(grid, 2)
    tone = np.where(np.kron(framed, np.ones((cell, cell), bool)), 18, 245).astype(np.uint8)
    return np.repeat(tone[..., None], 3, axis=2)

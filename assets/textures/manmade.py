"""Woven, laid, printed and machined surfaces: fabric, tiles, bricks, stripes, metal and the like.

Each function draws (S, S, 3) float32 in about [0, 1] from a generator and a size. Frequencies are whole numbers, so
that the images tile.
"""

from __future__ import annotations

import numpy as np

from assets.textures.natural import marble, wood_colour
from assets.textures.noise import Colour, Field, axes, fbm, hsv, lighten, mix, ramp, shade, step, value_noise, worley

Rng = np.random.Generator


def any_colour(
    rng: Rng, saturation: tuple[float, float] = (0.15, 0.75), value: tuple[float, float] = (0.3, 0.95)
) -> Colour:
    """A colour of any hue within bounds of saturation and value."""
    return hsv(rng.random(), rng.uniform(*saturation), rng.uniform(*value))


def palette(rng: Rng, count: int) -> list[Colour]:
    """Colours that go together: neighbouring or opposite hues with alternating brightness."""
    hue, spread = rng.random(), rng.choice([0.04, 0.08, 0.33, 0.5])
    return [
        hsv(hue + spread * i, rng.uniform(0.15, 0.7), 0.92 - 0.45 * (i % 2) - rng.uniform(0, 0.15))
        for i in range(count)
    ]


def _weave(size: int, threads: int) -> tuple[Field, Field]:
    """Plain weave: mask (1 where the thread along u lies on top) and brightness of the round threads."""
    u, v = axes(size)
    over = (np.floor(u * threads) + np.floor(v * threads)) % 2
    across_v, across_u = np.sin(np.pi * ((v * threads) % 1)), np.sin(np.pi * ((u * threads) % 1))
    return over, np.where(over > 0.5, across_v * (0.6 + 0.4 * across_u), across_u * (0.6 + 0.4 * across_v))


def fabric(rng: Rng, size: int) -> np.ndarray:
    a = any_colour(rng, (0.05, 0.6), (0.35, 0.9))
    b = a if rng.random() < 0.5 else shade(any_colour(rng, (0.05, 0.4)), 1.0)
    over, light = _weave(size, int(rng.choice([24, 32, 40, 64])))
    slubs = 0.5 * value_noise(rng, size, 4, 64) * over + 0.5 * value_noise(rng, size, 64, 4) * (1 - over)
    return lighten(lighten(ramp(over, a, b), light, 0.5), slubs, 0.5)


def plaid(rng: Rng, size: int) -> np.ndarray:
    colours = np.array(palette(rng, 4), np.float32)
    bands = rng.integers(0, 4, 16)
    bands = np.concatenate([bands, bands[::-1]])  # mirrored, as tartans are
    stripe = colours[bands[(np.arange(size) * 32 // size)]]
    over, light = _weave(size, 64)
    image = np.where(over[..., None] > 0.5, stripe[:, None], stripe[None, :])
    image = 0.6 * image + 0.4 * 0.5 * (stripe[:, None] + stripe[None, :])
    return lighten(image, light, 0.25)


def carpet(rng: Rng, size: int) -> np.ndarray:
    colour = any_colour(rng, (0.1, 0.65), (0.3, 0.75))
    tufts = 0.6 * value_noise(rng, size, 85) + 0.4 * fbm(rng, size, 6, 3)
    image = ramp(tufts, shade(colour, 0.45), colour, shade(colour, 1.35))
    if rng.random() < 0.4:  # a second yarn in soft patches
        image = mix(image, image * 0.55 + 0.1, step(fbm(rng, size, 6, 2), 0.55, 0.03))
    return image


def felt(rng: Rng, size: int) -> np.ndarray:
    colour = any_colour(rng, (0.2, 0.7), (0.3, 0.85))
    fibres = 0.5 * fbm(rng, size, 20, 3, 0.8, 3.0) + 0.5 * fbm(rng, size, 50, 2, 0.8, 0.3)
    return ramp(fibres, shade(colour, 0.75), colour, shade(colour, 1.18))


def knit(rng: Rng, size: int) -> np.ndarray:
    colours = palette(rng, 2)
    columns = int(rng.choice([12, 16, 20]))
    u, v = axes(size)
    x = (u * columns) % 1.0
    rows = v * columns + np.abs(x - 0.5) * 0.9
    loop = np.sin(np.pi * (rows % 1.0)) * (0.35 + 0.65 * np.sin(np.pi * ((2 * x) % 1.0)))
    band = step(np.sin(2 * np.pi * v * rng.integers(1, 4)) + 0 * u, rng.uniform(-0.5, 1.5), 0.02)
    return ramp(band, *colours) * (0.45 + 0.65 * np.clip(loop, 0, 1))[..., None]


def _grout(rng: Rng, size: int, rows: int, columns: int, shift: float, width: float) -> tuple[np.ndarray, Field]:
    """Running bond: number of each brick (S, S) and a mask of the joints, ``width`` in texture units."""
    u, v = axes(size)
    row = np.floor(v * rows).astype(int)
    along = u * columns + shift * (row % 2)
    number = row * columns + np.floor(along).astype(int) % columns
    edge = np.minimum(0.5 - np.abs((v * rows) % 1 - 0.5), (0.5 - np.abs(along % 1 - 0.5)) * rows / columns) / rows
    return number, 1 - step(edge + 0 * u, width / 2, 0.6 / size)


def tiles(rng: Rng, size: int) -> np.ndarray:
    n = int(rng.choice([2, 4, 4, 6, 8]))
    number, joint = _grout(rng, size, n, n, 0.0, 0.012)
    if rng.random() < 0.3:
        image = marble(rng, size)
    else:
        colours = palette(rng, 2) if rng.random() < 0.5 else [any_colour(rng, (0.0, 0.5), (0.5, 0.95))] * 2
        image = ramp((number // n + number) % 2.0, *colours)
        image = lighten(image, fbm(rng, size, 4, 4), rng.uniform(0.05, 0.3))
    image = lighten(image, rng.random(n * n).astype(np.float32)[number], rng.uniform(0.05, 0.25))
    return mix(image, hsv(0.1, 0.05, rng.choice([0.25, 0.6, 0.85])), joint)


def brick(rng: Rng, size: int) -> np.ndarray:
    white = rng.random() < 0.25
    hue, s, v = (0.1, 0.06, 0.88) if white else (rng.uniform(0.0, 0.07), rng.uniform(0.35, 0.65), rng.uniform(0.4, 0.7))
    colour = hsv(hue, s, v)
    rows = int(rng.choice([6, 8, 10, 12]))
    number, joint = _grout(rng, size, rows, rows // 2, 0.5, 0.016)
    tone = rng.random(rows * rows).astype(np.float32)[number]
    image = ramp(0.65 * tone + 0.35 * fbm(rng, size, 16, 3), shade(colour, 0.65), shade(colour, 1.2))
    return mix(image, hsv(0.09, 0.08, rng.uniform(0.55, 0.85)), joint * (0.8 + 0.2 * value_noise(rng, size, 64)))


def parquet(rng: Rng, size: int) -> np.ndarray:
    colour = wood_colour(rng)
    blocks, strips = int(rng.choice([2, 4])), int(rng.integers(3, 6))
    u, v = axes(size)
    upright = (np.floor(u * blocks) + np.floor(v * blocks)) % 2 > 0.5
    fine_u, fine_v = np.floor(u * blocks * strips), np.floor(v * blocks * strips)
    number = np.where(upright, fine_u * 97 + np.floor(v * blocks) * 7, fine_v * 89 + np.floor(u * blocks) * 11)
    across = np.where(upright, (u * blocks * strips) % 1, (v * blocks * strips) % 1)
    grain = fbm(rng, size, 3, 3, 0.7, 26)
    image = ramp(np.where(upright, grain.T, grain), shade(colour, 0.7), colour, shade(colour, 1.15))
    image = lighten(image, rng.random(512).astype(np.float32)[number.astype(int) % 512], 0.4)
    return mix(image, shade(colour, 0.35), 0.7 * step(np.abs(across - 0.5), 0.46, 0.025))


def mosaic(rng: Rng, size: int) -> np.ndarray:
    colours = np.array(palette(rng, 5), np.float32)
    count = int(rng.integers(10, 20))
    cell = worley(rng, size, count, 0.7)
    image = colours[rng.integers(0, 5, count * count)][cell.number]
    image = lighten(image, rng.random(count * count).astype(np.float32)[cell.number], 0.25)
    return mix(image, hsv(0.1, 0.05, rng.choice([0.3, 0.9])), 1 - step(cell.second - cell.nearest, 0.1, 0.03))


def paper(rng: Rng, size: int) -> np.ndarray:
    kraft = rng.random() < 0.4
    colour = (
        hsv(rng.uniform(0.07, 0.11), rng.uniform(0.25, 0.5), rng.uniform(0.6, 0.85))
        if kraft
        else any_colour(rng, (0.0, 0.25), (0.85, 0.98))
    )
    fibres = 0.5 * fbm(rng, size, 8, 5, 0.75) + 0.5 * fbm(rng, size, 30, 2, 0.8, 0.25)
    return ramp(fibres, shade(colour, 0.88), colour, shade(colour, 1.06))


def gradient(rng: Rng, size: int) -> np.ndarray:
    u, v = axes(size)
    k, m = rng.choice([(0, 1), (1, 0), (1, 1), (1, -1)])
    wave = 0.5 + 0.5 * np.cos(2 * np.pi * (k * u + m * v + rng.random()))
    return ramp(0.85 * wave + 0.15 * value_noise(rng, size, 2), *palette(rng, int(rng.integers(2, 4))))


def stripes(rng: Rng, size: int) -> np.ndarray:
    u, v = axes(size)
    n = int(rng.integers(2, 9))
    k, m = rng.choice([(0, n), (n, 0), (n, n), (n, -n)])
    phase = (k * u + m * v) % 1.0
    colours = palette(rng, 3)
    duty = rng.uniform(0.25, 0.6)
    soft = 1.5 * n / size
    image = mix(ramp(0 * (u + v), colours[0], colours[0]), colours[1], step(0.5 - np.abs(phase - 0.5), duty / 2, soft))
    if rng.random() < 0.5:
        image = mix(image, colours[2], 1 - step(np.abs(phase - 0.5), 0.06, soft))
    return lighten(image, fbm(rng, size, 16, 2), 0.08)


def zigzag(rng: Rng, size: int) -> np.ndarray:
    u, v = axes(size)
    n = int(rng.integers(3, 8))
    phase = (n * v + rng.uniform(0.5, 1.2) * np.abs(2 * ((n * u) % 1.0) - 1)) % 1.0
    image = ramp(step(np.abs(phase - 0.5), 0.25, 2.0 * n / size), *palette(rng, 2))
    return lighten(image, value_noise(rng, size, 64), 0.1)


def checker(rng: Rng, size: int) -> np.ndarray:
    u, v = axes(size)
    n = 2 * int(rng.integers(1, 7))
    square = (np.floor(u * n) + np.floor(v * n)) % 2
    return lighten(ramp(square, *palette(rng, 2)), fbm(rng, size, 4, 4), rng.uniform(0.05, 0.25))


def dots(rng: Rng, size: int) -> np.ndarray:
    u, v = axes(size)
    n = int(rng.integers(3, 10))
    shift = 0.5 * (np.floor(v * 2 * n) % 2)
    x, y = (u * n + shift) % 1.0 - 0.5, ((v * 2 * n) % 1.0 - 0.5) / 2
    disc = 1 - step(np.sqrt(x * x + y * y), rng.uniform(0.1, 0.2), 1.2 * n / size)
    return lighten(mix(ramp(0 * disc, *palette(rng, 2)), any_colour(rng), disc), value_noise(rng, size, 48), 0.08)


def blobs(rng: Rng, size: int) -> np.ndarray:
    colours = palette(rng, 3)
    image = ramp(np.zeros((size, size), np.float32), colours[0], colours[0])
    for colour in colours[1:]:
        image = mix(image, colour, step(fbm(rng, size, int(rng.integers(3, 7)), 3, 0.4), 0.52, 0.015))
    return image


def metal(rng: Rng, size: int) -> np.ndarray:
    colour = hsv(rng.choice([0.6, 0.58, 0.09, 0.12]), rng.uniform(0.02, 0.25), rng.uniform(0.5, 0.82))
    streaks = fbm(rng, size, 2, 2, 0.7, aspect=64)
    return lighten(ramp(streaks, shade(colour, 0.8), shade(colour, 1.15)), value_noise(rng, size, 2), 0.2)

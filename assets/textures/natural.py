"""Grown and mineral materials: wood, stone, plaster, leather and the like.

Each function draws (S, S, 3) float32 in about [0, 1] from a generator and a size.
"""

from __future__ import annotations

import numpy as np

from assets.textures.noise import Colour, Field, axes, fbm, hsv, lighten, mix, ramp, shade, step, value_noise, worley

Rng = np.random.Generator

# Hue, saturation and value of real boards: pine, oak, beech, cherry, walnut, teak, wenge, ash, grey drift wood.
WOODS = [
    (0.095, 0.45, 0.88), (0.085, 0.50, 0.72), (0.075, 0.40, 0.80), (0.040, 0.60, 0.58), (0.060, 0.50, 0.38),
    (0.070, 0.60, 0.55), (0.050, 0.45, 0.26), (0.110, 0.25, 0.85), (0.090, 0.12, 0.60),
]  # fmt: skip


def wood_colour(rng: Rng) -> Colour:
    """A board's main colour."""
    h, s, v = WOODS[rng.integers(len(WOODS))]
    return hsv(h + rng.normal(0, 0.008), s * rng.uniform(0.8, 1.2), v * rng.uniform(0.88, 1.08))


def _grain(rng: Rng, size: int) -> Field:
    """Growth rings seen along the board (u) plus fine fibres."""
    _, v = axes(size)
    drift = 1.6 * value_noise(rng, size, 2, 3) + 0.5 * value_noise(rng, size, 4, 9)
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (rng.integers(3, 8) * v + rng.uniform(0.8, 2.0) * drift))
    fibres = fbm(rng, size, 3, 3, 0.7, aspect=26)
    return 0.45 * rings + 0.55 * fibres


def wood(rng: Rng, size: int) -> np.ndarray:
    colour = wood_colour(rng)
    image = ramp(_grain(rng, size), shade(colour, rng.uniform(0.55, 0.75)), colour, shade(colour, 1.15))
    return lighten(image, value_noise(rng, size, 2), 0.15)


def planks(rng: Rng, size: int) -> np.ndarray:
    colour = wood_colour(rng)
    rows = int(rng.integers(4, 9))
    u, v = axes(size)
    row = np.floor(v * rows).astype(int)
    offset, tone = rng.random(rows), rng.random((rows, 2))
    along = (u + offset[row]) % 1.0
    board = (along * 2).astype(int)  # two boards per row
    grain = np.take_along_axis(_grain(rng, size), (along * size).astype(int) % size, axis=1)
    image = ramp(grain, shade(colour, 0.7), colour, shade(colour, 1.12))
    image = lighten(image, tone[row, board].astype(np.float32), rng.uniform(0.15, 0.45))
    across, joint = (v * rows) % 1.0, (along * 2) % 1.0
    gap = np.maximum(
        step(np.abs(across - 0.5), 0.5 - 0.012 * rows / 4, 0.008 * rows / 4), step(np.abs(joint - 0.5), 0.494, 0.004)
    )
    return mix(image, shade(colour, 0.3), 0.85 * gap)


def marble(rng: Rng, size: int) -> np.ndarray:
    dark = rng.random() < 0.35
    tint = hsv(rng.random(), rng.uniform(0.02, 0.22), 1.0)
    base = shade(tint, rng.uniform(0.12, 0.3) if dark else rng.uniform(0.85, 0.97))
    vein = shade(tint, rng.uniform(0.75, 0.95) if dark else rng.uniform(0.3, 0.6))
    image = ramp(fbm(rng, size, 3, 4), shade(base, 0.8), base, shade(base, 1.12))
    for cells, width, weight in ((2, 0.05, 0.8), (4, 0.03, 0.45)):
        ridge = np.abs(fbm(rng, size, cells, 5, 0.45) - rng.uniform(0.4, 0.6))
        fade = step(value_noise(rng, size, 3), 0.4, 0.3)
        image = mix(image, vein, weight * fade * np.exp(-((ridge / width) ** 2)))
    return image


def granite(rng: Rng, size: int) -> np.ndarray:
    hue, saturation = rng.random(), rng.uniform(0.03, 0.3)
    tones = [hsv(hue + rng.normal(0, 0.04), saturation, v) for v in (0.15, 0.5, 0.65, 0.92)]
    grain = 0.5 * value_noise(rng, size, 96) + 0.3 * value_noise(rng, size, 48) + 0.2 * value_noise(rng, size, 20)
    return lighten(ramp(step(grain, rng.uniform(0.42, 0.52), 0.26), *tones), fbm(rng, size, 3, 3), 0.3)


def terrazzo(rng: Rng, size: int) -> np.ndarray:
    matrix = hsv(rng.random(), rng.uniform(0.02, 0.2), rng.uniform(0.7, 0.95))
    hues = rng.random(5)
    chips = np.array([hsv(h, rng.uniform(0.1, 0.6), rng.uniform(0.25, 0.95)) for h in hues], np.float32)
    image = ramp(fbm(rng, size, 24, 2), shade(matrix, 0.93), shade(matrix, 1.04))
    for count in (int(rng.integers(7, 12)), int(rng.integers(16, 24))):
        cell = worley(rng, size, count, 1.0)
        kind = rng.integers(0, 8, count * count)
        chip = step(cell.second - cell.nearest, 0.22, 0.04) * (kind < 5)[cell.number]
        image = mix(image, chips[np.minimum(kind, 4)][cell.number], chip)
    return image


def cobble(rng: Rng, size: int) -> np.ndarray:
    hue, saturation = rng.uniform(0.03, 0.16), rng.uniform(0.05, 0.35)
    count = int(rng.integers(4, 8))
    cell = worley(rng, size, count, 0.8)
    edge = (cell.second - cell.nearest) + 0.12 * (fbm(rng, size, 12, 3) - 0.5)
    tone = rng.random(count * count).astype(np.float32)[cell.number]
    stone = ramp(0.6 * tone + 0.4 * fbm(rng, size, 8, 4), hsv(hue, saturation, 0.35), hsv(hue, saturation * 0.7, 0.8))
    stone = lighten(stone, np.clip(edge * 1.6, 0, 1), 0.5)
    return mix(stone, hsv(hue, 0.15, rng.uniform(0.2, 0.75)), 1 - step(edge, 0.09, 0.03))


def plaster(rng: Rng, size: int) -> np.ndarray:
    colour = hsv(rng.random(), rng.uniform(0.0, 0.4), rng.uniform(0.7, 0.97))
    relief = fbm(rng, size, int(rng.integers(5, 14)), 5, rng.uniform(0.5, 0.75))
    slope = 0.5 + 6 * (relief - np.roll(relief, (2, 2), (0, 1)))
    return lighten(lighten(ramp(relief, shade(colour, 0.9), colour), np.clip(slope, 0, 1), 0.25), relief, 0.1)


def concrete(rng: Rng, size: int) -> np.ndarray:
    colour = hsv(rng.uniform(0.05, 0.65), rng.uniform(0.0, 0.1), rng.uniform(0.45, 0.78))
    image = ramp(fbm(rng, size, 3, 6, 0.6), shade(colour, 0.72), colour, shade(colour, 1.15))
    cell = worley(rng, size, 22, 1.0)
    pit = (1 - step(cell.nearest, 0.12, 0.04)) * (rng.random(22 * 22) < 0.15)[cell.number]
    return mix(image, shade(colour, 0.45), 0.7 * pit)


def leather(rng: Rng, size: int) -> np.ndarray:
    colour = hsv(rng.choice([0.03, 0.06, 0.0, 0.6, 0.3, 0.1]), rng.uniform(0.25, 0.7), rng.uniform(0.22, 0.75))
    cell = worley(rng, size, int(rng.integers(24, 40)), 0.9)
    crease = 1 - step(cell.second - cell.nearest, 0.14, 0.12)
    hide = lighten(ramp(fbm(rng, size, 3, 3), shade(colour, 0.85), colour), cell.nearest, -0.25)
    return mix(hide, shade(colour, 0.5), 0.8 * crease)


def cork(rng: Rng, size: int) -> np.ndarray:
    colour = hsv(rng.uniform(0.06, 0.1), rng.uniform(0.4, 0.6), rng.uniform(0.6, 0.8))
    cell = worley(rng, size, int(rng.integers(26, 40)), 1.0)
    tone = rng.random(1600).astype(np.float32)[cell.number % 1600]
    return ramp(0.7 * tone + 0.3 * value_noise(rng, size, 64), shade(colour, 0.5), colour, colour, shade(colour, 1.2))


def grass(rng: Rng, size: int) -> np.ndarray:
    hue = rng.uniform(0.19, 0.33)
    blades = fbm(rng, size, 24, 3, 0.8, aspect=0.35)
    image = ramp(blades, hsv(hue, 0.75, 0.16), hsv(hue, 0.65, 0.45), hsv(hue - 0.04, 0.55, 0.75))
    return lighten(image, fbm(rng, size, 3, 3), 0.35)


def sand(rng: Rng, size: int) -> np.ndarray:
    colour = hsv(rng.uniform(0.07, 0.13), rng.uniform(0.2, 0.45), rng.uniform(0.65, 0.9))
    _, v = axes(size)
    wave = 0.5 + 0.5 * np.sin(2 * np.pi * (rng.integers(5, 12) * v + 1.2 * value_noise(rng, size, 3)))
    grains = ramp(0.7 * wave + 0.3 * value_noise(rng, size, 128), shade(colour, 0.75), shade(colour, 1.1))
    return lighten(grains, fbm(rng, size, 2, 3), 0.2)

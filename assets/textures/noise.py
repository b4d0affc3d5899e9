"""Periodic noise and colour ramps: the vocabulary that the texture patterns are written in.

All fields are (S, S) float32 in [0, 1] and tile without a seam; row index is v, column index is u.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Field = np.ndarray
Colour = tuple[float, float, float]


def axes(size: int) -> tuple[Field, Field]:
    """Texture coordinates of the pixel centres: u as (1, S) and v as (S, 1), both in (0, 1)."""
    t = ((np.arange(size) + 0.5) / size).astype(np.float32)
    return t[None, :], t[:, None]


def _spline_taps(size: int, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices (4, S) and weights (4, S) that interpolate ``cells`` periodic samples by a cubic B-spline."""
    position = (np.arange(size) + 0.5) * cells / size
    base = np.floor(position).astype(np.int64)
    t = (position - base).astype(np.float32)
    square = t * t
    weights = (
        np.stack([(1 - t) ** 3, 3 * square * t - 6 * square + 4, 3 * (t + square - square * t) + 1, square * t]) / 6
    )
    return (base + np.arange(-1, 3)[:, None]) % cells, weights


def stretch(field: Field, low: float = 0.0, high: float = 1.0) -> Field:
    """Scale a field linearly so that its values span [low, high]; a constant field becomes the midpoint."""
    bottom, top = float(field.min()), float(field.max())
    if top - bottom < 1e-9:
        return np.full_like(field, 0.5 * (low + high))
    return (field - bottom) * ((high - low) / (top - bottom)) + low


def value_noise(rng: np.random.Generator, size: int, cells: int, cells_v: int | None = None) -> Field:
    """Smooth periodic noise with ``cells`` bumps along u and ``cells_v`` (default the same) along v."""
    cells, cells_v = min(cells, size), min(cells_v or cells, size)
    grid = rng.random((cells_v, cells), dtype=np.float32)
    columns, column_weights = _spline_taps(size, cells)
    wide = np.zeros((cells_v, size), np.float32)
    for i, w in zip(columns, column_weights, strict=True):
        wide += grid[:, i] * w
    rows, row_weights = _spline_taps(size, cells_v)
    field = np.zeros((size, size), np.float32)
    for i, w in zip(rows, row_weights, strict=True):
        field += wide[i] * w[:, None]
    return stretch(field)


def fbm(
    rng: np.random.Generator, size: int, cells: int, octaves: int = 4, gain: float = 0.5, aspect: float = 1.0
) -> Field:
    """Fractal noise: octaves of value noise, each twice as fine and ``gain`` times as strong.

    Args:
        aspect: bumps along v per bump along u; below 1 the noise is drawn out along v.
    """
    total = np.zeros((size, size), np.float32)
    for octave in range(octaves):
        n = cells * 2**octave
        total += gain**octave * value_noise(rng, size, n, max(1, round(n * aspect)))
    return stretch(total)


class Cells(NamedTuple):
    """Worley cells: distance to the nearest and second nearest seed in units of a cell, and the seed's number."""

    nearest: Field
    second: Field
    number: np.ndarray  # (S, S) int


def worley(rng: np.random.Generator, size: int, cells: int, jitter: float = 0.9) -> Cells:
    """Cells around one jittered seed per square of a ``cells`` × ``cells`` grid, periodic."""
    seeds = (0.5 + jitter * (rng.random((2, cells, cells), dtype=np.float32) - 0.5)).astype(np.float32)
    position = ((np.arange(size) + 0.5) * cells / size).astype(np.float32)
    base = np.floor(position).astype(np.int64)
    fraction = position - base
    nearest = np.full((size, size), np.inf, np.float32)
    second = np.full((size, size), np.inf, np.float32)
    number = np.zeros((size, size), np.int64)
    for dv in (-1, 0, 1):
        for du in (-1, 0, 1):
            row, column = (base + dv) % cells, (base + du) % cells
            x = seeds[0][row].take(column, axis=1)
            x += (du - fraction)[None, :]
            y = seeds[1][row].take(column, axis=1)
            y += (dv - fraction)[:, None]
            distance = np.square(x, out=x)
            distance += np.square(y, out=y)
            index = (row * cells)[:, None] + column[None, :]
            np.copyto(number, index, where=distance < nearest)
            np.minimum(second, np.maximum(nearest, distance), out=second)
            np.minimum(nearest, distance, out=nearest)
    return Cells(np.sqrt(nearest), np.sqrt(second), number)


def step(field: Field, edge: float, width: float) -> Field:
    """0 below ``edge - width``, 1 above ``edge + width``, smooth between."""
    t = np.clip((field - (edge - width)) / (2 * width), 0, 1)
    return t * t * (3 - 2 * t)


def hsv(hue: float, saturation: float, value: float) -> Colour:
    """Colour from hue (turns, wraps), saturation and value in [0, 1]."""
    saturation, value = min(max(saturation, 0.0), 1.0), min(max(value, 0.0), 1.0)
    r, g, b = (value * (1 - saturation * max(0.0, min(k, 4 - k, 1.0))) for k in ((n + hue * 6) % 6 for n in (5, 3, 1)))
    return (r, g, b)


def shade(colour: Colour, factor: float) -> Colour:
    """The same hue, lighter (factor above 1) or darker."""
    r, g, b = (min(1.0, c * factor) for c in colour)
    return (r, g, b)


def ramp(field: Field, *colours: Colour) -> np.ndarray:
    """(S, S, 3) image: 0 gives the first colour, 1 the last, linear in between."""
    stops = np.linspace(0, 255, len(colours))
    table = np.stack([np.interp(np.arange(256), stops, channel) for channel in zip(*colours, strict=True)], axis=1)
    return table.astype(np.float32)[np.clip(field * 255, 0, 255).astype(np.uint8)]


def mix(a: np.ndarray, b: np.ndarray | Colour, weight: Field) -> np.ndarray:
    """Blend image ``a`` towards image or colour ``b`` by a (S, S) weight."""
    w = weight[..., None]
    return a * (1 - w) + np.asarray(b, np.float32) * w


def lighten(image: np.ndarray, field: Field, amount: float) -> np.ndarray:
    """Modulate brightness by a field in [0, 1] around its middle, by ± amount / 2."""
    return image * (1 + amount * (field - 0.5))[..., None]

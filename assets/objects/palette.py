"""Named colours and surface finishes; the names are the words that instructions use."""

from __future__ import annotations

import numpy as np

from assets.objects.model import Material

Rgb = tuple[float, float, float]

COLORS: dict[str, Rgb] = {
    "red": (0.78, 0.12, 0.11),
    "dark red": (0.50, 0.07, 0.09),
    "orange": (0.93, 0.46, 0.10),
    "yellow": (0.94, 0.77, 0.16),
    "lime": (0.58, 0.76, 0.18),
    "green": (0.15, 0.52, 0.24),
    "dark green": (0.08, 0.30, 0.18),
    "mint": (0.58, 0.84, 0.72),
    "teal": (0.07, 0.48, 0.50),
    "light blue": (0.48, 0.72, 0.90),
    "blue": (0.13, 0.31, 0.72),
    "navy": (0.09, 0.13, 0.34),
    "purple": (0.42, 0.20, 0.58),
    "lavender": (0.70, 0.62, 0.86),
    "pink": (0.94, 0.58, 0.68),
    "magenta": (0.76, 0.14, 0.48),
    "brown": (0.38, 0.23, 0.14),
    "tan": (0.80, 0.64, 0.44),
    "beige": (0.90, 0.83, 0.70),
    "cream": (0.96, 0.92, 0.80),
    "white": (0.94, 0.94, 0.93),
    "light gray": (0.74, 0.75, 0.76),
    "gray": (0.48, 0.49, 0.51),
    "dark gray": (0.23, 0.24, 0.26),
    "black": (0.07, 0.07, 0.08),
    "silver": (0.76, 0.78, 0.80),
    "gold": (0.83, 0.65, 0.26),
    "copper": (0.72, 0.42, 0.26),
}

# finish: (specular, shininess)
FINISHES: dict[str, tuple[float, float]] = {
    "matte": (0.08, 0.10),
    "plastic": (0.35, 0.45),
    "rubber": (0.05, 0.05),
    "ceramic": (0.55, 0.75),
    "glass": (0.90, 0.95),
    "metal": (0.75, 0.60),
    "wood": (0.12, 0.15),
    "paper": (0.04, 0.05),
    "fabric": (0.02, 0.02),
}

WOODS: dict[str, Rgb] = {
    "pine": (0.84, 0.66, 0.42),
    "oak": (0.70, 0.51, 0.31),
    "walnut": (0.40, 0.26, 0.16),
    "cherry": (0.60, 0.31, 0.18),
    "maple": (0.88, 0.74, 0.54),
}


def rgb(color: str | Rgb) -> Rgb:
    """Colour of a name in COLORS or WOODS; a colour passes through."""
    if not isinstance(color, str):
        return color
    return COLORS[color] if color in COLORS else WOODS[color]


def paint(color: str | Rgb, finish: str = "plastic", alpha: float = 1.0, texture: np.ndarray | None = None) -> Material:
    """Material of a named or given colour with a finish of FINISHES."""
    r, g, b = rgb(color)
    specular, shininess = FINISHES[finish]
    return Material((float(r), float(g), float(b), alpha), specular, shininess, texture)


def printed(texture: np.ndarray, finish: str = "paper") -> Material:
    """Material that shows an (H, W, 3) uint8 image in its own colours."""
    return paint((1.0, 1.0, 1.0), finish, texture=texture)


def shade(color: str | Rgb, factor: float) -> Rgb:
    """The colour with its brightness multiplied; what would exceed white is cut off."""
    r, g, b = (min(1.0, factor * c) for c in rgb(color))
    return (r, g, b)


def pale(color: str | Rgb, amount: float) -> Rgb:
    """The colour mixed with white: 0 leaves it, 1 is white."""
    r, g, b = (c + (1 - c) * amount for c in rgb(color))
    return (r, g, b)

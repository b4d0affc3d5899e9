"""Small cartons and bars: tea, coffee, soap, playing cards."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import canvas, face_label, pixels, rgb8, write
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.grasps import side_box, top_box
from assets.objects.library import category
from assets.objects.model import ObjectAsset, Shape
from assets.objects.palette import paint, printed
from assets.objects.shapes import box, collision, decal, hull, visual


def carton(
    rng: np.random.Generator, w: float, d: float, h: float, text: str, base: str, accent: str, ink: str
) -> list[Shape]:
    """Printed cardboard box standing on the table."""
    front = printed(face_label(rng, text, base, accent, ink))
    side = printed(face_label(rng, text, base, accent, ink, (96, 96)))
    k = 0.94
    return [
        visual(meshes.rounded_box(w, d, h, 0.0015), paint(base, "paper"), (0, 0, h / 2)),
        collision(box(w, d, h, (0, 0, h / 2), friction=0.9)),
        decal(k * w, k * h, (0, -d / 2, h / 2), "front", front),
        decal(k * w, k * h, (0, d / 2, h / 2), "back", front),
        decal(k * d, k * h, (-w / 2, 0, h / 2), "left", side),
        decal(k * d, k * h, (w / 2, 0, h / 2), "right", side),
        decal(k * w, k * d, (0, 0, h), "top", paint(accent, "paper")),
    ]


# width, depth, height, text, base, accent, ink
_TEAS = (
    (0.062, 0.062, 0.075, "GREEN", "green", "lime", "white"),
    (0.060, 0.060, 0.085, "BLACK", "black", "gold", "gold"),
    (0.063, 0.055, 0.070, "MINT", "mint", "dark green", "dark green"),
    (0.058, 0.058, 0.095, "CHAI", "orange", "dark red", "white"),
    (0.063, 0.050, 0.065, "ROSE", "pink", "magenta", "dark red"),
    (0.060, 0.055, 0.080, "EARL", "navy", "light blue", "white"),
)


@category("tea_box", instances=6, synonyms=("coffee_box", "tea_bag_box", "tissue_box", "snack_box"))
def tea_box(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Carton of tea."""
    w, d, h, text, base, accent, ink = _TEAS[index]
    words = phrases(
        rng,
        ("tea box", "box of tea"),
        base,
        "cardboard",
        "tall" if h > 0.082 else "small" if h < 0.072 else "medium",
        "square" if w == d else "flat",
        (f"{accent} print", f"{accent} lid", f"{text.lower()} label"),
    )
    grasps = top_box(w, d, h, (-0.6, 0.6), 0.025) + side_box(w, d, 0.55 * h)
    return assemble("tea_box", index, carton(rng, w, d, h, text, base, accent, ink), words, 0.06 + 0.01 * index, grasps)


_COFFEES = (
    (0.062, 0.052, 0.070, "COFFEE", "brown", "tan", "cream"),
    (0.060, 0.055, 0.080, "ROAST", "dark red", "black", "cream"),
    (0.063, 0.048, 0.065, "MOCHA", "tan", "brown", "brown"),
    (0.058, 0.056, 0.090, "LATTE", "cream", "copper", "brown"),
    (0.062, 0.050, 0.075, "DECAF", "teal", "white", "white"),
    (0.060, 0.060, 0.068, "ESPRESSO", "black", "red", "white"),
    (0.056, 0.050, 0.085, "ARABICA", "gold", "dark green", "dark green"),
)


@category("coffee_box", instances=7, synonyms=("tea_box", "tissue_box", "snack_box"))
def coffee_box(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Carton of coffee."""
    w, d, h, text, base, accent, ink = _COFFEES[index]
    words = phrases(
        rng,
        ("coffee box", "box of coffee"),
        base,
        "cardboard",
        "tall" if h > 0.082 else "small" if h < 0.069 else "medium",
        "square" if w == d else "flat",
        (f"{accent} print", f"{accent} lid", f"{text.lower()} label"),
    )
    grasps = top_box(w, d, h, (-0.6, 0.6), 0.025) + side_box(w, d, 0.55 * h)
    return assemble(
        "coffee_box", index, carton(rng, w, d, h, text, base, accent, ink), words, 0.08 + 0.01 * index, grasps
    )


_SOAPS = (
    (0.056, 0.092, 0.034, "white", 2.6, "LUXE", "oval"),
    (0.054, 0.086, 0.038, "mint", 5.0, "HERB", "rectangular"),
    (0.058, 0.088, 0.032, "lavender", 2.2, "LILAC", "oval"),
    (0.052, 0.084, 0.036, "tan", 8.0, "HONEY", "boxy"),
)


@category("soap", instances=4, synonyms=("whiteboard_eraser", "sponge", "butter"))
def soap(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Bar of soap with a pressed name."""
    w, length, h, color, power, text, form = _SOAPS[index]
    outline = meshes.ellipse(w, length, 24, power)
    bevel = 0.010 if power < 4 else 0.005
    image, pen = canvas(96, 40, color)
    pen.rounded_rectangle((3, 3, 92, 36), 14, outline=rgb8("gray"), width=2)
    write(pen, text, (48, 20), 13, "gray")
    shapes = [
        visual(meshes.slab(outline, h, bevel, 3), paint(color, "ceramic")),
        # the image runs along y, the longer side
        visual(
            meshes.sheet(0.055, 0.024), printed(pixels(image), "ceramic"), (0, 0, h + 0.0003), (0.5, -0.5, -0.5, 0.5)
        ),
        hull(meshes.slab(meshes.ellipse(w, length, 12, power), h, bevel, 1), friction=0.7),
    ]
    words = phrases(
        rng,
        ("soap", "bar of soap", "soap bar"),
        color,
        "scented",
        "large" if length > 0.088 else "small",
        form,
        ("pressed name", "smooth surface"),
    )
    grasps = top_box(w, length, h, (-0.5, 0.5), 0.018)
    return assemble("soap", index, shapes, words, 0.09 + 0.01 * index, grasps)


@category("playing_cards", instances=3, synonyms=("tea_box", "envelope"))
def playing_cards(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Box of playing cards lying flat."""
    w, length, h = ((0.062, 0.090, 0.024), (0.060, 0.088, 0.026), (0.063, 0.092, 0.022))[index]
    color, accent, form = (("red", "white", "classic"), ("blue", "white", "standard"), ("black", "gold", "luxury"))[
        index
    ]
    image, pen = canvas(64, 96, color)
    pen.rectangle((4, 4, 59, 91), outline=rgb8(accent), width=2)
    for k in range(7):  # lattice of the card back
        for j in range(10):
            x, y = 11 + 7 * k, 13 + 8 * j
            pen.polygon([(x, y - 3), (x + 3, y), (x, y + 3), (x - 3, y)], fill=rgb8(accent))
    pen.ellipse((18, 34, 46, 62), fill=rgb8(color), outline=rgb8(accent), width=2)
    pen.polygon([(32, 38), (40, 48), (32, 58), (24, 48)], fill=rgb8(accent))
    shapes = [
        visual(meshes.rounded_box(w, length, h, 0.0015), paint(color, "paper"), (0, 0, h / 2)),
        collision(box(w, length, h, (0, 0, h / 2), friction=0.8)),
        decal(w - 0.002, length - 0.002, (0, 0, h), "top", printed(pixels(image), "plastic")),
        decal(w - 0.006, h * 0.5, (0, -length / 2, h / 2), "front", paint(accent, "paper")),
    ]
    words = phrases(
        rng,
        ("playing cards", "card box", "deck of cards"),
        color,
        "paper",
        "small",
        form,
        (f"{accent} pattern", "diamond print"),
    )
    return assemble("playing_cards", index, shapes, words, 0.09, top_box(w, length, h, (-0.6, 0.6), 0.012))

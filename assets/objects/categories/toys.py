"""Puzzle cubes and toy cars."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import canvas, pixels, rgb8
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.grasps import side_box, top_box
from assets.objects.library import category
from assets.objects.model import ObjectAsset, Shape
from assets.objects.palette import paint, printed
from assets.objects.shapes import box, collision, decal, visual

_STICKERS = ("white", "yellow", "red", "orange", "blue", "green")


def _stickers(rng: np.random.Generator, cells: int, color: str | None, body: str) -> np.ndarray:
    """One face of the cube: a colour each, or scrambled."""
    size = 16 * cells
    image, pen = canvas(size, size, body)
    for i in range(cells):
        for j in range(cells):
            sticker = color or _STICKERS[int(rng.integers(6))]
            pen.rounded_rectangle((16 * i + 1, 16 * j + 1, 16 * i + 14, 16 * j + 14), 2, fill=rgb8(sticker))
    return pixels(image)


@category("rubiks_cube", instances=3, synonyms=("wooden_block", "dice", "toy_blocks"))
def rubiks_cube(rng: np.random.Generator, index: int) -> ObjectAsset:
    """0 solved, 1 scrambled, 2 scrambled pocket cube with white seams."""
    size, cells, body = ((0.058, 3, "black"), (0.057, 3, "black"), (0.054, 2, "white"))[index]
    shapes: list[Shape] = [
        visual(meshes.rounded_box(size, size, size, 0.003), paint(body, "plastic"), (0, 0, size / 2)),
        collision(box(size, size, size, (0, 0, size / 2), friction=0.9)),
    ]
    half, k = size / 2, size * 0.96
    places = {"front": (0, -half, half), "back": (0, half, half), "left": (-half, 0, half), "right": (half, 0, half),
              "top": (0, 0, size), "bottom": (0, 0, 0.0003)}  # fmt: skip
    for face, color in zip(places, _STICKERS, strict=True):
        image = _stickers(rng, cells, color if index == 0 else None, body)
        shapes.append(decal(k, k, places[face], face, printed(image, "plastic")))
    form = ("solved", "scrambled", "scrambled pocket")[index]
    words = phrases(
        rng,
        ("Rubik's cube", "puzzle cube", "magic cube"),
        "colorful",
        "plastic",
        "small" if cells == 2 else "standard",
        form,
        (f"{body} seams", f"{cells}x{cells} faces"),
    )
    grasps = top_box(size, size, size, (-0.6, 0.6), 0.024) + side_box(size, size, half)
    return assemble("rubiks_cube", index, shapes, words, 0.09, grasps)


# form, length, width, height, colour, accent
_CARS = (
    ("sedan", 0.105, 0.046, 0.040, "red", "white"),
    ("racing", 0.110, 0.050, 0.032, "blue", "white"),
    ("truck", 0.110, 0.048, 0.048, "green", "yellow"),
    ("van", 0.100, 0.046, 0.050, "yellow", "orange"),
    ("police", 0.105, 0.046, 0.041, "black", "white"),
    ("beetle", 0.092, 0.048, 0.044, "light blue", "cream"),
)


_DECK = {"sedan": 0.58, "racing": 0.62, "truck": 0.55, "van": 0.62, "police": 0.58, "beetle": 0.55}  # of the height


def _outline(form: str, length: float, h: float) -> list[tuple[float, float]]:
    """Side view as (y, z) from the rear to the front over the roof; the car points to +y."""
    y, low = length / 2, 0.009
    deck = _DECK[form] * h
    roof = {
        "sedan": [(-0.62, deck), (-0.42, h), (0.12, h), (0.42, deck), (0.94, 0.92 * deck)],
        "racing": [(-0.80, deck), (-0.30, h), (0.00, h), (0.30, deck), (0.97, 0.55 * deck)],
        "truck": [(0.08, deck), (0.10, h), (0.52, h), (0.68, deck), (0.96, 0.95 * deck)],
        "van": [(-0.97, 0.97 * h), (-0.90, h), (0.45, h), (0.78, deck), (0.97, 0.9 * deck)],
        "police": [(-0.60, deck), (-0.40, h), (0.12, h), (0.40, deck), (0.94, 0.92 * deck)],
        "beetle": [
            (-0.80, 0.75 * deck),
            (-0.50, 0.93 * h),
            (-0.1, h),
            (0.3, 0.9 * h),
            (0.52, deck),
            (0.92, 0.75 * deck),
        ],
    }[form]
    return [(-y, low), (-y, 0.85 * deck), *((a * y, z) for a, z in roof), (y, 0.7 * deck), (y, low)]


@category("toy_car", instances=6, synonyms=("toy_truck", "toy_train"))
def toy_car(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Toy car that points to +y; its wheels do not turn."""
    form, length, w, h, color, accent = _CARS[index]
    side = np.array(_outline(form, length, h))
    body = meshes.extrude_x(side[::-1], w - 0.006)
    skin, glass = paint(color, "ceramic"), paint((0.12, 0.16, 0.20), "glass")
    shapes: list[Shape] = [visual(body, skin)]
    roof = [(y, z) for y, z in _outline(form, length, h)[2:-2]]
    cabin_low = _DECK[form] * h
    cabin = np.array([(y, z) for y, z in roof if z >= cabin_low - 1e-9])
    middle = np.array([cabin[:, 0].mean(), 0.0])
    window = (cabin - (0, cabin_low)) * (0.84, 0.72) + (0.16 * middle[0], cabin_low + 0.10 * (h - cabin_low))
    shapes.append(visual(meshes.extrude_x(window[::-1], w - 0.0052), glass))
    panes = cabin + np.array([0, 0.0004])
    panes[panes[:, 1] < h, 0] += np.where(panes[panes[:, 1] < h, 0] > middle[0], 0.0005, -0.0005)
    shapes.append(visual(meshes.extrude_x(panes[::-1], w - 0.016), glass))
    flat = cabin[cabin[:, 1] > 0.985 * h, 0]
    shapes.append(
        box(w - 0.008, float(np.ptp(flat)) + 0.002, 0.0012, (0, float(flat.mean()), h + 0.0003), skin, role="visual")
    )
    r = 0.0105 if form != "truck" else 0.012
    for sx in (-1, 1):
        for sy in (-0.62, 0.60):
            at = (sx * (w / 2 - 0.005), sy * length / 2, r)
            tyre = meshes.lathe(meshes.fillet([(0, -0.005), (r, -0.005), (r, 0.005), (0, 0.005)], 0.002, 1), 14)
            shapes.append(visual(meshes.moved(tyre, at, (np.sqrt(0.5), 0, np.sqrt(0.5), 0)), paint("black", "rubber")))
            hub = meshes.lathe([(0, -0.0054), (0.5 * r, -0.0054), (0.5 * r, 0.0054), (0, 0.0054)], 8)
            shapes.append(visual(meshes.moved(hub, at, (np.sqrt(0.5), 0, np.sqrt(0.5), 0)), paint("silver", "metal")))
    front = _outline(form, length, h)[-2][1]
    for sx in (-1, 1):  # lamps
        shapes.append(
            box(0.008, 0.002, 0.005, (sx * 0.3 * w, length / 2, 0.75 * front), paint("cream", "glass"), role="visual")
        )
        shapes.append(
            box(0.008, 0.002, 0.004, (sx * 0.3 * w, -length / 2, 0.018), paint("red", "glass"), role="visual")
        )
    details = [f"{accent} trim", "black wheels"]
    if form == "racing":
        shapes.append(
            box(w - 0.004, 0.014, 0.003, (0, -0.44 * length, h + 0.001), paint(accent, "plastic"), role="visual")
        )
        shapes.append(
            box(0.012, length * 0.5, 0.001, (0, 0.22 * length, 0.50 * h), paint(accent, "plastic"), role="visual")
        )
        details[0] = "rear spoiler"
    elif form == "truck":
        shapes.append(
            box(
                w - 0.002,
                length * 0.50,
                0.012,
                (0, -0.25 * length, 0.62 * h + 0.003),
                paint(accent, "plastic"),
                role="visual",
            )
        )
        details[0] = f"{accent} bed"
    elif form == "police":
        shapes.append(
            box(0.022, 0.009, 0.005, (0, -0.14 * length / 2, h + 0.002), paint("blue", "glass"), role="visual")
        )
        shapes.append(box(w - 0.0055, 0.030, 0.012, (0, -0.005, 0.36 * h), paint(accent, "plastic"), role="visual"))
        details[0] = "blue light"
    else:
        shapes.append(box(w - 0.0054, length * 0.8, 0.003, (0, 0, 0.34 * h), paint(accent, "plastic"), role="visual"))
    deck = 0.58 * h
    top_y = (cabin[:, 0].min(), cabin[:, 0].max())
    shapes += [
        box(w, length, deck, (0, 0, deck / 2), role="collision", friction=0.9),
        box(
            w - 0.006,
            0.75 * (top_y[1] - top_y[0]),
            h - deck,
            (0, float(np.mean(top_y)), (h + deck) / 2),
            role="collision",
            friction=0.9,
        ),
    ]
    words = phrases(rng, ("toy car", "model car"), color, "plastic", "small", form, details)
    return assemble("toy_car", index, shapes, words, 0.07 + 0.008 * index, top_box(w, 1.0, h, (-0.6, 0.6), 0.026))

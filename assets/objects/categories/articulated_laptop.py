"""Laptop: a base and a lid on a hinge at the back; the lid's front edge overhangs so that it can be pinched."""

from __future__ import annotations

import numpy as np

from assets.objects.artwork import canvas, pixels, rgb8
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.frames import axes, pose, quat_about
from assets.objects.grasps import both_ways
from assets.objects.library import category
from assets.objects.meshes import at_height, loft, rectangle, sheet, slab
from assets.objects.model import FunctionalPoint, Joint, ObjectAsset, Part
from assets.objects.palette import paint, printed, shade
from assets.objects.shapes import box, visual
from assets.textures.procedural import texture

# width of the base (cm), aspect depth / width, colour, keyboard colour, material word
MODELS = [
    (28.0, 0.68, "silver", "black", "aluminum"), (30.0, 0.66, "dark gray", "black", "metal"),
    (26.0, 0.70, "white", "light gray", "plastic"), (29.0, 0.67, "black", "dark gray", "carbon"),
    (25.0, 0.70, "gold", "white", "aluminum"), (27.0, 0.69, "pink", "white", "plastic"),
    (31.0, 0.65, "navy", "black", "metal"), (28.5, 0.68, "gray", "black", "aluminum"),
    (24.0, 0.72, "mint", "white", "plastic"), (26.5, 0.70, "copper", "black", "metal"),
    (30.0, 0.64, "light blue", "white", "plastic"),
]  # fmt: skip
OVERHANG = 0.010  # metres by which the lid stands out over the base's front edge
OPENING = 2.2  # radians from closed to fully open


def keyboard(body: str, keys: str) -> np.ndarray:
    """(128, 192, 3) image of the top of the base: five rows of keys and a touch pad; row 0 at the screen."""
    width, height = 192, 128
    image, pen = canvas(width, height, body)
    pen.rounded_rectangle((6, 6, width - 7, 74), 3, fill=rgb8(shade(body, 0.72)))
    for row in range(5):
        count = 14 - row % 2
        left, step = 9.0, (width - 18) / count
        for k in range(count):
            if row == 4 and 4 <= k <= 8:
                continue
            x, y = left + k * step, 9 + row * 13
            pen.rounded_rectangle((x, y, x + step - 2, y + 10), 2, fill=rgb8(keys))
    step = (width - 18) / 14
    pen.rounded_rectangle((9 + 4 * step, 61, 9 + 9 * step - 2, 71), 2, fill=rgb8(keys))
    pen.rounded_rectangle((66, 82, 126, 122), 4, fill=rgb8(shade(body, 0.85)))
    return pixels(image)


def screen(rng: np.random.Generator) -> np.ndarray:
    """(96, 144, 3) desktop image: a wallpaper, a window and a task bar."""
    wallpaper = texture(str(rng.choice(["gradient", "blobs", "marble"])), int(rng.integers(1000)), 144)[:96]
    image, pen = canvas(144, 96, "black")
    from PIL import Image

    image.paste(Image.fromarray(wallpaper))
    x, y = (int(v) for v in rng.integers((12, 8), (50, 26)))
    pen.rectangle((x, y, x + 72, y + 48), fill=rgb8("white"))
    pen.rectangle((x, y, x + 72, y + 7), fill=rgb8(str(rng.choice(["blue", "dark gray", "teal"]))))
    for line in range(4):
        pen.rectangle(
            (x + 5, y + 13 + 8 * line, x + 5 + int(rng.integers(30, 62)), y + 16 + 8 * line), fill=rgb8("gray")
        )
    pen.rectangle((0, 88, 144, 96), fill=rgb8("dark gray"))
    for k in range(7):
        pen.rectangle((45 + 8 * k, 90, 50 + 8 * k, 94), fill=rgb8(str(rng.choice(["white", "orange", "light blue"]))))
    return pixels(image)


@category("laptop", len(MODELS), synonyms=("notebook", "keyboard", "screen", "tablet"))
def laptop(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Front edge at -y, hinge at +y. The joint "lid" is 0 when closed; an episode starts at a fifth of its range."""
    width, aspect, color, keys, material = MODELS[index]
    w, d = width / 100, width / 100 * aspect
    h, t = 0.016, 0.009  # thickness of base and lid
    shell = paint(color, "metal" if material != "plastic" else "plastic")
    face_up, face_down = quat_about((1, 0, 0), -np.pi / 2), quat_about((1, 0, 0), np.pi / 2)
    base = Part(
        "base",
        (
            visual(slab(rectangle(w, d, 0.012), h, 0.004), shell),
            box(w, d, h, (0, 0, h / 2), role="collision"),
            visual(sheet(w - 0.012, d - 0.012), printed(keyboard(color, keys)), (0, 0, h + 0.0003), face_up),
        ),
        mass=1.1,
    )
    length = d + OVERHANG
    outline = rectangle(w, length, 0.012)
    middle, mass = -length / 2, 0.22
    lid = Part(
        "lid",
        (
            visual(
                loft([at_height(outline, z, s) for z, s in ((0, 1), (t - 0.002, 1), (t, 0.985))]), shell, (0, middle, 0)
            ),
            box(w, length, t, (0, middle, t / 2), role="collision", friction=1.0),
            visual(sheet(w - 0.008, length - 0.008), paint("black", "glass"), (0, middle, -0.0002), face_down),
            visual(sheet(w - 0.026, d - 0.030), printed(screen(rng), "glass"), (0, middle, -0.0006), face_down),
        ),
        mass=mass,
        parent="base",
        pos=(0, d / 2, h + 0.0015),
        joint=Joint(
            "hinge",
            axis=(-1, 0, 0),
            limits=(0.0, OPENING),
            initial=0.2 * OPENING,
            damping=0.1,
            frictionloss=1.5 * mass * 9.81 * length / 2,  # holds the lid's own weight in every position
        ),
    )
    # A pinch of the lid's front edge: palm in front of it, one finger above and one below.
    grasps = [
        g
        for fraction in (0.0, -0.25, 0.25, -0.4, 0.4)
        for g in both_ways("lid", (fraction * w, -length + 0.014, t / 2), (0, 1, 0), (0, 0, 1), t, (-0.7, 0.7), "lid")
    ]
    edge = FunctionalPoint("lid_edge", pose((0, -length, t / 2), axes((1, 0, 0), (0, 1, 0))), "lid")
    size = "large" if w > 0.285 else "small" if w < 0.265 else "thin"
    nouns = ("laptop", "laptop computer", "portable computer")
    size = "large" if w > 0.285 else "small" if w < 0.265 else "thin"
    nouns = ("laptop", "laptop computer", "portable computer")
    words = phrases(rng, nouns, color, material, size, parts=("hinged screen", f"{keys} keys"))
    return assemble("laptop", index, (base, lid), words, grasps=grasps, points=(edge,), clutter=False)

"""Microwave oven: a hollow housing, a control panel on the right, a door hinged on the left with a bar handle."""

from __future__ import annotations

import numpy as np

from assets.objects.artwork import canvas, pixels, rgb8, write
from assets.objects.assemble import assemble
from assets.objects.boards import boards
from assets.objects.describe import phrases
from assets.objects.frames import quat_about
from assets.objects.grasps import point, press
from assets.objects.handles import bar_grasps, bar_handle
from assets.objects.library import category
from assets.objects.meshes import lathe, sheet
from assets.objects.model import Joint, ObjectAsset, Part, Shape
from assets.objects.palette import paint, printed, shade
from assets.objects.shapes import cylinder, visual

# width, height, depth of the housing (cm), colour, door colour, finish, knobs instead of buttons
MODELS = [
    (34.0, 20.0, 24.0, "white", "white", "plastic", False),
    (36.0, 21.0, 25.0, "silver", "black", "metal", True),
    (31.0, 19.5, 23.0, "dark red", "dark red", "plastic", False),
]
PANEL, WALL, DOOR, GAP = 0.078, 0.012, 0.018, 0.0015  # panel width, wall and door thickness, gap at the door, metres
BAR, BAR_GAP = 0.008, 0.036  # radius of the handle and free space behind it
OPENING = 1.9  # radians to which the door opens


def panel_image(color: str, knobs: bool) -> np.ndarray:
    """(160, 64, 3) control panel: a green clock, and buttons unless there are knobs."""
    image, pen = canvas(64, 160, color)
    pen.rectangle((8, 10, 55, 32), fill=rgb8("black"))
    write(pen, "12:30", (32, 21), 10, "lime")
    for k in range(0 if knobs else 12):
        x, y = 9 + 16 * (k % 3), 44 + 18 * (k // 3)
        pen.rounded_rectangle((x, y, x + 13, y + 13), 2, fill=rgb8(shade(color, 0.75)))
    if not knobs:
        pen.rounded_rectangle((9, 126, 54, 146), 3, fill=rgb8("green"))
    return pixels(image)


def housing(w: float, h: float, d: float, color: str, finish: str, knobs: bool) -> Part:
    """Open box with a solid block behind the panel, a turntable and feet; front at y = -d / 2."""
    foot = 0.006
    low, inner = foot + WALL, w - PANEL - WALL
    left = -w / 2
    shell = boards(
        [
            ((w, d, WALL), (0, 0, foot + WALL / 2)),
            ((w, d, WALL), (0, 0, h - WALL / 2)),
            ((WALL, d, h - foot), (left + WALL / 2, 0, (h + foot) / 2)),
            ((PANEL, d, h - foot), (w / 2 - PANEL / 2, 0, (h + foot) / 2)),
            ((w, WALL, h - foot), (0, d / 2 - WALL / 2, (h + foot) / 2)),
        ],
        paint(color, finish),
    )
    feet = [
        cylinder(0.012, foot, (x * w * 0.4, y * d * 0.38, foot / 2), paint("black", "rubber"))
        for x in (-1, 1)
        for y in (-1, 1)
    ]
    face = -d / 2 - 0.0004
    shapes: list[Shape] = [
        *shell,
        *feet,
        cylinder(min(inner, d) * 0.4, 0.006, (left + WALL + inner / 2, 0, low + 0.005), paint("light blue", "glass")),
        visual(
            sheet(PANEL - 0.008, h - foot - 0.012),
            printed(panel_image(color, knobs), finish),
            (w / 2 - PANEL / 2, face, (h + foot) / 2),
        ),
    ]
    if knobs:
        knob = lathe([(0, 0), (0.016, 0), (0.016, 0.004), (0.012, 0.014), (0, 0.014)], 16)
        out = quat_about((1, 0, 0), np.pi / 2)
        shapes += [
            visual(knob, paint("light gray", "metal"), (w / 2 - PANEL / 2, face, z * h), out) for z in (0.28, 0.55)
        ]
    return Part("base", tuple(shapes), mass=6.0)


@category("microwave", len(MODELS), synonyms=("oven",))
def microwave(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Front at -y. The joint "door" is 0 when closed; its frame lies on the hinge, x along the door."""
    width, height, depth, color, door_color, finish, knobs = MODELS[index]
    w, h, d = width / 100, height / 100, depth / 100
    length, tall = w - PANEL - 0.002, h - 0.010
    z = tall / 2
    grip = length - 0.022
    window = paint((0.05, 0.05, 0.06), "glass")
    door = Part(
        "door",
        (
            *boards([((length, DOOR, tall), (length / 2, -DOOR / 2, z))], paint(door_color, finish)),
            visual(sheet(length - 0.06, tall - 0.05), window, (length / 2 - 0.010, -DOOR - 0.0004, z)),
            visual(sheet(length - 0.05, tall - 0.04), window, (length / 2, 0.0004, z), quat_about((0, 0, 1), np.pi)),
            *bar_handle((grip, -DOOR, z), (0, 0, 1), (0, -1, 0), tall * 0.62, BAR_GAP, BAR, paint("silver", "metal")),
        ),
        mass=0.8,
        parent="base",
        pos=(-w / 2, -d / 2 - GAP, 0.008),
        # the axis runs through the door's inner left edge, so that no corner of it turns into the housing
        joint=Joint("hinge", axis=(0, 0, -1), limits=(0.0, OPENING), damping=0.08, frictionloss=0.03),
    )
    bar = (grip, -DOOR - BAR_GAP - BAR, z)
    grasps = [
        *bar_grasps(
            "handle",
            "door",
            bar,
            (0, 0, 1),
            (0, 1, 0),
            2 * BAR,
            angles=(0, 0.35, -0.35, 0.7, -0.7),
            shifts=(0, 0.02, -0.02),
        ),
        # once the door stands ajar: closed fingertips behind its free edge, pointing along the inner face
        *press((length - 0.03, 0.020, z), "door_edge", (-0.9, 0.44, 0), count=2, part="door"),
        # or from above, over its top edge
        *(
            g
            for inset in (0.03, 0.07)
            for g in press((length - inset, 0.020, tall - 0.03), "door_edge", tilt=(-0.7, 0.7), part="door")
        ),
    ]
    inside = (-w / 2 + WALL + (w - PANEL - WALL) / 2, 0, 0.006 + WALL + 0.008)
    nouns = ("microwave", "microwave oven", "kitchen microwave")
    words = phrases(
        rng, nouns, color, finish, "small", "boxy", ("bar handle", "glass door", "knobs" if knobs else "buttons")
    )
    parts = (housing(w, h, d, color, finish, knobs), door)
    return assemble("microwave", index, parts, words, grasps=grasps, points=(point("inside", inside),), clutter=False)

"""Further things with a hinge: a toaster oven, boxes with a lid, kettles. No task needs them; they add variety."""

from __future__ import annotations

import numpy as np

from assets.objects.assemble import assemble
from assets.objects.boards import boards
from assets.objects.categories.articulated_microwave import PANEL, housing
from assets.objects.describe import phrases
from assets.objects.frames import quat_about
from assets.objects.grasps import both_ways, point, press
from assets.objects.handles import bar_grasps, bar_handle
from assets.objects.library import category
from assets.objects.meshes import fillet, lathe, sheet, sweep
from assets.objects.model import Joint, ObjectAsset, Part, Shape
from assets.objects.palette import WOODS, paint
from assets.objects.shapes import box_wall, cylinder, ring_wall, tube, visual

GRAVITY = 9.81

# width, height, depth (cm), colour, finish
OVENS = [
    (36.0, 22.0, 26.0, "black", "metal"), (34.0, 21.0, 25.0, "silver", "metal"),
    (33.0, 20.0, 24.0, "mint", "plastic"), (35.0, 22.0, 25.0, "cream", "plastic"),
]  # fmt: skip
# width, depth, height (cm), colour or wood, lid colour or wood
BOXES = [
    (18.0, 12.0, 9.0, "oak", "oak"), (15.0, 11.0, 8.0, "white", "gold"), (20.0, 13.0, 7.0, "walnut", "walnut"),
    (14.0, 14.0, 10.0, "teal", "white"), (17.0, 10.0, 8.0, "dark red", "black"), (16.0, 12.0, 11.0, "pine", "brown"),
    (19.0, 14.0, 8.0, "navy", "light gray"),
]  # fmt: skip
# body radius, height (cm), colour, handle colour
KETTLES = [(7.6, 13.0, "silver", "black"), (7.2, 14.0, "red", "walnut"), (8.0, 12.0, "mint", "oak")]


@category("oven", len(OVENS), synonyms=("microwave",), clutter=False)
def oven(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Front at -y. The joint "door" is 0 when closed and lets the door down towards the front."""
    width, height, depth, color, finish = OVENS[index]
    w, h, d = width / 100, height / 100, depth / 100
    length, thick, low = w - PANEL - 0.004, 0.018, 0.024
    tall = h - low - 0.004
    middle = -w / 2 + length / 2
    glass = paint((0.06, 0.05, 0.05), "glass")
    mass, top = 0.6, tall - 0.024
    bar = paint("silver", "metal")
    door = Part(
        "door",
        (
            *boards([((length, thick, tall), (0, -thick / 2, tall / 2))], paint(color, finish)),
            visual(sheet(length - 0.04, tall - 0.07), glass, (0, -thick - 0.0004, tall / 2 - 0.012)),
            visual(sheet(length - 0.03, tall - 0.03), glass, (0, 0.0004, tall / 2), quat_about((0, 0, 1), np.pi)),
            *bar_handle((0, -thick, top), (1, 0, 0), (0, -1, 0), length * 0.6, 0.036, 0.007, bar),
        ),
        mass=mass,
        parent="base",
        pos=(middle, -d / 2 - 0.0015, low),
        joint=Joint("hinge", (1, 0, 0), (0.0, 1.25), damping=0.1, frictionloss=1.4 * mass * GRAVITY * tall / 2),
    )
    at = (0, -thick - 0.036 - 0.007, top)
    grasps = bar_grasps("handle", "door", at, (1, 0, 0), (0, 1, 0), 0.014, (0, -0.4, -0.8), (0, 0.03, -0.03))
    base = housing(w, h, d, color, finish, knobs=True)
    nouns = ("oven", "toaster oven", "mini oven")
    words = phrases(rng, nouns, color, finish, "small", "boxy", ("bar handle", "glass door", "two knobs"))
    inside = point("inside", (middle, 0, 0.026))
    return assemble("oven", index, (base, door), words, grasps=grasps, points=(inside,), clutter=False)


@category("box_with_lid", len(BOXES), synonyms=("music_box", "shoe_box", "plastic_box", "cabinet"), clutter=False)
def box_with_lid(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Front at -y, hinge at +y. The lid's front edge overhangs, so that it can be pinched; "lid" is 0 when shut."""
    width, depth, height, color, lid_color = BOXES[index]
    w, d, h = width / 100, depth / 100, height / 100
    wall, lip, t = 0.006, 0.026, 0.010
    finish = "wood" if color in WOODS else "plastic"
    body: list[Shape] = [
        *box_wall(w, d, 0.0, h, wall, material=paint(color, finish), role="both"),
        *boards([((w - 2 * wall, d - 2 * wall, wall), (0, 0, wall / 2))], paint(color, finish)),
    ]
    mass, length = 0.12, d + lip
    cover = paint(lid_color, "wood" if lid_color in WOODS else finish)
    lid = Part(
        "lid",
        (
            *boards([((w, length, t), (0, -length / 2, t / 2))], cover, 1.0),
            *boards([((w * 0.5, length * 0.5, 0.002), (0, -length / 2, t + 0.001))], paint("gold", "metal")),
        ),
        mass=mass,
        parent="base",
        pos=(0, d / 2, h + 0.001),
        joint=Joint("hinge", (-1, 0, 0), (0.0, 1.9), damping=0.02, frictionloss=1.4 * mass * GRAVITY * length / 2),
    )
    grasps = [
        g
        for x in (0.0, -0.3 * w, 0.3 * w)
        for g in both_ways("lid", (x, -length + 0.010, t / 2), (0, 1, 0), (0, 0, 1), t, (-0.6, 0.6), "lid")
    ]
    shade = color if color not in WOODS else "brown"
    words = phrases(rng, ("box with lid", "lidded box", "hinged box"), shade, "wooden" if color in WOODS else "plastic",
                    "small" if w < 0.16 else "wide", "", ("hinged top", "gold plate"))  # fmt: skip
    inside = point("inside", (0, 0, wall))
    parts = (Part("base", tuple(body), 0.45), lid)
    return assemble("box_with_lid", index, parts, words, grasps=grasps, points=(inside,), clutter=False)


@category("kettle", len(KETTLES), synonyms=("tea_pot", "kitchen_pot", "watering_can"), clutter=False)
def kettle(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Spout at +x, handle arched over the lid along x; the lid "lid" turns up about its hinge at -x."""
    radius, height, color, handle = KETTLES[index]
    r, h = radius / 100, height / 100
    mouth = 0.6 * r
    outside = fillet([(0, 0), (r, 0), (r, 0.35 * h), (mouth + 0.004, h), (mouth, h)], 0.02, 3)
    inside = [(mouth - 0.004, h), (r - 0.008, 0.3 * h), (0, 0.004)]
    spout = np.array([(0.8 * r, 0, 0.45 * h), (1.25 * r, 0, 0.62 * h), (1.6 * r, 0, 0.95 * h)])
    arch = fillet([(-r * 0.9, 0.6 * h), (-r * 0.95, h + 0.080), (r * 0.75, h + 0.080), (r * 0.82, 0.72 * h)], 0.035, 4)
    path = np.column_stack((arch[:, 0], np.zeros(len(arch)), arch[:, 1]))
    metal, grip = paint(color, "metal"), paint(handle, "wood" if handle in WOODS else "plastic")
    shapes: list[Shape] = [
        visual(lathe([*outside, *inside], 24), metal),
        cylinder(r * 0.97, 0.008, (0, 0, 0.004), role="collision"),
        *ring_wall(r * 0.98, r * 0.9, 0.001, 0.5 * h, 0.006, 10),
        *ring_wall(r * 0.9, mouth + 0.004, 0.5 * h, h, 0.006, 10),
        visual(sweep(spout, [0.016, 0.012, 0.009], sides=10), metal),
        *tube(spout.tolist(), 0.011),
        visual(sweep(path, 0.007, sides=8), grip),
        *tube(path[[0, 1, 3, 5, 6, 8, 10, 11]].tolist(), 0.007, friction=1.0),
    ]
    mass = 0.06
    lid = Part(
        "lid",
        (
            visual(lathe([(0, 0), (mouth, 0), (mouth, 0.003), (0.012, 0.012), (0, 0.012)], 20), metal, (mouth, 0, 0)),
            visual(
                lathe([(0, 0.012), (0.006, 0.012), (0.010, 0.022), (0.006, 0.028), (0, 0.028)], 12), grip, (mouth, 0, 0)
            ),
            cylinder(mouth, 0.004, (mouth, 0, 0.002), role="collision"),
            cylinder(0.009, 0.018, (mouth, 0, 0.019), role="collision", friction=1.0),
        ),
        mass=mass,
        parent="base",
        pos=(-mouth, 0, h + 0.001),
        joint=Joint("hinge", (0, -1, 0), (0.0, 0.55), damping=0.005, frictionloss=1.4 * mass * GRAVITY * mouth),
    )
    middle = ((path[5, 0] + path[6, 0]) / 2, 0, h + 0.080)
    grasps = bar_grasps("handle", "base", middle, (1, 0, 0), (0, 0, -1), 0.014, (0, 0.5, -0.5), (0, 0.015, -0.015))
    grasps += press((mouth, 0, 0.028), "lid_knob", part="lid", count=2)
    words = phrases(rng, ("kettle", "water kettle", "stove kettle"), color, "metal", "medium", "round",
                    (f"{handle if handle not in WOODS else 'wooden'} handle", "hinged lid"))  # fmt: skip
    tip = point("spout", spout[-1].tolist(), z=(0.4, 0, 0.9))
    parts = (Part("base", tuple(shapes), 0.55), lid)
    return assemble("kettle", index, parts, words, grasps=grasps, points=(tip,), clutter=False)

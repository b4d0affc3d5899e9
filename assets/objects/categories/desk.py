"""Mice, staplers, call bells and seals."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import canvas, grain, pixels, rgb8, write
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.frames import quat_about
from assets.objects.grasps import point, press, side_round, top_box, top_round
from assets.objects.library import category
from assets.objects.model import ObjectAsset, Shape
from assets.objects.palette import WOODS, paint, printed
from assets.objects.shapes import box, collision, cylinder, decal, hull, visual

# width, length, height, colour, accent, finish, form
_MICE = (
    (0.058, 0.104, 0.036, "black", "dark gray", "rubber", "wireless"),
    (0.056, 0.098, 0.033, "white", "light gray", "plastic", "slim"),
    (0.060, 0.108, 0.038, "dark gray", "red", "plastic", "gaming"),
)


@category("mouse", instances=3, synonyms=("remote_control",))
def mouse(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Computer mouse whose buttons point to +y."""
    w, length, h, color, accent, finish, form = _MICE[index]

    def ring(scale: float, z: float, segments: int) -> np.ndarray:
        p = meshes.at_height(meshes.ellipse(w, length, segments, 2.7), z, scale)
        p[:, 2] -= 0.22 * z * np.maximum(p[:, 1] / length + 0.1, 0)  # lower towards the buttons
        return p

    levels = ((0.95, 0.0), (1.0, 0.004), (0.99, 0.45 * h), (0.90, 0.76 * h), (0.66, 0.95 * h), (0.3, h))
    body = meshes.loft([ring(s, z, 22) for s, z in levels])
    shapes: list[Shape] = [
        visual(body, paint(color, finish)),
        hull(meshes.loft([ring(s, z, 10) for s, z in (levels[0], levels[2], levels[4])]), friction=0.9),
    ]
    slope = quat_about((1, 0, 0), -0.30)
    shapes.append(
        box(0.0016, 0.36 * length, 0.010, (0, 0.27 * length, 0.83 * h), paint(accent, "matte"), slope, "visual")
    )
    shapes.append(
        cylinder(0.0065, 0.006, (0, 0.27 * length, 0.82 * h), paint("light gray", "rubber"), (1, 0, 0), "visual")
    )
    if form == "gaming":
        shapes.append(box(0.002, 0.03, 0.006, (-w / 2 + 0.0015, 0, 0.5 * h), paint(accent, "glass"), role="visual"))
        logo = meshes.slab(meshes.ellipse(0.014, 0.014, 8), 0.001)
        shapes.append(visual(logo, paint(accent, "glass"), (0, -0.22 * length, 0.955 * h)))
    words = phrases(
        rng,
        ("mouse", "computer mouse"),
        color,
        "plastic",
        "slim" if h < 0.035 else "medium",
        form,
        (f"{accent} accents", "scroll wheel"),
    )
    return assemble("mouse", index, shapes, words, 0.085, top_box(w, 1.0, h, (-0.6, 0.6), 0.020))


# width, length, height, colour, accent, finish, form
_STAPLERS = (
    (0.030, 0.120, 0.052, "black", "silver", "plastic", "classic"),
    (0.032, 0.110, 0.050, "red", "black", "plastic", "compact"),
    (0.028, 0.125, 0.054, "blue", "silver", "plastic", "long"),
    (0.034, 0.115, 0.055, "light gray", "dark gray", "metal", "sturdy"),
    (0.030, 0.105, 0.048, "pink", "white", "plastic", "mini"),
    (0.031, 0.122, 0.053, "teal", "silver", "plastic", "curved"),
    (0.033, 0.118, 0.056, "orange", "black", "plastic", "sturdy"),
)


@category("stapler", instances=7, synonyms=("tape_dispenser", "hole_punch"))
def stapler(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Stapler whose mouth points to +y; one rigid body. Group "press": push down on the front of the arm."""
    w, length, h, color, accent, finish, form = _STAPLERS[index]
    y, base_h, arm_h = length / 2, 0.008, 0.020
    skin, metal = paint(color, finish), paint(accent, "metal" if accent == "silver" else finish)
    base = meshes.slab(meshes.rectangle(w, length, 0.008), base_h, 0.002, 1)
    rise = np.arctan2(h - arm_h - 0.016, length)  # the arm opens towards the mouth
    hinge = (-y + 0.012, 0.012)
    # side outline of the arm in its own (along, up) frame, from the hinge to the mouth
    out = meshes.fillet(
        [
            (-0.012, 0.002),
            (length - 0.016, 0.0),
            (length - 0.012, arm_h - 0.007),
            (length * 0.55, arm_h + 0.001),
            (0.006, arm_h),
            (-0.012, arm_h * 0.6),
        ],
        0.008,
        2,
        closed=True,
    )
    arm = meshes.extrude_x(out, w - 0.002)
    tilt = quat_about((1, 0, 0), float(rise))
    rail_out = np.array([(0, -0.009), (length - 0.022, -0.009), (length - 0.022, 0.002), (0, 0.002)])
    rail = meshes.extrude_x(rail_out, w * 0.6)
    origin = (0, hinge[0], hinge[1] + 0.010)
    anvil = box(0.010, 0.016, 0.0015, (0, y - 0.020, base_h + 0.0005), paint("silver", "metal"), role="visual")
    post = box(w - 0.003, 0.030, 0.022, (0, -y + 0.017, base_h + 0.009), skin)
    shapes: list[Shape] = [
        visual(base, metal if form == "sturdy" else skin),
        post,
        visual(arm, skin, origin, tilt),
        visual(rail, metal, origin, tilt),
        anvil,
    ]
    reach = length / 2 - 0.014
    middle = np.array([0, hinge[0] + reach * np.cos(rise), origin[2] + reach * np.sin(rise) + arm_h / 2])
    shapes += [
        box(w, length, base_h, (0, 0, base_h / 2), role="collision", friction=1.0),
        box(
            w - 0.002, length - 0.006, arm_h + 0.008, middle - (0, 0, 0.004), quat=tilt, role="collision", friction=1.0
        ),
    ]
    along = length - 0.030
    front = (0, hinge[0] + along * np.cos(rise), origin[2] + along * np.sin(rise) + arm_h)
    grasps = top_box(w - 0.002, 1.0, h, (-0.6, 0.6), 0.022) + press(front, "press")
    words = phrases(
        rng,
        ("stapler", "office stapler"),
        color,
        finish,
        "small" if length < 0.112 else "large" if length > 0.121 else "medium",
        form,
        (f"{accent} rail", "flat base"),
    )
    return assemble(
        "stapler", index, shapes, words, 0.14 + 0.01 * index, grasps, [point("mouth", (0, y - 0.02, base_h))]
    )


@category("bell", instances=2, synonyms=("alarm_clock",))
def bell(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Reception bell with a button on top: group "button"."""
    color, foot, finish = (("silver", "black", "metal"), ("gold", "walnut", "metal"))[index]
    r, collar, dome = 0.0305, 0.016, 0.022
    z = collar
    t = np.linspace(0, np.pi / 2, 6)
    profile = [(0, z), (r - 0.001, z), *((r * np.cos(a), z + 0.002 + dome * np.sin(a)) for a in t)]
    profile[-1] = (0.0, z + 0.002 + dome)
    top = z + 0.002 + dome
    base = meshes.lathe(
        meshes.fillet([(0, 0), (0.031, 0), (0.031, collar * 0.7), (0.022, collar), (0, collar)], 0.003, 1), 22
    )
    knob = meshes.lathe(
        meshes.fillet([(0, top - 0.002), (0.006, top - 0.002), (0.006, top + 0.007), (0, top + 0.009)], 0.003, 1), 10
    )
    wood = foot in WOODS
    shell = [(0, z), (r, z), (0.86 * r, z + 0.55 * dome), (0.45 * r, z + 0.92 * dome), (0, top)]
    shapes = [
        visual(meshes.lathe(profile, 22), paint(color, finish)),
        visual(base, printed(grain(rng, WOODS[foot]), "wood") if wood else paint(foot, "plastic")),
        visual(knob, paint("silver" if index else "dark gray", "metal")),
        cylinder(0.031, collar, (0, 0, collar / 2), role="collision", friction=1.0),
        hull(meshes.lathe(shell, 12)),
        cylinder(0.006, 0.010, (0, 0, top + 0.003), role="collision"),
    ]
    grasps = press((0, 0, top + 0.008)) + top_round(0.062, 0.0125, 8)
    words = phrases(
        rng,
        ("bell", "call bell", "desk bell"),
        color,
        "metal",
        "small",
        "round",
        ("push button", f"{foot} base", "shiny dome"),
    )
    return assemble("bell", index, shapes, words, 0.12, grasps, [point("button", (0, 0, top + 0.008))])


# base form, base size, handle form, height, colour, handle colour, text
_SEALS = (
    ("square", 0.042, "cylinder", 0.078, "dark red", "walnut", "OK"),
    ("round", 0.044, "pear", 0.080, "oak", "black", "PAID"),
    ("square", 0.038, "post", 0.074, "teal", "maple", "NEW"),
    ("round", 0.040, "knob", 0.072, "gold", "cherry", "TOP"),
    ("square", 0.046, "cylinder", 0.082, "dark gray", "silver", "DONE"),
    ("round", 0.046, "pear", 0.076, "navy", "oak", "MAIL"),
)
_HANDLES = {  # (radius, height fraction over the base) from below
    "cylinder": [(0.013, 0.0), (0.013, 0.86), (0.011, 1.0)],
    "pear": [(0.010, 0.0), (0.0095, 0.25), (0.0155, 0.72), (0.011, 0.96), (0.0, 1.0)],
    "post": [(0.012, 0.0), (0.0135, 0.5), (0.012, 1.0)],
    "knob": [(0.011, 0.0), (0.011, 0.40), (0.0165, 0.70), (0.012, 0.95), (0.0, 1.0)],
}


@category("seal", instances=6)
def seal(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Stamp with a handle; point "bottom" is its printing face."""
    form, size, grip, h, color, handle, text = _SEALS[index]
    foot = 0.022
    outline = meshes.rectangle(size, size, 0.005) if form == "square" else meshes.ellipse(size, size, 22)
    stem = h - foot
    profile = [(0, foot - 0.001), *((r, foot + f * stem) for r, f in _HANDLES[grip])]
    if profile[-1][0] > 0:
        profile.append((0, h))
    wide = max(r for r, _ in _HANDLES[grip])

    def look(c: str):
        return (
            printed(grain(rng, WOODS[c]), "wood")
            if c in WOODS
            else paint(c, "metal" if c in ("gold", "silver") else "plastic")
        )

    image, pen = canvas(48, 24, "white")
    pen.rectangle((1, 1, 46, 22), outline=rgb8("red"), width=2)
    write(pen, text, (24, 12), 9, "red")
    body = box(size, size, foot, (0, 0, foot / 2)) if form == "square" else cylinder(size / 2, foot, (0, 0, foot / 2))
    shapes = [
        visual(meshes.slab(outline, 0.006), paint("dark red", "rubber")),
        visual(meshes.slab(outline, foot - 0.006, 0.003, 1), look(color), (0, 0, 0.006)),
        visual(meshes.lathe(meshes.fillet(profile, 0.005, 2), 16), look(handle)),
        collision(body),
        cylinder(wide, stem, (0, 0, foot + stem / 2), role="collision", friction=1.0),
    ]
    if form == "square":
        shapes.append(decal(size * 0.7, 0.011, (0, -size / 2, 0.013), "front", printed(pixels(image))))
    grasps = top_round(2 * wide, h - 0.018, 8, (-0.5, 0.5)) + side_round(2 * wide, foot + 0.55 * stem, 8)
    color_word = f"{color} brown" if color in WOODS else color
    words = phrases(
        rng,
        ("seal", "stamp", "rubber stamp"),
        color_word,
        "wooden" if handle in WOODS else "metal",
        "small" if h < 0.076 else "tall",
        form,
        (f"{handle} handle", f"{grip} grip"),
    )
    return assemble("seal", index, shapes, words, 0.07 + 0.008 * index, grasps)

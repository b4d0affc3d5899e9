"""Barcode scanners, electronic scales, desk fans and alarm clocks."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import canvas, pixels, rgb8, write
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.frames import quat_about
from assets.objects.grasps import both_ways, point, press, top_box
from assets.objects.library import category
from assets.objects.model import Material, ObjectAsset, Shape
from assets.objects.palette import paint, printed, shade
from assets.objects.shapes import box, collision, cylinder, decal, ellipsoid, visual

# handle width, head width, length, head height, colour, accent, form
_SCANNERS = (
    (0.036, 0.062, 0.165, 0.056, "dark gray", "yellow", "rugged"),
    (0.034, 0.058, 0.160, 0.052, "white", "gray", "slim"),
    (0.038, 0.060, 0.170, 0.058, "black", "red", "chunky"),
    (0.034, 0.056, 0.155, 0.050, "light blue", "white", "compact"),
    (0.036, 0.060, 0.168, 0.054, "orange", "black", "curved"),
)


@category("scanner", instances=5)
def scanner(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Hand-held barcode scanner lying on the table; it looks along +y. Point "window": z against the look."""
    w, head_w, length, head_h, color, accent, form = _SCANNERS[index]
    y, grip_h, head_d = length / 2, 0.038, 0.056
    neck = y - head_d
    skin, trim = paint(color, "plastic"), paint(accent, "rubber")
    side = meshes.fillet(
        [
            (-y, 0),
            (neck + 0.006, 0),
            (neck + 0.006, grip_h + 0.008),
            (neck - 0.030, grip_h),
            (-y + 0.010, grip_h - 0.004),
            (-y, grip_h - 0.012),
        ],
        0.012,
        3,
        closed=True,
    )
    outline = meshes.rectangle(head_w, head_h, 0.012)
    stand = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)  # the slab's z becomes -y, its y becomes z
    head = meshes.moved(meshes.slab(meshes.inset(outline, 0.0015), head_d, 0.005, 2), (0, y, head_h / 2), stand)
    image, pen = canvas(64, 40, "black")
    pen.rounded_rectangle((4, 4, 59, 35), 5, fill=(60, 8, 12))
    pen.line((8, 20, 55, 20), fill=rgb8("red"), width=3)
    window = decal(head_w * 0.72, head_h * 0.5, (0, y, head_h * 0.45), "back", printed(pixels(image), "glass"))
    shapes: list[Shape] = [
        visual(meshes.extrude_x(side, w), skin),
        visual(head, skin),
        window,
        visual(
            meshes.slab(meshes.rectangle(0.018, 0.030, 0.008), 0.003, 0.001, 1), trim, (0, neck - 0.020, grip_h - 0.001)
        ),
        visual(meshes.moved(meshes.slab(outline, 0.010, 0.002, 1), (0, y - 0.004, head_h / 2), stand), trim),
        box(0.006, 0.006, 0.002, (0.012, y - 0.030, head_h + 0.0002), paint("green", "glass"), role="visual"),
        box(w, length - head_d, grip_h - 0.004, (0, -head_d / 2, (grip_h - 0.004) / 2), role="collision", friction=1.0),
        collision(box(head_w, head_d, head_h, (0, y - head_d / 2, head_h / 2), friction=0.9)),
    ]
    grasps = []
    for at in (-y + 0.040, -y + 0.055, -y + 0.070):
        grasps += both_ways("handle", (0, at, 0.019), (0, 0, -1), (1, 0, 0), w, (-0.6, 0.6))
    words = phrases(
        rng,
        ("scanner", "barcode scanner"),
        color,
        "plastic",
        "small" if length < 0.162 else "large",
        form,
        (f"{accent} trim", "red window", "handle"),
    )
    points = [point("window", (0, y, head_h * 0.45), z=(0, -1, 0), x=(1, 0, 0))]
    return assemble("scanner", index, shapes, words, 0.15, grasps, points)


# width, depth, height, colour, plate colour, form, display text
_SCALES = (
    (0.155, 0.180, 0.042, "white", "silver", "slim", "0.00"),
    (0.150, 0.175, 0.050, "black", "light gray", "compact", "0.0 g"),
    (0.165, 0.190, 0.045, "light gray", "white", "flat", "000"),
    (0.150, 0.180, 0.055, "red", "silver", "sturdy", "0.00"),
    (0.160, 0.185, 0.044, "mint", "white", "modern", "0.0 g"),
)


@category("electronic_scale", instances=5, synonyms=("display_stand",))
def electronic_scale(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Kitchen scale with its display towards -y. Point "top" is the centre of the weighing plate."""
    w, d, h, color, plate, form, text = _SCALES[index]
    body_h, size = h - 0.008, w - 0.012
    middle = d / 2 - size / 2 - 0.004  # of the plate along y
    skin, metal = paint(color, "plastic"), paint(plate, "metal" if plate == "silver" else "ceramic")
    front = -d / 2
    side = meshes.fillet(
        [(front, 0.0), (d / 2, 0.0), (d / 2, body_h), (middle - size / 2 - 0.004, body_h), (front, 0.45 * body_h)],
        0.006,
        2,
        closed=True,
    )
    image, pen = canvas(64, 24, (0.62, 0.72, 0.60))
    write(pen, text, (32, 12), 12, "black")
    run = middle - size / 2 - 0.004 - front
    slope = float(np.arctan2(0.55 * body_h, run))
    face = np.array([0, front + 0.55 * run, 0.45 * body_h + 0.55 * 0.55 * body_h])
    lay = quat_about((1, 0, 0), slope - np.pi / 2)
    normal = np.array([0, -np.sin(slope), np.cos(slope)])
    sheet = meshes.sheet(0.056, 0.020)
    shapes: list[Shape] = [
        visual(meshes.extrude_x(side, w), skin),
        visual(sheet, printed(pixels(image), "glass"), face + normal * 0.0004, lay),
        collision(box(w, d, 0.45 * body_h, (0, 0, 0.225 * body_h), friction=1.0)),
        collision(box(w, size + 0.008, body_h, (0, middle, body_h / 2))),
        cylinder(size / 2 * 0.5, 0.004, (0, middle, body_h + 0.001), paint("dark gray", "matte"), role="visual"),
    ]
    button = meshes.slab(meshes.ellipse(0.010, 0.010, 10), 0.001)
    for x, ink in ((-0.046, "gray"), (0.046, "orange")):
        at = (x, float(face[1]), float(face[2]))
        shapes += [visual(button, paint(ink, "rubber"), at, quat_about((1, 0, 0), slope))]
    top = h - 0.0055
    if form in ("slim", "modern"):
        shapes += [
            visual(meshes.slab(meshes.ellipse(size, size, 30), 0.0055, 0.002, 1), metal, (0, middle, top)),
            collision(cylinder(size / 2, 0.0055 + 0.002, (0, middle, h - 0.00375), friction=1.0)),
        ]
    else:
        shapes += [
            visual(meshes.slab(meshes.rectangle(size, size, 0.010), 0.0055, 0.002, 1), metal, (0, middle, top)),
            collision(box(size, size, 0.0055 + 0.002, (0, middle, h - 0.00375), friction=1.0)),
        ]
    words = phrases(
        rng,
        ("electronic scale", "kitchen scale", "digital scale"),
        color,
        "plastic",
        "small" if w < 0.152 else "medium",
        form,
        (f"{plate} plate", "digital display"),
    )
    return assemble(
        "electronic_scale", index, shapes, words, 0.60, points=[point("top", (0, middle, h))], clutter=False
    )


# disc radius, height of the disc's centre, foot, colour, blades, number of blades
_FANS = (
    (0.062, 0.098, 0.105, "white", "light blue", 4),
    (0.060, 0.100, 0.100, "black", "silver", 3),
    (0.064, 0.102, 0.110, "pink", "white", 5),
    (0.058, 0.096, 0.100, "mint", "white", 4),
    (0.062, 0.104, 0.105, "light blue", "white", 3),
    (0.060, 0.098, 0.100, "yellow", "orange", 4),
    (0.064, 0.100, 0.110, "red", "black", 5),
)


def _ring(radius: float, y: float, tube: float, count: int = 20) -> meshes.Mesh:
    a = np.linspace(0, 2 * np.pi, count + 1)
    return meshes.sweep(np.column_stack((radius * np.cos(a), np.full(count + 1, y), radius * np.sin(a))), tube, sides=4)


@category("fan", instances=7)
def fan(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Desk fan that blows towards -y. It is held by the upper rim of its cage."""
    r, z, foot, color, blade, count = _FANS[index]
    t = 0.030
    skin, wing = paint(color, "plastic"), paint(blade, "plastic")
    centre = np.array([0, 0, z])
    wires = []
    for k in range(14):
        a = 2 * np.pi * k / 14
        tip = ((r + 0.010) / 2 * np.cos(a), -t / 2, (r + 0.010) / 2 * np.sin(a))
        wires.append(meshes.moved(_rod(r - 0.012), tip, quat_about((0, 1, 0), -a)))
    blades = []
    for k in range(count):
        a = 2 * np.pi * (k + 0.25) / count
        out = np.array([[0.010, -0.006], [0.75 * r, -0.024], [0.84 * r, 0.0], [0.70 * r, 0.016], [0.010, 0.006]])
        sail = meshes.moved(meshes.slab(out, 0.0016), quat=(np.sqrt(0.5), np.sqrt(0.5), 0, 0))
        twisted = meshes.moved(sail, quat=quat_about((1, 0, 0), 0.42))
        blades.append(meshes.moved(twisted, (0, 0, 0), quat_about((0, 1, 0), -a)))
    cap = meshes.moved(
        meshes.lathe(meshes.fillet([(0, 0), (0.014, 0), (0.014, 0.004), (0, 0.008)], 0.003, 1), 10),
        (0, -t / 2, 0),
        (np.sqrt(0.5), np.sqrt(0.5), 0, 0),
    )
    motor = meshes.moved(
        meshes.lathe(
            meshes.fillet([(0, -0.030), (0.016, -0.030), (0.022, -0.008), (0.022, 0.010), (0, 0.010)], 0.006, 1), 12
        ),
        (0, 0, 0),
        (np.sqrt(0.5), np.sqrt(0.5), 0, 0),
    )
    base = meshes.slab(meshes.ellipse(foot, foot, 22), 0.018, 0.007, 1)
    shapes: list[Shape] = [
        visual(
            meshes.merge(
                _ring(r - 0.002, -t / 2, 0.0028), _ring(r - 0.002, t / 2, 0.0028), _ring(0.6 * r, -t / 2, 0.0010, 14)
            ),
            skin,
            centre,
        ),
        visual(
            meshes.moved(
                meshes.band([(r - 0.001, -t / 2), (r - 0.001, t / 2)], 24), quat=(np.sqrt(0.5), np.sqrt(0.5), 0, 0)
            ),
            skin,
            centre,
        ),
        visual(meshes.merge(*wires), skin, centre),
        visual(meshes.merge(*blades), wing, centre),
        visual(cap, skin, centre),
        visual(motor, paint(shade(color, 0.75), "plastic"), centre),
        visual(base, skin),
        box(0.022, 0.016, z - r * 0.3, (0, 0.026, (z - r * 0.3) / 2 + 0.006), skin),
        cylinder(r, t, centre, axis=(0, 1, 0), role="collision", friction=1.0),
        collision(cylinder(foot / 2, 0.018, (0, 0, 0.009))),
        cylinder(0.007, 0.004, (0, -0.034, 0.018), paint("dark gray", "rubber"), role="visual"),
    ]
    grasps = both_ways("top", (0, 0, z + r - 0.016), (0, 0, -1), (0, 1, 0), t, (-0.6, 0.6))
    words = phrases(
        rng,
        ("fan", "desk fan"),
        color,
        "plastic",
        "small" if r < 0.061 else "medium",
        "round",
        (f"{blade} blades", f"{('three', 'four', 'five')[count - 3]} blades", "wire cage"),
    )
    return assemble("fan", index, shapes, words, 0.26, grasps)


def _rod(length: float) -> meshes.Mesh:
    """Thin triangular rod along x, without ends."""
    a = np.array([0.5, 2.6, 4.7])
    ring = 0.0011 * np.column_stack((np.cos(a), np.sin(a)))
    vertices = np.array([(x, p[0], p[1]) for x in (-length / 2, length / 2) for p in ring])
    faces = [f for k in range(3) for f in ((k, (k + 1) % 3, 3 + (k + 1) % 3), (k, 3 + (k + 1) % 3, 3 + k))]
    return meshes.Mesh(vertices, np.array(faces))


def _dial(hour: float, minute: float, ink: str = "black", face: str = "white", numbers: bool = True) -> Material:
    """Clock face with hands."""
    size = 96
    image, pen = canvas(size, size, face)
    c = size / 2
    for k in range(12):
        a = np.pi / 6 * k
        x, y = c + 0.78 * c * np.sin(a), c - 0.78 * c * np.cos(a)
        if numbers and k % 3 == 0:
            write(pen, str(k or 12), (x, y), 12, ink)
        else:
            pen.line((x, y, c + 0.9 * c * np.sin(a), c - 0.9 * c * np.cos(a)), fill=rgb8(ink), width=3)
    for turn, reach, width in ((hour / 12, 0.45, 5), (minute / 60, 0.68, 3)):
        a = 2 * np.pi * turn
        pen.line((c, c, c + reach * c * np.sin(a), c - reach * c * np.cos(a)), fill=rgb8(ink), width=width)
    pen.ellipse((c - 4, c - 4, c + 4, c + 4), fill=rgb8("red"))
    return printed(pixels(image), "glass")


# form, width, height, depth, colour, button colour, face
_CLOCKS = (
    ("twin-bell", 0.090, 0.110, 0.046, "red", "silver", "white"),
    ("twin-bell", 0.096, 0.118, 0.050, "teal", "gold", "cream"),
    ("digital", 0.120, 0.075, 0.055, "black", "red", "black"),
    ("square", 0.090, 0.095, 0.050, "white", "orange", "white"),
    ("digital", 0.110, 0.080, 0.060, "light gray", "blue", "black"),
    ("round", 0.098, 0.106, 0.052, "navy", "yellow", "cream"),
)


@category("alarm_clock", instances=6, synonyms=("bell", "egg_timer"))
def alarm_clock(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Clock that faces -y with a button on top: group "button"."""
    form, w, h, d, color, button, face = _CLOCKS[index]
    skin, knob = (
        paint(color, "metal" if form == "twin-bell" else "plastic"),
        paint(button, "plastic" if button not in ("silver", "gold") else "metal"),
    )
    hour, minute = float(rng.uniform(0, 12)), float(rng.uniform(0, 60))
    shapes: list[Shape] = []
    grasps = []
    lay = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)  # lathe and slab axis z becomes -y
    if form in ("twin-bell", "round"):
        r = w / 2
        z = r + 0.010
        drum = meshes.moved(
            meshes.lathe(
                meshes.fillet(
                    [(0, 0), (r, 0), (r, d), (r - 0.006, d), (r - 0.008, d - 0.004), (0, d - 0.004)], 0.003, 1
                ),
                22,
            ),
            (0, d / 2, z),
            lay,
        )
        dial = meshes.moved(
            meshes.slab(meshes.ellipse(2 * r - 0.014, 2 * r - 0.014, 28), 0.0005), (0, -d / 2 + 0.0035, z), lay
        )
        image = _dial(hour, minute, "black" if face != "black" else "white", face)
        shapes += [visual(drum, skin), visual(_front_uv(dial, r - 0.007, z), image)]
        shapes.append(cylinder(r, d, (0, 0, z), axis=(0, 1, 0), role="collision"))
        for s in (-1, 1):
            foot = (s * r * 0.62, 0, 0.008)
            shapes.append(
                visual(
                    meshes.moved(meshes.lathe([(0, -0.008), (0.006, -0.008), (0.006, 0.012), (0, 0.012)], 8), foot),
                    knob,
                )
            )
        shapes.append(box(0.075, d - 0.004, 0.012, (0, 0, 0.006), role="collision", friction=1.0))
        crown = z + r
        if form == "twin-bell":
            for s in (-1, 1):
                at = (s * r * 0.56, 0, z + r * 0.92)
                tilt = quat_about((0, 1, 0), s * 0.5)
                dome = meshes.lathe(
                    [(0, 0), (0.019, 0), (0.019, 0.003), (0.0165, 0.010), (0.010, 0.015), (0, 0.017)], 12
                )
                shapes.append(visual(meshes.moved(dome, at, tilt), knob))
                shapes.append(ellipsoid((0.019, 0.019, 0.017), at, quat=tilt, role="collision"))
    else:
        body = meshes.rounded_box(w, d, h, 0.008 if form == "digital" else 0.012, 2)
        shapes += [visual(body, skin, (0, 0, h / 2)), collision(box(w, d, h, (0, 0, h / 2), friction=1.0))]
        if form == "digital":
            image, pen = canvas(112, 56, "black")
            write(pen, f"{int(hour) or 12}:{int(minute):02d}", (56, 28), 26, "lime" if index == 2 else "light blue")
            shapes.append(decal(w - 0.022, h - 0.024, (0, -d / 2, h / 2), "front", printed(pixels(image), "glass")))
        else:
            shapes.append(decal(w - 0.018, w - 0.018, (0, -d / 2, h / 2), "front", _dial(hour, minute, "black", face)))
        crown = h
        for x in (-0.3 * w, 0.3 * w):
            grasps += top_box(1.0, d, h, (-0.4, 0.4), 0.02, at=(x, 0))
    top = crown + 0.010
    cap = meshes.lathe(
        meshes.fillet([(0, crown - 0.004), (0.013, crown - 0.004), (0.013, top - 0.001), (0, top)], 0.003, 2), 16
    )
    shapes += [visual(cap, knob), cylinder(0.013, 0.014, (0, 0, top - 0.007), role="collision")]
    grasps += press((0, 0, top))
    words = phrases(
        rng,
        ("alarm clock", "clock"),
        color,
        "metal" if form == "twin-bell" else "plastic",
        "small" if max(w, h) < 0.112 else "medium",
        form,
        (f"{button} button", "big button", f"{face} face"),
    )
    return assemble("alarm_clock", index, shapes, words, 0.28, grasps, [point("button", (0, 0, top))])


def _front_uv(mesh: meshes.Mesh, radius: float, z: float) -> meshes.Mesh:
    """The mesh with its image projected along y onto a disc about (0, z)."""
    v = mesh.vertices
    uv = np.column_stack((v[:, 0] / (2 * radius) + 0.5, (v[:, 2] - z) / (2 * radius) + 0.5))
    return meshes.Mesh(v, mesh.faces, uv)

"""Phones and their stands, remote controls, microphones."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import canvas, pixels, rgb8, write
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.frames import axes, multiply, quat_about, quat_of, rotation
from assets.objects.grasps import grasp, point
from assets.objects.library import category
from assets.objects.model import GraspPoint, ObjectAsset, Quat, Shape
from assets.objects.palette import paint, printed
from assets.objects.shapes import box, collision, cylinder, decal, hull, visual

PHONE_DEPTH = 0.0150  # metres, in its case; thick enough for fingertips that end above the table


def _screen(rng: np.random.Generator, top: str, bottom: str, clock: str) -> np.ndarray:
    """Phone screen: a gradient, a clock, a dock of icons."""
    width, height = 64, 128
    a, b = np.array(rgb8(top)), np.array(rgb8(bottom))
    image, pen = canvas(width, height, "black")
    for y in range(height):
        pen.line((0, y, width, y), fill=tuple(int(c) for c in a + (b - a) * y / height))
    write(pen, clock, (width / 2, 26), 12, "white")
    for k in range(12):
        x, y = 6 + 14 * (k % 4), 60 + 16 * (k // 4)
        color = tuple(int(c) for c in rng.integers(60, 255, 3))
        pen.rounded_rectangle((x, y, x + 10, y + 10), 3, fill=color)
    return pixels(image)


# width, length, case colour, screen colours, form
_PHONES = (
    (0.063, 0.140, "black", ("navy", "purple"), "sleek"),
    (0.062, 0.134, "blue", ("light blue", "blue"), "compact"),
    (0.0635, 0.146, "red", ("orange", "magenta"), "large"),
    (0.060, 0.130, "white", ("teal", "mint"), "mini"),
    (0.063, 0.142, "mint", ("dark green", "lime"), "slim"),
)


@category("phone", instances=5, synonyms=("remote_control", "calculator", "tablet"))
def phone(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Phone in a bumper case, lying on its back, top towards +y.

    Point "edge" is the middle of the lower edge: z along the phone to its top, y out of its back. Brought onto the
    "tray" of a phone_stand, the phone leans there.
    """
    w, length, color, colors, form = _PHONES[index]
    h = PHONE_DEPTH
    outline = meshes.rectangle(w, length, 0.009)
    screen = printed(_screen(rng, *colors, clock=f"{9 + index}:4{index}"), "glass")
    shapes: list[Shape] = [
        visual(meshes.slab(outline, h - 0.001, 0.003, 2), paint(color, "rubber")),
        visual(meshes.slab(meshes.inset(outline, 0.003), 0.001), paint("black", "glass"), (0, 0, h - 0.0012)),
        decal(w - 0.011, length - 0.014, (0, 0, h), "top", screen, -0.0001),
        box(0.018, 0.024, 0.0004, (-0.015, 0.5 * length - 0.022, 0.0002), paint("dark gray", "glass"), role="visual"),
        collision(box(w, length, h, (0, 0, h / 2), friction=0.9)),
    ]
    edge = point("edge", (0, -length / 2, h / 2), z=(0, 1, 0), x=(1, 0, 0))
    words = phrases(
        rng,
        ("phone", "smartphone", "mobile phone"),
        color,
        "rubber-cased",
        "large" if length > 0.141 else "small",
        form,
        (f"{colors[0]} screen", f"{color} case", "rounded corners"),
    )
    grasps = [g for y in (0.0, 0.03, -0.03) for g in _across(w, y, 0.0125)]
    return assemble("phone", index, shapes, words, 0.17, grasps, [edge, point("screen", (0, 0, h))])


def _across(
    width: float, y: float, z: float, tilt: tuple[float, float] = (-0.7, 0.7), group: str = "top"
) -> list[GraspPoint]:
    """Top-down grasps across x at a place along y."""
    return [
        grasp(group, (0, y, z), (0, 0, -1), (s, 0, 0), width, tilt if s > 0 else (-tilt[1], -tilt[0])) for s in (1, -1)
    ]


# lean of the back from the horizontal (deg), height of the ledge, width, colour, material, form
_STANDS = (
    (62, 0.030, 0.075, "black", "plastic", "simple"),
    (65, 0.035, 0.080, "silver", "metal", "slim"),
    (60, 0.028, 0.078, "white", "plastic", "rounded"),
    (66, 0.040, 0.072, "pink", "plastic", "tall"),
    (63, 0.030, 0.082, "dark gray", "metal", "sturdy"),
    (60, 0.032, 0.076, "teal", "plastic", "simple"),
    (64, 0.038, 0.078, "gold", "metal", "slim"),
)


@category("phone_stand", instances=7, synonyms=("display_stand", "payment_sign"))
def phone_stand(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Desk stand that faces -y. Point "tray": in the corner of ledge and back, z up along the back, y into the back."""
    degrees, ledge, w, color, material, form = _STANDS[index]
    angle = np.deg2rad(degrees)
    up = np.array([0, np.cos(angle), np.sin(angle)])  # along the back plate
    into = np.array([0, np.sin(angle), -np.cos(angle)])  # out of the rear of the plate
    lean: Quat = quat_about((1, 0, 0), angle - np.pi / 2)  # upright plate -> leaning plate
    t, length, lip = 0.006, 0.105, 0.014
    skin = paint(color, "metal" if material == "metal" else "plastic")
    corner = np.array([0, -0.022, ledge])  # where the phone's lower back edge comes to lie
    depth = PHONE_DEPTH + 0.003
    plate = corner + up * length / 2 + into * t / 2
    shelf = corner - up * t / 2 - into * (depth / 2 - t / 2)
    stop = corner - into * (depth + t / 2) + up * (lip / 2 - t)
    corner_radius = 0.012 if form == "rounded" else 0.006
    back = meshes.moved(meshes.slab(meshes.rectangle(w * 0.8, length, corner_radius), t, 0.0015, 1), (0, 0, 0))
    # the slab lies in x-y with its front at z = t; turn it so that +y runs up the plate and +z looks at the user
    turn = axes((1, 0, 0), up)
    from_slab = quat_of(turn)
    base_d = 0.110
    shapes: list[Shape] = [
        visual(back, skin, corner + up * length / 2 + into * t, from_slab),
        collision(box(w * 0.8, t, length, plate, quat=lean)),
        box(w, depth + t, t, shelf, skin, lean, friction=1.0),
        box(w, t, lip + t, stop, skin, lean, friction=1.0),
        collision(box(w, base_d, 0.008, (0, 0.010, 0.004), friction=1.0)),
        visual(meshes.slab(meshes.rectangle(w, base_d, 0.012), 0.008, 0.002, 1), skin, (0, 0.010, 0)),
    ]
    if form in ("slim", "tall"):  # a stem at the back
        foot, head = np.array([0, 0.045, 0.006]), corner + up * length * 0.45 + into * t
        axis, span = head - foot, float(np.linalg.norm(head - foot))
        shapes.append(cylinder(0.007, span, (head + foot) / 2, skin, axis))
        shapes.append(cylinder(0.006, ledge, (0, corner[1], ledge / 2), skin))
    else:  # two side plates
        outline = np.array(
            [
                (corner[1] - 0.012, 0.004),
                (0.055, 0.004),
                *(corner + up * length * 0.55 + into * t)[None, 1:],
                *(corner + into * t)[None, 1:],
                (corner[1] - 0.012, ledge - 0.004),
            ]
        )
        for s in (-1, 1):
            cheek = meshes.moved(meshes.extrude_x(outline, 0.005), (s * (w * 0.36), 0, 0))
            shapes += [visual(cheek, skin), hull(cheek)]
    if index in (2, 5):  # a soft pad
        shapes.append(
            visual(meshes.sheet(w * 0.5, 0.05), paint("dark gray", "rubber"), corner + up * 0.06 - into * 0.0004, lean)
        )
    # the phone's point lies on the middle of its edge, half its depth in front of the back plate
    tray = point("tray", corner - into * (PHONE_DEPTH / 2 + 0.001) + up * 0.001, z=up, x=(1, 0, 0))
    words = phrases(
        rng,
        ("phone stand", "phone holder"),
        color,
        material,
        "tall" if ledge > 0.036 else "small",
        form,
        ("leaning back", "front lip", "flat base"),
    )
    return assemble("phone_stand", index, shapes, words, 0.35, points=[tray], clutter=False)


# width, length, colour, button colour, form
_REMOTES = (
    (0.046, 0.170, "black", "gray", "long"),
    (0.042, 0.150, "dark gray", "white", "slim"),
    (0.050, 0.180, "silver", "black", "wide"),
    (0.040, 0.130, "white", "gray", "mini"),
    (0.048, 0.165, "navy", "light gray", "curved"),
    (0.044, 0.160, "light gray", "blue", "simple"),
    (0.052, 0.175, "black", "red", "chunky"),
)


@category("remote_control", instances=7, synonyms=("phone", "mouse", "calculator"))
def remote_control(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Remote control lying with its buttons up; point "head" is its front end at +y."""
    w, length, color, keys, form = _REMOTES[index]
    h = 0.024
    outline = meshes.rectangle(w, length, 0.012 if form != "chunky" else 0.018)
    image, pen = canvas(48, 160, color)
    pen.ellipse((17, 6, 31, 20), fill=rgb8("red"))
    for k in range(12):
        x, y = 8 + 12 * (k % 3), 74 + 15 * (k // 3)
        pen.ellipse((x, y, x + 8, y + 8), fill=rgb8(keys))
    pen.ellipse((9, 28, 39, 58), fill=rgb8(keys))
    pen.ellipse((18, 37, 30, 49), fill=rgb8(color))
    pen.rounded_rectangle((10, 138, 20, 154), 3, fill=rgb8(keys))
    pen.rounded_rectangle((28, 138, 38, 154), 3, fill=rgb8(keys))
    shapes = [
        visual(meshes.slab(outline, h, 0.005, 2), paint(color, "plastic")),
        decal(w - 0.012, length - 0.016, (0, 0, h), "top", printed(pixels(image), "plastic")),
        box(0.016, 0.002, 0.008, (0, length / 2 - 0.0005, h / 2), paint("dark red", "glass"), role="visual"),
        collision(box(w, length, h, (0, 0, h / 2), friction=0.9)),
    ]
    words = phrases(
        rng,
        ("remote control", "TV remote"),
        color,
        "plastic",
        "large" if length > 0.17 else "small" if length < 0.14 else "medium",
        form,
        (f"{keys} buttons", "red power button"),
    )
    grasps = [g for y in (0.0, 0.035, -0.035) for g in _across(w, y, 0.0125)]
    head = point("head", (0, length / 2, h / 2), z=(0, -1, 0), x=(1, 0, 0))
    return assemble("remote_control", index, shapes, words, 0.10, grasps, [head])


# length, head radius, neck radius, tail radius, body colour, head colour, form
_MICROPHONES = (
    (0.185, 0.0260, 0.0175, 0.0145, "black", "silver", "classic"),
    (0.175, 0.0250, 0.0170, 0.0150, "dark gray", "gold", "stage"),
    (0.190, 0.0270, 0.0180, 0.0140, "red", "silver", "karaoke"),
    (0.180, 0.0245, 0.0165, 0.0150, "silver", "black", "studio"),
)
_FACETS = 8


def _facets(stations: list[tuple[float, float]]) -> meshes.Mesh:
    """Eight-sided prism along z whose facets, not corners, have the given radius."""
    a = (np.arange(_FACETS) + 0.5) * 2 * np.pi / _FACETS
    ring = np.column_stack((np.cos(a), np.sin(a))) / np.cos(np.pi / _FACETS)
    return meshes.loft([np.column_stack((r * ring, np.full(_FACETS, z))) for z, r in stations])


@category("microphone", instances=4)
def microphone(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Hand-held microphone lying along y with its head at +y; eight-sided, so it does not roll.

    Groups "upper" (behind the head) and "lower" (towards the tail), each from eight sides; point "head": z outwards.
    """
    length, head_r, neck, tail, color, metal, form = _MICROPHONES[index]
    body_length = length - 1.7 * head_r
    head_z = body_length + 0.75 * head_r  # centre of the head along the axis
    slope = float(
        np.arctan2(head_r - tail, head_z - 0.35 * head_r)
    )  # the lowest facets of head and tail lie on the table
    # axis frame: z from tail to head. It is laid down along +y, raised by the slope, and centred
    lay = multiply(quat_about((1, 0, 0), slope), quat_about((1, 0, 0), -np.pi / 2))
    R = rotation(lay)
    lift = tail * np.cos(slope)
    origin = np.array([0, -length / 2 * np.cos(slope), lift])

    def place(mesh: meshes.Mesh) -> meshes.Mesh:
        return meshes.moved(mesh, origin, lay)

    skin, grille = paint(color, "plastic" if color != "silver" else "metal"), paint(metal, "metal")
    half = head_r * 0.8
    ball = [
        (head_z - 0.75 * head_r, neck),
        (head_z - 0.35 * head_r, head_r),
        (head_z + 0.35 * head_r, head_r),
        (head_z + 0.8 * head_r, 0.55 * head_r),
    ]
    wires = meshes.lathe(
        meshes.fillet(
            [
                (0, head_z - half),
                (neck, head_z - half),
                (0.975 * head_r, head_z - 0.3 * half),
                (0.975 * head_r, head_z + 0.3 * half),
                (0.6 * head_r, head_z + half),
                (0, head_z + half),
            ],
            0.006,
            2,
        ),
        16,
    )
    image = np.full((32, 64, 3), rgb8(metal), np.uint8)
    image[::4] = image[::4] // 2
    image[:, ::4] = image[:, ::4] // 2
    shapes: list[Shape] = [
        visual(place(_facets([(0, tail * 0.93), (0.004, tail), (body_length, neck)])), skin),
        visual(place(wires), printed(image, "metal")),
        visual(
            place(
                meshes.lathe(
                    [(0, head_z - 0.003), (head_r, head_z - 0.003), (head_r, head_z + 0.003), (0, head_z + 0.003)], 16
                )
            ),
            grille,
        ),
        hull(place(_facets([(0, tail), (body_length, neck)])), friction=1.0),
        hull(place(_facets(ball)), friction=1.0),
    ]
    switch = box(
        0.007,
        0.016,
        0.003,
        origin + R @ (0, -(neck + tail) / 2 - 0.0005, 0.62 * body_length),
        paint("light gray", "plastic"),
        quat_about((1, 0, 0), slope),
        "visual",
    )
    shapes.append(switch)
    grasps: list[GraspPoint] = []
    for group, z in (("upper", 0.80 * body_length), ("lower", 0.24 * body_length)):
        width = 2 * (tail + (neck - tail) * z / body_length)
        for a in np.arange(8) * np.pi / 4:
            out = R @ np.array([np.cos(a), np.sin(a), 0.0])
            opening = R @ np.array([-np.sin(a), np.cos(a), 0.0])
            grasps.append(grasp(group, origin + R @ (0, 0, z), -out, opening, width, (-0.6, 0.6)))
    tip = origin + R @ np.array([0, 0, head_z + half])
    words = phrases(
        rng,
        ("microphone", "mic"),
        color,
        "metal",
        "large" if length > 0.183 else "medium",
        form,
        (f"{metal} head", "round grille", "eight-sided handle"),
    )
    points = [point("head", tip, z=R[:, 2], x=(1, 0, 0))]
    return assemble("microphone", index, shapes, words, 0.16 + 0.01 * index, grasps, points)

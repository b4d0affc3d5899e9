"""Hamburgers, French fries and bread."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import face_label, speckle
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.frames import quat_about
from assets.objects.grasps import side_box, side_round, top_box, top_round
from assets.objects.library import category
from assets.objects.model import GraspPoint, Material, Mesh, ObjectAsset, Shape
from assets.objects.palette import paint, printed, shade
from assets.objects.shapes import box, cylinder, ellipsoid, hull, visual

_CRUST = (0.78, 0.50, 0.22)


def _crust(rng: np.random.Generator, tone: float = 1.0) -> Material:
    return printed(speckle(rng, shade(_CRUST, tone), 0.04), "paper")


def _ruffle(radius: float, z: float, thickness: float, waves: int, depth: float) -> Mesh:
    """Leaf disc with a wavy edge."""
    t = np.arange(3 * waves) / (3 * waves) * 2 * np.pi
    edge = radius + depth * np.sin(waves * t)
    ring = np.column_stack((edge * np.cos(t), edge * np.sin(t), z + 0.5 * depth * np.cos(waves * t)))
    inner = np.column_stack((0.8 * radius * np.cos(t), 0.8 * radius * np.sin(t), np.full(len(t), z)))
    return meshes.loft([inner, ring, inner + np.array([0, 0, thickness])])


def _seeds(rng: np.random.Generator, places: list[tuple[float, float, float]]) -> Mesh:
    """Small pyramids lying on a crust."""
    seeds = []
    for at in places:
        base = meshes.at_height(meshes.ellipse(0.0024, 0.0042, 5), -0.0004)
        tip = np.array([[0.0, 0.0, 0.001]])
        seed = Mesh(np.vstack((base, tip)), np.array([[k, (k + 1) % 5, 5] for k in range(5)]))
        seeds.append(meshes.moved(seed, at, quat_about((0, 0, 1), rng.uniform(0, np.pi))))
    return meshes.merge(*seeds)


# bun radius, bun tone, layers from below, seeds on the bun
_BURGERS = (
    (0.0300, 1.0, ("patty", "cheese", "lettuce"), True),
    (0.0305, 0.85, ("patty", "lettuce", "tomato"), False),
    (0.0300, 1.05, ("patty", "cheese", "patty", "cheese"), True),
    (0.0295, 0.65, ("lettuce", "patty", "cheese"), False),
    (0.0305, 0.95, ("patty", "onion", "lettuce", "tomato"), True),
    (0.0300, 1.1, ("chicken", "lettuce", "cheese"), False),
)
_LAYERS: dict[str, tuple[float, str | tuple[float, float, float]]] = {
    "patty": (0.010, (0.30, 0.16, 0.09)), "chicken": (0.011, (0.80, 0.52, 0.22)), "cheese": (0.003, (0.98, 0.72, 0.14)),
    "lettuce": (0.004, (0.42, 0.68, 0.20)), "tomato": (0.005, (0.80, 0.16, 0.12)), "onion": (0.003, (0.90, 0.84, 0.88)),
}  # fmt: skip


@category("hamburger", instances=6, synonyms=("bread",))
def hamburger(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Burger with its layers between two halves of a bun."""
    r, tone, layers, seeds = _BURGERS[index]
    crust = _crust(rng, tone)
    z = 0.012
    shapes = [visual(meshes.lathe(meshes.fillet([(0, 0), (r, 0), (r, z), (0, z)], 0.006, 2), 20), crust)]
    for layer in layers:
        t, color = _LAYERS[layer]
        skin = paint(color, "matte")
        if layer == "lettuce":
            mesh = _ruffle(r - 0.0005, z, t, 9, 0.0016)
        elif layer == "cheese":
            mesh = meshes.moved(
                meshes.slab(meshes.rectangle(1.5 * r, 1.5 * r, 0.003, 1), t),
                (0, 0, z),
                quat_about((0, 0, 1), rng.random()),
            )
        else:
            edge = r - (0.0005 if layer in ("patty", "chicken") else 0.003)
            mesh = meshes.lathe(meshes.fillet([(0, z), (edge, z), (edge, z + t), (0, z + t)], 0.004, 1), 18)
        shapes.append(visual(mesh, skin))
        z += t
    dome = 0.020
    t = np.linspace(0, np.pi / 2, 6)
    profile = [(0, z), (r - 0.003, z), *((r * np.cos(a), z + 0.003 + (dome - 0.003) * np.sin(a)) for a in t)]
    profile[-1] = (0.0, z + dome)
    shapes.append(visual(meshes.lathe(profile, 20), crust))
    if seeds:
        spots = []
        for _ in range(22):
            a, lift = rng.uniform(0, 2 * np.pi), rng.uniform(0.75, 1.45)
            spots.append(
                (r * np.cos(lift) * np.cos(a), r * np.cos(lift) * np.sin(a), z + 0.003 + (dome - 0.003) * np.sin(lift))
            )
        shapes.append(visual(_seeds(rng, spots), paint("cream", "matte")))
    h = z + dome
    shapes += [
        cylinder(r, z, (0, 0, z / 2), role="collision", friction=1.0),
        hull(
            meshes.lathe([(0, z - 0.002), (r, z - 0.002), (r, z + 0.004), (0.72 * r, z + 0.7 * dome), (0, h)], 12),
            friction=1.0,
        ),
    ]
    grasps = top_round(2 * r, max(0.5 * z, 0.016), 8) + side_round(2 * r, 0.5 * z)
    filling = layers[-1] if layers[-1] != "patty" else layers[0]
    words = phrases(
        rng,
        ("hamburger", "burger"),
        "golden brown" if tone > 0.8 else "dark brown",
        "fresh",
        "tall" if h > 0.058 else "small",
        "round",
        (filling, "sesame seeds" if seeds else "plain bun", f"{len(layers)} layers"),
    )
    return assemble("hamburger", index, shapes, words, 0.14 + 0.03 * (len(layers) > 3), grasps)


@category("french_fries", instances=4)
def french_fries(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Standing carton of fries."""
    color, accent, ink, form = (
        ("red", "yellow", "yellow", "classic"),
        ("white", "red", "red", "striped"),
        ("yellow", "red", "red", "classic"),
        ("tan", "brown", "brown", "paper"),
    )[index]
    w, d, h = 0.058 + 0.001 * index, 0.036, 0.066 + 0.003 * index
    low = meshes.rectangle(w - 0.010, d - 0.006, 0.004, 1)
    high = meshes.rectangle(w, d, 0.006, 1)
    at = meshes.at_height
    rim = at(high, h)
    rim[:, 2] += np.where(
        rim[:, 1] < 0, -0.012 * (1 - (rim[:, 0] / (w / 2)) ** 2), 0.010 * (1 - (rim[:, 0] / (w / 2)) ** 2)
    )
    inner = at(meshes.inset(high, 0.001), 0.75 * h)
    carton = meshes.loft([at(low, 0), rim, inner])
    sticks = []
    for k in range(22):
        x = (k % 6 - 2.5) * w / 7 + rng.normal(0, 0.001)
        y = (k // 6 - 1.5) * d / 5 + rng.normal(0, 0.001)
        length = rng.uniform(0.040, 0.058)
        lean = quat_about((rng.normal(), rng.normal(), 0), rng.uniform(0.02, 0.22))
        stick = meshes.loft([at(meshes.rectangle(0.0065, 0.0065), z) for z in (0, length)])
        sticks.append(meshes.moved(stick, (x, y, 0.62 * h), lean))
    fries = meshes.merge(*sticks)
    stripes = printed(face_label(rng, "FRIES", color, accent, ink))
    lean = quat_about((1, 0, 0), float(np.arctan2(0.003, h)))
    top = float(fries.vertices[:, 2].max()) - 0.006
    shapes = [
        visual(carton, paint(color, "paper")),
        visual(fries, paint((0.95, 0.76, 0.32), "matte")),
        visual(meshes.sheet(0.036, 0.036), stripes, (0, -d / 2 + 0.0005, 0.46 * h), lean),
        hull(meshes.loft([at(low, 0), at(high, h)]), friction=1.0),
        box(w - 0.012, d - 0.008, top - h, (0, 0, (top + h) / 2), role="collision", friction=1.0),
    ]
    grasps = top_box(w, d, h, (-0.5, 0.5), 0.028) + side_box(w, d, 0.5 * h)
    for g in grasps:  # the carton narrows downwards
        assert g.T_object_hand[2, 3] > 0.02
    words = phrases(
        rng,
        ("french fries", "fries"),
        "golden",
        "crispy",
        "medium" if index < 2 else "large",
        "",
        (f"{color} carton", f"{accent} print", f"{form} box", f"{color} box"),
    )
    return assemble("french_fries", index, shapes, words, 0.10, grasps)


def _loaf(rings: list[tuple[float, float, float]], sections: int = 12) -> Mesh:
    """Loaf along y from (y, width, height) stations, flat below."""
    outline = meshes.ellipse(1.0, 1.0, sections, 2.4)
    body = []
    for y, w, h in rings:
        x, z = outline[:, 0] * w, np.maximum(outline[:, 1] + 0.5, 0.06) * h - 0.06 * h
        body.append(np.column_stack((-x, np.full(sections, y), z)))
    return meshes.loft(body)


Piece = tuple[Mesh, list[Shape], tuple[float, float, float], list[GraspPoint]]


def _long_loaf(length: float, w: float, h: float, blunt: float = 2.5) -> Piece:
    t = -np.cos(np.linspace(0, np.pi, 11))  # closer stations towards the ends
    bulge = np.maximum((1 - np.abs(t) ** (2 * blunt)), 0.0) ** (1 / blunt)
    bulge[[0, -1]] = 0.16
    mesh = _loaf([(float(a) * length / 2, float(b) * w, float(b) * h) for a, b in zip(t, bulge, strict=True)])
    core = _loaf([(float(t[k]) * length / 2, float(bulge[k]) * w, float(bulge[k]) * h) for k in (1, 3, 7, 9)], 10)
    return mesh, [hull(core, friction=1.0)], (w, length, h), top_box(w, 1.0, h, (-0.5, 0.5), 0.026)


def _round_bun(r: float, h: float) -> Piece:
    t = np.linspace(0, np.pi / 2, 6)
    side = [(r * np.cos(a) ** 0.8 if a < 1.57 else 0.0, 0.012 + (h - 0.012) * np.sin(a)) for a in t]
    side[-1] = (0.0, h)
    mesh = meshes.lathe([(0, 0), (r - 0.006, 0), (r - 0.001, 0.005), *side], 20)
    shell = meshes.lathe([(0, 0), (r - 0.004, 0), (r, 0.012), (0.75 * r, 0.75 * h), (0, h)], 10)
    return mesh, [hull(shell, friction=1.0)], (2 * r, 2 * r, h), top_round(2 * r, 0.0125, 8)


def _ring(r: float, tube: float) -> Piece:
    t = np.linspace(0, 2 * np.pi, 11)
    flat = np.maximum(tube * np.sin(t), -0.8 * tube) + 0.8 * tube
    mesh = meshes.lathe(np.column_stack((r + tube * np.cos(t), flat)), 20)
    h = 1.8 * tube
    parts = [cylinder(r + tube, h * 0.9, (0, 0, h * 0.45), role="collision", friction=1.0)]
    return mesh, parts, (2 * (r + tube), 2 * (r + tube), h), top_round(2 * (r + tube), 0.014, 8)


def _slice(w: float, length: float, h: float) -> Piece:
    outline = meshes.fillet(
        [
            (-w / 2, -length / 2),
            (w / 2, -length / 2),
            (w / 2, 0.18 * length),
            (0.54 * w, 0.3 * length),
            (0.46 * w, 0.5 * length),
            (-0.46 * w, 0.5 * length),
            (-0.54 * w, 0.3 * length),
            (-w / 2, 0.18 * length),
        ],
        0.010,
        2,
        closed=True,
    )
    mesh = meshes.slab(outline, h, 0.003, 1)
    return (
        mesh,
        [box(w, length, h, (0, 0, h / 2), role="collision", friction=1.0)],
        (w, length, h),
        top_box(w, length, h, (-0.5, 0.5), 0.012),
    )


_BREAD: tuple[tuple[str, Callable[[], Piece], float, str], ...] = (
    ("bread roll", lambda: _round_bun(0.031, 0.045), 1.0, "round"),
    ("loaf", lambda: _long_loaf(0.105, 0.058, 0.050), 0.85, "long"),
    ("baguette roll", lambda: _long_loaf(0.140, 0.048, 0.040), 1.0, "slim"),
    ("bagel", lambda: _ring(0.020, 0.0115), 0.9, "ring-shaped"),
    ("toast", lambda: _slice(0.056, 0.066, 0.026), 1.1, "square"),
    ("rye loaf", lambda: _long_loaf(0.090, 0.060, 0.048, 4.0), 0.55, "boxy"),
    ("sesame bun", lambda: _round_bun(0.030, 0.038), 1.1, "flat"),
)


@category("bread", instances=7, synonyms=("hamburger", "baguette", "croissant"))
def bread(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Small breads that fit one hand: roll, loaf, baguette, bagel, toast, rye, bun."""
    noun, make, tone, form = _BREAD[index]
    mesh, parts, (_, length, h), grasps = make()
    shapes = [visual(mesh, _crust(rng, tone)), *parts]
    detail = ["golden crust", "soft crumb"]
    if noun in ("loaf", "baguette roll", "rye loaf"):  # cuts across the crust
        cuts = [
            ellipsoid(
                (0.012, 0.0022, 0.0025),
                (0, y, h - 0.0012),
                paint(shade("cream", 0.95), "matte"),
                quat_about((0, 0, 1), 0.5),
                role="visual",
            )
            for y in np.linspace(-0.2, 0.2, 3) * length
        ]
        shapes += cuts
        detail[1] = "three cuts"
    elif noun == "toast":
        crumb = meshes.moved(meshes.slab(meshes.rectangle(0.048, 0.056, 0.008), 0.001), (0, -0.001, h - 0.0004))
        shapes.append(visual(crumb, paint((0.96, 0.87, 0.66), "matte")))
    elif noun in ("sesame bun", "bagel"):
        spots = []
        for _ in range(24):
            a = rng.uniform(0, 2 * np.pi)
            radius = rng.uniform(0.3, 0.75) * 0.03 if noun == "sesame bun" else 0.020 + rng.uniform(-0.005, 0.005)
            z = h * np.sqrt(max(1 - (radius / 0.030) ** 2.6, 0)) if noun == "sesame bun" else h - 0.0015
            spots.append((radius * np.cos(a), radius * np.sin(a), z))
        shapes.append(visual(_seeds(rng, spots), paint("cream" if noun == "sesame bun" else "black", "matte")))
        detail[1] = "seeds"
    color = "dark brown" if tone < 0.7 else "golden brown" if tone < 1.05 else "light brown"
    nouns = ("bread", noun) if "bread" not in noun else (noun, "bread")
    words = phrases(rng, nouns, color, "fresh", "small" if length < 0.08 else "medium", form, detail)
    return assemble("bread", index, shapes, words, 0.05 + 0.01 * index, grasps)

"""Shoes for the left or right foot alike, toe towards +y."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.frames import quat_about
from assets.objects.grasps import both_ways, point
from assets.objects.library import category
from assets.objects.model import Mesh, ObjectAsset, Shape
from assets.objects.palette import paint, shade
from assets.objects.shapes import box, visual

# form, length, height of the collar, upper colour, sole colour, accent
_SHOES = (
    ("sneaker", 0.205, 0.078, "white", "light gray", "red"),
    ("sneaker", 0.200, 0.074, "blue", "white", "white"),
    ("high-top", 0.205, 0.105, "red", "white", "white"),
    ("running", 0.210, 0.078, "lime", "black", "black"),
    ("loafer", 0.205, 0.066, "brown", "black", "tan"),
    ("boot", 0.205, 0.118, "tan", "brown", "dark red"),
    ("running", 0.205, 0.080, "purple", "white", "orange"),
    ("sneaker", 0.198, 0.072, "black", "white", "gray"),
    ("loafer", 0.200, 0.064, "black", "brown", "gold"),
    ("high-top", 0.200, 0.100, "navy", "cream", "yellow"),
)
_WIDTH = 0.061  # metres, at the ball of the foot


def _outline(length: float, width: float, segments: int = 22) -> np.ndarray:
    """Footprint: widest at the ball, slightly waisted, rounder at the toe."""
    t = np.arange(segments) / segments * 2 * np.pi
    y = -np.cos(t)  # -1 heel, 1 toe
    half = 0.5 * width * np.interp(y, [-1, -0.6, -0.1, 0.4, 0.75, 1.0], [0.86, 0.88, 0.86, 1.0, 0.95, 0.80])
    side = np.sign(np.sin(t)) * np.abs(np.sin(t)) ** 0.62
    return np.column_stack((half * side, 0.5 * length * np.sign(y) * np.abs(y) ** 0.9))


def _upper(form: str, length: float, collar: float, sole: float) -> tuple[Mesh, Mesh]:
    """Upper and the dark opening of the shoe, both closed."""
    foot = _outline(length * 0.97, _WIDTH * 0.94)

    def top(y: np.ndarray) -> np.ndarray:
        """Height of the upper over the sole, from heel (-1) to toe (1)."""
        vamp = 0.030 if form == "loafer" else 0.034
        if form in ("boot", "high-top"):
            return np.interp(y, [-1, -0.85, -0.15, 0.12, 0.5, 0.85, 1.0], [0.96, 1.0, 1.0, 0.52, 0.40, 0.30, 0.14]) * (
                collar - sole
            )
        return np.interp(
            y, [-1, -0.8, -0.2, 0.15, 0.5, 0.85, 1.0], [1.0, 1.0, 0.92, 1.0, 0.78, 0.72, 0.35]
        ) * np.interp(y, [-1, -0.2, 0.15, 1.0], [collar - sole, 0.9 * (collar - sole), vamp + 0.012, vamp])

    y = foot[:, 1] / (0.5 * length)
    lid = sole + top(np.clip(y, -1, 1))
    shrink = np.where(y < 0.1, 0.86, 0.80)
    rings = [meshes.at_height(foot, sole - 0.002)]
    for f, s in ((0.35, 1.0), (0.7, 0.93)):
        ring = meshes.at_height(foot, 0.0)
        ring[:, 0] *= 1 - (1 - s) * 1.2
        ring[:, 1] *= 0.5 * (1 + s)
        ring[:, 2] = sole + f * (lid - sole)
        rings.append(ring)
    rim = meshes.at_height(foot, 0.0)
    rim[:, 0] *= shrink * 0.82
    rim[:, 1] = np.where(y > 0, rim[:, 1] * 0.80, rim[:, 1] * 0.93)
    rim[:, 2] = lid
    rings.append(rim)
    ridge = rim.copy()  # the back of the foot: a spine along the middle of the vamp, a hole over the heel
    ridge[:, 0] *= 0.35
    ridge[:, 1] = np.where(y > 0.1, ridge[:, 1] * 0.92, ridge[:, 1] * 0.86)
    ridge[:, 2] += np.where(y > 0.1, 0.004, -0.004)
    upper = meshes.loft([*rings, ridge])
    back = rim[y < 0.16]
    centre = back[:, :2].mean(axis=0)
    hole = np.column_stack(((back[:, 0]) * 0.86, centre[1] + (back[:, 1] - centre[1]) * 0.90, back[:, 2] + 0.0012))
    order = np.argsort(np.arctan2(hole[:, 1] - centre[1], hole[:, 0]))
    hole = hole[order]
    opening = meshes.loft([hole - (0, 0, 0.006), hole])
    return upper, opening


@category("shoe", instances=10, synonyms=("slipper",))
def shoe(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Shoe standing on its sole. Point "sole": centre of the sole, y towards the toe."""
    form, length, collar, color, sole_color, accent = _SHOES[index]
    sole_h = {"loafer": 0.012, "boot": 0.022}.get(form, 0.018)
    leather = form in ("loafer", "boot")
    skin, rubber, trim = (
        paint(color, "plastic" if leather else "fabric"),
        paint(sole_color, "rubber"),
        paint(accent, "fabric"),
    )
    upper, opening = _upper(form, length, collar, sole_h)
    shapes: list[Shape] = [
        visual(meshes.slab(_outline(length, _WIDTH), sole_h, 0.004, 1), rubber),
        visual(upper, skin),
        visual(opening, paint(shade(color, 0.35), "fabric")),
    ]
    vamp = sole_h + (0.046 if form != "loafer" else 0.036)
    if form == "loafer":
        shapes.append(box(0.040, 0.014, 0.003, (0, 0.030, vamp + 0.004), trim, quat_about((1, 0, 0), -0.12), "visual"))
    else:  # laces
        for k in range(4):
            y = 0.012 + 0.013 * k
            z = sole_h + 0.0445 - 0.0042 * k + (0.012 - 0.004 * k if form in ("boot", "high-top") else 0.0)
            shapes.append(box(0.026, 0.0035, 0.003, (0, y, z), trim, quat_about((1, 0, 0), -0.35), "visual"))
    if form in ("sneaker", "running", "high-top"):
        for s in (-1, 1):  # stripe on the side
            stripe = meshes.rounded_box(0.002, 0.034, 0.006, 0.0008)
            turn = quat_about((1, 0, 0), 0.5 if form == "running" else 0.9)
            shapes.append(visual(stripe, trim, (s * (_WIDTH / 2 * 0.90 - 0.001), -0.006, sole_h + 0.020), turn))
    heel = 0.40 * length
    ankle_w, back = 0.050, -length / 2
    shapes += [
        box(_WIDTH * 0.94, length, 0.030, (0, 0, 0.015), role="collision", friction=1.0),
        box(0.050, 0.36 * length, 0.018, (0, 0.24 * length, 0.036), role="collision", friction=1.0),
        box(
            ankle_w,
            heel,
            collar - 0.032,
            (0, back + heel / 2 + 0.006, (collar + 0.028) / 2),
            role="collision",
            friction=1.0,
        ),
    ]
    grasps = []
    for y in (-0.045, -0.030, -0.060):
        grasps += both_ways("top", (0, y, max(collar - 0.026, 0.038)), (0, 0, -1), (1, 0, 0), ankle_w, (-0.6, 0.6))
    noun = {"boot": "boot", "loafer": "loafer"}.get(form, "sneaker")
    words = phrases(
        rng,
        ("shoe", noun),
        color,
        "leather" if leather else "fabric",
        "tall" if collar > 0.09 else "low",
        form if form != noun else "casual",
        (f"{sole_color} sole", f"{accent} laces" if form != "loafer" else f"{accent} strap"),
    )
    return assemble("shoe", index, shapes, words, 0.22, grasps, [point("sole", (0, 0, 0))])

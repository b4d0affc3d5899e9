"""Payment signs that face the customer, and display stands."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import canvas, grain, pixels, qr_code, write
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.grasps import both_ways, point
from assets.objects.library import category
from assets.objects.model import ObjectAsset, Shape
from assets.objects.palette import WOODS, paint, printed
from assets.objects.shapes import box, collision, cylinder, decal, visual

# width, height, foot depth, colour, foot colour, text, form
_SIGNS = (
    (0.105, 0.150, 0.080, "white", "black", "PAY", "rectangular"),
    (0.110, 0.140, 0.075, "blue", "blue", "SCAN", "rounded"),
    (0.100, 0.145, 0.085, "green", "oak", "PAY HERE", "arched"),
    (0.108, 0.155, 0.080, "orange", "dark gray", "TIPS", "rectangular"),
)


@category("payment_sign", instances=4, synonyms=("display_stand", "phone_stand", "name_plate", "picture_frame"))
def payment_sign(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Upright plate with a QR code that faces -y, on a foot."""
    w, h, d, color, foot, text, form = _SIGNS[index]
    t, low = 0.009, 0.012
    skin = paint(color, "plastic")
    base = printed(grain(rng, WOODS[foot]), "wood") if foot in WOODS else paint(foot, "plastic")
    if form == "rectangular":
        outline = [(-w / 2, low), (w / 2, low), (w / 2, h), (-w / 2, h)]
        outline = meshes.fillet(outline, 0.004, 2, closed=True)
    elif form == "rounded":
        outline = meshes.fillet([(-w / 2, low), (w / 2, low), (w / 2, h), (-w / 2, h)], 0.020, 4, closed=True)
    else:
        a = np.linspace(0, np.pi, 11)
        arch = np.column_stack((w / 2 * np.cos(a), h - 0.025 + 0.025 * np.sin(a)))
        outline = np.vstack(([[-w / 2, low], [w / 2, low]], arch))
    code = 0.074
    image, pen = canvas(96, 28, color)
    write(pen, text, (48, 14), 15 if len(text) < 6 else 12, "white" if color != "white" else "blue")
    shapes: list[Shape] = [
        visual(meshes.extrude_y(outline, t), skin),
        decal(code, code, (0, -t / 2, 0.5 * h - 0.006), "front", printed(qr_code(rng))),
        decal(0.080, 0.023, (0, -t / 2, h - 0.026), "front", printed(pixels(image))),
        visual(meshes.slab(meshes.rectangle(w, d, 0.010), low, 0.003, 2), base),
        collision(box(w, d, low, (0, 0, low / 2))),
        collision(box(w, t, h - low, (0, 0, (h + low) / 2), friction=1.0)),
    ]
    grasps = [
        g
        for x in (0.0, 0.025, -0.025)
        for g in both_ways("top", (x, 0, h - 0.020), (0, 0, -1), (0, 1, 0), t, (-0.6, 0.6))
    ]
    words = phrases(
        rng,
        ("payment sign", "QR code sign", "QR code stand"),
        color,
        "plastic",
        "small",
        form,
        ("black code", f"{foot} base", "printed code"),
    )
    return assemble("payment_sign", index, shapes, words, 0.16, grasps)


# form, width, depth, height, colour, material
_STANDS = (
    ("round", 0.150, 0.150, 0.050, "white", "plastic"),
    ("square", 0.150, 0.130, 0.060, "walnut", "wooden"),
    ("stepped", 0.170, 0.140, 0.045, "black", "acrylic"),
    ("pedestal", 0.145, 0.145, 0.070, "gold", "metal"),
    ("square", 0.160, 0.125, 0.040, "light blue", "acrylic"),
)


@category("display_stand", instances=5, synonyms=("phone_stand", "payment_sign"))
def display_stand(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Low stand that shows an object on its flat top."""
    form, w, d, h, color, material = _STANDS[index]
    skin = (
        printed(grain(rng, WOODS[color]), "wood")
        if color in WOODS
        else paint(color, {"plastic": "plastic", "metal": "metal"}.get(material, "glass"))
    )
    shapes: list[Shape]
    if form == "round":
        shapes = [
            visual(meshes.slab(meshes.ellipse(w, w, 30), h, 0.003, 2), skin),
            visual(meshes.band([(w / 2 + 0.0004, 0.40 * h), (w / 2 + 0.0004, 0.60 * h)], 30), paint("gold", "metal")),
            collision(cylinder(w / 2, h, (0, 0, h / 2), friction=1.0)),
        ]
    elif form == "square":
        shapes = [
            visual(meshes.rounded_box(w, d, h, 0.004), skin, (0, 0, h / 2)),
            collision(box(w, d, h, (0, 0, h / 2), friction=1.0)),
        ]
    elif form == "stepped":
        low = 0.4 * h
        shapes = [
            visual(meshes.rounded_box(w + 0.03, d + 0.03, low, 0.003), skin, (0, 0, low / 2)),
            visual(meshes.rounded_box(w - 0.01, d - 0.01, h - low, 0.003), skin, (0, 0, (h + low) / 2)),
            collision(box(w + 0.03, d + 0.03, low, (0, 0, low / 2))),
            collision(box(w - 0.01, d - 0.01, h - low, (0, 0, (h + low) / 2), friction=1.0)),
        ]
    else:
        profile = meshes.fillet(
            [
                (0, 0),
                (0.060, 0),
                (0.060, 0.010),
                (0.028, 0.020),
                (0.028, h - 0.018),
                (w / 2, h - 0.010),
                (w / 2, h),
                (0, h),
            ],
            0.004,
            2,
        )
        shapes = [
            visual(meshes.lathe(profile, 28), skin),
            collision(cylinder(0.060, 0.012, (0, 0, 0.006))),
            collision(cylinder(0.028, h - 0.02, (0, 0, h / 2))),
            collision(cylinder(w / 2, 0.010, (0, 0, h - 0.005), friction=1.0)),
        ]
    if form in ("square", "stepped"):
        shapes.append(
            decal(
                0.05,
                0.012,
                (0, -(d / 2 if form == "square" else (d + 0.03) / 2), 0.42 * h if form == "square" else 0.2 * h),
                "front",
                paint("gold" if color != "light blue" else "white", "metal"),
            )
        )
    words = phrases(
        rng,
        ("display stand", "stand", "display base"),
        f"{color} brown" if color in WOODS else color,
        material,
        "low" if h < 0.05 else "tall" if h > 0.065 else "medium",
        form,
        ("flat top", "smooth edges"),
    )
    return assemble("display_stand", index, shapes, words, 0.45, points=[point("inside", (0, 0, h))], clutter=False)

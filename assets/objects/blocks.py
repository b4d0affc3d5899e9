"""Plain boxes that tasks make to measure: cubes, long bars for a handover, flat mats."""

from __future__ import annotations

import numpy as np

from assets.objects.model import FunctionalPoint, GraspPoint, Material, ObjectAsset, Part, Shape

Rgba = tuple[float, float, float, float]

# Names and colours that instructions may use for mats and blocks.
COLORS: dict[str, tuple[float, float, float]] = {
    "red": (0.80, 0.10, 0.10),
    "green": (0.12, 0.60, 0.20),
    "blue": (0.10, 0.25, 0.75),
    "yellow": (0.92, 0.80, 0.12),
    "cyan": (0.10, 0.72, 0.78),
    "magenta": (0.80, 0.15, 0.65),
    "black": (0.08, 0.08, 0.08),
    "gray": (0.48, 0.48, 0.50),
    "orange": (0.95, 0.50, 0.10),
    "purple": (0.42, 0.18, 0.62),
    "pink": (0.95, 0.55, 0.68),
    "brown": (0.42, 0.25, 0.14),
}

_MAX_GRASP = 0.066  # metres; the narrowest gripper of the shipped robots opens 0.07


def _pose(rotation: np.ndarray, position: tuple[float, float, float]) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = rotation
    T[:3, 3] = position
    return T


def _hand(approach: np.ndarray, opening: np.ndarray) -> np.ndarray:
    return np.column_stack([approach, opening, np.cross(approach, opening)])


def block(
    half: tuple[float, float, float],
    rgba: Rgba,
    noun: str = "block",
    density: float = 400.0,
    grasp_heights: tuple[float, ...] = (),
    friction: float = 1.0,
    ball: bool = False,
) -> ObjectAsset:
    """A box with its origin at the bottom centre.

    Args:
        half: half sizes in metres.
        rgba: colour.
        noun: what instructions call it.
        density: kg/m^3; 400 is light wood.
        grasp_heights: fractions of the height at which horizontal "side_<k>" grasps are offered (long bars); without
            them the block has top-down grasps where the gripper can straddle it.
        friction: sliding coefficient.
        ball: a sphere of radius ``half[0]`` instead, its origin at the centre: a small ball spins so fast that the
            position of any other point of it could not be integrated at 4 ms.

    Returns:
        An asset with points "bottom", "top" and "center"; category "block".
    """
    hx, hy, hz = half
    down = np.array([0.0, 0.0, -1.0])
    grasps: list[GraspPoint] = []
    for k in range(4):
        angle = k * np.pi / 2
        axis = np.array([np.cos(angle), np.sin(angle), 0.0])
        width = 2 * (hx if k % 2 == 0 else hy)
        if width <= _MAX_GRASP:
            depth = min(0.02, hz)  # fingertips reach this far below the top face
            grasps.append(GraspPoint("top", _pose(_hand(down, axis), (0, 0, 2 * hz - depth)), width, tilt=(-0.6, 0.6)))
        opposite = 2 * (hy if k % 2 == 0 else hx)
        if opposite <= _MAX_GRASP:
            for level, fraction in enumerate(grasp_heights):
                opening = np.cross([0.0, 0.0, 1.0], -axis)
                T = _pose(_hand(-axis, opening), (0, 0, 2 * hz * fraction))
                grasps.append(GraspPoint(f"side_{level}", T, opposite, tilt=(-0.6, 0.6)))
    material = Material(rgba, 0.2, 0.3)
    shape = Shape("box", half, pos=(0, 0, hz), material=material, friction=friction)
    mass = 8 * hx * hy * hz * density
    if ball:
        shape = Shape("sphere", (hx,), material=material, friction=friction)
        mass *= np.pi / 6
    bottom = -hz if ball else 0.0
    name = next((n for n, c in COLORS.items() if np.allclose(c, rgba[:3])), "colored")
    return ObjectAsset(
        category="block",
        index=0,
        parts=(Part("base", (shape,), mass=max(mass, 0.002)),),
        extents=(2 * hx, 2 * hy, 2 * hz),
        grasps=() if ball else tuple(grasps),
        points=(
            FunctionalPoint("bottom", _pose(np.eye(3), (0, 0, bottom))),
            FunctionalPoint("center", _pose(np.eye(3), (0, 0, bottom + hz))),
            FunctionalPoint("top", _pose(np.eye(3), (0, 0, bottom + 2 * hz))),
        ),
        clutter=False,
        seen=tuple(f"{a}{name} {noun}" for a in ("", "solid ", "plain ", "smooth ")),
        unseen=(f"{noun} in {name}",),
    )

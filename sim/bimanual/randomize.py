"""Domain randomisation: RoboTwin's five axes, and camera pose, dynamics and latency besides.

Each axis draws from its own stream, so switching one off changes nothing about the others. What is drawn ends up in the
SceneSpec, which is the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from assets.objects import library
from assets.objects.model import ObjectAsset
from assets.objects.shapes import bounds
from assets.textures.procedural import choose_background
from sim.bimanual.scene import KeepOut, Scene
from sim.bimanual.spec import TABLE_HALF, CameraSpec, DynamicsSpec, LightSpec, Placement, SceneSpec
from twinloom.seeding import stream
from twinloom.select import select
from twinloom.transforms import quat_multiply, quat_to_matrix, rotation_about, yaw_quat

# axis -> what it draws; `sim list axes` prints this
AXES: dict[str, str] = {
    "clutter": "up to 10 distractors of other categories, clear of the task's objects and work area",
    "lighting": "1-3 lamps: colour, position, intensity, directional or spot; ambient light",
    "background": "textures of table, wall and floor from 10,000 seen or 1,000 unseen ones",
    "table": "table height +-3 cm",
    "language": "another sentence and other object descriptions for every episode",
    "camera": "fixed cameras +-1 cm, 1 degree, field of view +-2 %; wrist cameras +-4 mm, +-1 degree about each axis",
    "dynamics": "factors on friction 0.8-1.25, mass 0.8-1.25, servo stiffness 0.9-1.1, joint damping 0.8-1.25",
    "latency": "commands reach the servos 0-40 ms late",
}


class Between(NamedTuple):
    """A uniform distribution; both ends are included where the unit is a count."""

    low: float
    high: float
    unit: str = ""

    def draw(self, rng: np.random.Generator) -> float:
        """One number."""
        return float(rng.uniform(self.low, self.high))

    def count(self, rng: np.random.Generator) -> int:
        """One whole number."""
        return int(rng.integers(int(self.low), int(self.high) + 1))


# axis -> quantity -> what it is drawn from; the table in docs/bimanual/simulator.md is made of this
RANGES: dict[str, dict[str, Between]] = {
    "clutter": {"objects": Between(4, 10, "as many as find room")},
    "lighting": {
        "lamps": Between(1, 3),
        "x": Between(-1.5, 1.5, "m"),
        "y": Between(-1.4, 0.4, "m"),
        "z": Between(1.4, 2.8, "m"),
        "intensity of the main lamp": Between(0.40, 0.75),
        "intensity of other lamps": Between(0.10, 0.30),
        "depth of colour": Between(0.0, 0.45),
        "ambient light": Between(0.30, 0.55),
    },
    "table": {"height": Between(-0.03, 0.03, "m")},
    "camera": {
        "x, y and z": Between(-0.01, 0.01, "m"),
        "direction": Between(0.0, 1.0, "degrees"),
        "field of view": Between(0.98, 1.02, "×"),
        "x, y and z on a wrist": Between(-0.004, 0.004, "m"),
        "roll, pitch and yaw on a wrist": Between(-1.0, 1.0, "degrees"),
    },
    "dynamics": {
        "friction of every surface": Between(0.8, 1.25, "×"),
        "mass of objects": Between(0.8, 1.25, "×"),
        "servo stiffness": Between(0.9, 1.1, "×"),
        "joint damping": Between(0.8, 1.25, "×"),
    },
    "latency": {"delay": Between(0, 10, "physics steps of 4 ms")},
}
CLEAN_RATE = 0.02  # share of randomised episodes without clutter, and of surfaces without texture, as in RoboTwin
DIRECTIONAL_RATE = 0.6  # share of main lamps that shine from far away, like the sun
CLUTTER_RADIUS = 0.12  # metres; larger objects would hide the task
LOW = 0.05  # metres; anything taller stays in the half of the table that is farther from the robot


def parse_axes(text: str) -> frozenset[str]:
    """Axes named by "all", "none" or a comma list. Raises UnknownNameError."""
    return frozenset(select("randomisation axis", text, tuple(AXES), "sim list axes", optional=True))


def vary_before(spec: SceneSpec, axes: Iterable[str], seed: np.random.SeedSequence, split: str) -> SceneSpec:
    """Draw everything that does not depend on the task's objects.

    Args:
        spec: the clean scene.
        axes: names from AXES.
        split: "seen" or "unseen" textures.
    """
    draws: dict[str, Callable[[SceneSpec, np.random.Generator], SceneSpec]] = {
        "table": _table,
        "lighting": _lighting,
        "background": lambda s, rng: _background(s, rng, split),
        "camera": _camera,
        "dynamics": _dynamics,
        "latency": _latency,
    }
    for axis, draw in draws.items():
        if axis in axes:
            spec = draw(spec, stream(seed, axis))
    return spec


def _table(spec: SceneSpec, rng: np.random.Generator) -> SceneSpec:
    return replace(spec, table_bias=round(RANGES["table"]["height"].draw(rng), 4))


def _lighting(spec: SceneSpec, rng: np.random.Generator) -> SceneSpec:
    """One main lamp, which casts the shadow, and up to two fill lamps."""
    lights, of = [], RANGES["lighting"]
    for i in range(of["lamps"].count(rng)):
        directional = bool(i == 0 and rng.random() < DIRECTIONAL_RATE)
        x, y, z = of["x"].draw(rng), of["y"].draw(rng), of["z"].draw(rng)
        aim = np.array([rng.uniform(-0.2, 0.2), rng.uniform(-0.15, 0.15), 0.75]) - [x, y, z]
        hue = 1.0 - of["depth of colour"].draw(rng) * rng.random(3)  # from white to clearly tinted
        strength = of["intensity of other lamps" if i else "intensity of the main lamp"].draw(rng)
        lights.append(LightSpec(_vec((x, y, z)), _vec(aim), _vec(strength * hue), directional, i == 0))
    ambient = _vec(of["ambient light"].draw(rng) * (1.0 - 0.2 * rng.random(3)))
    return replace(spec, lights=tuple(lights), ambient=ambient)


def _background(spec: SceneSpec, rng: np.random.Generator, split: str) -> SceneSpec:
    surfaces = dict(spec.surfaces)
    for name in ("table", "wall", "floor"):
        plain, texture = rng.random() < CLEAN_RATE, choose_background(split, rng)
        if not plain:
            surfaces[name] = texture
    return replace(spec, surfaces=surfaces)


def _camera(spec: SceneSpec, rng: np.random.Generator) -> SceneSpec:
    cameras, of = {}, RANGES["camera"]
    for name, c in spec.cameras.items():
        forward = np.asarray(c.forward) / np.linalg.norm(c.forward)
        turned = rotation_about(rng.normal(size=3), np.radians(of["direction"].draw(rng))) @ forward
        pos = _vec(x + of["x, y and z"].draw(rng) for x in c.pos)
        cameras[name] = CameraSpec(pos, _vec(turned), round(c.fovy * of["field of view"].draw(rng), 4))
    shift = _vec(of["x, y and z on a wrist"].draw(rng) for _ in range(3))
    turn = _vec(np.radians(of["roll, pitch and yaw on a wrist"].draw(rng)) for _ in range(3))
    return replace(spec, cameras=cameras, wrist_offset=(*shift, *turn))


def _dynamics(spec: SceneSpec, rng: np.random.Generator) -> SceneSpec:
    factors = [round(factor.draw(rng), 4) for factor in RANGES["dynamics"].values()]
    return replace(spec, dynamics=DynamicsSpec(*factors))


def _latency(spec: SceneSpec, rng: np.random.Generator) -> SceneSpec:
    return replace(spec, latency=RANGES["latency"]["delay"].count(rng))


def _vec(values: Iterable[float]) -> tuple[float, float, float]:
    x, y, z = (round(float(v), 5) for v in values)
    return x, y, z


# --------------------------------------------------------------------- clutter


def add_clutter(scene: Scene, rng: np.random.Generator) -> SceneSpec:
    """Scatter distractors around the task's objects; returns the spec with them. Gives up quietly where it is full."""
    if rng.random() < CLEAN_RATE:
        return scene.spec
    banned = _confusable(scene)
    pool = [key for key in library.clutter_pool() if key[0] not in banned]
    wanted = RANGES["clutter"]["objects"].count(rng)
    placed: list[tuple[np.ndarray, float]] = []
    placements: list[Placement] = []
    failures = 0
    while len(placements) < wanted and failures < 50:
        asset = library.load(*pool[int(rng.integers(len(pool)))])
        spot = _free_spot(scene, asset, placed, rng)
        if spot is None:
            failures += 1
            continue
        placed.append((spot, _radius(asset.category, asset.index)))
        placements.append(_distractor(scene, asset, spot, len(placements), rng))
    return replace(scene.spec, placements=(*scene.spec.placements, *placements))


def _confusable(scene: Scene) -> set[str]:
    """Categories of the task's objects and everything a person could take for them."""
    mine = {actor.asset.category for actor in scene.actors.values()}
    return mine | {s for actor in scene.actors.values() for s in actor.asset.synonyms}


@lru_cache(maxsize=2048)
def _radius(category: str, index: int) -> float:
    """Metres from an object's origin to the farthest corner of its bounding box, seen from above."""
    asset = library.load(category, index)
    return float(np.hypot(*np.abs(bounds(asset, quat_to_matrix(asset.stable_quats[0]))[:, :2]).max(0)))


def _free_spot(
    scene: Scene, asset: ObjectAsset, placed: list[tuple[np.ndarray, float]], rng: np.random.Generator
) -> np.ndarray | None:
    """A spot whose footprint is clear of keep-outs, other clutter and the table's edge, or None after 100 draws."""
    radius = _radius(asset.category, asset.index)
    if radius > CLUTTER_RADIUS:
        return None
    dx, dy = scene.spec.table_offset
    for _ in range(100):
        spot = np.array(
            [
                dx + rng.uniform(-TABLE_HALF[0] + radius + 0.01, TABLE_HALF[0] - radius - 0.01),
                dy + rng.uniform(-TABLE_HALF[1] + radius + 0.01, TABLE_HALF[1] - radius - 0.01),
            ]
        )
        if asset.extents[2] > LOW and spot[1] < dy:
            continue
        if any(_inside(area, spot, radius) for area in scene.keep_outs):
            continue
        if any(np.linalg.norm(spot - s) < radius + r + 0.01 for s, r in placed):
            continue
        return spot
    return None


def _inside(area: KeepOut, spot: np.ndarray, radius: float) -> bool:
    dx = max(area.x[0] - spot[0], 0.0, spot[0] - area.x[1])
    dy = max(area.y[0] - spot[1], 0.0, spot[1] - area.y[1])
    return float(np.hypot(dx, dy)) < radius


def _distractor(scene: Scene, asset: ObjectAsset, spot: np.ndarray, k: int, rng: np.random.Generator) -> Placement:
    resting = asset.stable_quats[0]
    z = scene.table_z + library.resting_height(asset, resting) + 0.001
    quat = quat_multiply(yaw_quat(float(rng.uniform(-np.pi, np.pi))), resting)
    return Placement(
        f"clutter{k}", asset.category, asset.index, (float(spot[0]), float(spot[1]), z), quat, "free", clutter=True
    )

"""What a task sees while it places its objects: draws that are recorded, actors, keep-out areas."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from assets.objects import library
from assets.objects.blocks import block
from assets.objects.model import ObjectAsset
from sim.bimanual.actor import Actor
from sim.bimanual.draws import Choices, Draws
from sim.bimanual.spec import BlockSpec, Placement, SceneSpec
from twinloom.transforms import pose, quat_multiply, yaw_quat

Side = Literal["left", "right"]
Range = tuple[float, float]
KEEP_OUT = 0.02  # metres around a task object that clutter leaves free: room for a finger


class SceneRejectedError(Exception):
    """A scene that cannot be used; ``reason`` goes into the account. The next attempt draws a new one."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class KeepOut:
    """Axis-aligned rectangle on the table that stays free of clutter."""

    x: Range
    y: Range


def other(side: Side) -> Side:
    """The opposite arm."""
    return "right" if side == "left" else "left"


def side_of(what: Actor | np.ndarray) -> Side:
    """The arm on whose side of the midline an actor (or point) is: "left" for x < 0."""
    x = what.position[0] if isinstance(what, Actor) else what[0]
    return "left" if x < 0 else "right"


def overlap(a: Actor, b: Actor) -> bool:
    """Whether the bounding boxes of two objects, seen from above where they were placed, overlap."""
    corners = [_footprint(actor) for actor in (a, b)]
    for edges in corners:
        for axis in (edges[1] - edges[0], edges[2] - edges[1]):
            one, two = (c @ axis for c in corners)
            if one.max() < two.min() or two.max() < one.min():
                return False
    return True


def _footprint(actor: Actor) -> np.ndarray:
    """(4, 2) corners of the bounding box seen from above, in order; of a lying object, those of the box around it."""
    R, (low, high) = actor.start[:3, :3], actor.box
    if abs(R[2, 2]) > 0.99:
        local = np.array([[x, y, 0.0] for x, y in ((low[0], low[1]), (high[0], low[1]), high[:2], (low[0], high[1]))])
        return (local @ R.T + actor.start[:3, 3])[:, :2]
    middle, half = actor.start[:3, 3] + R @ actor.box.mean(0), np.abs(R) @ (high - low) / 2
    return np.array([middle[:2] + half[:2] * sign for sign in ((-1, -1), (1, -1), (1, 1), (-1, 1))])


class Scene:
    """A scene under construction.

    Args:
        spec: starting point (robot, table).
        rng: the task's own stream of random numbers; None where nothing is to be drawn.
        choices: those of a recorded episode; then nothing is drawn, and objects stand where ``placements`` says.
        placements: of that episode.

    Attributes:
        draws: what the task has drawn; ``draws.choices`` goes into the record.
        actors: name to Actor, in order of placement.
        keep_outs: rectangles that clutter must avoid.
    """

    def __init__(
        self,
        spec: SceneSpec,
        rng: np.random.Generator | None,
        choices: Choices | None = None,
        placements: Sequence[Placement] = (),
    ) -> None:
        self.spec = spec
        self.draws = Draws(rng, choices)
        self._recorded = {placement.name: placement for placement in placements}
        self.actors: dict[str, Actor] = {}
        self.keep_outs: list[KeepOut] = []

    @property
    def table_z(self) -> float:
        """Height of the table surface, metres."""
        return self.spec.table_z

    # ---------------------------------------------------------------- draws

    def uniform(self, low: float, high: float) -> float:
        """One number, uniform in [low, high]."""
        return self.draws.take("uniform", lambda: self._between(low, high))

    def choice(self, options: Sequence, kind: str = "choice"):
        """One of the options. Names and numbers are recorded as they are, other things by their place."""
        plain = all(isinstance(option, (str, int, float)) for option in options)
        places = options if plain else range(len(options))
        found = self.draws.take(kind, lambda: places[self._index(len(options))])
        return found if plain else options[found]

    def side(self) -> Side:
        """A random arm."""
        return self.choice(("left", "right"), "side")

    def order(self, options: Sequence[str] | Sequence[int], count: int | None = None) -> list:
        """The options in a random order, or the first ``count`` of them."""
        return self.draws.take(
            "order", lambda: [options[i] for i in self.draws.generator.permutation(len(options))[:count]]
        )

    def instance(self, category: str, among: Sequence[int] | None = None) -> ObjectAsset:
        """A random instance of a category (of the listed ids, if given)."""
        ids = range(library.instances(category)) if among is None else among
        return library.load(category, self.choice(list(ids), f"instance {category}"))

    def sample_xy(
        self,
        x: Range | Sequence[Range],
        y: Range,
        apart: float = 0.0,
        avoid: Sequence[Actor | tuple[float, float]] = (),
        min_abs_x: float = 0.0,
        accept: Callable[[float, float], bool] | None = None,
    ) -> tuple[float, float]:
        """A random spot on the table.

        Args:
            x, y: range in metres; ``x`` may be several ranges of which one is drawn.
            apart: least distance from everything in ``avoid``.
            min_abs_x: least distance from the midline.
            accept: a further test of (x, y).

        Raises:
            SceneRejectedError: 200 draws did not satisfy the conditions.
        """
        ranges: list[Range] = [x] if isinstance(x[0], (int, float)) else list(x)  # type: ignore[list-item]
        spots = [a.position[:2] if isinstance(a, Actor) else np.asarray(a) for a in avoid]

        def draw() -> list[float]:
            for _ in range(200):
                low, high = ranges[self._index(len(ranges))]
                spot = np.array([self._between(low, high), self._between(*y)])
                if abs(spot[0]) < min_abs_x or any(np.linalg.norm(spot - s) < apart for s in spots):
                    continue
                if accept is None or accept(float(spot[0]), float(spot[1])):
                    return spot.tolist()
            raise SceneRejectedError("no free spot")

        found = self.draws.take("xy", draw)
        return found[0], found[1]

    def _between(self, low: float, high: float) -> float:
        return float(self.draws.generator.uniform(low, high))

    def _index(self, options: int) -> int:
        return int(self.draws.generator.integers(options))

    # --------------------------------------------------------------- actors

    def add(
        self,
        name: str,
        asset: ObjectAsset,
        xy: tuple[float, float],
        yaw: float = 0.0,
        *,
        mode: Literal["free", "static", "fixed"] = "free",
        quat: Sequence[float] | None = None,
        z: float | None = None,
        mass: float | None = None,
        joints: dict[str, float] | None = None,
        keep_out: float = KEEP_OUT,
        clear: bool = False,
    ) -> Actor:
        """Place an object.

        Args:
            xy: origin on the table, metres.
            yaw: turn about the vertical, applied after ``quat``.
            quat: resting orientation (wxyz); the asset's first stable orientation if omitted.
            z: height of the origin in the world; resting on the table if omitted.
            mass: kg, replaces the asset's own.
            joints: part name to starting position; the asset's own if omitted.
            keep_out: metres around the object that clutter avoids.
            clear: its footprint must not overlap that of another object.

        Raises:
            ValueError: the name is taken, or ``joints`` names a part that has none.
            SceneRejectedError: not ``clear`` of another object.
        """
        unknown = set(joints or {}) - {part.name for part in asset.parts if part.joint is not None}
        if unknown:
            raise ValueError(f"{asset.key} has no joint at {sorted(unknown)}")
        actor = self._place(name, asset, None, xy, yaw, mode, quat, z, mass, joints, keep_out)
        if clear and any(overlap(actor, a) for a in self.actors.values() if a is not actor):
            raise SceneRejectedError("objects overlap")
        return actor

    def add_block(
        self,
        name: str,
        spec: BlockSpec,
        xy: tuple[float, float],
        yaw: float = 0.0,
        *,
        mode: Literal["free", "static"] = "free",
        z: float | None = None,
        keep_out: float = KEEP_OUT,
    ) -> Actor:
        """Place a box, bar or mat made to measure."""
        asset = block(**dataclasses.asdict(spec))
        return self._place(name, asset, spec, xy, yaw, mode, None, z, None, None, keep_out)

    def _place(self, name, asset, block_spec, xy, yaw, mode, quat, z, mass, joints, keep_out) -> Actor:
        if name in self.actors:
            raise ValueError(f"two actors are called {name!r}")
        resting = tuple(float(v) for v in (quat if quat is not None else asset.stable_quats[0]))
        height = self.table_z + library.resting_height(asset, resting) if z is None else z
        orientation = quat_multiply(yaw_quat(yaw), resting)
        position = (float(xy[0]), float(xy[1]), float(height))
        placement = Placement(
            name, asset.category, asset.index, position, orientation, mode, mass, dict(joints or {}), False, block_spec
        )
        placement = self._recorded.get(name, placement)
        self.spec = replace(self.spec, placements=(*self.spec.placements, placement))
        actor = Actor(name, asset, placement.mode, pose(placement.pos, placement.quat))
        self.actors[name] = actor
        self.keep_out(actor, keep_out)
        return actor

    # ------------------------------------------------------------- keep-out

    def keep_out(self, what: Actor | tuple[float, float], padding: float) -> None:
        """Keep clutter away from an actor's footprint or from a point, by ``padding`` metres."""
        if isinstance(what, Actor):
            R = what.start[:2, :3]
            center = what.start[:2, 3] + R @ what.box.mean(0)  # a handle puts it far from the origin
            reach = np.abs(R) @ (what.box[1] - what.box[0]) / 2
            x, y = zip(center - reach, center + reach, strict=True)
        else:
            x, y = (what[0], what[0]), (what[1], what[1])
        self.keep_out_area((x[0] - padding, x[1] + padding), (y[0] - padding, y[1] + padding))

    def keep_out_area(self, x: Range, y: Range) -> None:
        """Keep clutter out of a rectangle of the table."""
        self.keep_outs.append(KeepOut((float(x[0]), float(x[1])), (float(y[0]), float(y[1]))))

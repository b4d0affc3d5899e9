"""Measured state as a vocabulary for success checks: positions, contacts, grippers, never commands."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.simulation import Simulation
from sim.engine.base import Contacts

OPEN = 0.7  # measured opening above which a gripper counts as open
TOUCH = 0.001  # metres of gap below which two things touch
STEEPEST = 0.1  # vertical part of a unit contact normal from which it carries something: a slope of 84 degrees


class World:
    """Questions about the present state of a simulation. Lengths in metres, angles in degrees."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._label = _body_labels(sim)
        self._revision = -1
        self._contacts: Contacts
        self._pairs: set[frozenset[str]] | None = None

    @property
    def time(self) -> float:
        """Simulated seconds."""
        return self._sim.time

    @property
    def dt(self) -> float:
        """Seconds between two checks."""
        return self._sim.control_dt

    @property
    def table_z(self) -> float:
        """Height of the table surface."""
        return self._sim.spec.table_z

    def tcp(self, side: str) -> np.ndarray:
        """(4, 4) pose of a hand."""
        return self._sim.tcp(side)

    # ------------------------------------------------------------- contacts

    def touching(self, a: Actor | str, b: Actor | str) -> bool:
        """Whether two things are in contact. Names besides actors: "table", "floor", "left_arm", "right_arm",
        "left_finger1", "left_finger2", "right_finger1", "right_finger2" (an arm's fingers are not its "arm")."""
        return frozenset((_name(a), _name(b))) in self._current_contacts()

    def touched_by(self, a: Actor | str, side: str) -> bool:
        """Whether any link of an arm touches it."""
        return any(self.touching(a, f"{side}_{link}") for link in ("arm", "finger1", "finger2"))

    def held_by(self, a: Actor, side: str) -> bool:
        """Whether both fingers of a gripper touch it."""
        return self.touching(a, f"{side}_finger1") and self.touching(a, f"{side}_finger2")

    def touching_besides_arms(self, a: Actor) -> bool:
        """Whether anything but the robot is in contact with it."""
        arms = {f"{side}_{link}" for side in self._sim.arms for link in ("arm", "finger1", "finger2")}
        return any(a.name in pair and not pair & arms for pair in self._current_contacts())

    def released(self, *actors: Actor) -> bool:
        """Whether no arm touches any of them."""
        return not any(self.touched_by(a, side) for a in actors for side in ("left", "right"))

    def contact_points(self, a: Actor | str, b: Actor | str) -> np.ndarray:
        """(K, 3) positions of all contacts between two things, in the world."""
        return self._now().positions[self._between(a, b)]

    def contact_force(self, a: Actor | str, b: Actor | str) -> float:
        """Sum of the normal forces between two things, newtons."""
        hits = self._between(a, b)
        return float(sum(self._sim.engine.contact_forces()[hits])) if len(hits) else 0.0

    def _now(self) -> Contacts:
        """The contacts of the present state, read once."""
        if self._sim.revision != self._revision:
            self._contacts, self._pairs = self._sim.engine.contacts(), None
            self._revision = self._sim.revision
        return self._contacts

    def _between(self, a: Actor | str, b: Actor | str) -> list[int]:
        """Which contacts are those of two things."""
        pair = frozenset((_name(a), _name(b)))
        return [i for i, (p, q) in enumerate(self._now().bodies) if frozenset((self._label[p], self._label[q])) == pair]

    def names(self, bodies: Iterable[int]) -> tuple[str, ...]:
        """What bodies of the simulation go by in contacts."""
        return tuple(self._label[body] for body in bodies)

    def _current_contacts(self) -> set[frozenset[str]]:
        now = self._now()
        if self._pairs is None:
            bodies = now.bodies[now.distances < TOUCH]
            self._pairs = {frozenset((self._label[p], self._label[q])) for p, q in bodies}
        return self._pairs

    # ------------------------------------------------------------- grippers

    def opening(self, side: str) -> float:
        """Measured gripper opening: 0 closed, 1 open."""
        return self._sim.arms[side].opening(self._sim.data)

    def gripper_open(self, side: str) -> bool:
        """Whether the gripper is measured open."""
        return self.opening(side) > OPEN

    # ------------------------------------------------------------ positions

    def offset(self, a: np.ndarray | Actor, b: np.ndarray | Actor) -> np.ndarray:
        """(3,) position of ``a`` minus position of ``b``; each an actor or a (4, 4) pose or a (3,) point."""
        return _point(a) - _point(b)

    def near(self, a, b, xy: float, z: float | None = None) -> bool:
        """Whether a is within ``xy`` of b on the table plane (Euclid), and within ``z`` in height if given."""
        d = self.offset(a, b)
        return float(np.hypot(d[0], d[1])) < xy and (z is None or abs(float(d[2])) < z)

    def height(self, a: Actor | np.ndarray) -> float:
        """Height above the table surface."""
        return float(_point(a)[2]) - self.table_z

    def upright(self, a: Actor, degrees: float = 15.0) -> bool:
        """Whether the object's z axis is within ``degrees`` of the vertical."""
        return bool(a.up[2] > np.cos(np.radians(degrees)))

    def aligned(self, a: np.ndarray, b: np.ndarray, degrees: float) -> bool:
        """Whether two directions (3,) enclose less than ``degrees``."""
        cosine = float(a @ b) / float(np.linalg.norm(a) * np.linalg.norm(b))
        return bool(cosine > np.cos(np.radians(degrees)))

    def on(self, a: Actor, b: Actor | str) -> bool:
        """Whether a is carried by b: b pushes it upwards at some contact, and no arm touches a."""
        return self.released(a) and self._pushed_up(_name(a), _name(b))

    def _pushed_up(self, above: str, below: str) -> bool:
        """Whether some contact of the two is a slope on which ``above`` can rest, not a wall beside it."""
        now = self._now()
        for i in self._between(above, below):
            upward = now.normals[i, 2] * (1 if self._label[now.bodies[i, 1]] == above else -1)
            if now.distances[i] < TOUCH and upward > STEEPEST:
                return True
        return False

    def inside(self, a: Actor, container: Actor, margin: float = 0.0, heap: float = 0.0) -> bool:
        """Whether a's centre lies within the container's bounding box, shrunk by ``margin`` sideways.

        Args:
            heap: metres by which the centre may be above the box, on something else that lies in it.
        """
        T = container.pose()
        local = T[:3, :3].T @ (a.center - T[:3, 3])
        room = np.array([-margin, -margin, 0.01])
        return bool((container.box[0] - room < local).all() and (local < container.box[1] + room + [0, 0, heap]).all())


def _name(a: Actor | str) -> str:
    return a if isinstance(a, str) else a.name


def _point(a: Actor | np.ndarray | Iterable[float]) -> np.ndarray:
    if isinstance(a, Actor):
        return a.position
    array = np.asarray(a, float)
    return array[:3, 3] if array.shape == (4, 4) else array


def _body_labels(sim: Simulation) -> list[str]:
    """For each body the name it goes by in contacts."""
    model = sim.model
    labels = [model.body(b).name or "world" for b in range(model.nbody)]
    labels[0] = "floor"
    for arm in sim.arms.values():
        for body in arm.bodies:
            labels[body] = f"{arm.side}_arm"
        for i, body in enumerate(arm.finger_bodies, start=1):
            for b in range(model.nbody):
                if b == body or int(model.body_parentid[b]) == body:
                    labels[b] = f"{arm.side}_finger{i}"
    for actor in sim.actors.values():
        for body in actor.bodies.values():
            labels[body] = actor.name
    return labels

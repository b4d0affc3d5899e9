"""Does a posture of the two arms touch anything it must not? A private copy of the model answers.

Every geom of the copy gets a class and collides only with the classes that matter, so that MuJoCo's own broad phase
discards everything else: a pile of clutter that no arm is near costs nothing, and any contact that is found counts.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from typing import NamedTuple

import mujoco
import numpy as np

from assets.robots.chain import SerialChain
from assets.robots.record import SIDES
from twinloom.errors import TwinloomError
from twinloom.transforms import Array


class Held(NamedTuple):
    """An object that moves rigidly with a hand.

    Attributes:
        body: id of its root body, which has a free joint; bodies attached to it move along.
        T_hand_object: (4, 4) pose of that body in the frame of the tool centre point.
    """

    body: int
    T_hand_object: Array


class Touch(NamedTuple):
    """A forbidden contact: two body names and their distance in metres (negative: penetration).

    Things fixed to the world itself go by the name of their geom.
    """

    body1: str
    body2: str
    distance: float


class CollisionWorld:
    """Collision tests of arm postures against the scene, each other and themselves.

    What counts: any part of an arm or of a held object against anything else, including the other arm and the arm's
    own links (the model's ``exclude`` pairs and parent-child pairs excepted). What does not: contacts among objects
    of which none is held; the fingers of a hand against each other; a held object against the hand that holds it; a
    hand (the body that carries the tool centre point, and the fingers), or what it holds, against the bodies it is
    allowed to touch. The links above the hand may never touch anything.

    Args:
        model: compiled model with arms attached as ``left_`` and ``right_``; it is copied, never changed.

    Raises:
        TwinloomError: an arm is missing.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = copy.copy(model)
        self._model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        self._model.geom_gap[:] = 0.0
        self._data = mujoco.MjData(self._model)
        self._chains = {side: SerialChain(model, f"{side}_") for side in SIDES}
        self._fingers = {side: _Fingers(model, side) for side in SIDES}
        self._solid = (model.geom_contype | model.geom_conaffinity) != 0
        self._parts = np.full(model.nbody, -1)  # class of a robot body, -1 for everything else
        for index, side in enumerate(SIDES):
            chain = self._chains[side]
            self._parts[_descendants(model, int(chain.body_ids[0]))] = 2 * index
            self._parts[_descendants(model, int(chain.body_ids[-1]))] = 2 * index + 1
        self._qpos = model.qpos0.copy()
        self._margin: float | None = None
        self._masks: tuple | None = None

    def set_state(self, qpos: Array) -> None:
        """Where everything is that the later queries do not mention; (nq,) as in ``MjData.qpos``."""
        self._qpos[:] = qpos

    def in_collision(
        self,
        arms: Mapping[str, Array],
        openings: Mapping[str, float] | None = None,
        held: Mapping[str, Held] | None = None,
        touch: Mapping[str, Collection[int]] | None = None,
        margin: float = 0.0,
    ) -> bool:
        """Whether a posture makes a forbidden contact.

        Args:
            arms: side to (N,) joints; an arm that is not named stays as in the state.
            openings: side to gripper opening in [0, 1]; as in the state where not named.
            held: side to what its hand holds; both hands may hold the same object, which then follows the left.
            touch: side to ids of bodies that its hand, and what it holds, may touch.
            margin: metres; gaps smaller than this count as contact, except between the links of one arm. Negative
                values forgive penetration.

        Raises:
            TwinloomError: a held body has no free joint.
        """
        self._collide(arms, openings, held or {}, touch or {}, margin)
        return self._data.ncon > 0 and (margin == 0.0 or bool((self._excess(margin) < 0.0).any()))

    def first_contact(
        self,
        arms: Mapping[str, Array],
        openings: Mapping[str, float] | None = None,
        held: Mapping[str, Held] | None = None,
        touch: Mapping[str, Collection[int]] | None = None,
        margin: float = 0.0,
    ) -> Touch | None:
        """The deepest forbidden contact of a posture, or None; arguments as for :meth:`in_collision`."""
        self._collide(arms, openings, held or {}, touch or {}, margin)
        if not self._data.ncon:
            return None
        excess = self._excess(margin)
        deepest = int(np.argmin(excess))
        if excess[deepest] >= 0.0:
            return None
        geoms = self._data.contact.geom[deepest]
        return Touch(self._name(geoms[0]), self._name(geoms[1]), float(self._data.contact.dist[deepest]))

    def _excess(self, margin: float) -> Array:
        """(ncon,) distances less the gap that is asked for; the links of one arm are close by design and need none."""
        contact = self._data.contact
        arm = self._parts[self._model.geom_bodyid[contact.geom]] // 2  # 0 left, 1 right, -1 neither
        own = (arm[:, 0] == arm[:, 1]) & (arm[:, 0] >= 0)
        return contact.dist - np.where(own, min(margin, 0.0), margin)

    def _name(self, geom: int) -> str:
        body = int(self._model.geom_bodyid[geom])
        return self._model.body(body).name if body else self._model.geom(int(geom)).name or "world"

    def _collide(
        self,
        arms: Mapping[str, Array],
        openings: Mapping[str, float] | None,
        held: Mapping[str, Held],
        touch: Mapping[str, Collection[int]],
        margin: float,
    ) -> None:
        model, data = self._model, self._data
        self._mask({side: h.body for side, h in held.items()}, touch)
        if margin != self._margin:
            model.geom_margin[:] = max(margin, 0.0)
            self._margin = margin
        qpos = data.qpos
        qpos[:] = self._qpos
        for side, q in arms.items():
            qpos[self._chains[side].qpos_ids] = q
        if openings:
            for side, opening in openings.items():
                fingers = self._fingers[side]
                qpos[fingers.qpos_ids] = fingers.closed + opening * fingers.stroke
        mujoco.mj_kinematics(model, data)
        if held:
            for side in reversed(SIDES):  # an object in both hands follows the left
                if side in held:
                    self._carry(side, held[side], qpos)
            mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)

    def _carry(self, side: str, held: Held, qpos: Array) -> None:
        """Write the free joint of a held object so that it sits in the hand where the arm is now."""
        site = self._chains[side].site_id
        R = self._data.site_xmat[site].reshape(3, 3)
        address = int(self._model.jnt_qposadr[self._model.body_jntadr[held.body]])
        qpos[address : address + 3] = self._data.site_xpos[site] + R @ held.T_hand_object[:3, 3]
        mujoco.mju_mat2Quat(qpos[address + 3 : address + 7], (R @ held.T_hand_object[:3, :3]).ravel())

    def _mask(self, held: dict[str, int], touch: Mapping[str, Collection[int]]) -> None:
        """Give every geom the class that follows from who holds and who may touch its body."""
        key = (held, {side: frozenset(bodies) for side, bodies in touch.items()})
        if key == self._masks:
            return
        model = self._model
        holders, touchers = np.zeros(model.nbody, int), np.zeros(model.nbody, int)
        for index, side in enumerate(SIDES):
            if side in held:
                body = held[side]
                if (
                    model.body_jntnum[body] != 1
                    or model.jnt_type[model.body_jntadr[body]] != mujoco.mjtJoint.mjJNT_FREE
                ):
                    raise TwinloomError(
                        f'the {side} hand cannot carry body "{model.body(body).name}": it has no free joint; '
                        "name the root body of a free object"
                    )
                holders[_descendants(model, body)] |= 1 << index
            touchers[list(touch.get(side, ()))] |= 1 << index
        kinds = np.where(self._parts >= 0, self._parts, 4 + 4 * holders + touchers)
        body_of = model.geom_bodyid
        model.geom_contype[:] = np.where(self._solid, 1 << kinds[body_of], 0)
        model.geom_conaffinity[:] = np.where(self._solid, _PARTNERS[kinds[body_of]], 0)
        for name in ("contype", "conaffinity"):  # the broad phase looks at the union over a body's geoms
            union = np.zeros(model.nbody, int)
            np.bitwise_or.at(union, body_of, getattr(model, f"geom_{name}"))
            getattr(model, f"body_{name}")[:] = union
        self._masks = key


class _Fingers:
    """Joint addresses of a gripper and their positions when closed and open."""

    def __init__(self, model: mujoco.MjModel, side: str) -> None:
        joints = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, f"{side}_finger{i}") for i in (1, 2)]
        joints = [j for j in joints if j >= 0]
        limits = model.jnt_range[joints]
        self.qpos_ids = model.jnt_qposadr[joints].astype(int)
        # a finger is closed at the end of its range that is nearer to zero, whichever way it slides
        far = np.argmax(np.abs(limits), axis=1) if len(joints) else np.zeros(0, int)
        rows = np.arange(len(joints))
        self.closed = limits[rows, 1 - far]
        self.stroke = limits[rows, far] - self.closed


def _descendants(model: mujoco.MjModel, root: int) -> np.ndarray:
    """Ids of a body and everything attached to it; a parent's id is always smaller than its children's."""
    inside = np.zeros(model.nbody, bool)
    inside[root] = True
    for body in range(root + 1, model.nbody):
        inside[body] = inside[model.body_parentid[body]]
    return np.flatnonzero(inside)


def _collide_kinds(a: int, b: int) -> bool:
    """Whether two classes may not touch. 0-3: left links, left hand, right links, right hand; from 4 on objects,
    4 + 4 * (sides that hold it) + (sides that may touch it), sides as bits."""
    if a < 4 and b < 4:
        return not (a == b and a % 2)  # the fingers of one hand meet when it closes
    if a >= 4 and b >= 4:
        held_a, touch_a, held_b, touch_b = (a - 4) // 4, (a - 4) % 4, (b - 4) // 4, (b - 4) % 4
        return bool(held_a | held_b) and not (held_a & touch_b or held_b & touch_a or held_a & held_b)
    robot, thing = min(a, b), max(a, b) - 4
    allowed = (thing // 4 | thing % 4) & 1 << robot // 2
    return not (robot % 2 and allowed)


_KINDS = 20
_PARTNERS = np.array([sum(1 << b for b in range(_KINDS) if _collide_kinds(a, b)) for a in range(_KINDS)])

"""Guessing the slots of an unknown humanoid from the shape of its tree and the directions of its axes, not names."""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np

from assets.robots.humanoid.canonical import canonical, cosines
from assets.robots.humanoid.read import read_tree
from assets.robots.humanoid.record import PLACEHOLDER, Fixes
from assets.robots.humanoid.slots import ARM, AXES, HEAD, LEG, SIDES, SLOT_INDEX, WAIST
from assets.robots.humanoid.source import SourceModel
from twinloom.errors import InvalidSettingsError

_DOUBT = 0.75  # cosine between a joint's axis and its slot's below which a person should look


@dataclass(frozen=True)
class Proposal:
    """A guess.

    Attributes:
        slots: slot -> joint.
        turn: yaw of the robot's forward direction in its file, rad.
        doubts: one sentence each, for a person to check.
    """

    slots: dict[str, str]
    turn: float
    doubts: list[str]


@dataclass(frozen=True)
class _Chain:
    """Hinges from the base to a tip, root first, with their places and axes while all joints are at zero."""

    joints: list[int]
    tip: np.ndarray


def propose(name: str, source: SourceModel) -> Proposal:
    """Guess which joint is which slot.

    The two lowest tips are feet; a pair of other mirrored tips are hands; one in the middle is the head. Joints shared
    by both legs or both arms are the waist. Within a group axes decide: twice, since an arm's axes mean something only
    once it hangs.

    Raises:
        InvalidSettingsError: it has no two legs of five or six hinges.
    """
    model = source.model
    data = mujoco.MjData(model)
    for k in _hinges(model):
        data.qpos[model.jnt_qposadr[k]] = 0.0
    mujoco.mj_kinematics(model, data)
    chains = _chains(model, data)
    legs = sorted((chain for chain in chains if len(chain.joints) >= 5), key=lambda chain: chain.tip[2])[:2]
    if len(legs) < 2:
        raise InvalidSettingsError(name, ["it has no two chains of five or more hinges, so no two legs"])
    doubts: list[str] = []
    turn = _turn(model, data, legs, doubts)
    flip = np.array([np.cos(turn), np.cos(turn), 1.0])  # of coordinates, into the true forward direction
    shared = [k for k in legs[0].joints if k in legs[1].joints]
    slots: dict[str, str] = {}
    for chain in legs:
        side = SIDES[int(chain.tip[1] * flip[1] < 0)]
        _assign_leg(model, data, [k for k in chain.joints if k not in shared], side, flip, slots, doubts)
    used = {k for chain in legs for k in chain.joints}
    others = [replace(chain, joints=[k for k in chain.joints if k not in used]) for chain in chains]
    arms, head, waist = _upper_body([chain for chain in others if chain.joints])
    _assign_axes(model, data, [*shared, *waist][:3], list(WAIST), flip, slots)
    _assign_axes(model, data, head, list(HEAD), flip, slots)
    for chain in arms:
        side = SIDES[int(data.xanchor[chain.joints[0]][1] * flip[1] < 0)]
        _assign_arm(model, data, chain.joints, side, slots, doubts)
    slots = _refined(name, source, slots, turn)
    doubts += _doubts(name, source, slots, turn)
    return Proposal({slot: slots[slot] for slot in SLOT_INDEX if slot in slots}, turn, doubts)


def _hinges(model: mujoco.MjModel) -> list[int]:
    return [k for k in range(model.njnt) if int(model.jnt_type[k]) == int(mujoco.mjtJoint.mjJNT_HINGE)]


def _chains(model: mujoco.MjModel, data: mujoco.MjData) -> list[_Chain]:
    """One chain per body that nothing with a hinge hangs from."""
    above: dict[int, list[int]] = {0: []}
    hinged = {int(model.jnt_bodyid[k]): k for k in _hinges(model)}
    parents = set()
    for body in range(1, model.nbody):
        own = [hinged[body]] if body in hinged else []
        above[body] = [*above[int(model.body_parentid[body])], *own]
        if own and len(above[body]) > 1:
            parents.add(above[body][-2])
    found = []
    for body, k in hinged.items():
        if k not in parents:
            found.append(_Chain(above[body], data.xipos[body].copy()))
    return found


def _turn(model: mujoco.MjModel, data: mujoco.MjData, legs: list[_Chain], doubts: list[str]) -> float:
    """pi if the feet point backward, which is where the file's forward direction is wrong."""
    ahead = np.mean(
        [data.xipos[int(model.jnt_bodyid[leg.joints[-1]])] - data.xanchor[leg.joints[-1]] for leg in legs], 0
    )
    named = [_side_of_name(model.joint(leg.joints[0]).name) for leg in legs]
    sides = [np.sign(leg.tip[1]) for leg in legs]
    backward = all(side and side != place for side, place in zip(named, sides, strict=True))
    if backward:
        doubts.append("joints named left lie on the right (y < 0), so the robot is taken to face -x: fix.turn")
        return float(np.pi)
    if ahead[0] < -0.01:
        doubts.append("the feet's mass lies behind the ankles; if the robot faces -x set fix.turn = 3.14159")
    return 0.0


def _side_of_name(name: str) -> int:
    """+1 for names of the left, -1 of the right, 0 for neither."""
    words = name.lower().replace("-", "_").split("_")
    left = words[0].startswith(("left", "aleft")) or "l" in words or "left" in words
    right = words[0].startswith(("right", "aright")) or "r" in words or "right" in words
    return int(left) - int(right)


def _assign_leg(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    joints: list[int],
    side: str,
    flip: np.ndarray,
    slots: dict[str, str],
    doubts: list[str],
) -> None:
    """Three hips, a knee, one or two ankles; a sixth-and-later joint (toes) stays rigid."""
    if len(joints) > 6:
        doubts.append(f"{side} leg: joints after the sixth ({model.joint(joints[6]).name}, ...) are made rigid")
    hips, knee, ankles = joints[:3], joints[3], joints[4:6]
    _assign_axes(model, data, hips, [f"{side}_{name}" for name in LEG[:3]], flip, slots)
    slots[f"{side}_knee"] = model.joint(knee).name
    ankle_slots = [f"{side}_{name}" for name in LEG[4:]]
    if len(ankles) == 1:
        doubts.append(f"{side} leg has five joints: its ankle is taken to have no roll")
        ankle_slots = ankle_slots[:1]
    _assign_axes(model, data, ankles, ankle_slots, flip, slots)


def _upper_body(chains: list[_Chain]) -> tuple[list[_Chain], list[int], list[int]]:
    """Arms, head and waist joints among the chains that are not legs.

    Chains that leave the trunk by the same joint are one limb with fingers. Arms are the limbs that end farthest aside.
    """
    if not chains:
        return [], [], []
    bundles: dict[int, list[_Chain]] = {}
    if len(chains) == 1:
        return [], [], chains[0].joints  # one chain in the middle: a waist that carries a rigid chest
    common = [k for k in chains[0].joints if all(k in chain.joints for chain in chains)]
    for chain in chains:
        rest = [k for k in chain.joints if k not in common]
        bundles.setdefault(rest[0] if rest else -1, []).append(replace(chain, joints=rest))
    trunks = []
    for root, bundle in bundles.items():
        if root < 0:
            continue
        trunk = [k for k in bundle[0].joints if all(k in other.joints for other in bundle)]
        trunks.append(replace(bundle[0], joints=trunk))
    arms = sorted((limb for limb in trunks if len(limb.joints) >= 3), key=lambda limb: -abs(limb.tip[1]))[:2]
    if len(arms) < 2:
        arms = []
    heads = [limb for limb in trunks if len(limb.joints) <= 4 and not any(limb is arm for arm in arms)]
    head = max(heads, key=lambda limb: limb.tip[2], default=None)
    return arms, head.joints if head else [], common


def _assign_arm(
    model: mujoco.MjModel, data: mujoco.MjData, joints: list[int], side: str, slots: dict[str, str], doubts: list[str]
) -> None:
    """By order: shoulder pitch, roll, twist, elbow, forearm twist, wrist roll, wrist pitch."""
    order = {3: (0, 1, 3), 4: (0, 1, 2, 3), 5: (0, 1, 2, 3, 4), 6: (0, 1, 2, 3, 4, 5)}.get(len(joints), tuple(range(7)))
    if len(joints) in (3, 6):
        doubts.append(f"{side} arm has {len(joints)} joints: check which are shoulder and wrist")
    if len(joints) > 7:
        doubts.append(f"{side} arm: joints after the seventh ({model.joint(joints[7]).name}, ...) are made rigid")
    for position, k in zip(order, joints, strict=False):
        slots[f"{side}_{ARM[position]}"] = model.joint(k).name


def _assign_axes(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    joints: list[int],
    names: list[str],
    flip: np.ndarray,
    slots: dict[str, str],
) -> None:
    """Match joints and slots so that their axes agree best, at zero."""
    axes = np.array([data.xaxis[k] * flip for k in joints]).reshape(-1, 3)
    for joint, slot in _matched(axes, names):
        slots[slot] = model.joint(joints[joint]).name


def _matched(axes: np.ndarray, names: list[str]) -> list[tuple[int, str]]:
    from scipy.optimize import linear_sum_assignment

    agreement = np.abs(axes @ AXES[[SLOT_INDEX[name] for name in names]].T)
    rows, columns = linear_sum_assignment(-agreement)
    return [(int(row), names[column]) for row, column in zip(rows, columns, strict=True)]


def _refined(name: str, source: SourceModel, slots: dict[str, str], turn: float) -> dict[str, str]:
    """Shoulders and wrists again, by their axes in the canonical pose that the first guess leads to."""
    tree = canonical(read_tree(name, source, slots, Fixes(turn=turn), strict=False).tree)
    out = dict(slots)
    axes = dict(zip((hinge.slot for hinge in tree.hinges), tree.axes(tree.positions()), strict=True))
    for side in SIDES:
        for group in (ARM[:3], ARM[4:]):
            present = [f"{side}_{joint}" for joint in group if f"{side}_{joint}" in slots]
            if len(present) < 2:
                continue
            free = present if len(present) < 3 else [f"{side}_{joint}" for joint in group]
            here = np.array([axes[slot] for slot in present])
            matched = _matched(here, free)
            before = sum(abs(axis @ AXES[SLOT_INDEX[slot]]) for axis, slot in zip(here, present, strict=True))
            after = sum(abs(here[joint] @ AXES[SLOT_INDEX[slot]]) for joint, slot in matched)
            if after > before + 0.2:  # a tie stays in the order of the chain
                for slot in present:
                    del out[slot]
                out |= {slot: slots[present[joint]] for joint, slot in matched}
    return out


def _doubts(name: str, source: SourceModel, slots: dict[str, str], turn: float) -> list[str]:
    """What looks wrong about a map."""
    tree = canonical(read_tree(name, source, slots, Fixes(turn=turn), strict=False).tree)
    found = []
    for hinge, cosine in zip(tree.hinges, cosines(tree), strict=True):
        if cosine < _DOUBT:
            found.append(
                f"{hinge.slot} = {hinge.name}: its axis is {np.degrees(np.arccos(cosine)):.0f}° from the slot's"
            )
        side = _side_of_name(hinge.name)
        if side and hinge.slot.startswith(SIDES) and SIDES[int(side < 0)] != hinge.slot.partition("_")[0]:
            found.append(f"{hinge.slot} = {hinge.name}: the name says the other side")
        if not 0 < hinge.effort < PLACEHOLDER:
            found.append(f"{hinge.name}: effort {hinge.effort:g} N m cannot be true; give fix.effort or fix.strength")
        if hinge.range[0] >= hinge.range[1]:
            found.append(f"{hinge.name}: no limits in the file; ±2.6 rad is assumed, give fix.limits.{hinge.slot}")
    ranges = {hinge.slot: sorted(hinge.sign * (limit - hinge.offset) for limit in hinge.range) for hinge in tree.hinges}
    for joint in LEG:
        left, right = ranges.get(f"left_{joint}"), ranges.get(f"right_{joint}")
        if left and right:
            expected = left if joint.endswith(("pitch", "knee")) else [-left[1], -left[0]]
            if not np.allclose(expected, right, atol=0.1):
                found.append(f"{joint}: limits {np.round(left, 2)} and {np.round(right, 2)} are no mirror images")
    return found

"""What press, lift, hanging and articulated tasks count as success, and what they do not."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim.bimanual.episode import Prepared, prepare
from sim.bimanual.scene import Side, other
from sim.bimanual.skills import Skills
from sim.bimanual.tasks._dual_lift import take
from twinloom.seeding import episode_seed
from twinloom.transforms import inverse, matrix_to_quat, pose, rotation_about, rotation_angle


def scene(task: str) -> Prepared:
    return prepare(task, "franka-panda", episode_seed(0, task, 0), visuals="simple")


def skills(prepared: Prepared) -> Skills:
    return Skills(prepared.sim, prepared.world, np.random.default_rng(0))


DOWN = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])  # a hand that points down, fingers along x


def at(point: np.ndarray, dx: float, dy: float, dz: float, R: np.ndarray | None = None) -> np.ndarray:
    """(4, 4) pose at some distance from a point."""
    return pose(np.asarray(point, float) + np.array([dx, dy, dz]), R)


def put(prepared: Prepared, name: str, T: np.ndarray) -> None:
    """Set a free object down at a pose (4, 4), at rest."""
    model, data = prepared.sim.model, prepared.sim.data
    joint = model.body(name).jntadr[0]
    at, speed = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    data.qpos[at : at + 7] = [*T[:3, 3], *matrix_to_quat(T[:3, :3])]
    data.qvel[speed : speed + 6] = 0.0
    mujoco.mj_forward(model, data)


def turn(prepared: Prepared, actor: str, part: str, fraction: float) -> None:
    """Set a joint to a fraction of its range, at rest."""
    prepared.sim.data.qpos[prepared.sim.actors[actor].joint_address(part)] = np.array(
        prepared.sim.actors[actor].joint_limits(part)
    ) @ [1 - fraction, fraction]
    mujoco.mj_forward(prepared.sim.model, prepared.sim.data)


def settles_to_success(prepared: Prepared, steps: int = 15) -> bool:
    for _ in range(steps):
        prepared.sim.step(prepared.sim.action)
    return prepared.monitor.success


# ------------------------------------------------------------------ presses


def push(prepared: Prepared, arm: Side, opening: float, beyond: float, beside: float = 0.0) -> bool:
    """Come from above the spot, push ``beyond`` metres past its surface; whether that was the task."""
    target, group = prepared.task.target, prepared.task.group  # type: ignore[attr-defined]
    spot = target.grasp_pose(target.asset.grasps_in(group)[0])[:3, 3]
    robot = skills(prepared)
    robot.do(robot.close(arm, opening))
    robot.do(robot.move_to(arm, at(spot, 0, beside, 0.05, DOWN)))
    robot.do(robot.move_by(arm, (0, 0, -0.05 - beyond), check=False, speed=0.5))
    return settles_to_success(prepared)


@pytest.mark.parametrize("task", ["click_bell", "click_alarmclock", "press_stapler"])
def test_a_press_is_with_closed_fingers(task: str) -> None:
    arm = scene(task).task.side  # type: ignore[attr-defined]
    assert push(scene(task), arm, 0.0, 0.01)
    assert not push(scene(task), arm, 0.6, 0.01)
    assert not push(scene(task), arm, 0.0, -0.012)  # hovering


def test_the_bell_is_pressed_by_the_arm_of_its_side_and_on_its_button() -> None:
    prepared = scene("click_bell")
    arm = prepared.task.side  # type: ignore[attr-defined]
    assert not push(prepared, other(arm), 0.0, 0.01)
    assert not push(scene("click_bell"), arm, 0.0, 0.045, beside=-0.08)


# ------------------------------------------------------------------- joints


@pytest.mark.parametrize(
    ("task", "actor", "part", "little", "enough"),
    [("turn_switch", "switch", "rocker", 0.8, 1.0), ("open_microwave", "microwave", "door", 0.57, 0.63)],
)
def test_a_joint_counts_from_a_position_on(task, actor, part, little, enough) -> None:
    for fraction, counts in ((little, False), (enough, True)):
        prepared = scene(task)
        turn(prepared, actor, part, fraction)
        assert settles_to_success(prepared) is counts


def test_an_open_laptop_counts_only_with_the_hand_at_its_lid() -> None:
    prepared = scene("open_laptop")
    turn(prepared, "laptop", "lid", 0.6)
    assert not settles_to_success(prepared)


@pytest.mark.parametrize(("place", "counts"), [("inside", True), ("before", False), ("on top", False)])
def test_the_object_has_to_lie_in_the_drawer(place: str, counts: bool) -> None:
    prepared = scene("put_object_cabinet")
    turn(prepared, "cabinet", "drawer", 0.85)
    cabinet, thing = (prepared.sim.actors[name] for name in ("cabinet", "object"))
    where = {
        "inside": at(cabinet.point("drawer")[:3, 3], 0, -0.02, 0.005),
        "before": at(np.array([0.0, -0.28, prepared.spec.table_z]), 0, 0, 0.005),
        "on top": at(cabinet.position, 0, 0, cabinet.asset.extents[2] + 0.005),
    }[place]
    where[:3, :3] = thing.pose()[:3, :3]
    put(prepared, "object", where)
    assert settles_to_success(prepared, 25) is counts


# -------------------------------------------------------------- dual lifts


@pytest.mark.parametrize(
    ("task", "actor", "groups"),
    [("lift_pot", "pot", ("left_handle", "right_handle")), ("grab_roller", "roller", ("left_end", "right_end"))],
)
def test_a_lift_with_one_hand_does_not_count(task, actor, groups) -> None:
    prepared = scene(task)
    robot, thing = skills(prepared), prepared.sim.actors[actor]
    robot.do(robot.grasp("left", thing, groups[0], opening=0.5, verify=False))
    robot.do(robot.move_by("left", (0, 0, 0.15), check=False))
    robot.do([], robot.close("right"))
    assert not settles_to_success(prepared)


def test_both_hands_keep_step_while_they_carry_one_object() -> None:
    prepared = scene("grab_roller")
    robot, roller = skills(prepared), prepared.sim.actors["roller"]
    take(robot, roller, "left_end", "right_end", 0.06)
    apart = []
    prepared.sim.observers.append(lambda sim: apart.append(inverse(sim.tcp("left")) @ sim.tcp("right")))
    goal = roller.pose()
    goal[:3, :3] = rotation_about([0, 0, 1], 0.2) @ goal[:3, :3]
    goal[:3, 3] += 0.0, 0.05, 0.08
    robot.do(*robot.carry(roller, goal))
    assert np.abs(np.array(apart)[:, :3, 3] - apart[0][:3, 3]).max() < 0.004
    assert np.linalg.norm(roller.position - goal[:3, 3]) < 0.01
    assert rotation_angle(roller.pose()[:3, :3].T @ goal[:3, :3]) < 0.06


# ------------------------------------------------------------ can, mug


@pytest.mark.parametrize(
    ("dx", "dy", "lying", "counts"),
    [
        (0.18, 0.0, False, True),
        (-0.18, 0.0, False, False),  # on the other side
        (0.23, 0.0, False, False),  # too far away
        (0.18, 0.06, False, False),  # not level with the pot
        (0.18, 0.0, True, False),  # fallen
        (0.0, 0.0, False, False),  # in the pot
    ],
)
def test_the_can_stands_beside_the_pot(dx, dy, lying, counts) -> None:
    prepared = scene("move_can_pot")
    pot, sign = prepared.task.pot, prepared.task.sign  # type: ignore[attr-defined]
    R = rotation_about([0, 1, 0], np.pi / 2) if lying else np.eye(3)
    put(prepared, "can", at(pot.position, sign * dx, dy, 0.04 if lying else 0.012 if dx == 0 else 0.001, R))
    assert settles_to_success(prepared) is counts


def test_the_mug_hangs_by_its_handle() -> None:
    prepared = scene("hanging_mug")
    mug, rack = prepared.task.mug, prepared.task.rack  # type: ignore[attr-defined]
    hung = rack.point("peg") @ inverse(mug.asset.point("handle").T_object_point)
    hung[2, 3] += 0.003
    put(prepared, "mug", hung)
    assert settles_to_success(prepared, 60)
    for below in (at(rack.position, -0.12, 0, 0.001), at(rack.position, 0, 0.15, 0.001)):
        prepared = scene("hanging_mug")
        put(prepared, "mug", below)
        assert not settles_to_success(prepared)

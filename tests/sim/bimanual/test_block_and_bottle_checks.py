"""What block, bottle and handover tasks count as success, and what they do not."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
import pytest

from sim.bimanual.episode import Prepared, prepare
from sim.bimanual.handover import Transfer
from sim.bimanual.skills import Skills
from sim.bimanual.tasks._bottles import Shaking
from twinloom.seeding import episode_seed

DT = 0.04


def scene(task: str) -> Prepared:
    return prepare(task, "franka-panda", episode_seed(0, task, 0), visuals="simple")


def put(prepared: Prepared, name: str, position: Sequence[float], heading: float = 0.0) -> None:
    """Set a free object down somewhere, at rest."""
    model, data = prepared.sim.model, prepared.sim.data
    joint = model.body(name).jntadr[0]
    at, speed = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    data.qpos[at : at + 7] = [*position, np.cos(heading / 2), 0, 0, np.sin(heading / 2)]
    data.qvel[speed : speed + 6] = 0.0
    mujoco.mj_forward(model, data)


def settles_to_success(prepared: Prepared) -> bool:
    for _ in range(10):
        prepared.sim.step(prepared.sim.home_action)
    return prepared.monitor.success


def row(prepared: Prepared, xs: Sequence[float], ys: Sequence[float] = (-0.15,) * 3, lift: float = 0.0) -> bool:
    blocks = prepared.task.blocks  # type: ignore[attr-defined]
    for block, x, y in zip(blocks, xs, ys, strict=True):
        put(prepared, block.name, (x, y, prepared.spec.table_z + lift))
    return settles_to_success(prepared)


@pytest.mark.parametrize("task", ["blocks_ranking_rgb", "blocks_ranking_size"])
def test_a_row_is_ordered_compact_and_straight(task: str) -> None:
    assert row(scene(task), (-0.09, 0.0, 0.09))
    assert row(scene(task), (0.11, 0.2, 0.29))  # anywhere on the table
    assert not row(scene(task), (0.09, 0.0, -0.09))  # mirrored
    assert not row(scene(task), (0.0, -0.09, 0.09))
    assert not row(scene(task), (-0.15, 0.0, 0.15))  # too wide apart
    assert not row(scene(task), (-0.09, 0.0, 0.09), (-0.15, -0.10, -0.15))  # not in line


def tower(prepared: Prepared, xs: Sequence[float], x: float = 0.0) -> bool:
    blocks = prepared.task.blocks  # type: ignore[attr-defined]
    for level, (block, dx) in enumerate(zip(blocks, xs, strict=True)):
        put(prepared, block.name, (x + dx, -0.13, prepared.spec.table_z + 0.05 * level))
    return settles_to_success(prepared)


def test_a_tower_is_centred_ordered_and_in_the_middle() -> None:
    assert tower(scene("stack_blocks_three"), (0.0, 0.01, 0.0))
    assert not tower(scene("stack_blocks_three"), (0.0, 0.03, 0.03))  # off centre
    assert not tower(scene("stack_blocks_three"), (0.0, 0.0, 0.0), x=0.25)  # at the side of the table
    swapped = scene("stack_blocks_three")
    swapped.task.blocks[:] = swapped.task.blocks[::-1]  # type: ignore[attr-defined]
    for level, block in enumerate(swapped.task.blocks[::-1]):  # type: ignore[attr-defined]
        put(swapped, block.name, (0, -0.13, swapped.spec.table_z + 0.05 * level))
    assert not settles_to_success(swapped)


def shaken(path: np.ndarray) -> int:
    """Reversals of a (T, 3) path of the bottle's top, a point every 0.04 s."""
    shaking = Shaking()
    for k, top in enumerate(path):
        shaking.update(top, k * DT)
    return shaking.reversals


def test_shaking_means_quick_strokes_back_and_forth() -> None:
    t = np.arange(100) * DT
    still = np.zeros_like(t)
    swing = 0.05 * np.sin(2 * np.pi * t)
    # eight turns; the first stroke is a half, the last is cut off
    assert shaken(np.column_stack([swing, still, still])) == 6
    assert shaken(np.column_stack([still, still, 0.04 * np.sin(4 * np.pi * t)])) >= 12
    assert shaken(np.column_stack([0.05 * np.sin(0.5 * np.pi * t), still, still])) == 0  # too slow
    assert shaken(np.column_stack([0.2 * swing, still, still])) == 0  # too small
    assert shaken(np.column_stack([0.3 * t, still, still])) == 0  # a lift, a carry
    circle = np.column_stack([0.1 * np.cos(4 * t), 0.1 * np.sin(4 * t), still])
    assert shaken(circle) == 0


class Hands:
    """A world of which only contacts matter: what the object touches."""

    def __init__(self, *holders: str, rests: bool = False) -> None:
        self.holders, self.rests = holders, rests

    def touching_besides_arms(self, a: object) -> bool:
        return self.rests

    def held_by(self, a: object, side: str) -> bool:
        return side in self.holders

    def touched_by(self, a: object, side: str) -> bool:
        return side in self.holders


@pytest.mark.parametrize(
    ("history", "passed"),
    [
        ([Hands(rests=True), Hands("left"), Hands("left", "right"), Hands("right")], True),
        ([Hands("left"), Hands(), Hands("right")], False),  # thrown, never in both hands
        ([Hands("left"), Hands("left", "right", rests=True), Hands("right")], False),  # both, but on something
        ([Hands("left", "right"), Hands("right")], False),  # taken up by both, given by none
        ([Hands("left"), Hands("left", "right")], False),  # still in both hands
        ([Hands("right")], False),  # never given
        ([Hands("left"), Hands(rests=True), Hands("right")], False),  # set down in between
        ([Hands("left"), Hands("left", "right"), Hands("left")], False),  # taken back
    ],
)
def test_a_transfer_is_from_hand_to_hand_in_the_air(history: list[Hands], passed: bool) -> None:
    transfer = Transfer(None, "left")  # type: ignore[arg-type]
    for world in history:
        transfer.update(world)  # type: ignore[arg-type]
    assert transfer.done is passed


def test_a_block_that_one_arm_places_and_the_other_touches_was_not_handed_over() -> None:
    """The left arm sets the block on the pad, the right one only grasps it there and lets go."""
    prepared = prepare("handover_block", "franka-panda", episode_seed(3, "handover_block", 0), visuals="simple")
    task, robot = prepared.task, Skills(prepared.sim, prepared.world, np.random.default_rng(0))
    block, pad = task.block, task.pad  # type: ignore[attr-defined]
    goal = robot.goal(block, pad.point("top"), "bottom", yaw="quarter", pre=0.06, touch=[pad])
    robot.do(robot.grasp("left", block, "side_1", then=[goal]))
    robot.do(robot.lift("left", 0.1))
    robot.do(robot.place("left", goal))
    robot.do(robot.home("left"))
    robot.do(robot.grasp("right", block, lift=0.0))
    robot.do(robot.open("right"))
    robot.do(robot.retreat("right", 0.08, touch=[block]))
    for _ in range(10):
        prepared.sim.step(prepared.sim.action)
    assert prepared.world.on(block, pad)
    assert not prepared.monitor.success

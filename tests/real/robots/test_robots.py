"""Robots behind the common interface: simulated ones in lockstep and in real time, the mock with every fault."""

from __future__ import annotations

import logging
import time

import numpy as np
import pytest

from real.robots.base import Robot, RobotLostError
from real.robots.make import make_robot
from real.robots.mock import FAULTS, Fault, MockRobot
from real.safety.modes import Mode
from sim.bimanual.episode import prepare
from sim.bimanual.rollout import expert_rollout
from tests.real.conftest import small_contract
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.features import IMAGES, STATE, TIMESTAMP
from twinloom.seeding import episode_seed

TASK = "click_bell"


@pytest.fixture(scope="module")
def rollout():
    return expert_rollout(TASK, "franka-panda", episode_seed(0, TASK, 0), visuals="simple")


# ----------------------------------------------------------------- simulated


def test_lockstep_repeats_the_simulation_bit_for_bit(rollout):
    plain = prepare(TASK, "franka-panda", episode_seed(0, TASK, 0), visuals="simple").sim
    with make_robot(f"sim:bimanual/{TASK}", lockstep=True) as robot:
        assert isinstance(robot, Robot)
        for action in rollout.arrays["action"]:
            observation = robot.get_observation()
            assert (observation[STATE] == plain.state()).all()
            assert (robot.send_action(action) == action).all()
            plain.step(action)
        assert robot.success
        assert robot.safety.counters == {}
        assert observation[TIMESTAMP][0] == pytest.approx((len(rollout.arrays["action"]) - 1) / 25)
    assert rollout.success


def test_the_scene_of_a_record_is_made_again(rollout):
    with make_robot(f"sim:bimanual/{TASK}", lockstep=True, record=rollout.record, seed=99) as robot:
        assert robot.record() == rollout.record
        for action in rollout.arrays["action"]:
            robot.send_action(action)
        assert robot.success
        robot.reset()
        assert robot.record() == rollout.record
    with pytest.raises(TwinloomError, match="lockstep"):
        make_robot(f"sim:bimanual/{TASK}", record=rollout.record)
    with pytest.raises(TwinloomError, match="not of lift_pot"):
        make_robot("sim:bimanual/lift_pot", lockstep=True, record=rollout.record)


@pytest.mark.slow  # in real time: dropped ticks of a busy machine are failures of the robot
def test_real_time_does_the_task_too(rollout):
    from real.policy.chunks import ActionTimeline

    with make_robot(f"sim:bimanual/{TASK}") as robot:
        timeline = ActionTimeline(1 / 25, len(robot.contract.names))
        timeline.reset(robot.get_observation()[STATE])
        start = time.monotonic()
        timeline.add(rollout.arrays["action"], start, now=start)
        while timeline.remaining(time.monotonic()) > 0 and not robot.success:
            robot.send_action(timeline.sample(time.monotonic())[0])
            time.sleep(0.01)
        end = time.monotonic() + 2
        while not robot.success and time.monotonic() < end:
            time.sleep(0.02)
        assert robot.success
        assert robot.safety.mode in (Mode.ACTIVE, Mode.HOLD)
    with pytest.raises(TwinloomError, match="not connected"):
        robot.get_observation()


def test_a_simulated_robot_brakes_when_nobody_commands(caplog):
    with caplog.at_level(logging.INFO, "real"), make_robot(f"sim:bimanual/{TASK}") as robot:
        robot.send_action(robot.contract.home)
        time.sleep(0.4)
        assert robot.safety.mode is Mode.HOLD
        assert (robot.send_action(np.full(16, np.nan)) == robot.contract.home).all()
        assert robot.estop("button").accepted
        time.sleep(0.1)
        robot.send_action(robot.contract.home)
        assert robot.reset_safety().accepted
        time.sleep(0.1)
        assert robot.arm().accepted
    text = caplog.text
    for line in ("hold: no command for", "nan for left_joint1", "estop: emergency stop: button", "reset, then arm"):
        assert text.count(line) == 1


def test_physics_that_break_down_are_an_error_of_one_line():
    with make_robot(f"sim:bimanual/{TASK}", lockstep=True) as robot:
        robot._plant.scene.data.qvel[:] = 1e12
        for _ in range(2):  # and it stays one
            with pytest.raises(TwinloomError, match=r"diverged; call reset\(\)"):
                robot.send_action(robot.contract.home)
        robot.reset()
        robot.send_action(robot.contract.home)


def test_episodes_follow_each_other_and_cameras_look():
    with make_robot(f"sim:bimanual/{TASK}", lockstep=True, cameras=("head",), size=(64, 48), episode=3) as robot:
        first = robot.get_observation()
        assert first[IMAGES + "head"].shape == (48, 64, 3)
        assert first[IMAGES + "head"].std() > 5
        assert {k: f.shape for k, f in robot.observation_features.items()} == {k: v.shape for k, v in first.items()}
        record = robot.record()
        robot.reset()
        assert robot.record()["seed"] != record["seed"]
        assert robot.instruction


@pytest.mark.parametrize(
    ("what", "options", "kind", "text"),
    [
        ("sim:bimanual/click_bel", {}, UnknownNameError, "click_bell"),
        ("sim:cascade/escape", {}, TwinloomError, "no robot to command in cascade; families with: bimanual"),
        ("sim:bimanual/click_bell", {"robot": "panda"}, UnknownNameError, "franka-panda"),
        ("sim:bimanual/click_bell", {"fps": 60, "lockstep": True}, TwinloomError, "does not divide"),
        ("sim:bimanual/click_bell", {"cameras": ("top",)}, UnknownNameError, "camera"),
        ("sim:bimanual/click_bell", {"colour": 1}, TwinloomError, "colour"),
        ("sim:bimanual/click_bell", {"contract": "g1"}, UnknownNameError, "robot"),
        ("toaster:one", {}, UnknownNameError, "kind of robot"),
        ("mock:nobody", {}, UnknownNameError, "robot"),
    ],
)
def test_robots_that_cannot_be_are_refused(what, options, kind, text):
    with pytest.raises(kind) as caught:
        make_robot(what, **options)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------------- mock


class Clock:
    def __init__(self) -> None:
        self.now = 20.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def mocked(*faults: Fault) -> tuple[MockRobot, Clock]:
    clock = Clock()
    robot = MockRobot(small_contract(), faults, clock=clock, sleep=clock.sleep)
    robot.connect()
    return robot, clock


def run(robot: MockRobot, clock: Clock, seconds: float) -> None:
    """A policy that wants to stay, at the rate of the robot."""
    for _ in range(round(seconds * 200)):
        clock.now += 0.005
        robot.send_action(robot.position)


def test_a_mock_without_faults_obeys():
    robot, clock = mocked()
    run(robot, clock, 0.1)
    goal = robot.position + np.array([0.1, 0.1, -0.5])
    for _ in range(200):
        clock.now += 0.005
        robot.send_action(goal)
    assert robot.get_observation()[STATE] == pytest.approx(goal)
    assert robot.safety.counters == {}


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("nan", "left_joint1 was measured at nan"),
        ("inf", "left_joint1 was measured at inf"),
        ("jump", "left_joint1 was measured 1.000 away"),
        ("wrong dimension", "no state came for 0.1 s"),
        ("missing", "no state came for 0.1 s"),
        ("duplicate", "no state came for 0.1 s"),
        ("prefixed", "no state came for 0.1 s"),
    ],
)
def test_a_fault_of_the_state_brakes_once_and_is_over_when_it_is_over(kind, line, caplog):
    with caplog.at_level(logging.INFO, "real"):
        robot, clock = mocked(Fault(kind, start=0.2, seconds=0.3))
        run(robot, clock, 0.4)
        assert robot.safety.mode is Mode.HOLD
        before = robot.position.copy()
        assert caplog.text.count(f"hold: {line}") == 1
        run(robot, clock, 0.3)
        assert (robot.position == before).all()
        assert robot.safety.mode is Mode.ACTIVE


def test_a_clock_that_jumps_brakes_each_time(caplog):
    with caplog.at_level(logging.INFO, "real"):
        robot, clock = mocked(Fault("clock", start=0.2, seconds=0.3))
        run(robot, clock, 0.7)
    assert robot.safety.mode is Mode.ACTIVE
    assert robot.safety.counters["clock"] >= 2
    assert "hold: time jumped by +1.005 s between ticks" in caplog.text
    assert (robot.position == robot.contract.home).all()


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("wrong dimension", "4 positions for 3 joint names"),
        ("missing", "lacks left_joint1"),
        ("duplicate", "twice"),
        ("prefixed", 'prefix "robot1/"'),
        ("disconnect", "does not answer"),
    ],
)
def test_an_observation_that_cannot_be_had_is_an_error_of_one_line(kind, text):
    robot, clock = mocked(Fault(kind, start=0.1))
    clock.now += 0.2
    with pytest.raises(TwinloomError) as caught:
        robot.get_observation()
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_shuffled_joints_are_sorted_by_name():
    robot, clock = mocked(Fault("shuffled", start=0.1))
    before = robot.get_observation()[STATE]
    clock.now += 0.2
    assert robot.driver_state()[0] == list(robot.contract.names[::-1])
    assert (robot.get_observation()[STATE] == before).all()


def test_a_robot_that_is_gone_raises_and_is_lost():
    robot, clock = mocked(Fault("disconnect", start=0.2))
    run(robot, clock, 0.1)
    clock.now += 0.2
    with pytest.raises(RobotLostError):
        robot.send_action(robot.position)
    for _ in range(300):
        clock.now += 0.005
        robot.tick()
    assert robot.safety.mode is Mode.DISCONNECTED


def test_stale_states_slow_calls_and_cameras_without_images():
    robot, clock = mocked(Fault("stale", start=0.1), Fault("slow", start=0.5, seconds=0.2, amount=0.15))
    robot.get_observation()
    run(robot, clock, 0.3)
    first, second = robot.get_observation(), robot.get_observation()
    assert first[TIMESTAMP] == second[TIMESTAMP] < clock.now - 0.1
    run(robot, clock, 0.3)
    robot = MockRobot("franka-panda", [Fault("camera", start=1.0)], clock=(clock := Clock()))
    robot.connect()
    assert IMAGES + "head" in robot.get_observation()
    clock.now += 1.5
    assert IMAGES + "head" not in robot.get_observation()


def test_every_fault_has_a_description_and_unknown_ones_are_refused():
    assert all(FAULTS.values())
    with pytest.raises(UnknownNameError, match="fault"):
        MockRobot("franka-panda", [Fault("earthquake")])

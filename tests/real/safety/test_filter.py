"""The safety filter, fault by fault: what is refused, in which words, and what the robot does."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from real.safety.filter import SafetyFilter
from real.safety.modes import Mode, Output, Verdict
from real.safety.screen import StateScreen
from tests.real.conftest import small_contract

TICK = 0.005


class Rig:
    """A filter with a perfect robot behind it, and a clock."""

    def __init__(self, contract=None, arm: bool = True, **options) -> None:
        self.contract = contract or small_contract()
        self.safety = SafetyFilter(self.contract, guards=options.pop("guards", ()), **options)
        self.now, self.q = 50.0, self.contract.home.copy()
        self.out: Output = self.safety.step(self.now, self.q)
        if arm:
            assert self.safety.arm(self.now).accepted

    def tick(self, count: int = 1, measured: object = "robot", dt: float = TICK) -> Output:
        for _ in range(count):
            self.now += dt
            given = self.q if isinstance(measured, str) else measured
            self.out = self.safety.step(self.now, given)
            if self.out.send and not self.out.damping:
                self.q = self.out.q.copy()
        return self.out

    def offer(self, change=0.0, **options) -> Verdict:
        return self.safety.command(self.q + change, self.now, **options)

    def go(self, count: int = 20) -> Output:
        """Commands that keep the robot where it is."""
        for k in range(count):
            if k % 4 == 0:
                assert self.offer().accepted
            self.tick()
        assert self.safety.mode is Mode.ACTIVE
        return self.out


@pytest.fixture
def rig() -> Rig:
    rig = Rig()
    rig.go()
    return rig


@pytest.mark.parametrize(("outside", "accepted"), [(0.015, True), (0.1, False)])
def test_a_robot_parked_outside_its_limits_is_not_pulled_inside(outside, accepted):
    contract = small_contract()
    parked = contract.home.copy()
    parked[0] = contract.soft_limits[1][0] + outside
    safety = SafetyFilter(contract, guards=())
    safety.step(50.0, parked)
    verdict = safety.arm(50.0)
    assert verdict.accepted is accepted
    assert accepted or "bring it inside its limits by hand" in verdict.reason


# ------------------------------------------------------------------ commands


@pytest.mark.parametrize(
    ("command", "kind", "line"),
    [
        (None, "empty", "without positions"),
        ([0, math.nan, 0], "non-finite", "nan for left_joint2"),
        ([math.inf, 0, 0], "non-finite", "inf for left_joint1"),
        ([0, 0], "shape", "shape (2,) for 3 joints"),
        (np.zeros((1, 3)), "shape", "shape (1, 3)"),
        ([[0], [0, 0], 0], "shape", "no array of 3 numbers"),
        ([0, 0, 10**400], "dtype", "object"),
        (["0", "0", "0"], "dtype", "instead of numbers"),
        (np.zeros(3, bool), "dtype", "bool"),
        (np.zeros(3, complex), "dtype", "complex"),
        ([0.9, 0.5, 1.0], "step", "left_joint1 asked to jump 0.900 from where it is, allowed 0.3"),
    ],
)
def test_a_bad_command_is_refused_as_a_whole(rig, command, kind, line):
    before = rig.out.q.copy()
    verdict = rig.safety.command(command, rig.now)
    assert not verdict.accepted
    assert line in verdict.reason
    assert rig.safety.counters == {kind: 1}
    assert (rig.tick().q == before).all()


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (["left_joint1", "left_joint1", "left_gripper"], "names left_joint1 twice"),
        (["left_joint1", "left_joint2", "elbow"], "names elbow, which this robot does not have"),
        (["left_joint1", "left_gripper"], "lacks left_joint2"),
        (["r1_left_joint1", "r1_left_joint2", "r1_left_gripper"], 'prefix "r1_"'),
        (["left_joint1", 2, None], "no list of texts"),
        (7, "no list of texts"),
    ],
)
def test_joint_names_that_do_not_fit_are_refused(rig, names, line):
    size = len(names) if isinstance(names, list) else 3
    verdict = rig.safety.command(np.zeros(size), rig.now, names=names)
    assert not verdict.accepted
    assert line in verdict.reason


def test_joints_are_matched_by_name(rig):
    names = ["left_gripper", "left_joint2", "left_joint1"]
    for _ in range(100):
        assert rig.safety.command([0.5, 0.6, 0.1], rig.now, names=names).accepted
        rig.tick()
    assert rig.q == pytest.approx([0.1, 0.6, 0.5])


def test_groups_may_be_commanded_alone(rig):
    for _ in range(100):
        assert rig.safety.command([0.4], rig.now, names=["left_gripper"]).accepted
        assert rig.safety.command([0.7, 0.2], rig.now, names=["left_joint2", "left_joint1"]).accepted
        rig.tick()
    assert rig.q == pytest.approx([0.2, 0.7, 0.4])


def test_an_arm_whose_own_commands_stop_brakes_the_robot():
    joints = small_contract().joints
    right = tuple(replace(j, name=j.name.replace("left", "right")) for j in joints[:2])
    topics = small_contract().topics
    groups = (*topics.commands, replace(topics.commands[0], joints=("right_joint1", "right_joint2")))
    rig = Rig(small_contract(joints=joints + right, topics=replace(topics, commands=groups)))
    rig.go()
    reasons = set()
    for _ in range(40):
        rig.safety.command(rig.q[:3], rig.now, names=rig.contract.names[:3])
        reasons.add(rig.tick().reason)
    assert len(reasons) == 2
    assert any("no command to right_joint1 for 0.1" in reason for reason in reasons)
    assert rig.safety.counters == {"watchdog": 1}  # afterwards the right arm is held, and the left one goes on


def test_commands_beyond_the_limits_are_clipped_and_counted():
    rig = Rig(small_contract(joints=tuple(replace(j, step=9.0) for j in small_contract().joints)))
    for _ in range(400):
        verdict = rig.safety.command([5.0, 0.5, -1.0], rig.now)
        assert verdict == Verdict(True, "", 2)
        rig.tick()
    assert rig.q == pytest.approx([0.99, 0.5, 0.0])
    assert rig.safety.counters == {"clipped": 400}
    assert [line for line in rig.safety.journal.take() if "clipped" in line] == [
        "clipped: left_joint1 asked to go to 5, allowed -0.99 to 0.99"
    ]


def test_commands_beyond_the_limits_are_refused_where_the_contract_says_so():
    rig = Rig(small_contract(on_limit="refuse"))
    verdict = rig.safety.command([1.2, 0.5, 1.0], rig.now)
    assert verdict.reason == "left_joint1 asked to go to 1.2, allowed -0.99 to 0.99"
    assert rig.safety.command(np.array([0.0, 0.5, 1.0 + 1e-7]), rig.now).accepted  # rounding is no excess


@pytest.mark.parametrize(
    ("ago", "kind"), [(0.6, "stale"), (-0.2, "future"), (math.nan, "stamp"), (math.inf, "stamp"), ("now", "stamp")]
)
def test_stamps_that_cannot_be_are_refused(rig, ago, kind):
    stamp = ago if isinstance(ago, str) else rig.now - ago
    assert not rig.offer(stamp=stamp).accepted
    assert rig.safety.counters == {kind: 1}


def test_commands_out_of_order_are_refused(rig):
    assert rig.offer(stamp=rig.now).accepted
    assert "0.010 s older" in rig.offer(stamp=rig.now - 0.01).reason


def test_a_command_from_another_clock_is_refused(rig):
    for now in (math.nan, rig.now - 100, rig.now + 100):
        assert "the last tick was at" in rig.safety.command(rig.q, now).reason


def test_one_sender_at_a_time_until_it_is_silent():
    rig = Rig()
    assert rig.offer(source="policy").accepted
    assert rig.offer(source="teleop").reason == "a command from teleop, while policy has the robot"
    assert rig.safety.source == "policy"
    rig.tick(round(1.2 / TICK))
    assert rig.safety.mode is Mode.HOLD
    assert rig.offer(source="teleop").accepted
    assert not rig.offer(source="policy").accepted


# --------------------------------------------------------------------- modes


def test_nothing_is_sent_before_arming():
    rig = Rig(arm=False)
    rig.q = np.array([0.3, 0.2, 0.5])
    out = rig.tick(3)
    assert out.mode is Mode.IDLE
    assert not out.send
    assert out.q == pytest.approx(rig.q)
    assert "arm first" in rig.offer().reason


def test_the_start_pose_is_approached_slowly_and_confirmed():
    rig = Rig(small_contract(confirm=True, start_s=2.0), arm=False)
    rig.q = np.array([0.1, 0.3, 1.0])
    rig.tick(2)
    assert rig.safety.arm(rig.now).accepted
    began = rig.now
    while rig.safety.mode is not Mode.READY:
        assert "wait for ready" in rig.offer().reason
        rig.tick()
        assert rig.now - began < 5
    assert rig.now - began >= 2.0
    assert rig.q == pytest.approx(rig.contract.home, abs=1e-6)
    assert "arm once more" in rig.offer().reason
    assert rig.safety.arm(rig.now).accepted
    assert rig.offer().accepted
    assert rig.safety.mode is Mode.ACTIVE


def test_a_long_way_to_the_start_takes_as_long_as_the_limits_want():
    rig = Rig(arm=False)
    rig.q = np.array([-0.9, 1.9, 0.0])
    rig.tick(2)
    assert rig.safety.arm(rig.now).accepted
    fastest = np.zeros(3)
    while rig.safety.mode is not Mode.READY:
        fastest = np.maximum(fastest, np.abs(rig.tick().qd))
    assert (fastest <= 0.55 * rig.contract.column("velocity")).all()


def test_arming_is_refused_without_a_state_or_out_of_reach():
    rig = Rig(arm=False)
    assert "position limits" in rig.safety.arm(rig.now, np.array([9.0, 0, 0])).reason
    rig.now += 0.3
    assert "no state" in rig.safety.arm(rig.now).reason
    rig.q = np.array([2.0, 0.5, 1.0])
    rig.tick()
    assert "left_joint1 is at 2.000" in rig.safety.arm(rig.now).reason


def test_silence_brakes_within_the_acceleration_limit_then_holds(rig):
    for _ in range(30):
        assert rig.offer([0.02, 0, 0]).accepted
        rig.tick()
    speed = rig.out.qd[0]
    assert speed > 0.5
    times, speeds = [], []
    for _ in range(80):
        out = rig.tick()
        times.append(rig.now)
        speeds.append(out.qd[0])
    held = np.flatnonzero(np.array(speeds) == 0.0)[0]
    assert rig.safety.mode is Mode.HOLD
    assert "no command for 0.10" in rig.safety.reason
    assert np.diff(speeds).min() >= -rig.contract.joints[0].acceleration * TICK - 1e-9
    assert (rig.out.q == rig.q).all()
    assert held < 60


def test_from_hold_only_commands_near_the_pose_go_on(rig):
    rig.tick(40)
    assert rig.safety.mode is Mode.HOLD
    assert "asked to jump" in rig.offer([0.5, 0, 0]).reason
    assert rig.offer([0.1, 0, 0]).accepted
    assert rig.safety.mode is Mode.ACTIVE


@pytest.mark.parametrize(("damp", "mode"), [("hold", Mode.HOLD), ("damping", Mode.DAMP)])
def test_a_long_silence_gives_the_robot_up(damp, mode):
    rig = Rig(small_contract(damp=damp))
    rig.go()
    out = rig.tick(round(1.3 / TICK))
    assert out.mode is mode
    assert out.damping == (damp == "damping")
    assert rig.offer().accepted == (damp == "hold")
    if damp == "damping":
        assert rig.safety.reset(rig.now).accepted
        assert rig.tick().mode is Mode.IDLE
        assert not rig.out.send


def test_an_emergency_stop_is_latched(rig):
    for _ in range(30):
        rig.offer([0.02, 0, 0])
        rig.tick()
    rig.safety.estop("button")
    assert "emergency stop" in rig.offer().reason
    assert not rig.safety.reset(rig.now).accepted or rig.safety.limiter.at_rest
    out = rig.tick()
    assert out.mode is Mode.ESTOP
    assert out.reason == "emergency stop: button"
    assert out.qd[0] > 0
    rig.tick(100)
    assert rig.safety.limiter.at_rest
    for refused in (rig.offer(), rig.safety.arm(rig.now), rig.safety.disarm()):
        assert not refused.accepted
    assert rig.safety.reset(rig.now).accepted
    assert not rig.offer().accepted
    assert rig.safety.arm(rig.now).accepted


def test_an_emergency_stop_while_disarming_stays(rig):
    rig.offer([0.1, 0, 0])
    rig.tick(5)
    assert rig.safety.disarm().accepted
    rig.tick()
    rig.safety.estop()
    assert rig.tick(200).mode is Mode.ESTOP


def test_an_emergency_stop_works_before_there_is_a_robot():
    safety = SafetyFilter(small_contract(), guards=())
    safety.estop()
    assert safety.step(1.0, None).mode is Mode.ESTOP
    assert safety.step(1.1, small_contract().home).mode is Mode.ESTOP


def test_disarming_brakes_first(rig):
    for _ in range(30):
        rig.offer([0.02, 0, 0])
        rig.tick()
    assert rig.safety.disarm().accepted
    out = rig.tick()
    assert out.send
    assert out.qd[0] > 0
    out = rig.tick(100)
    assert out.mode is Mode.IDLE
    assert not out.send
    assert not rig.safety.disarm().accepted


# -------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("measured", "line"),
    [
        (np.array([math.nan, 0, 0]), "left_joint1 was measured at nan"),
        (np.array([0, 0, -math.inf]), "left_gripper was measured at -inf"),
        (np.zeros(4), "a state of shape (4,)"),
        ("", "a state of <U1 instead of numbers"),
        ([[1], [2, 3]], "no array"),
    ],
)
def test_a_state_that_cannot_be_brakes_the_robot(rig, measured, line):
    rig.now += TICK
    out = rig.safety.step(rig.now, measured)
    assert out.mode is Mode.HOLD
    assert line in out.reason
    rig.tick()
    assert rig.offer().accepted  # the fault is over


def test_a_jump_of_the_state_brakes_and_a_lasting_one_keeps_the_robot_held(rig):
    out = rig.tick(measured=rig.q + np.array([0.0, 1.0, 0.0]))
    assert out.mode is Mode.HOLD
    assert "left_joint2 was measured 1.000 away" in out.reason
    out = rig.tick(measured=rig.q + np.array([0.0, 1.0, 0.0]))
    assert not rig.safety.command(rig.q + np.array([0, 1, 0]), rig.now).accepted
    verdict = rig.safety.command(rig.q + np.array([0, 0.9, 0]), rig.now)
    assert "behind" in verdict.reason
    assert rig.safety.mode is Mode.HOLD


def test_a_robot_that_stays_behind_is_braked(rig):
    stuck = rig.q.copy()
    for _ in range(200):
        rig.offer([0.01, 0, 0])
        rig.tick(measured=stuck)
        if rig.safety.mode is Mode.HOLD:
            break
    assert "left_joint1 is more than 0.3 behind" in rig.safety.reason


def test_a_silent_robot_is_braked_then_lost(rig):
    rig.tick(10, measured=None)
    assert rig.safety.mode is Mode.ACTIVE
    for _ in range(15):
        rig.offer()
        rig.tick(measured=None)
    assert rig.safety.mode is Mode.HOLD
    assert "no state" in rig.safety.reason
    assert "no state" in rig.offer().reason
    out = rig.tick(220, measured=None)
    assert out.mode is Mode.DISCONNECTED
    assert not out.send
    assert rig.tick().mode is Mode.IDLE
    assert "arm first" in rig.offer().reason


@pytest.mark.parametrize("jump", [-3.0, 2.0, math.nan])
def test_a_jump_of_the_clock_brakes(rig, jump):
    out = rig.safety.step(rig.now + jump, rig.q)
    assert out.mode is Mode.HOLD
    assert "jumped" in out.reason or "nan" in out.reason
    assert (out.q == rig.q).all()


def test_after_a_long_tick_motion_starts_from_rest(rig):
    for _ in range(40):
        rig.offer([0.03, 0, 0])
        rig.tick()
    before = rig.out
    assert before.qd[0] > 1
    rig.now += 0.05
    rig.safety.command(rig.q + np.array([0.03, 0, 0]), rig.now)
    out = rig.safety.step(rig.now, rig.q)
    assert out.qd[0] <= rig.contract.joints[0].acceleration * 4 * TICK + 1e-9


def test_what_repeats_is_counted_not_repeated(rig):
    rig.safety.journal.take()
    for _ in range(50):
        rig.safety.command([math.nan] * 3, rig.now)
        rig.offer()
        rig.tick()
    lines = rig.safety.journal.take()
    assert lines == ["refused: a command with nan for left_joint1"]
    assert rig.safety.counters["non-finite"] == 50
    for _ in range(500):
        rig.offer()
        rig.tick()
    assert rig.safety.journal.take() == ["refused: a command with nan for left_joint1 (49 more of this kind in 0.2 s)"]


# -------------------------------------------------------------------- motion


def test_commands_at_50_hz_make_an_even_motion_at_200_hz():
    rig = Rig()
    speeds, error = [], []
    start = rig.now
    for k in range(200):
        goal = np.array([0.2 * math.sin(2 * (rig.now - start)), 0.5, 1.0])
        if k % 4 == 0:
            assert rig.safety.command(goal, rig.now).accepted
        rig.tick()
        speeds.append(rig.out.qd[0])
        error.append(rig.out.q[0] - 0.2 * math.sin(2 * (rig.now - start - 0.02)))
    assert np.abs(error[20:]).max() < 1e-3  # 20 ms late: one period of the commands
    assert np.abs(np.diff(speeds[20:])).max() < 0.04


def test_commands_in_every_tick_are_followed_without_delay():
    rig = Rig()
    start = rig.now
    for _ in range(200):
        goal = np.array([0.2 * math.sin(2 * (rig.now + TICK - start)) ** 2, 0.5, 1.0])
        assert rig.safety.command(goal, rig.now).accepted
        rig.tick()
        rig.error = abs(rig.out.q[0] - goal[0])
    assert rig.error == 0.0


def test_lockstep_ignores_ticks_that_come_too_soon(contract):
    rig = Rig(contract, rate_hz=25, lockstep=True)
    rig.offer([0.05, 0, 0])
    rig.tick(dt=0.04)
    before = rig.out.q.copy()
    assert (rig.safety.step(rig.now + 0.001, rig.q).q == before).all()
    assert (rig.tick(dt=0.04).q >= before).all()


@pytest.mark.parametrize("measured", [np.ones(2) * 1j, ["0", "0"], [True, False], [None, None]])
def test_a_state_that_is_no_numbers_is_not_believed(measured):
    contract = small_contract()
    measured = np.resize(np.asarray(measured), len(contract.names))
    screen = StateScreen(contract)
    refusal = screen.take(measured, 0.0)
    assert refusal is not None
    assert refusal.kind == "state"
    assert screen.q is None


@pytest.mark.filterwarnings("error")
def test_a_state_that_jumps_from_one_end_of_the_numbers_to_the_other_is_a_jump():
    contract = small_contract()
    screen = StateScreen(contract)
    screen.take(np.full(len(contract.names), 1e308), 0.0)
    refusal = screen.take(np.full(len(contract.names), -1e308), 0.005)
    assert refusal is not None
    assert refusal.kind == "state jump"

"""A humanoid behind the safety filter, in simulated time: it walks, it is damped when it falls, it is replayed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assets.robots.humanoid import load_humanoid
from real.contract import load_contract
from real.policy.walking import Sensed, make_walker
from real.robots.make import make_robot
from real.robots.plant import SimPlant
from real.safety.balance import Balance
from real.safety.filter import SafetyFilter
from real.safety.modes import Mode
from sim.humanoid.walking.gait import Command
from twinloom.errors import TwinloomError

G1 = load_contract("g1")
WALK = "model-based:humanoid"


class Rig:
    """A robot node and a policy node, tick by tick: a command is obeyed ``late`` ticks after its state."""

    def __init__(self, policy: str = WALK, late: int = 1) -> None:
        self.contract = replace(G1, confirm=False)
        self.plant = SimPlant(self.contract, "humanoid/walk")
        self.plant.start()
        self.filter, self.balance = SafetyFilter(self.contract), Balance(self.contract)
        self.walker = make_walker(policy, self.contract, simulated=True)
        self.command, self.silent = Command(walk=False), False
        self._late, self._queue, self.ticks = late, [], 0
        self.sent, self.full = [], []
        self.run(0.05)
        self.filter.arm(self.now)
        self.run(3.1)
        assert self.filter.mode is Mode.ACTIVE

    @property
    def now(self) -> float:
        return 10.0 + self.ticks / self.contract.rate_hz

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * self.contract.rate_hz)):
            self.tick()

    def tick(self) -> None:
        q, qd = self.plant.read()
        base = self.plant.base()
        if self.ticks % 4 == 0 and not self.silent and self.filter.mode in (Mode.READY, Mode.ACTIVE, Mode.HOLD):
            sensed = Sensed(q, qd, base.quat, base.angular_velocity, base)
            self._queue.append((self.ticks + self._late, self.walker.act(sensed, self.command)))
        while self._queue and self._queue[0][0] <= self.ticks:
            self.filter.command(self._queue.pop(0)[1], self.now, source="test")
        self.filter.balance(self.balance.look(base.quat, q))
        out = self.filter.step(self.now, q)
        if out.send and out.mode is Mode.ACTIVE:
            data = self.plant.scene.data
            self.full.append((data.qpos.tolist(), data.qvel.tolist()))
            self.sent.append(out.q)
        self.plant.obey(out, 1.0 / self.contract.rate_hz)
        self.ticks += 1

    @property
    def refusals(self) -> dict[str, int]:
        return {kind: count for kind, count in self.filter.counters.items() if count}


@pytest.mark.parametrize("late", [1, 2])
def test_the_model_based_controller_walks_through_the_filter(late):
    rig = Rig(late=late)
    rig.run(0.5)
    rig.command = Command((0.3, 0.0), 0.0)
    rig.run(5.0)
    before = rig.plant.base().position
    rig.run(3.0)
    went = rig.plant.base().position - before
    assert 0.6 < went[0] < 1.2
    assert rig.filter.mode is Mode.ACTIVE
    assert rig.refusals == {}
    rig.command = Command(walk=False)
    rig.run(5.0)
    assert np.linalg.norm(rig.plant.base().velocity) < 0.05
    assert rig.refusals == {}


def test_without_a_policy_a_walking_robot_ends_in_damping():
    rig = Rig()
    rig.command = Command((0.3, 0.0))
    rig.run(3.0)
    rig.silent = True
    rig.run(2.0)
    assert rig.filter.mode is Mode.DAMP
    assert rig.filter.counters["watchdog"] + rig.filter.counters.get("fall", 0) >= 1
    assert np.abs(rig.plant.read()[1]).max() < 20.0  # it sinks, it does not thrash


def test_a_fall_is_seen_early_and_damped():
    rig = Rig(policy="stand")
    rig.run(0.5)
    rig.plant.scene.data.qvel[0] = 2.5  # a push that no stance survives
    tilts = []
    while rig.filter.mode is Mode.ACTIVE and len(tilts) < 800:
        rig.tick()
        tilts.append(rig.balance.tilt)
    assert rig.filter.mode is Mode.DAMP
    assert rig.filter.reason.startswith("fall: the base")
    assert rig.balance.tilt < 0.85  # not only when it lies
    rig.run(1.0)
    assert rig.filter.reset(rig.now).accepted
    verdict = rig.filter.arm(rig.now)
    assert "it lies" in verdict.reason
    assert not verdict.accepted


def test_ordinary_walking_is_far_from_what_counts_as_a_fall():
    rig = Rig()
    rig.command = Command((0.4, 0.0), 0.3)
    worst_tilt, least_height = 0.0, 9.0
    for _ in range(1200):
        rig.tick()
        worst_tilt, least_height = max(worst_tilt, rig.balance.tilt), min(least_height, rig.balance.height)
    assert worst_tilt < 0.25 * G1.fall.tilt
    assert least_height > 1.4 * G1.fall.height


def test_an_emergency_stop_damps_a_walking_robot_and_latches():
    rig = Rig()
    rig.command = Command((0.3, 0.0))
    rig.run(2.0)
    rig.filter.estop("test")
    rig.run(0.02)
    assert rig.filter.mode is Mode.ESTOP
    assert rig.filter.step(rig.now, rig.plant.read()[0]).damping
    rig.run(1.0)
    assert rig.filter.mode is Mode.ESTOP


def test_what_was_sent_is_replayed_bit_for_bit():
    rig = Rig()
    rig.command = Command((0.3, 0.0), 0.2)
    rig.run(4.0)
    record = rig.plant.record() | {"start": {"qpos": rig.full[0][0], "qvel": rig.full[0][1]}}
    with make_robot("sim:humanoid/g1", lockstep=True, fps=200, record=record) as robot:
        for sent, (qpos, qvel) in zip(rig.sent, rig.full, strict=True):
            seen = robot.get_observation()
            np.testing.assert_array_equal(seen["observation.state"], qpos[7:])
            np.testing.assert_array_equal(seen["observation.velocity"], qvel[6:])
            robot.send_action(sent.astype(np.float32))


def test_the_file_of_the_g1_is_that_of_the_simulated_one():
    humanoid = load_humanoid("g1")
    assert G1.names == humanoid.joints
    for name, values, digits in (
        ("kp", humanoid.kp, 0.05),
        ("kd", humanoid.kd, 0.005),
        ("home", humanoid.default_pose, 5e-5),
        ("lower", humanoid.lower, 1e-6),
        ("upper", humanoid.upper, 1e-6),
        ("effort", humanoid.effort, 1e-6),
    ):
        np.testing.assert_allclose(G1.column(name), values, atol=1.01 * digits, err_msg=name)


def test_truth_is_only_for_simulated_robots():
    with pytest.raises(TwinloomError, match="reads the simulator's truth: use sim:=true"):
        make_walker(WALK, G1)
    with pytest.raises(TwinloomError, match="does not walk"):
        make_walker("stand", load_contract("franka-panda"))


def test_other_gains_than_those_of_the_policy_are_refused():
    soft = replace(G1, joints=tuple(replace(joint, kp=100.0) for joint in G1.joints))
    with pytest.raises(TwinloomError, match=r"made with kp 453.9.* says 100"):
        make_walker("stand", soft)

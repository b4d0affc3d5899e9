"""The Unitree backend against a stand-in for the SDK that checks every message."""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from real.contract import load_contract
from real.policy.walking import Sensed, make_walker
from real.robots.base import VELOCITY, RobotLostError
from real.robots.make import make_robot
from real.robots.unitree import GYROSCOPE, QUATERNION, UnitreeRobot
from real.robots.unitree_device import UnitreeDevice
from real.safety.modes import Mode
from sim.humanoid.walking.gait import Command
from tests.real.robots.fake_unitree import FakeRobot, install
from twinloom.errors import TwinloomError
from twinloom.features import STATE

G1 = replace(load_contract("g1"), start_s=0.2)


@pytest.fixture
def fake(monkeypatch):
    robot = FakeRobot()
    install(monkeypatch, robot)
    robot.q[:29] = list(G1.home)
    yield robot
    robot.close()


@pytest.fixture(scope="module")
def walking_network(tmp_path_factory):
    """An untrained one, whose answers are small."""
    from policies.checkpoint import save
    from policies.humanoid.networks import NetworkConfig, WalkingNetwork
    from policies.humanoid.student import describe

    config = NetworkConfig(hidden=(8,))
    network = WalkingNetwork(config)
    network.action_std.fill_(0.05)
    tensors = {name: value.numpy() for name, value in network.state_dict().items()}
    return save(tmp_path_factory.mktemp("network") / "walker", describe(config, {}), tensors)


def wait(condition, seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.005)


def damped(row) -> bool:
    _, modes, _, kp, kd, *_ = row
    return set(modes[:29]) == {1} and set(kp[:29]) == {0.0} and set(kd[:29]) == {8.0}


def started(fake: FakeRobot) -> UnitreeRobot:
    robot = UnitreeRobot(G1)
    robot.connect()
    wait(lambda: robot.mode is Mode.IDLE)
    assert robot.arm().accepted
    wait(lambda: robot.mode is Mode.READY)
    assert robot.arm().accepted
    return robot


def test_a_fall_is_damped_and_a_robot_that_lies_is_not_armed(fake):
    robot = started(fake)
    robot.send_action(G1.home)
    fake.quaternion = [np.cos(0.5), 0.0, np.sin(0.5), 0.0]  # a radian forward
    wait(lambda: robot.mode is Mode.DAMP)
    wait(lambda: damped(fake.commands[-1]))
    assert "tilted by 1.00 rad" in robot.safety.reason
    assert robot.reset_safety().accepted
    assert "it lies" in robot.arm().reason
    fake.quaternion = [1.0, 0.0, 0.0, 0.0]
    wait(lambda: robot.arm().accepted)
    robot.disconnect()


def test_a_walking_network_sees_what_the_robot_measures(fake, walking_network):
    """The same folder and robot file as in the simulator; here the loop is that of a program of one's own."""
    walker = make_walker(str(walking_network), G1)
    robot = started(fake)
    for _ in range(5):
        seen = robot.get_observation()
        sensed = Sensed(seen[STATE], seen[VELOCITY], seen[QUATERNION], seen[GYROSCOPE])
        sent = robot.send_action(walker.act(sensed, Command((0.2, 0.0))))
        assert np.isfinite(sent).all()
        time.sleep(0.02)
    robot.disconnect()


def test_it_moves_by_the_gains_of_the_contract_and_ends_in_damping(fake):
    robot = started(fake)
    target = G1.home.copy()
    target[15] += 0.2
    for _ in range(25):
        robot.send_action(target)
        time.sleep(0.01)
    assert robot.mode is Mode.ACTIVE
    observation = robot.get_observation()
    assert observation[STATE] == pytest.approx(target, abs=1e-3)
    assert observation[QUATERNION].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert observation[GYROSCOPE].tolist() == [0.1, 0.2, 0.3]
    _, modes, _, kp, kd, pr, machine, good = fake.commands[-1]
    assert good
    assert (pr, machine) == (0, 5)  # mode_machine is echoed
    assert kp[:29] == [j.kp for j in G1.joints]
    assert kd[:29] == [j.kd for j in G1.joints]
    assert modes == [1] * 29 + [0] * 6
    q = np.array([row[2][:29] for row in fake.commands])
    assert (q >= G1.column("lower")).all()
    assert (q <= G1.column("upper")).all()
    robot.disconnect()
    assert damped(fake.commands[-1])
    assert sum(map(damped, fake.commands)) > 50
    assert all(row[-1] for row in fake.commands)
    assert set(robot.observation_features) - set(observation) == set()


def test_nothing_is_sent_before_arming(fake):
    robot = UnitreeRobot(G1)
    robot.connect()
    time.sleep(0.1)
    assert fake.commands == []
    assert fake.service == ""  # the motion service was released
    robot.disconnect()
    assert fake.commands == []


@pytest.mark.parametrize("fault", ["silence of the policy", "emergency stop", "silent robot"])
def test_whatever_happens_it_is_damped(fake, fault):
    robot = started(fake)
    robot.send_action(G1.home)
    if fault == "emergency stop":
        robot.estop("test")
    fake.silent = fault == "silent robot"
    wait(lambda: bool(fake.commands) and damped(fake.commands[-1]), 3.0)
    assert robot.mode in (Mode.DAMP, Mode.ESTOP)
    fake.silent = False
    assert robot.send_action(G1.home) is not None
    assert damped(fake.commands[-1])
    robot.disconnect()


def test_a_measured_nan_brakes(fake):
    robot = started(fake)
    for _ in range(5):
        robot.send_action(G1.home)
        time.sleep(0.01)
    fake.bad_joint = 3
    wait(lambda: robot.mode is Mode.HOLD, 1.0)
    assert all(np.isfinite(row[2]).all() for row in fake.commands)
    robot.disconnect()


def test_states_with_a_wrong_checksum_do_not_count(fake):
    fake.corrupt = True
    with pytest.raises(RobotLostError, match=r"no rt/lowstate within 0\.1 s; \d+ with a wrong checksum"):
        UnitreeDevice(G1, timeout_s=0.1)


def test_a_motion_service_that_does_not_let_go_is_said(fake):
    fake.stubborn = True
    with pytest.raises(TwinloomError, match="debug mode"):
        UnitreeRobot(G1).connect()


def test_without_the_sdk_the_command_to_install_it_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "unitree_sdk2py", None)
    with pytest.raises(TwinloomError, match="pip install"):
        make_robot("unitree:g1").connect()


def test_other_robots_are_refused():
    with pytest.raises(TwinloomError, match="not one of backend unitree"):
        make_robot("unitree:piper")


def test_a_state_that_is_repeated_is_old(fake):
    robot = started(fake)
    fake.frozen = True
    wait(lambda: robot.mode in (Mode.HOLD, Mode.DAMP, Mode.DISCONNECTED))
    assert robot.device.repeated > 0
    robot.disconnect()

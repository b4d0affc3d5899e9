"""Robot, policy and recorder as processes of the runner: rates, faults that kill, the bag, the dataset, the replay."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from datagen.lerobot.verify import verify
from real.bags.bag import Bag
from real.bags.dataset import add_bags, replay
from real.contract import load_contract
from real.tools.measure import draw, evaluate
from tests.real.ros.conftest import ROBOT
from tests.real.ros.stacks import Stack, usual

EXPERT = {"policy": "expert:bimanual/click_bell", "task": "click_bell", "cameras": "head,left_wrist"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("loop")


@pytest.fixture(scope="module")
def recorded(folder) -> Path:
    """A bag of a task done by its expert through ROS; during it the signals of an impatient person."""
    bag = folder / "run.mcap"
    given = {**EXPERT, "record": str(bag), "report": str(folder / "robot.npz")}
    with Stack(1, given) as stack:
        stack.wait("success")
        time.sleep(0.8)
        code = stack.end()
        assert code == 0, stack.text
        assert "Traceback" not in stack.text, stack.text
        assert "messages in" in stack.text
        (folder / "lines.txt").write_text(stack.text)
    return bag


@pytest.mark.slow  # in real time: dropped ticks of a busy machine are failures of the robot
def test_the_expert_succeeds_through_ros_and_the_bag_is_closed(recorded):
    bag = Bag(recorded)
    topics = bag.topics
    assert topics["/joint_states"][1] > 300
    assert topics["/head/image_raw"][1] > 10
    assert topics["/left_arm_controller/commands"][1] > 50
    assert bag.about["robot"] == ROBOT


@pytest.mark.slow  # in real time: dropped ticks of a busy machine are failures of the robot
def test_another_reader_agrees(recorded):
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    with AnyReader([recorded], default_typestore=get_typestore(Stores.ROS2_KILTED)) as reader:
        theirs = {}
        for connection, _, raw in reader.messages():
            message = reader.deserialize(raw, connection.msgtype)
            theirs.setdefault(connection.topic, []).append(message)
    ours: dict[str, list] = {}
    for message in Bag(recorded).messages():
        ours.setdefault(message.topic, []).append(message.value)
    assert {t: len(m) for t, m in theirs.items()} == {t: len(m) for t, m in ours.items()}
    for one, other in zip(ours["/joint_states"], theirs["/joint_states"], strict=True):
        assert list(one.position) == list(other.position)
    assert bytes(ours["/head/image_raw"][-1].data) == theirs["/head/image_raw"][-1].data.tobytes()


@pytest.mark.slow  # in real time: dropped ticks of a busy machine are failures of the robot
def test_the_loop_keeps_its_rates_and_loses_nothing(recorded, folder):
    """Loose limits: other tests run at the same time. ``real measure`` holds the tight ones."""
    result = evaluate(load_contract(ROBOT), folder / "robot.npz", recorded, 0.0)
    print(result.table())
    assert result.rows["state_hz"] > 180
    assert result.rows["command_hz"] > 45
    assert result.rows["lost_states"] == 0
    assert result.rows["refused"] == 0
    assert result.rows["head_hz"] > 1
    draw(result, folder / "latency.png", "test")
    assert (folder / "latency.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow  # in real time: dropped ticks of a busy machine are failures of the robot
def test_the_bag_becomes_a_dataset_that_verify_accepts_and_that_replays(recorded, folder):
    root = folder / "dataset"
    (first,) = add_bags([recorded], root, fps=50)
    (known,) = add_bags([recorded], root, fps=50)  # the same line once more, in history
    assert (known.index, known.new, known.frames) == (0, False, first.frames)
    (second,) = add_bags([recorded], root, fps=50, again=True)
    assert (first.index, second.index, second.new) == (0, 1, True)
    verdict = verify(root)
    assert verdict.problems == []
    assert verdict.episodes == 2
    done = replay(root, 1)
    print(f"replay: hands within {1e3 * done.hand_m.max():.2f} mm")
    assert done.success
    assert done.hand_m.max() < 2e-3


@pytest.mark.slow  # in real time: dropped ticks of a busy machine are failures of the robot
def test_motion_is_held_at_the_end(recorded, folder):
    states = [message.value for message in Bag(recorded).messages("/joint_states")]
    assert np.abs(states[-1].velocity).max() < 0.05
    assert "hold: no command for 0.1" in (folder / "lines.txt").read_text()


def test_killing_the_policy_holds_and_it_comes_back_killing_the_robot_ends_all(folder):
    given = {"policy": "wave", "task": "click_bell", "cameras": "none", "record": str(folder / "kill.mcap")}
    with Stack(2, given) as stack:
        stack.wait("robot | active")
        time.sleep(0.3)
        os.kill(stack.pid("real.ros.policy"), signal.SIGKILL)
        stack.wait("hold: no command for 0.1", 5)
        stack.wait("policy ended with SIGKILL; start 1 of 3", 5)
        stack.wait("policy: drives", times=2)
        stack.active_again()
        os.kill(stack.pid("real.ros.sim_robot"), signal.SIGKILL)
        stack.wait("robot is required and ended with SIGKILL: stopping", 5)
        assert stack.end() == 1
        assert "Traceback" not in stack.text, stack.text
    assert Bag(folder / "kill.mcap").topics["/joint_states"][1] > 100


def test_after_a_stop_or_a_disarm_only_a_person_arms_again():
    def tell(word: str) -> None:
        command = [sys.executable, "-m", "real", word]
        done = subprocess.run(command, env=usual(2), capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr

    with Stack(2, {"policy": "wave", "task": "click_bell", "cameras": "none"}) as stack:
        stack.wait("robot | active")  # auto_arm:=true
        tell("estop")
        tell("reset")
        stack.wait("the robot is idle; arm it with: real arm", 10)
        time.sleep(1.5)  # the policy would ask again after a second
        since_reset = stack.text.rpartition("robot | idle: reset")[2]
        assert "robot | active" not in since_reset, stack.text
        assert "robot | ready" not in since_reset, stack.text
        tell("arm")
        stack.active_again()


@pytest.mark.parametrize("trials", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_signals_at_any_moment_end_it_quietly(trials):
    """Two SIGINT and a SIGTERM within 0.1 s.

    Every other node is started as the runner starts it, and gets them at another moment of its life each time; the
    others are started from a shell, and get them once they run.
    """
    starter = "import os, sys; from real import signals; signals.block(); os.execv(sys.executable, sys.argv[1:])"
    parameters = ["-p", f"robot:={ROBOT}", "-p", "task:=click_bell", "-p", "cameras:=none", "-p", "auto_arm:=true"]
    node = [sys.executable, "-m", "real.ros.sim_robot", "--ros-args", *parameters]
    for trial, delay in enumerate(np.linspace(0.5, 3.5, trials)):
        by_runner = trial % 2 == 0
        child = subprocess.Popen(
            [sys.executable, "-c", starter, *node] if by_runner else node,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=usual(3),
            start_new_session=True,
        )
        assert child.stdout is not None
        if by_runner:
            time.sleep(delay)  # the signals' moment, not a wait for something
        else:
            assert "idle" in child.stdout.readline()
        for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM):
            os.killpg(child.pid, number)
            time.sleep(0.03)
        text, _ = child.communicate(timeout=60)
        assert child.returncode == 0, f"trial {trial}: {child.returncode}\n{text}"
        assert "Traceback" not in text, text
        assert "interrupted" not in text, text

"""A person's keys and sticks become joint targets near the robot and inside its limits."""

from __future__ import annotations

import os

import numpy as np
import pytest

from real.bags.hands import HAND_NAMES, Hands
from real.contract import load_contract
from real.teleop.jog import REACH, Jog
from real.teleop.keys import BUTTON, EVENT, INITIAL, Joystick, keyboard, names
from tests.real.conftest import small_contract
from twinloom.errors import TwinloomError

HOME = np.array([0.0, 0.5, 1.0])


def test_keys_in_what_a_terminal_sends():
    assert names("a\x1b[Ab\x1b[D\x1b") == ["a", "up", "b", "left", "\x1b"]


def test_the_keyboard_needs_a_terminal():
    with pytest.raises(TwinloomError, match="needs a terminal"), keyboard():
        pass


def test_keys_of_a_terminal_are_read_and_it_is_restored():
    import pty
    import sys
    import termios

    try:
        main, terminal = pty.openpty()
    except OSError as error:
        pytest.skip(f"no terminals here: {error}")
    before, stdin = termios.tcgetattr(terminal), sys.stdin
    with os.fdopen(terminal, "r") as fake:
        sys.stdin = fake
        try:
            with keyboard() as keys:
                os.write(main, b"w\x1b[A")
                pressed: list[str] = []
                while len(pressed) < 2:
                    pressed += keys.pressed()
            assert pressed == ["w", "up"]
            assert termios.tcgetattr(terminal) == before
        finally:
            sys.stdin = stdin
            os.close(main)


def test_single_joints():
    jog = Jog(small_contract(), "joint", 0.05, 0.01)
    jog.key("right", HOME)
    assert jog.key("up", HOME) == "left_joint2 -> 0.550"
    np.testing.assert_allclose(jog.target, [0.0, 0.55, 1.0])
    for _ in range(20):
        jog.key("up", HOME)
    assert jog.target[1] == pytest.approx(0.5 + REACH)  # never far ahead of the robot
    assert jog.key("c", HOME) == "left_gripper -> 0.90"
    assert jog.key("x", HOME) == ""


def test_targets_stay_inside_the_soft_limits():
    contract = small_contract()
    jog = Jog(contract, "joint", 0.2, 0.01)
    edge = np.array([0.98, 0.5, 1.0])
    for _ in range(5):
        jog.key("up", edge)
    assert jog.target[0] == contract.soft_limits[1][0]


def test_a_hand_moves_straight_and_the_other_stands():
    contract = load_contract("franka-panda")
    jog, hands = Jog(contract, "pose", 0.05, 0.01), Hands(contract)
    home = contract.home.copy()
    for _ in range(3):
        assert jog.key("w", home).startswith("the left hand at")
    before, after = hands.poses(home), hands.poses(jog.target)
    np.testing.assert_allclose(after["left"][0, :3, 3] - before["left"][0, :3, 3], [0, 0.03, 0], atol=2e-3)
    np.testing.assert_allclose(after["left"][0, :3, :3], before["left"][0, :3, :3], atol=2e-2)
    np.testing.assert_allclose(after["right"], before["right"], atol=1e-9)
    assert jog.key("t", home) == "right arm"
    jog.key("r", home)
    assert hands.poses(jog.target)["right"][0, 2, 3] > before["right"][0, 2, 3] + 0.005


def test_hands_need_a_model():
    with pytest.raises(TwinloomError, match="has no model"):
        Jog(small_contract(), "pose", 0.05, 0.01)
    with pytest.raises(TwinloomError, match="has no model"):
        Hands(small_contract())


def test_hand_poses_are_laid_out_as_in_the_simulator():
    from sim.bimanual.episode import prepare
    from sim.bimanual.hand_poses import ee_pose
    from twinloom.seeding import episode_seed

    contract = load_contract("franka-panda")
    sim = prepare("click_bell", "franka-panda", episode_seed(0, "click_bell", 0), visuals="simple").sim
    sim.step(sim.home_action + 0.03)
    flat = Hands(contract).flat(sim.state())
    assert flat.shape == (1, len(HAND_NAMES))
    np.testing.assert_allclose(flat[0], ee_pose(sim), atol=1e-5)


def test_a_joystick_is_read(tmp_path):
    path = tmp_path / "js0"
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)
    stick = Joystick(path)
    events = [(0, 16384, 2, 0), (0, 500, 2, 1), (0, -32767, 2, 2), (0, 1, BUTTON | INITIAL, 3), (0, 1, BUTTON, 4)]
    os.write(writer, b"".join(EVENT.pack(*event) for event in events))
    assert stick.update() == [4]
    assert stick.axes[0] == pytest.approx(0.5, abs=1e-3)
    assert stick.axes[1] == 0.0  # sticks do not return to zero exactly
    assert stick.axes[2] == -1.0
    assert stick.buttons == {3: True, 4: True}
    assert stick.update() == []
    stick.close()
    os.close(writer)


def test_sticks_move_a_hand():
    contract = load_contract("franka-panda")
    jog, hands = Jog(contract, "pose", 0.05, 0.01), Hands(contract)
    home = contract.home.copy()
    for _ in range(5):
        jog.sticks(np.array([0, 0, 1.0, 0, 0, 0]), 0.02, home)
    assert hands.poses(jog.target)["left"][0, 2, 3] > hands.poses(home)["left"][0, 2, 3] + 0.005


def test_no_joystick_is_one_line(tmp_path):
    with pytest.raises(TwinloomError, match="no joystick at"):
        Joystick(tmp_path / "js0")

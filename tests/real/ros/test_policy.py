"""The policy's side: what it refuses, what it sees, and a robot over topics with the common interface."""

from __future__ import annotations

import time

import numpy as np
import pytest
from sensor_msgs.msg import Image

from policies.base import PolicySpec
from real import signals
from real.contract import load_contract
from real.policy.inference import PolicyProcess, check_robot, make_policy
from real.policy.motions import Motion
from real.ros import convert
from real.ros.health import WARN, Health
from real.ros.observer import Observer
from real.ros.qos import IMAGE_OUT
from real.ros.ros_robot import RosRobot
from real.ros.session import Session
from real.safety.modes import Mode
from tests.real.conftest import small_contract
from tests.real.ros.conftest import ROBOT, domain
from twinloom.errors import TwinloomError
from twinloom.features import IMAGE_AXES, Feature

PICTURE = Feature("video", (24, 32, 3), IMAGE_AXES)


def spec(names, robot=None, **observation) -> PolicySpec:
    joints = Feature("float32", (len(names),), tuple(names))
    return PolicySpec("act", {"observation.state": joints, **observation}, joints, 25, 4, robot=robot)


def test_a_policy_of_another_robot_is_refused_in_one_line(contract):
    with pytest.raises(TwinloomError, match="policy x is for robot aloha2, this is franka-panda"):
        check_robot(spec(contract.names, "aloha2"), contract, "x")


@pytest.mark.parametrize("names", [("left_joint1",), ("elbow", *load_contract(ROBOT).names[1:])])
def test_other_joints_are_refused_in_one_line(contract, names):
    with pytest.raises(TwinloomError, match=r"policy x commands \d+ joints, franka-panda has 16"):
        check_robot(spec(names), contract, "x")


def test_cameras_and_observations_that_the_robot_has_not_are_named(contract):
    wanted = {"observation.images.tail": PICTURE, "observation.touch": Feature("float32", (2,), ("a", "b"))}
    with pytest.raises(TwinloomError, match=r"no camera tail; no observation observation\.touch"):
        check_robot(spec(contract.names, **wanted), contract, "x")


def test_a_checkpoint_of_another_robot_ends_the_process_with_its_line(tmp_path, contract):
    from policies.checkpoint import save
    from policies.kinds import KINDS

    kind = KINDS.names()[0]
    joints = Feature("float32", (16,), contract.names)
    other = PolicySpec(kind, {"observation.state": joints}, joints, 25, 4, robot="aloha2")
    folder = save(tmp_path / "checkpoint", other, {})
    with pytest.raises(TwinloomError) as error:
        PolicyProcess(str(folder), ROBOT, {})
    assert "\n" not in str(error.value)


def test_a_stop_while_a_policy_loads_is_no_failure_of_it():
    with pytest.raises(signals.StoppedError, match="still being loaded"):
        PolicyProcess("hold", ROBOT, {}, give_up=lambda: True)


def test_inference_happens_elsewhere_and_its_death_is_told(contract):
    policy = PolicyProcess("hold", ROBOT, {})
    observation = {"observation.state": contract.home.astype(np.float32), "timestamp": np.array([5.0])}
    policy.ask(observation, 5.0)
    end = time.monotonic() + 20
    while (chunk := policy.poll()) is None:
        assert time.monotonic() < end
        time.sleep(0.001)
    np.testing.assert_allclose(chunk.actions, np.tile(contract.home, (policy.spec.horizon, 1)), atol=1e-6)
    assert chunk.begun <= chunk.ended
    assert chunk.observed == 5.0
    with pytest.raises(TwinloomError, match=r"observation\.state has shape"):
        answer(policy, {"observation.state": np.zeros(3), "timestamp": np.array([5.0])})
    policy._busy = False
    policy._child.kill()
    policy._child.wait()
    with pytest.raises(TwinloomError, match="policy process"):
        answer(policy, observation)
    policy.close()


def answer(policy: PolicyProcess, observation: dict) -> None:
    policy.ask(observation, 6.0)
    while policy.poll() is None:
        time.sleep(0.001)


def test_an_unknown_policy_is_refused():
    with pytest.raises(TwinloomError, match="no folder"):
        PolicyProcess("runs/nothing", ROBOT, {})


def test_wave_begins_where_the_robot_is_and_stays_inside(contract):
    policy = make_policy("wave", contract, {})
    assert isinstance(policy, Motion)
    state = contract.soft_limits[1].copy()  # at the upper limits it can only go down
    first = policy.act({"observation.state": state, "timestamp": np.array([1.0])})
    assert np.abs(first[0] - state).max() < 1e-3
    lower, upper = contract.soft_limits
    for moment in np.arange(1.0, 6.0, 0.5):
        chunk = policy.act({"observation.state": state, "timestamp": np.array([moment])})
        assert (chunk >= lower).all()
        assert (chunk <= upper).all()


def test_a_camera_that_stops_is_missed_by_name():
    from real.contract import Camera

    contract = small_contract(cameras=(Camera("head", "/head/image_raw", 32, 24, 25),))
    features = {"observation.state": Feature("float32", (3,), contract.names), "observation.images.head": PICTURE}
    with Session("viewer", domain(4)) as session:
        health = Health(session.node)
        observer = Observer(session.node, contract, features, jpeg=False, health=health)
        out = session.node.create_publisher(Image, "/head/image_raw", IMAGE_OUT)
        from sensor_msgs.msg import JointState

        states = session.node.create_publisher(JointState, "/joint_states", 10)
        frame = np.full((48, 64, 3), 7, np.uint8)  # twice as large as the policy wants
        session.wait("ourselves", lambda: out.get_subscription_count() > 0 and states.get_subscription_count() > 0)

        def see(images: bool) -> tuple[dict, str]:
            if images:
                out.publish(convert.image(frame, time.time_ns(), "head"))
            states.publish(convert.joint_state(contract.devices, time.time_ns(), np.array([0.1, 0.5, 0.08])))
            session.pause(0.02)
            observation, _, missing = observer.observe(time.monotonic())
            return observation, missing

        end = time.monotonic() + 10
        while see(True)[1]:
            assert time.monotonic() < end
        observation, missing = see(True)
        assert missing == ""
        assert observation["observation.images.head"].shape == (24, 32, 3)
        np.testing.assert_allclose(observation["observation.state"], [0.1, 0.5, 1.0])
        end = time.monotonic() + 3
        while not (missing := see(False)[1]):
            assert time.monotonic() < end
        assert missing == "no image from camera head"
        assert health.level("camera head") == WARN
        while see(True)[1]:
            assert time.monotonic() < end


def test_a_robot_over_topics_has_the_common_interface(robot, contract):
    from real.robots.base import Robot

    client = RosRobot(contract, images="none", domain_id=domain(), arm=False)
    assert isinstance(client, Robot)
    assert client.action_features["action"].names == contract.names
    with pytest.raises(TwinloomError, match="not connected"):
        client.get_observation()
    client = RosRobot(ROBOT, images="none", domain_id=domain())
    with client:
        np.testing.assert_allclose(client.get_observation()["observation.state"], contract.home, atol=0.05)
        goal = contract.home.copy()
        goal[0] = 0.1
        for _ in range(60):
            sent = client.send_action(goal)
            time.sleep(0.02)
        np.testing.assert_allclose(sent, goal, atol=1e-6)
        np.testing.assert_allclose(client.get_observation()["observation.state"], goal, atol=0.02)
        with pytest.raises(TwinloomError, match="finite"):
            client.send_action(np.full(16, np.nan))
        with pytest.raises(TwinloomError, match="16 finite numbers"):
            client.send_action(np.zeros(3))
        assert client.mode in (Mode.ACTIVE.value, Mode.HOLD.value)
    assert not client.is_connected


def test_nobody_there_is_one_line():
    client = RosRobot(small_contract(), images="none", domain_id=domain(5), patience_s=0.3)
    with pytest.raises(TwinloomError, match=r"no state of small within 0\.3 s; does the robot run"):
        client.connect()
    assert not client.is_connected


def test_a_policy_of_a_server_is_asked_from_its_own_process(contract):
    import subprocess
    import sys

    server = subprocess.Popen(
        [sys.executable, "-m", "policies", "serve", "expert:bimanual/click_bell", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        address = next(word for word in line.split() if word.startswith("ws://")).rstrip(".,;")
        policy = PolicyProcess(address, ROBOT, {})
        assert policy.spec.action.names == contract.names
        policy.close()
    finally:
        server.kill()
        server.wait()
    with pytest.raises(TwinloomError):
        PolicyProcess(address, ROBOT, {})

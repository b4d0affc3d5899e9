"""What people use to look at a running robot: topics, rates, messages, services, the doctor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from xml.etree import ElementTree as Xml

import mujoco
import pytest

from real.ros import graph
from real.ros.roundtrip import measure
from real.ros.session import Session
from real.tools import doctor
from tests.real.ros.conftest import domain
from twinloom.errors import TwinloomError, UnknownNameError


def command(*words: str, check: bool = True) -> str:
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain())}
    done = subprocess.run(
        [sys.executable, "-m", "real", *words], capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_topics_rates_and_messages(robot):
    with Session("looker", domain()) as session:
        session.wait("all of the robot", lambda: session.node.count_publishers("/joint_states") > 0, 20.0)
        rows = {topic: (kind, publishers) for topic, kind, publishers, _ in graph.topics(session)}
        assert rows["/joint_states"] == ("sensor_msgs/msg/JointState", 1)
        assert rows["/robot/mode"][0] == "std_msgs/msg/String"
        found = graph.rate(session, "/joint_states", 1.0)
        assert found["hz"] > 10  # 200 where nothing else runs; how well it keeps time is what `real measure` says
        heard: list = []
        came = threading.Event()
        graph.subscribe(session, "/robot/mode", lambda m: (heard.append(m), came.set()), raw=False)  # latched
        assert came.wait(10)
        assert graph.show(heard[0]).startswith("data: '")
        with pytest.raises(UnknownNameError, match="Did you mean /joint_states"):
            graph.subscribe(session, "/joint_state", heard.append, raw=False, seconds=0.2)


def test_the_robot_describes_itself_and_tells_the_time(robot, contract):
    with Session("rviz", domain()) as session:
        heard: dict[str, list] = {"/robot_description": [], "/clock": []}
        for topic, messages in heard.items():
            graph.subscribe(session, topic, messages.append, raw=False)
        session.wait("description and clock", lambda: all(heard.values()), 20.0)
    robot_element = Xml.fromstring(heard["/robot_description"][0].data)
    assert set(contract.devices) <= {joint.get("name") for joint in robot_element.findall("joint")}
    assert heard["/clock"][0].clock.sec > 1_700_000_000  # the clock of every stamp


def test_frames_of_the_links_are_those_of_the_state(robot, contract):
    pytest.importorskip("tf2_msgs", reason="tf2_msgs is not among the wheels; a system ROS has it")
    import numpy as np

    from real.ros.convert import to_wxyz
    from real.safety.shadow import Shadow, pose
    from twinloom.transforms import quat_to_matrix

    with Session("rviz", domain()) as session:
        heard: list = []
        graph.subscribe(session, "/tf", heard.append, raw=False)
        session.wait("frames", lambda: bool(heard), 20.0)
    model = Shadow(contract).model
    data = mujoco.MjData(model)
    pose(contract, model, data, robot.node.filter.state.q)
    found = {"world": np.eye(4)}
    for frame in heard[-1].transforms:  # parents come first
        moved, turned = frame.transform.translation, frame.transform.rotation
        T = np.eye(4)
        T[:3, :3] = quat_to_matrix(to_wxyz(np.array([turned.x, turned.y, turned.z, turned.w])))
        T[:3, 3] = moved.x, moved.y, moved.z
        found[frame.child_frame_id] = found[frame.header.frame_id] @ T
    for body in range(1, model.nbody):
        np.testing.assert_allclose(found[model.body(body).name][:3, 3], data.xpos[body], atol=2e-3)


def test_nested_messages_are_shown():
    import numpy as np

    from real.ros.commands import point_message
    from real.ros.convert import joint_state

    text = graph.show(joint_state(("a", "b"), 5 * 10**9, np.arange(2.0)))
    assert "    sec: 5" in text
    assert "name: [a, b]" in text
    assert "label: 'x,y'" in graph.show(point_message(("x", "y"), np.zeros(2), 1, "me"))
    assert "... 76 more]" in graph.show(joint_state((), 0, np.zeros(100)))


def test_the_command_line_arms_stops_and_resets(robot):
    assert "stopping" in command("estop")
    assert "emergency stop" in command("arm", check=False)
    assert "idle" in command("reset")


def test_a_round_trip_between_processes():
    found = measure(seconds=0.5, images=5, domain_id=domain(8))
    assert len(found.there_and_back_ms) > 20
    assert (found.there_and_back_ms > 0).all()
    assert found.discovery_s < 20


def test_the_doctor_finds_mixed_installations(tmp_path, monkeypatch):
    (tmp_path / "share/rclpy").mkdir(parents=True)
    (tmp_path / "share/rclpy/package.xml").write_text("<package/>")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    monkeypatch.setattr(doctor, "_wheel", lambda: "9.1.2")
    assert [finding.state for finding in doctor.mixed()] == ["fail"]


@pytest.mark.parametrize(
    ("name", "value", "state"), [("OFF", "", "fail"), ("LOCALHOST", "", "ok"), ("SUBNET", "", "warn")]
)
def test_the_doctor_looks_at_discovery(monkeypatch, name, value, state):
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", name)
    assert next(iter(doctor.discovery())).state == state


def test_the_doctor_reads_the_profile(tmp_path, monkeypatch):
    from twinloom.machine import REPOSITORY

    monkeypatch.setenv("FASTDDS_DEFAULT_PROFILES_FILE", str(REPOSITORY / "launch/fastdds.xml"))
    assert next(iter(doctor.profile())).text.endswith("segment of 32.0 MiB")
    broken = tmp_path / "broken.xml"
    broken.write_text("<dds>")
    monkeypatch.setenv("FASTDDS_DEFAULT_PROFILES_FILE", str(broken))
    assert next(iter(doctor.profile())).state == "fail"


def test_the_doctor_says_what_to_do_without_ros(monkeypatch):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    finding = next(iter(doctor.ros()))
    assert finding.state == "fail"
    assert "ros2" in finding.fix


def test_the_doctor_as_json():
    findings = json.loads(command("doctor", "--quick", "--json", check=False))
    assert {"rclpy", "discovery", "shared memory"} <= {finding["name"] for finding in findings}


def test_no_node_asks_for_what_breaks_executors():
    """MultiThreadedExecutor starves a busy machine; the events executor dies of callbacks with message info."""
    from twinloom.machine import REPOSITORY

    code = {file: file.read_text() for file in (REPOSITORY / "real").rglob("*.py")}
    assert [str(file) for file, text in code.items() if "MultiThreadedExecutor(" in text] == []


def test_sessions_say_what_they_waited_for():
    with Session("alone", domain(9)) as session, pytest.raises(TwinloomError, match=r"no thing within 0\.1 s"):
        session.wait("thing", lambda: False, 0.1)

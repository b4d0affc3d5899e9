"""The fault table, each injected over DDS into a running robot: nothing unsafe gets through, each yields one line."""

from __future__ import annotations

import time

import numpy as np
import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64MultiArray, MultiArrayDimension, String

from real.ros.commander import Commander
from real.ros.commands import point_message
from real.ros.health import Health
from real.ros.qos import COMMAND_OUT, LATCHED
from real.ros.session import Session
from real.safety.modes import Mode
from tests.real.ros.conftest import domain

ARM = "/left_arm_controller/commands"


@pytest.fixture
def driven(robot, sender):
    """The robot follows the sender's commands; what it did so far is forgotten."""
    sender.ready()
    home = sender.contract.home
    sender.drive(3.0, home, lambda: sender.mode == Mode.ACTIVE.value)
    assert sender.mode == Mode.ACTIVE.value
    before = dict(robot.node.filter.counters)
    robot.before = before
    robot.q = robot.node.filter.limiter.q.copy()
    return home


def new(robot, kind: str) -> int:
    """How often the filter noted a kind since the test began."""
    return robot.node.filter.counters.get(kind, 0) - robot.before.get(kind, 0)


def unmoved(robot) -> None:
    assert np.abs(robot.node.filter.limiter.q - robot.q).max() < 1e-3


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(robot, sender, driven, bad):
    q = driven.copy()
    q[2] = bad
    sender.drive(0.3, q, lambda: new(robot, "non-finite") > 0)
    assert new(robot, "non-finite") > 0
    sender.until("held", lambda: sender.mode == Mode.HOLD.value)
    unmoved(robot)
    sender.drive(2.0, driven, lambda: sender.mode == Mode.ACTIVE.value)  # finite ones are followed again
    assert sender.mode == Mode.ACTIVE.value


def test_a_jump_of_a_radian_is_refused(robot, sender, driven):
    q = driven.copy()
    q[1] += 1.0
    sender.drive(0.3, q, lambda: new(robot, "step") > 0)
    assert new(robot, "step") > 0
    sender.until("held", lambda: sender.mode == Mode.HOLD.value)
    unmoved(robot)


def test_silence_holds_within_the_watchdog(robot, sender, driven):
    sender.send(driven)
    assert sender.until("held", lambda: sender.mode == Mode.HOLD.value) < 0.3
    unmoved(robot)


def test_one_silent_group_holds_the_whole_robot(robot, sender, driven):
    arm = sender.commander._publishers[0]
    names = sender.contract.topics.commands[0].joints
    end = time.monotonic() + 1.0
    while time.monotonic() < end and sender.mode == Mode.ACTIVE.value:
        arm.publish(point_message(names, sender.contract.home[:7], sender.stamp_ns, "tester"))
        sender.pause(0.02)
    assert sender.mode == Mode.HOLD.value
    assert new(robot, "silent") > 0


@pytest.mark.parametrize(("shift_s", "kind"), [(-60.0, "stale"), (30.0, "future")])
def test_a_clock_that_jumps_is_refused(robot, sender, driven, shift_s, kind):
    end = time.monotonic() + 1.0
    while time.monotonic() < end and not new(robot, kind):
        sender.send(driven, sender.stamp_ns + int(shift_s * 1e9))
        sender.pause(0.02)
    assert new(robot, kind) > 0
    sender.until("held", lambda: sender.mode == Mode.HOLD.value)
    unmoved(robot)


NAMES = ("left_joint1", "left_joint2", "left_joint3", "left_joint4", "left_joint5", "left_joint6", "left_joint7")


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (NAMES[:-1], "shape"),
        (("left_joint1", *NAMES[:-1]), "names"),
        (tuple(f"robot1/{name}" for name in NAMES), "names"),
        ((*NAMES[:-1], "left_joint8"), "names"),
    ],
    ids=["missing", "twice", "prefix", "foreign"],
)
def test_wrong_names_are_refused_by_name(robot, sender, driven, names, kind):
    arm = sender.commander._publishers[0]
    end = time.monotonic() + 1.0
    while time.monotonic() < end and not new(robot, kind):
        arm.publish(point_message(names, np.zeros(len(names)), sender.stamp_ns, "tester"))
        sender.pause(0.02)
    assert new(robot, kind) > 0
    unmoved(robot)


def test_shuffled_names_are_put_in_order(robot, sender, driven):
    order = np.random.default_rng(0).permutation(7)
    goal = driven.copy()
    goal[:7] += np.linspace(0.02, 0.08, 7)
    names, values = tuple(np.array(NAMES)[order]), goal[:7][order]
    arm, *others = sender.commander._publishers
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        arm.publish(point_message(names, values, sender.stamp_ns, "tester"))
        for publisher, group in zip(others, sender.contract.topics.commands[1:], strict=True):
            where = sender.contract.where(group.joints)
            device = sender.contract.to_device(goal)[where]
            publisher.publish(point_message(group.joints, device, sender.stamp_ns, "tester"))
        sender.pause(0.02)
    np.testing.assert_allclose(robot.node.filter.limiter.q, goal, atol=1e-6)
    np.testing.assert_allclose(sender.q[:7], goal[:7], atol=0.02)


@pytest.mark.parametrize("width", [0, 6, 8, 16])
def test_a_command_of_another_width_is_refused(robot, sender, driven, width):
    arm = sender.commander._publishers[0]
    end = time.monotonic() + 1.0
    while time.monotonic() < end and not new(robot, "shape"):
        arm.publish(Float64MultiArray(data=[0.0] * width))
        sender.pause(0.02)
    assert new(robot, "shape") > 0
    unmoved(robot)


def test_messages_without_labels_are_taken_as_ros2_control_sends_them(robot, sender, driven):
    sender.ready()  # armed anew, nobody has the robot
    goal = driven.copy()
    goal[3] += 0.05
    end = time.monotonic() + 1.0
    while time.monotonic() < end:
        for publisher, group in zip(sender.commander._publishers, sender.contract.topics.commands, strict=True):
            device = sender.contract.to_device(goal)[sender.contract.where(group.joints)]
            publisher.publish(Float64MultiArray(data=device.tolist()))
        sender.pause(0.02)
    np.testing.assert_allclose(robot.node.filter.limiter.q, goal, atol=1e-6)


def test_a_second_sender_is_kept_out(robot, sender, driven):
    end = time.monotonic() + 1.0
    own, intruder = sender.commander, sender.commander.source
    while time.monotonic() < end and not new(robot, "lease"):
        own.source = "tester"
        sender.send(driven)
        sender.pause(0.01)
        own.source = "intruder"
        sender.send(driven + 0.01)
        sender.pause(0.01)
    own.source = intruder
    assert new(robot, "lease") > 0
    unmoved(robot)


def test_the_emergency_stop_is_latched_until_reset_and_arm(robot, sender, driven):
    sender.trigger("/robot/estop")
    sender.until("stopped", lambda: sender.mode == Mode.ESTOP.value)
    sender.drive(0.3, driven)
    assert sender.mode == Mode.ESTOP.value
    unmoved(robot)
    with pytest.raises(Exception, match="reset first"):
        sender.trigger("/robot/arm")
    sender.until("reset", lambda: sender._tries("/robot/reset"))
    sender.until("idle", lambda: sender.mode == Mode.IDLE.value)
    sender.drive(0.2, driven)
    assert sender.mode == Mode.IDLE.value
    sender.trigger("/robot/arm")
    sender.until("ready", lambda: sender.mode in (Mode.READY.value, Mode.ACTIVE.value), 15.0)


BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
DEMANDING = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.mark.parametrize("quality", [10, BEST_EFFORT, LATCHED], ids=["ordinary", "best effort", "latched"])
def test_the_stop_topic_stops_whatever_its_publisher_offers(robot, sender, driven, quality):
    stop = sender.node.create_publisher(Bool, "/estop", quality)
    sender.until("listener", lambda: stop.get_subscription_count() > 0)
    stop.publish(Bool(data=True))
    sender.until("stopped", lambda: sender.mode == Mode.ESTOP.value)
    sender.node.destroy_publisher(stop)


def test_another_process_of_the_same_name_is_kept_out_and_reported(robot, sender, driven):
    with Session("tester_again", domain()) as other:
        again = Commander(other.node, sender.contract, Health(other.node), sender.commander.source)
        other.wait("listeners", lambda: not again.missing(), 20.0)
        aside = driven.copy()
        aside[0] += 0.1

        def both() -> bool:
            sender.send(driven)
            again.send(lambda t: np.tile(aside, (len(t), 1)), sender.stamp_ns, 0.02, 0.04)
            return new(robot, "lease") > 5 and sender.diagnostics.get("/robot: lease", (0, ""))[0] == 1

        sender.drive(5.0, driven, lambda: sender.mode == Mode.ACTIVE.value)
        sender.until("refused and reported", both, 10.0)
    assert "/sender" in sender.diagnostics["/robot: lease"][1]
    unmoved(robot)


def test_a_label_of_four_hundred_digits_costs_nothing(robot, sender, driven):
    arm = sender.commander._publishers[0]
    for label in ("x@" + "9" * 400, "x@" + "9" * 5000, "@" * 1000, "x@18446744073709551615"):
        message = Float64MultiArray(data=[0.0] * 7)
        message.layout.dim = [MultiArrayDimension(label=text, size=1, stride=1) for text in ("", label)]
        for _ in range(3):
            arm.publish(message)
    sender.drive(2.0, driven, lambda: False)
    assert robot.node.failure == ""
    assert sender.mode == Mode.ACTIVE.value


def test_a_callback_that_fails_costs_its_message_only(robot, sender, driven, monkeypatch):
    heard = []

    def fails(*arguments) -> None:
        heard.append(arguments)
        raise OverflowError("int too large to convert to float")

    with monkeypatch.context() as patch:
        patch.setattr(robot.node, "_received", fails)
        sender.until("heard", lambda: bool(sender.send(driven)) or len(heard) > 8)
    assert robot.node.errors.total() > 0
    sender.drive(5.0, driven, lambda: sender.mode == Mode.ACTIVE.value)
    assert sender.mode == Mode.ACTIVE.value


def test_a_request_to_a_node_that_does_not_run_is_not_done_later(robot, sender, driven):
    def change(transition: int) -> None:
        client = sender.node.create_client(ChangeState, "/robot/change_state")
        sender.wait("lifecycle service", client.service_is_ready, 20.0)
        future = client.call_async(ChangeState.Request(transition=Transition(id=transition)))
        sender.wait("transition", future.done, 30.0)
        assert future.result().success

    change(Transition.TRANSITION_DEACTIVATE)
    with pytest.raises(Exception, match="activate the node"):
        sender.trigger("/robot/arm")
    sender.send(driven)
    change(Transition.TRANSITION_ACTIVATE)
    ticks = robot.node.loop.ticks
    sender.until("running", lambda: robot.node.loop.ticks > ticks + 20)
    sender.until("idle", lambda: sender.mode == Mode.IDLE.value)


def test_nobody_arms_unasked_what_was_armed_before(robot, sender, driven):
    sender.trigger("/robot/estop")
    sender.until("reset", lambda: sender._tries("/robot/reset"))
    with pytest.raises(Exception, match="now a person arms it"):
        sender.trigger("/robot/arm_at_start")
    assert sender.mode == Mode.IDLE.value


def test_services_say_why_not(robot, sender, driven):
    sender.send(driven)
    with pytest.raises(Exception, match="a sender drives the robot"):
        sender.trigger("/robot/home")
    with pytest.raises(Exception, match="nothing to reset"):
        sender.trigger("/robot/reset")


def test_every_mismatch_is_an_error_with_the_name_of_the_topic(robot, sender):
    """Publishers that cannot reach the robot, subscribers that it cannot reach, and a topic of another type."""
    node = sender.node
    made = [node.create_publisher(Float64MultiArray, g.topic, BEST_EFFORT) for g in sender.contract.topics.commands]
    heard = [
        node.create_subscription(JointState, topic, print, DEMANDING) for topic in ("/joint_states", "/robot/sent")
    ]
    wrong = node.create_publisher(String, "/robot/success", LATCHED)  # a type that the topic does not have
    topics = [*(g.topic for g in sender.contract.topics.commands), "/joint_states", "/robot/sent"]
    names = [f"/robot: qos {topic}" for topic in topics]

    def reported() -> bool:
        return all(sender.diagnostics.get(name, (0, ""))[0] == 2 for name in names)

    sender.until("reported", reported, 20.0)
    assert "sender" in sender.diagnostics[f"/robot: qos {ARM}"][1]
    assert "transient local" in sender.diagnostics["/robot: qos /joint_states"][1]
    for publisher in [*made, wrong]:
        node.destroy_publisher(publisher)
    for subscription in heard:
        node.destroy_subscription(subscription)
    sender.until("well again", lambda: all(sender.diagnostics[name][0] == 0 for name in names), 8.0)


def test_a_compatible_mismatch_works(robot, sender):
    """A best-effort subscriber hears the reliable state, as the design wants it."""
    heard: list[JointState] = []
    subscription = sender.node.create_subscription(JointState, "/joint_states", heard.append, BEST_EFFORT)
    sender.until("heard", lambda: len(heard) > 20, 10.0)
    sender.node.destroy_subscription(subscription)


def test_parameters_cannot_be_changed_to_nonsense(robot):
    from rclpy.parameter import Parameter

    for value in (-1, 2**40):
        assert not robot.node.set_parameters([Parameter("seed", value=value)])[0].successful


def test_command_topics_are_reliable():
    assert COMMAND_OUT.reliability == ReliabilityPolicy.RELIABLE

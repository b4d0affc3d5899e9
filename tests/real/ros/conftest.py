"""One simulated robot for all tests of a file, on a DDS domain of its own, and a sender that does everything wrong."""

from __future__ import annotations

import fcntl
import os
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
os.environ.setdefault("ROS_LOG_DIR", tempfile.mkdtemp(prefix="twinloom-ros-log-"))
os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"  # read when rclpy is imported: setters check what they are given

rclpy = pytest.importorskip("rclpy", reason="no ROS here: pip install 'twinloom[ros2]' (x86_64 Linux), or a system ROS")

from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
from rclpy.context import Context  # noqa: E402
from rclpy.signals import SignalHandlerOptions  # noqa: E402
from std_msgs.msg import String  # noqa: E402

from real.contract import RobotContract, load_contract  # noqa: E402
from real.ros.commander import Commander  # noqa: E402
from real.ros.executor import Spinner  # noqa: E402
from real.ros.health import Health  # noqa: E402
from real.ros.observer import Observer  # noqa: E402
from real.ros.qos import DIAGNOSTICS, LATCHED  # noqa: E402
from real.ros.session import Session  # noqa: E402
from real.ros.sim_robot import SimRobotNode  # noqa: E402
from real.safety.filter import Mode  # noqa: E402

ROBOT = "franka-panda"
DISCOVERY_S = 20.0


def domain(number: int = 0) -> int:
    """A DDS domain of this process, number 0 to 9; 0 to 101 are possible, 0 is everyone's."""
    assert 0 <= number < 10
    return 1 + 10 * _block() + number


@cache
def _block() -> int:
    """Ten domains that no other test process of this machine uses: ten locks, of which each takes one."""
    while True:
        for block in range(10):
            path = Path(tempfile.gettempdir()) / f"twinloom-test-domains-{block}.lock"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # kept until the process ends
                return block
            except OSError:
                os.close(descriptor)
        time.sleep(0.5)


class Sender(Session):
    """Sees and commands a robot node, rightly or wrongly."""

    def __init__(self, contract: RobotContract, number: int = 0) -> None:
        super().__init__("sender", domain(number))
        self.contract = contract
        self.mode = ""
        self.diagnostics: dict[str, tuple[int, str]] = {}
        health = Health(self.node)
        self.observer = Observer(self.node, contract, {}, jpeg=False, health=health)
        self.commander = Commander(self.node, contract, health, "tester")
        self.node.create_subscription(String, "/robot/mode", self._mode_is, LATCHED)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._diagnosed, DIAGNOSTICS)
        self.wait("robot", lambda: bool(self.mode) and self.observer.age(time.monotonic()) < 1, DISCOVERY_S)
        self.wait("listeners", lambda: not self.commander.missing(), DISCOVERY_S)

    def _mode_is(self, message: String) -> None:
        self.mode = message.data

    def _diagnosed(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.diagnostics[status.name] = (int.from_bytes(status.level, "little"), status.message)

    @property
    def q(self) -> np.ndarray:
        """(J,) newest measured joints."""
        newest = self.observer.state.get()
        assert newest is not None
        return newest[1][0]

    @property
    def stamp_ns(self) -> int:
        """Stamp of the newest state."""
        newest = self.observer.state.get()
        assert newest is not None
        return newest[1][1]

    def send(self, q: np.ndarray, stamp_ns: int | None = None) -> None:
        """One command in the usual form."""
        stamp = self.stamp_ns if stamp_ns is None else stamp_ns
        self.commander.send(lambda t: np.tile(q, (len(t), 1)), stamp, 0.02, 0.04)

    def drive(self, seconds: float, q: np.ndarray, until: Callable[[], bool] = lambda: False) -> None:
        """Command the same target at 50 Hz for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not until():
            self.send(q)
            self.pause(0.02)

    def ready(self) -> None:
        """Bring the robot to READY or ACTIVE, whatever it is now."""
        if self.mode in (Mode.ESTOP.value, Mode.DAMP.value):
            self.until("rest", lambda: self._tries("/robot/reset"))
        if self.mode in (Mode.ACTIVE.value, Mode.HOLD.value):
            self.until("hold", lambda: self.mode == Mode.HOLD.value)
        if self.mode != Mode.READY.value:
            self.until("idle or hold", lambda: self.mode in (Mode.IDLE.value, Mode.HOLD.value))
            self.trigger("/robot/arm")
            self.until("ready", lambda: self.mode == Mode.READY.value, 15.0)

    def _tries(self, service: str) -> bool:
        from twinloom.errors import TwinloomError

        try:
            self.trigger(service)
        except TwinloomError:
            return False
        return True

    def until(self, what: str, holds: Callable[[], bool], seconds: float = 5.0) -> float:
        """Seconds until something holds. Fails if it takes longer."""
        began = time.monotonic()
        while not holds():
            if time.monotonic() - began > seconds:
                pytest.fail(f"not {what} within {seconds} s; the robot is {self.mode}")
            threading.Event().wait(0.005)
        return time.monotonic() - began


class Robot:
    """The node under test, in this process, with the lines of its filter."""

    def __init__(self, number: int = 0, **parameters) -> None:
        self.context = Context()
        rclpy.init(
            args=[], context=self.context, domain_id=domain(number), signal_handler_options=SignalHandlerOptions.NO
        )
        given = {"robot": ROBOT, "task": "click_bell", "cameras": "none", **parameters}
        self.node = SimRobotNode(self.context, given)
        self.spinner = Spinner(self.node, on_error=self.node.fail)
        self.lines: list[str] = []

    def listen(self) -> None:
        """Keep the filter's lines."""
        put = self.node._lines.put
        self.node._lines = type(
            "Lines", (), {"put": lambda _, line: (self.lines.append(line), put(line)), "get": self.node._lines.get}
        )()

    def close(self) -> None:
        self.spinner.close(20.0)
        self.node.close()
        rclpy.try_shutdown(context=self.context)


@pytest.fixture(scope="module")
def contract() -> RobotContract:
    return load_contract(ROBOT)


@pytest.fixture(scope="module")
def robot(contract):
    robot = Robot()
    end = time.monotonic() + 60
    while not robot.node._active:
        assert time.monotonic() < end, robot.node.failure
        time.sleep(0.02)
    yield robot
    robot.close()


@pytest.fixture(scope="module")
def sender(robot, contract):
    with Sender(contract) as sender:
        yield sender

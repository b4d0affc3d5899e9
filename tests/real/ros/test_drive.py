"""A person's keys become velocities on /cmd_vel, and a stop."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import suppress

from geometry_msgs.msg import Twist
from std_msgs.msg import Bool

from real.ros.qos import ANY_IN
from real.ros.session import Session
from tests.real.ros.conftest import domain
from tests.real.ros.stacks import usual

WAIT_S = 60.0


def test_keys_drive_a_walking_robot():
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "real", "teleop", "--robot", "g1", "--device", "keyboard"]
    said: list[tuple[float, float]] = []
    stops: list[bool] = []
    with Session("listener", domain(8)) as session:
        session.node.create_subscription(Twist, "/cmd_vel", lambda m: said.append((m.linear.x, m.angular.z)), ANY_IN)
        session.node.create_subscription(Bool, "/estop", lambda m: stops.append(m.data), ANY_IN)
        child = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=usual(8))
        try:
            session.wait("velocity", lambda: (0.0, 0.0) in said, WAIT_S)
            os.write(ours, b"wwd")
            session.wait("faster, turning right", lambda: bool(said) and said[-1] == (0.2, -0.1), WAIT_S)
            os.write(ours, b"!")
            session.wait("stop", lambda: True in stops, WAIT_S)
            os.write(ours, b"x")
            assert child.wait(WAIT_S) == 0
            session.wait("the last word, to stand", lambda: said[-1] == (0.0, 0.0), WAIT_S)
        finally:
            with suppress(ProcessLookupError):
                child.kill()
            child.wait(10)
            os.close(ours)
            os.close(theirs)

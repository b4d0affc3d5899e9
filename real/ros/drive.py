"""``python -m real.ros.drive``: a person drives a walking robot by /cmd_vel, with the keyboard or a joystick.

The velocity set last is repeated while this runs; when it ends, or is killed, the walking policy hears nothing more and
the robot stands. A joystick also wants its dead man's button held.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Any

from geometry_msgs.msg import Twist
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from real.ros.node import ManagedNode, run_node
from real.ros.qos import EVENTS, LATCHED
from real.ros.teleop import ARM_BUTTON, DEADMAN
from real.teleop.drive import HELP, Drive
from real.teleop.keys import JOYSTICK, Joystick, keyboard
from real.timing import RateLoop

RATE_HZ = 20.0
AXES = ((1, -1), (0, -1), (3, -1))  # axis and sign of forward, left and turning left


class DriveNode(ManagedNode):
    """Turns keys or sticks into velocities."""

    MODULE, NAME = "real.ros.drive", "drive"

    def configure(self) -> None:
        """Open the device."""
        p = self.p
        self.drive = Drive()
        self._out = self.create_publisher(Twist, p["cmd_vel"], EVENTS)
        self._stop = self.create_publisher(Bool, "/estop", LATCHED)
        self._arm = self.create_client(Trigger, f"{p['robot_node']}/arm")
        wants_stick = p["device"] == "joystick" or (p["device"] == "auto" and JOYSTICK.exists())
        self._closing = contextlib.ExitStack()
        self._stick = Joystick() if wants_stick else None
        self._keys = None if wants_stick else self._closing.enter_context(keyboard())
        if self._stick is None:
            self.get_logger().info(HELP)

    def activate(self) -> None:
        """Start sending."""
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="drive", daemon=True)
        self._thread.start()

    def deactivate(self) -> None:
        """Say once that the robot is to stand, then nothing more."""
        self._ending.set()
        self._thread.join(2.0)
        for _ in range(3):  # best effort: one may be lost, and the publisher is gone a moment later
            self._out.publish(Twist())
            time.sleep(0.03)

    def cleanup(self) -> None:
        """Give the terminal back as it was."""
        if hasattr(self, "_closing"):
            self._closing.close()

    def _run(self) -> None:
        try:
            for _ in RateLoop(RATE_HZ, stopped=self._ending):
                if self._stick is not None:
                    self._on_stick(self._stick)
                for key in self._keys.pressed() if self._keys is not None else ():
                    self._key(key)
                message = Twist()
                message.linear.x, message.linear.y, message.angular.z = self.drive.velocity
                self._out.publish(message)
        except Exception as error:  # a device that is gone ends the node
            self.fail(error)

    def _key(self, key: str) -> None:
        if key == "x":
            self.stopping.set()
        elif key == "m":
            self._call_arm()
        elif key == "!":
            self._stop.publish(Bool(data=True))
        elif said := self.drive.key(key):
            print(f"\r\x1b[K{said}", end="", flush=True)

    def _on_stick(self, stick: Joystick) -> None:
        if ARM_BUTTON in stick.update():
            self._call_arm()
        held = stick.buttons.get(DEADMAN, False)
        self.drive.sticks(*(sign * stick.axes.get(axis, 0.0) * held for axis, sign in AXES))

    def _call_arm(self) -> None:
        if not self._arm.service_is_ready():
            self.get_logger().warning(f"nobody offers {self.p['robot_node']}/arm")
            return
        self._arm.call_async(Trigger.Request()).add_done_callback(self._answered)

    def _answered(self, future: Any) -> None:
        self.get_logger().info(f"arm: {future.result().message}")


if __name__ == "__main__":
    run_node(DriveNode)

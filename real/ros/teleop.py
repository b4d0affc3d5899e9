"""``python -m real.ros.teleop --ros-args -p robot:=aloha2 -p mode:=pose``: a person drives a robot.

Commands are sent while keys come, and a moment longer; then the robot's own watchdog brakes and holds it, so letting go
is the dead man's switch.
"""

from __future__ import annotations

import contextlib
import threading

import numpy as np
from std_msgs.msg import String
from std_srvs.srv import Trigger

from real.ros.commander import Commander
from real.ros.health import OK, WARN
from real.ros.node import ManagedNode, run_node
from real.ros.observer import Observer
from real.ros.qos import LATCHED
from real.ros.topics import load
from real.safety.modes import Mode
from real.teleop.jog import HELP, Jog
from real.teleop.keys import JOYSTICK, Joystick, keyboard
from real.timing import RateLoop
from twinloom.errors import TwinloomError

AFTER_KEY_S = 0.6  # commands go on: longer than a terminal waits before it repeats a key
# sticks of a common gamepad: (axis, sign) of x, y, z and the turns about the hand's x, y, z; buttons
AXES = ((0, 1), (1, -1), (4, -1), (2, 1), (7, -1), (6, 1))
ARM_BUTTON, SWITCH_BUTTON, CLOSE_BUTTON, OPEN_BUTTON, DEADMAN = 7, 3, 0, 1, 4


class TeleopNode(ManagedNode):
    """Turns keys or sticks into commands for a robot node."""

    MODULE, NAME = "real.ros.teleop", "teleop"

    def configure(self) -> None:
        """Open the device and listen."""
        p = self.p
        self.contract = load(p["robot"])
        self.jog = Jog(self.contract, p["mode"], p["step"], p["step_m"])
        self.observer = Observer(self, self.contract, {}, jpeg=False, health=self.health)
        self.commander = Commander(self, self.contract, self.health, self.get_name(), p["prefix"])
        self.mode = ""
        self.create_subscription(String, f"{p['robot_node']}/mode", self._mode_is, LATCHED)
        self._arm = self.create_client(Trigger, f"{p['robot_node']}/arm")
        wants_stick = p["device"] == "joystick" or (p["device"] == "auto" and JOYSTICK.exists())
        self._closing = contextlib.ExitStack()
        self._stick = Joystick() if wants_stick else None
        self._keys = None if wants_stick else self._closing.enter_context(keyboard())
        if self._stick is None:
            self.get_logger().info(f"m: arm   {HELP[p['mode']]}")

    def activate(self) -> None:
        """Start sending."""
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="teleop", daemon=True)
        self._thread.start()

    def deactivate(self) -> None:
        """Send nothing more; the robot holds."""
        self._ending.set()
        self._thread.join(2.0)

    def cleanup(self) -> None:
        """Give the terminal back as it was."""
        if hasattr(self, "_closing"):
            self._closing.close()

    def _run(self) -> None:
        try:
            touched = -np.inf
            for now in RateLoop(self.contract.command_hz, stopped=self._ending):
                newest = self.observer.state.get()
                if newest is None or now - newest[0] > Observer.STALE_S:
                    self.health.set("robot", WARN, "no state comes")
                    continue
                self.health.set("robot", OK, self.mode)
                measured, stamp_ns, _ = newest[1]
                if self._hand(measured):
                    touched = now
                elif now - touched > AFTER_KEY_S:
                    self.jog.target = None  # the next key starts from where the robot is then
                    continue
                if self.jog.target is not None and self.mode in (m.value for m in (Mode.READY, Mode.ACTIVE, Mode.HOLD)):
                    target, period = self.jog.target, 1.0 / self.contract.command_hz
                    self.commander.send(lambda t, q=target: np.tile(q, (len(t), 1)), stamp_ns, period, 2 * period)
        except Exception as error:  # a device that is gone ends the node
            self.fail(error)

    def _hand(self, measured: np.ndarray) -> bool:
        """Act on what the person does. Whether they do anything."""
        if self._stick is not None:
            return self._on_stick(self._stick, measured)
        assert self._keys is not None
        keys = self._keys.pressed()
        for key in keys:
            if key == "q":
                self.stopping.set()
            elif key == "m":
                self._call_arm()
            elif said := self.jog.key(key, measured):
                print(f"\r\x1b[K{said}", end="", flush=True)
        return bool(keys)

    def _on_stick(self, stick: Joystick, measured: np.ndarray) -> bool:
        pressed = stick.update()
        if ARM_BUTTON in pressed:
            self._call_arm()
        for button, key in ((SWITCH_BUTTON, "t"), (CLOSE_BUTTON, "c"), (OPEN_BUTTON, "v")):
            if button in pressed:
                self.jog.key(key, measured)
        if not stick.buttons.get(DEADMAN, False):
            return False
        velocity = np.array([sign * stick.axes.get(axis, 0.0) for axis, sign in AXES])
        self.jog.sticks(velocity, 1.0 / self.contract.command_hz, measured)
        return True

    def _call_arm(self) -> None:
        if not self._arm.service_is_ready():
            raise TwinloomError(f"nobody offers {self.p['robot_node']}/arm")
        self._arm.call_async(Trigger.Request()).add_done_callback(self._answered)

    def _answered(self, future) -> None:
        self.get_logger().info(f"arm: {future.result().message}")

    def _mode_is(self, message: String) -> None:
        self.mode = message.data


if __name__ == "__main__":
    run_node(TeleopNode)

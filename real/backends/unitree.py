"""Unitree robots through the low-level DDS topics of their SDK (LowCmd, LowState), for example the G1.

The SDK (``unitree_sdk2py``) is optional: nothing of it is imported before :meth:`UnitreeRobot.connect`.
Gains come from the robot file alone; a policy sends positions and can never set kp or kd. Not tried on hardware: the
tests run against a stand-in for the SDK that checks every message.
"""

from __future__ import annotations

import importlib
import threading
import time
from typing import Any

import numpy as np

from assets.errors import TwinloomError
from real.contract import RobotContract, load_contract
from real.limits import Mode, Output, SafetyFilter, Verdict
from real.robot import STATE, TIMESTAMP, BaseRobot, RobotLostError
from real.timing import Mailbox, RateLoop
from sim.features import Feature

VELOCITY, QUATERNION, GYROSCOPE = "observation.velocity", "observation.imu.quaternion", "observation.imu.gyroscope"
INSTALL = "pip install --no-deps unitree-sdk2py-dimos==1.0.3 && pip install cyclonedds==11.0.1 opencv-python-headless"
ENABLED = 1  # mode of a motor that obeys
GOODBYE_S = 0.5  # for how long damping is sent before falling silent


class Sdk:
    """The parts of the SDK that are used.

    Raises:
        TwinloomError: it is not installed.
    """

    def __init__(self, message: str) -> None:
        try:
            self.channel = importlib.import_module("unitree_sdk2py.core.channel")
            self.types = importlib.import_module(f"unitree_sdk2py.idl.unitree_{message}.msg.dds_")
            default = importlib.import_module("unitree_sdk2py.idl.default")
            self.crc = importlib.import_module("unitree_sdk2py.utils.crc").CRC()
            self.switcher = importlib.import_module("unitree_sdk2py.comm.motion_switcher.motion_switcher_client")
        except ModuleNotFoundError as error:
            raise TwinloomError(f"{error.name} is not installed; Unitree robots need their SDK: {INSTALL}") from error
        self.new_command = getattr(default, f"unitree_{message}_msg_dds__LowCmd_")


class UnitreeRobot(BaseRobot):
    """A Unitree robot, controlled joint by joint.

    A thread sends LowCmd at the contract's rate once the robot is armed. Connecting does not arm: call :meth:`arm`, and
    again when the robot is in its start pose. It ends in damping whatever happens: stop, fault, silence or Ctrl-C.

    Args:
        contract: robot file of backend unitree, by name or as it is.
        interface: network interface of the robot ("enp2s0"); domain: DDS domain.
        release: whether to end the built-in motion service first, which would fight us.

    Attributes:
        corrupt: states dropped because their checksum was wrong.
    """

    def __init__(
        self, contract: RobotContract | str = "g1", interface: str | None = None, domain: int = 0, release: bool = True
    ) -> None:
        if isinstance(contract, str):
            contract = load_contract(contract)
        if contract.unitree is None:
            raise TwinloomError(f"robot {contract.name} is not one of backend unitree")
        super().__init__(contract.description.partition(",")[0], contract)
        self.wire = contract.unitree
        self._interface, self._domain, self._release = interface, domain, release
        self._kp, self._kd = contract.column("kp"), contract.column("kd")
        self._states: Mailbox[Any] = Mailbox()
        self._lock, self._loop, self._thread = threading.RLock(), None, None
        self._failure: BaseException | None = None
        self.corrupt = 0

    @property
    def observation_features(self) -> dict[str, Feature]:
        """Joint positions and velocities, orientation (wxyz) and angular velocity (body frame) of the pelvis."""
        names = self.contract.names
        return {
            **super().observation_features,
            VELOCITY: Feature("float64", (len(names),), names, "rad/s"),
            QUATERNION: Feature("float64", (4,), ("qw", "qx", "qy", "qz"), "unit quaternion wxyz"),
            GYROSCOPE: Feature("float64", (3,), ("x", "y", "z"), "rad/s, body frame"),
        }

    # ------------------------------------------------------------ lifecycle

    def connect(self, timeout_s: float = 5.0) -> None:
        """Open the topics and wait for a state; nothing is sent yet.

        Raises:
            TwinloomError: no SDK, or the built-in motion service does not let go.
            RobotLostError: no state within ``timeout_s``.
        """
        if self._connected:
            return
        self.sdk = Sdk(self.wire.message)
        channel = self.sdk.channel
        channel.ChannelFactoryInitialize(self._domain, self._interface)
        self._subscriber = channel.ChannelSubscriber(self.wire.state, self.sdk.types.LowState_)
        self._subscriber.Init(self._receive, 1)
        self._publisher = channel.ChannelPublisher(self.wire.command, self.sdk.types.LowCmd_)
        self._publisher.Init()
        if not self._wait_for_state(timeout_s):
            raise RobotLostError(f"{self.name}: no {self.wire.state} within {timeout_s:g} s; check cable and interface")
        if self._release:
            self._release_motion_service(timeout_s)
        self._command = self.sdk.new_command()
        self.safety = SafetyFilter(self.contract)
        self._failure, self._sending_until, self._connected = None, -np.inf, True
        self._loop = RateLoop(self.contract.rate_hz)
        self._thread = threading.Thread(target=self._run, args=(self._loop,), daemon=True, name="unitree")
        self._thread.start()

    def disconnect(self) -> None:
        """Damp, and fall silent."""
        if not self._connected or self._loop is None or self._thread is None:
            return
        self._loop.stop()
        self._thread.join(timeout=5.0)
        self._connected = False
        self._say()

    # ------------------------------------------------------------- exchange

    def get_observation(self) -> dict[str, np.ndarray]:
        """The newest state. Raises RobotLostError when none came for the watchdog's ``damp_s``."""
        self._check()
        slot = self._states.get()
        if slot is None or time.monotonic() - slot[0] > self.contract.watchdog.damp_s:
            raise RobotLostError(f"{self.name} sends no state any more; connect again")
        received, state = slot
        motors = state.motor_state[: len(self.contract.names)]
        return {
            STATE: np.array([motor.q for motor in motors]),
            VELOCITY: np.array([motor.dq for motor in motors]),
            QUATERNION: np.array(list(state.imu_state.quaternion), float),
            GYROSCOPE: np.array(list(state.imu_state.gyroscope), float),
            TIMESTAMP: np.array([received]),
        }

    def send_action(self, action: np.ndarray) -> np.ndarray:
        """Offer (J,) joint targets; returns those that the robot goes to, or holds if they were refused."""
        self._check()
        with self._lock:
            verdict = self.safety.command(action, time.monotonic(), source="send_action")
            sent = self.safety.commands.target.copy() if verdict.accepted else self.safety.limiter.q.copy()
        self._say()
        return sent

    def arm(self) -> Verdict:
        """First: move to the start pose. Again, there: let commands count."""
        with self._lock:
            return self.safety.arm(time.monotonic())

    def estop(self, reason: str = "asked for") -> Verdict:
        """Damp at once, until :meth:`reset_safety`."""
        return self.safety.estop(reason)

    def reset_safety(self) -> Verdict:
        """Leave the emergency stop or damping."""
        with self._lock:
            return self.safety.reset(time.monotonic())

    @property
    def mode(self) -> Mode:
        """Of the safety filter."""
        return self.safety.mode

    # -------------------------------------------------------------- helpers

    def _receive(self, state: Any) -> None:
        """A state came, in a thread of the SDK."""
        if state.crc != self.sdk.crc.Crc(state):
            self.corrupt += 1
            return
        self._states.put(state)

    def _wait_for_state(self, timeout_s: float) -> bool:
        end = time.monotonic() + timeout_s
        while self._states.get() is None and time.monotonic() < end:
            time.sleep(0.01)
        return self._states.get() is not None

    def _release_motion_service(self, timeout_s: float) -> None:
        client = self.sdk.switcher.MotionSwitcherClient()
        client.SetTimeout(timeout_s)
        client.Init()
        for _ in range(5):
            _, running = client.CheckMode()
            if not (running or {}).get("name"):
                return
            client.ReleaseMode()
            time.sleep(0.1)
        raise TwinloomError(f"{self.name}: its motion service does not let go; put it into debug mode with the remote")

    def _run(self, loop: RateLoop) -> None:
        try:
            for now in loop:
                slot = self._states.take()
                with self._lock:
                    out = self.safety.step(now, None if slot is None else self._positions(slot[1]))
                self._send(out, now)
        except Exception as error:  # handed to whoever asks next
            self._failure = error
        finally:
            for _ in range(round(GOODBYE_S / loop.period) if self._sending_until > -np.inf else 0):
                self._publish(self.safety.limiter.q, damping=True)
                time.sleep(loop.period)

    def _send(self, out: Output, now: float) -> None:
        """What the filter lets out; when it falls silent, damping for a while, since a motor keeps its last command."""
        if out.send:
            self._sending_until = now + GOODBYE_S
            self._publish(out.q, out.damping, out.qd)
        elif now < self._sending_until:
            self._publish(out.q, damping=True)

    def _publish(self, q: np.ndarray, damping: bool, qd: np.ndarray | None = None) -> None:
        command, state = self._command, self._states.get()
        if self.wire.message == "hg":
            command.mode_pr = self.wire.mode_pr
            command.mode_machine = state[1].mode_machine if state is not None else 0
        else:
            command.head, command.level_flag = [0xFE, 0xEF], 0xFF
        for k, motor in enumerate(command.motor_cmd[: len(self._kp)]):
            motor.mode, motor.tau = ENABLED, 0.0
            motor.q = 0.0 if damping else float(q[k])
            motor.dq = 0.0 if damping or qd is None else float(qd[k])
            motor.kp = 0.0 if damping else float(self._kp[k])
            motor.kd = self.wire.damping if damping else float(self._kd[k])
        command.crc = self.sdk.crc.Crc(command)
        self._publisher.Write(command)

    def _positions(self, state: Any) -> np.ndarray:
        return np.array([motor.q for motor in state.motor_state[: len(self._kp)]])

    def _check(self) -> None:
        self._require_connection()
        if self._failure is not None:
            raise TwinloomError(f"{self.name}: {self._failure}; connect again") from self._failure

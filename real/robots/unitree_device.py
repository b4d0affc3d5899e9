"""Unitree robots through the low-level DDS topics of their SDK (LowCmd, LowState), for example the G1: the wire.

The SDK (``unitree_sdk2py``) is optional: nothing of it is imported before a :class:`UnitreeDevice` is made.
Gains come from the robot file alone; a policy sends positions and can never set kp or kd. Not tried on hardware: the
tests run against a stand-in for the SDK that checks every message.
"""

from __future__ import annotations

import importlib
import time
from typing import Any, NamedTuple

import numpy as np

from real.contract import RobotContract
from real.robots.base import RobotLostError
from real.safety.modes import Output
from real.timing import Mailbox
from sim.plant import Base
from twinloom.errors import TwinloomError

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


class MotorState(NamedTuple):
    """One LowState: positions (J,) and velocities (J,) of the joints, and the base, whose place is not measured."""

    q: np.ndarray
    qd: np.ndarray
    base: Base

    @classmethod
    def of(cls, message: Any, joints: int) -> MotorState:
        """From the message of the SDK."""
        motors, imu, unknown = message.motor_state[:joints], message.imu_state, np.full(3, np.nan)
        acceleration = np.array(list(getattr(imu, "accelerometer", unknown)), float)
        base = Base(unknown, np.array(list(imu.quaternion)), unknown, np.array(list(imu.gyroscope)), acceleration)
        return cls(np.array([motor.q for motor in motors]), np.array([motor.dq for motor in motors]), base)


class UnitreeDevice:
    """Reads states of a Unitree robot and writes what a safety filter lets out. Opening it sends nothing.

    Args:
        contract: robot file of backend unitree.
        interface: network interface of the robot ("enp2s0"); domain: DDS domain.
        release: whether to end the built-in motion service first, which would fight us.
        timeout_s: how long to wait for the first state and for the service.

    Attributes:
        exact: False, its time is as it is.
        states: newest state and when it came.
        corrupt: states dropped because their checksum was wrong.

    Raises:
        RobotLostError: no state comes.
        TwinloomError: another robot's file, no SDK, or the built-in motion service does not let go.
    """

    exact = False

    def __init__(
        self,
        contract: RobotContract,
        interface: str | None = None,
        domain: int = 0,
        release: bool = True,
        timeout_s: float = 5.0,
    ) -> None:
        if contract.unitree is None:
            raise TwinloomError(f"robot {contract.name} is not one of backend unitree")
        self.contract, self.wire = contract, contract.unitree
        self._kp, self._kd = contract.column("kp"), contract.column("kd")
        self.states: Mailbox[Any] = Mailbox()
        self.corrupt = self.repeated = self._tick = 0
        self._sending_until = -np.inf
        self.sdk = Sdk(self.wire.message)
        channel = self.sdk.channel
        channel.ChannelFactoryInitialize(domain, interface)
        self._subscriber = channel.ChannelSubscriber(self.wire.state, self.sdk.types.LowState_)
        self._subscriber.Init(self._receive, 1)
        self._publisher = channel.ChannelPublisher(self.wire.command, self.sdk.types.LowCmd_)
        self._publisher.Init()
        self._wait_for_state(timeout_s)
        if release:
            self._release_motion_service(timeout_s)
        self._command = self.sdk.new_command()

    def take(self) -> MotorState | None:
        """What the robot measured, if a state came since the last look, else None."""
        slot = self.states.take()
        return None if slot is None else MotorState.of(slot[1], len(self._kp))

    def read(self, stamp_ns: int = 0) -> np.ndarray | None:
        """(J,) positions if a state came since the last read, else None."""
        state = self.take()
        return None if state is None else state.q

    def write(self, out: Output, now: float) -> None:
        """Send what the filter lets out; when that falls silent, damping: a motor keeps its last command."""
        if out.send:
            self._sending_until = now + GOODBYE_S
            self._publish(out.q, out.qd, out.damping)
        elif now < self._sending_until:
            self._publish(out.q, out.qd, True)

    def close(self) -> None:
        """End in damping, if anything was ever sent. Call it from where :meth:`write` is called, or after that."""
        if self._sending_until == -np.inf:
            return
        nothing, period = np.zeros(len(self._kp)), 1.0 / self.contract.rate_hz
        for _ in range(round(GOODBYE_S / period)):
            self._publish(nothing, nothing, True)
            time.sleep(period)
        self._sending_until = -np.inf

    # -------------------------------------------------------------- helpers

    def _receive(self, state: Any) -> None:
        """A state came, in a thread of the SDK."""
        if state.crc != self.sdk.crc.Crc(state):
            self.corrupt += 1
            return
        tick = int(getattr(state, "tick", 0))
        if tick and tick == self._tick:
            self.repeated += 1  # what was measured once says nothing about now, however often it comes
            return
        self._tick = tick
        self.states.put(state)

    def _wait_for_state(self, timeout_s: float) -> None:
        end = time.monotonic() + timeout_s
        while self.states.get() is None:
            if time.monotonic() > end:
                wrong = f"; {self.corrupt} with a wrong checksum" if self.corrupt else ""
                problem = f"no {self.wire.state} within {timeout_s:g} s{wrong}"
                raise RobotLostError(f"{self.contract.name}: {problem}; check cable and interface")
            time.sleep(0.01)

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
        name = self.contract.name
        raise TwinloomError(f"{name}: its motion service does not let go; put it into debug mode with the remote")

    def _publish(self, q: np.ndarray, qd: np.ndarray, damping: bool) -> None:
        command, state = self._command, self.states.get()
        if self.wire.message == "hg":
            command.mode_pr = self.wire.mode_pr
            command.mode_machine = state[1].mode_machine if state is not None else 0
        else:
            command.head, command.level_flag = [0xFE, 0xEF], 0xFF
        for k, motor in enumerate(command.motor_cmd[: len(self._kp)]):
            motor.mode, motor.tau = ENABLED, 0.0
            motor.q = 0.0 if damping else float(q[k])
            motor.dq = 0.0 if damping else float(qd[k])
            motor.kp = 0.0 if damping else float(self._kp[k])
            motor.kd = self.wire.damping if damping else float(self._kd[k])
        command.crc = self.sdk.crc.Crc(command)
        self._publisher.Write(command)

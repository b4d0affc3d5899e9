"""A Unitree robot behind the common interface, controlled joint by joint by a thread of ours."""

from __future__ import annotations

import threading
import time

import numpy as np

from real.contract import RobotContract, load_contract
from real.robots.base import GYROSCOPE, QUATERNION, VELOCITY, BaseRobot, RobotLostError, imu_features
from real.robots.unitree_device import MotorState, UnitreeDevice
from real.safety.balance import Balance
from real.safety.filter import SafetyFilter
from real.safety.modes import Mode, Verdict
from real.timing import RateLoop
from twinloom.errors import TwinloomError
from twinloom.features import STATE, TIMESTAMP, Feature


class UnitreeRobot(BaseRobot):
    """A Unitree robot through :class:`UnitreeDevice`.

    Connecting does not arm: call :meth:`arm`, and again when the robot is in its start pose. Whatever happens, be it a
    stop, a fault, silence or Ctrl-C, it ends in damping.

    Args:
        contract: robot file of backend unitree, by name or as it is.
        interface, domain, release: see :class:`UnitreeDevice`.
    """

    def __init__(
        self, contract: RobotContract | str = "g1", interface: str | None = None, domain: int = 0, release: bool = True
    ) -> None:
        if isinstance(contract, str):
            contract = load_contract(contract)
        if contract.unitree is None:
            raise TwinloomError(f"robot {contract.name} is not one of backend unitree")
        super().__init__(contract.description.partition(",")[0], contract)
        self._options = {"interface": interface, "domain": domain, "release": release}
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None

    @property
    def observation_features(self) -> dict[str, Feature]:
        """Joint positions and velocities, orientation (wxyz) and angular velocity (body frame) of the pelvis."""
        return {**super().observation_features, **imu_features(self.contract)}

    def connect(self) -> None:
        """Open the topics and wait for a state; nothing is sent yet. Raises as :class:`UnitreeDevice` does."""
        if self._connected:
            return
        self.device = UnitreeDevice(self.contract, **self._options)
        self.safety = SafetyFilter(self.contract)
        self._failure, self._connected = None, True
        self._loop = RateLoop(self.contract.rate_hz)
        self._thread = threading.Thread(target=self._run, args=(self._loop,), daemon=True, name="unitree")
        self._thread.start()

    def disconnect(self) -> None:
        """Damp, and fall silent."""
        if not self._connected or self._thread is None:
            return
        self._loop.stop()
        self._thread.join(timeout=5.0)
        self._connected = False
        self._say()

    def get_observation(self) -> dict[str, np.ndarray]:
        """The newest state. Raises RobotLostError when none came for the watchdog's ``damp_s``."""
        self._check()
        slot = self.device.states.get()
        if slot is None or time.monotonic() - slot[0] > self.contract.watchdog.damp_s:
            raise RobotLostError(f"{self.name} sends no state any more; connect again")
        received, message = slot
        state = MotorState.of(message, len(self.contract.names))
        return {
            STATE: state.q,
            VELOCITY: state.qd,
            QUATERNION: state.base.quat,
            GYROSCOPE: state.base.angular_velocity,
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

    def _run(self, loop: RateLoop) -> None:
        balance = Balance(self.contract) if self.contract.fall else None
        try:
            for now in loop:
                with self._lock:
                    state = self.device.take()
                    if balance is not None and state is not None:
                        self.safety.balance(balance.look(state.base.quat, state.q))
                    out = self.safety.step(now, None if state is None else state.q)
                self.device.write(out, now)
        except Exception as error:  # handed to whoever asks next
            self._failure = error
        finally:
            self.device.close()

    def _check(self) -> None:
        self._require_connection()
        if self._failure is not None:
            raise TwinloomError(f"{self.name}: {self._failure}; connect again") from self._failure

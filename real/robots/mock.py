"""A robot without hardware or simulator, and with every fault that a real one has shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from real.contract import RobotContract, load_contract
from real.robots.base import BaseRobot, RobotLostError
from real.safety.filter import SafetyFilter
from real.safety.modes import Output, Verdict
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.features import IMAGES, STATE, TIMESTAMP
from twinloom.joint_names import match

FAULTS = {
    "nan": "a joint is measured at NaN",
    "inf": "a joint is measured at infinity",
    "jump": "a joint is measured `amount` rad away from where it is",
    "stale": "the state does not change any more, nor its time",
    "wrong dimension": "one joint too many is measured",
    "shuffled": "joints come in another order",
    "missing": "a joint does not come",
    "duplicate": "a joint comes twice",
    "prefixed": "all names have a prefix",
    "camera": "the cameras bring no image",
    "clock": "the clock jumps by `amount` seconds",
    "slow": "every call takes `amount` seconds longer",
    "disconnect": "the robot does not answer",
}


@dataclass(frozen=True)
class Fault:
    """A fault and when it is there.

    Attributes:
        kind: one of FAULTS.
        start, seconds: from when on (since connecting) and for how long.
        joint: index of the joint that it is about.
        amount: see FAULTS.
    """

    kind: str
    start: float = 0.0
    seconds: float = float("inf")
    joint: int = 0
    amount: float = 1.0


class MockRobot(BaseRobot):
    """Joints that follow what the safety filter lets out, exactly and at once; nothing runs in the background.

    Every exchange is a control tick; :meth:`tick` is one without an exchange.

    Args:
        contract: robot file, by name or as it is.
        faults: what goes wrong, and when.
        clock, sleep: replaceable in tests.

    Attributes:
        sent: the last output of the filter; position: (J,) where the joints really are.
    """

    def __init__(
        self,
        contract: RobotContract | str = "franka-panda",
        faults: Sequence[Fault] = (),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if isinstance(contract, str):
            contract = load_contract(contract)
        super().__init__(f"mock {contract.name}", contract, contract.cameras)
        for fault in faults:
            if fault.kind not in FAULTS:
                raise UnknownNameError("fault", fault.kind, FAULTS, "real.robots.mock.FAULTS")
        self.faults, self._clock, self._sleep = tuple(faults), clock, sleep
        self.position = contract.home.copy()
        self._began = 0.0

    def connect(self) -> None:
        """Arm at home; with a fault already there that may fail."""
        self._began = self._clock()
        self.safety = SafetyFilter(self.contract, guards=())
        self._connected = True
        self._kept: tuple[float, np.ndarray] | None = None
        self.sent: Output = self.tick()
        self._arm(self._time())
        self._say()

    def disconnect(self) -> None:
        """Let go."""
        self._connected = False

    def tick(self) -> Output:
        """A control tick: measure, let the filter decide, follow."""
        self._require_connection()
        now = self._time()
        if self.safety.mode.value != "disconnected" or not self._has("disconnect"):
            try:
                _, measured = self._read()
            except TwinloomError:  # no state is what the filter gets to see
                measured = None
            self.sent = self.safety.step(now, measured)
            if self.sent.send and not self.sent.damping:
                self.position = self.sent.q.copy()
        self._say()
        return self.sent

    def get_observation(self) -> dict[str, np.ndarray]:
        """What the driver says, faults and all.

        Raises:
            NamesError: joints cannot be told by name.
            RobotLostError: the robot does not answer.
            TwinloomError: a state of the wrong dimension.
        """
        self._require_connection()
        self._wait()
        stamp, state = self._read()
        self.tick()
        found = {STATE: state, TIMESTAMP: np.array([stamp])}
        if not self._has("camera"):
            for camera in self.cameras:
                found[IMAGES + camera.name] = np.zeros((camera.height, camera.width, 3), np.uint8)
        return found

    def send_action(self, action: np.ndarray) -> np.ndarray:
        """Offer (J,) targets; returns where the joints were sent in this tick."""
        self._require_connection()
        self._wait()
        if self._has("disconnect"):
            raise RobotLostError(f"{self.name} does not answer; connect again")
        self.verdict: Verdict = self.safety.command(action, self._time(), source="send_action")
        return self.tick().q

    def driver_state(self) -> tuple[list[str], np.ndarray]:
        """Joint names and positions as the driver would publish them, with the faults of now."""
        names, q = list(self.contract.devices), self.contract.to_device(self.position)
        for kind, value in (("nan", np.nan), ("inf", np.inf)):
            if fault := self._has(kind):
                q[fault.joint] = value
        if fault := self._has("jump"):
            q[fault.joint] += fault.amount
        if self._has("shuffled"):
            names, q = names[::-1], q[::-1]
        if fault := self._has("missing"):
            del names[fault.joint]
            q = np.delete(q, fault.joint)
        if fault := self._has("duplicate"):
            names[fault.joint - 1] = names[fault.joint]
        if self._has("prefixed"):
            names = [f"robot1/{name}" for name in names]
        if self._has("wrong dimension"):
            q = np.append(q, 0.0)
        return names, q

    def _read(self) -> tuple[float, np.ndarray]:
        if self._has("disconnect"):
            raise RobotLostError(f"{self.name} does not answer; connect again")
        if self._has("stale") and self._kept is not None:
            return self._kept
        names, q = self.driver_state()
        if len(names) != len(q):
            raise TwinloomError(f"{self.name}: {len(q)} positions for {len(names)} joint names")
        order = match(names, self.contract.devices, what=f"the state of {self.name}")
        self._kept = (self._time(), self.contract.from_device(q[order]))
        return self._kept

    def _time(self) -> float:
        fault = self._has("clock")
        return self._clock() + (fault.amount if fault else 0.0)

    def _wait(self) -> None:
        if fault := self._has("slow"):
            self._sleep(fault.amount)

    def _has(self, kind: str) -> Fault | None:
        since = self._clock() - self._began
        return next((f for f in self.faults if f.kind == kind and f.start <= since < f.start + f.seconds), None)

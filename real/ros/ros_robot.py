"""A robot over topics with the interface of every robot: connect, get_observation, send_action, disconnect."""

from __future__ import annotations

import time
from types import TracebackType

import numpy as np
from std_msgs.msg import String

from real.contract import RobotContract, load_contract
from real.ros.commander import Commander
from real.ros.health import Health
from real.ros.observer import Observer
from real.ros.qos import LATCHED
from real.ros.session import DISCOVERY_S, Session
from real.safety.modes import Mode
from twinloom.errors import TwinloomError
from twinloom.features import IMAGE_AXES, IMAGES, STATE, Feature

UNIT = "rad; gripper opening in [0, 1]"
START_S = 30.0


class RosRobot:
    """Drives a robot node: a simulated robot, or the guard in front of real drivers. That node owns the safety filter.

    Args:
        contract: robot file, or its name.
        prefix: before the command topics; "/guarded" for a guard.
        images: "raw", "jpeg" or "none".
        node: name of the robot node.
        domain_id: of DDS; that of the environment if None.
        arm: arm the robot when connecting, and wait until it is ready.
        patience_s: how long connecting waits for each part of the robot to answer.
    """

    def __init__(
        self,
        contract: RobotContract | str,
        *,
        prefix: str = "",
        images: str = "raw",
        node: str = "/robot",
        domain_id: int | None = None,
        arm: bool = True,
        patience_s: float = DISCOVERY_S,
    ) -> None:
        self.contract = contract = load_contract(contract) if isinstance(contract, str) else contract
        self.name = f"{contract.name} over ROS"
        self._prefix, self._images, self._robot, self._domain, self._arm = prefix, images, node, domain_id, arm
        self._patience_s = patience_s
        self._session: Session | None = None
        self.mode = ""
        joints = Feature("float32", (len(contract.names),), contract.names, UNIT)
        self.action_features: dict[str, Feature] = {"action": joints}
        self.observation_features: dict[str, Feature] = {STATE: joints}
        for camera in contract.cameras if images != "none" else ():
            shape = (camera.height, camera.width, 3)
            self.observation_features[IMAGES + camera.name] = Feature("video", shape, IMAGE_AXES)

    @property
    def is_connected(self) -> bool:
        """Whether `connect` has been called."""
        return self._session is not None

    def connect(self) -> None:
        """Join the graph, find the robot, arm it.

        Raises:
            TwinloomError: the robot does not answer in time, or cannot be armed.
        """
        if self._session is not None:
            raise TwinloomError(f"{self.contract.name} is connected already")
        self._session = session = Session(f"{self.contract.name.replace('-', '_')}_client", self._domain)
        try:
            health = Health(session.node)
            self._observer = Observer(
                session.node, self.contract, self.observation_features, jpeg=self._images == "jpeg", health=health
            )
            self._commander = Commander(session.node, self.contract, health, session.node.get_name(), self._prefix)
            session.node.create_subscription(String, f"{self._robot}/mode", self._mode_is, LATCHED)
            patience, name = self._patience_s, self.contract.name
            session.wait(f"state of {name}", lambda: self._observer.age(time.monotonic()) < 1.0, patience)
            known = ("", Mode.DISCONNECTED.value)
            session.wait(f"mode of {self._robot}", lambda: self.mode not in known, patience)
            session.wait("listener for commands", lambda: not self._commander.missing(), patience)
            if self._arm:
                driven = (Mode.READY.value, Mode.ACTIVE.value)
                if self.mode not in (*driven, Mode.MOVING_TO_START.value):
                    session.trigger(f"{self._robot}/arm")  # says why not, after an emergency stop
                session.wait(f"readiness of {self._robot}", lambda: self.mode in driven, START_S)
            session.wait("images", lambda: not self._observer.observe(time.monotonic())[2], patience)
        except BaseException:
            self.disconnect()
            raise

    def get_observation(self) -> dict[str, np.ndarray]:
        """The newest state (J,), images (H, W, 3), and "timestamp" (1,), monotonic seconds.

        Raises:
            TwinloomError: not connected, or states or images stopped coming.
        """
        self._connected()
        observation, _, missing = self._observer.observe(time.monotonic())
        if missing:
            raise TwinloomError(f"{self.contract.name}: {missing}")
        return observation

    def send_action(self, action: np.ndarray) -> np.ndarray:
        """Command all joints (J,). Returns what is commanded: clipped to the soft limits.

        Whether it is followed is the filter's decision; see ``mode``.

        Raises:
            TwinloomError: not connected, wrong shape, or not finite.
        """
        self._connected()
        given = np.asarray(action, float)
        if given.shape != (len(self.contract.names),) or not np.isfinite(given).all():
            raise TwinloomError(f"an action is {len(self.contract.names)} finite numbers, got {given.shape}: {given}")
        q = np.clip(given, *self.contract.soft_limits)
        newest = self._observer.state.get()
        stamp_ns = newest[1][1] if newest else time.time_ns()
        period = 1.0 / self.contract.command_hz
        self._commander.send(lambda times: np.tile(q, (len(times), 1)), stamp_ns, period, 2 * period)
        return q.astype(np.float32)

    def disconnect(self) -> None:
        """Leave the graph; the robot brakes and holds by itself. Harmless if not connected."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _connected(self) -> None:
        if self._session is None:
            raise TwinloomError(f"{self.contract.name} is not connected; call connect() or use it in a with statement")

    def _mode_is(self, message: String) -> None:
        self.mode = message.data

    def __enter__(self) -> RosRobot:
        self.connect()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.disconnect()

"""A task of our simulators as a robot: in real time, or in lockstep with whoever sends the actions."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np

from real.contract import Camera, RobotContract, contracts, load_contract
from real.robots.base import GYROSCOPE, QUATERNION, VELOCITY, BaseRobot, imu_features
from real.robots.plant import SimPlant
from real.safety.balance import Balance
from real.safety.filter import SafetyFilter
from real.safety.modes import Verdict
from real.timing import RateLoop
from sim.families import Family, families, find
from sim.plant import Base
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.features import IMAGES, STATE, TIMESTAMP, Feature


class SimRobot(BaseRobot):
    """A task whose robot behaves as hardware does: every action passes the safety filter.

    In real time (the default) a thread runs the physics and the filter at the contract's rate; actions may come at any
    time, and if none come the robot brakes. In lockstep each :meth:`send_action` advances the scene by one control step
    of ``1/fps`` and nothing happens in between: an action inside the limits has, bit for bit, the effect that it has on
    the family's experts.

    Args:
        what: "family/task", or a task's name that is unique; or "family/robot", which is the family's first task.
        robot: robot of ``sim list robots``; the family's first if empty.
        seed, episode, randomize, split: which scene; as for ``datagen``. :meth:`reset` goes on to the next episode.
        cameras: cameras of ``sim list cameras`` whose images observations bring; size: (width, height) of them.
        lockstep: see above; fps: its control rate, a divisor of 250.
        contract: another robot file than the one of ``robot``; its joints must be those of the model.
        record: randomisation record of an episode, whose scene is made again instead of one from the seed; lockstep
            only.

    Attributes:
        safety: the filter. In real time use :meth:`arm` and the others here, which take its lock.

    Raises:
        UnknownNameError: no such task, robot or contract.
        TwinloomError: a rate, camera or axis that cannot be.
    """

    def __init__(
        self,
        what: str,
        robot: str = "",
        seed: int = 0,
        episode: int = 0,
        randomize: str = "none",
        split: str = "seen",
        cameras: tuple[str, ...] = (),
        size: tuple[int, int] = (320, 240),
        lockstep: bool = False,
        fps: int = 25,
        contract: RobotContract | str | None = None,
        record: dict[str, Any] | None = None,
    ) -> None:
        family, task, robot = task_and_robot(what, robot)
        if not lockstep and (record is not None or split != "seen"):
            raise TwinloomError("a record, or the split unseen, needs lockstep=True")
        family.select("cameras", cameras or "none", optional=True)
        if not isinstance(contract, RobotContract):
            contract = load_contract(contract) if contract else contract_of(robot)
        if contract.model is None:
            raise TwinloomError(f"robot {contract.name} has no model, so it cannot be simulated")
        contract = replace(contract, confirm=False)  # nobody stands beside it
        images = tuple(Camera(name, "", size[0], size[1], fps) for name in cameras)
        super().__init__(f"{what} with {contract.name}", contract, images)
        self.task, self.lockstep, self.fps = f"{family.name}/{task}", lockstep, fps
        self._size, self._lock = size, threading.RLock()
        self._scene: dict[str, Any] = {"seed": seed, "episode": episode, "randomize": randomize, "split": split}
        self._scene |= {"record": record, "fps": fps if lockstep else None, "images": bool(cameras)}
        self._plant = SimPlant(contract, self.task, **self._scene)
        self._thread: threading.Thread | None = None
        self._loop: RateLoop | None = None
        self._failure: BaseException | None = None

    @property
    def observation_features(self) -> dict[str, Feature]:
        """Also velocities and the IMU of a robot on legs."""
        return {**super().observation_features, **(imu_features(self.contract) if self.contract.imu else {})}

    @property
    def base(self) -> Base | None:
        """The simulator's truth of a floating base, for controllers that need it; None of a robot without."""
        return self._plant.base()

    # ------------------------------------------------------------ lifecycle

    def connect(self) -> None:
        """Draw the scene, let it settle, start the clock and arm the robot, which stands at home."""
        if self._connected:
            return
        self._plant = SimPlant(self.contract, self.task, **self._scene)
        self._plant.start()
        self._balance = Balance(self.contract) if self.contract.fall else None
        self.safety = SafetyFilter(self.contract, rate_hz=self._scene["fps"], lockstep=self.lockstep)
        self._time, self._failure, self._connected = 0.0, None, True
        # the servos hold home, so motion starts from there and not from where a hand sags to
        self.safety.step(self._now(), self._plant.home)
        self._arm(self._now())
        if not self.lockstep:
            self._start()
        self._say()

    def reset(self) -> None:
        """Go on to the next episode: another scene of the same task, or the record's again."""
        self.disconnect()
        self._scene["episode"] += 1
        self.connect()

    def disconnect(self) -> None:
        """Brake and stop the clock."""
        if not self._connected:
            return
        if self._loop is not None and self._thread is not None:
            with self._lock:
                self.safety.disarm()
            self._loop.stop()
            self._thread.join(timeout=10.0)
            self._loop = self._thread = None
        self._plant.close()
        self._connected = False
        self._say()

    # ------------------------------------------------------------- exchange

    def get_observation(self) -> dict[str, np.ndarray]:
        """Measured joints, images if asked for, and the time: simulated in lockstep, monotonic in real time."""
        self._check()
        with self._lock:
            q, qd = self._plant.read()
            found = {STATE: q, TIMESTAMP: np.array([self._now()])}
            if (base := self._plant.base()) is not None:
                found |= {VELOCITY: qd, QUATERNION: base.quat, GYROSCOPE: base.angular_velocity}
            now = self._plant.scene.snapshot() if self.cameras else None
        if self.cameras:
            drawn = self._plant.scene.images(now, [camera.name for camera in self.cameras], self._size)
            found |= {IMAGES + name: image for name, image in drawn.items()}
        return found

    def send_action(self, action: np.ndarray) -> np.ndarray:
        """Offer (J,) joint targets. In lockstep a control step passes meanwhile.

        Returns:
            (J,) the targets that the robot goes to: clipped ones, or those it holds if the action was refused; in
            lockstep what the limits let it reach in this step.
        """
        self._check()
        with self._lock:
            verdict = self.safety.command(action, self._now(), source="send_action")
            if self.lockstep:
                sent = self._step()
            else:
                sent = self.safety.commands.target.copy() if verdict.accepted else self.safety.limiter.stopping_pose()
        self._say()
        return sent

    # an environment of sim.loop, by the words of Robot

    observe, apply = get_observation, send_action

    @property
    def over(self) -> bool:
        """Never: a robot goes on after its task has succeeded."""
        return False

    @property
    def success(self) -> bool:
        """Whether the task's check has held for its dwell time."""
        return self._plant.success

    @property
    def instruction(self) -> str:
        """The sentence of this episode."""
        return self._plant.instruction()

    def record(self) -> dict[str, Any]:
        """The randomisation record of the scene."""
        return self._plant.record()

    # --------------------------------------------------------------- safety

    def arm(self) -> Verdict:
        """See SafetyFilter.arm."""
        with self._lock:
            return self.safety.arm(self._now())

    def estop(self, reason: str = "asked for") -> Verdict:
        """See SafetyFilter.estop."""
        return self.safety.estop(reason)

    def reset_safety(self) -> Verdict:
        """See SafetyFilter.reset."""
        with self._lock:
            return self.safety.reset(self._now())

    # -------------------------------------------------------------- helpers

    def _now(self) -> float:
        return self._time if self.lockstep else time.monotonic()

    def _measure(self) -> np.ndarray:
        return self._plant.read()[0]

    def _step(self) -> np.ndarray:
        from sim.engine.base import DivergedError

        self._time += 1.0 / self.fps
        self._look(self._plant)
        out = self.safety.step(self._time, self._measure())
        try:
            self._plant.obey(out, 1.0 / self.fps)
        except DivergedError as error:
            self._failure = error
            self._check()
        return out.q

    def _start(self) -> None:
        self._loop = RateLoop(self.contract.rate_hz)
        self._thread = threading.Thread(target=self._run, args=(self._loop, self._plant), daemon=True, name="sim robot")
        self._thread.start()

    def _run(self, loop: RateLoop, plant: SimPlant) -> None:
        try:
            for now in loop:
                with self._lock:
                    self._look(plant)
                    out = self.safety.step(now, plant.read()[0])
                    plant.obey(out, loop.period)
        except Exception as error:  # handed to whoever asks next
            self._failure = error

    def _look(self, plant: SimPlant) -> None:
        """Tell the filter of a robot on legs whether it still stands."""
        if self._balance is not None and (base := plant.base()) is not None:
            self.safety.balance(self._balance.look(base.quat, plant.read()[0]))

    def _check(self) -> None:
        self._require_connection()
        if self._failure is not None:
            raise TwinloomError(f"{self.name}: {self._failure}; call reset()") from self._failure


def task_and_robot(what: str, robot: str = "") -> tuple[Family, str, str]:
    """Family, task and robot of "family/task", or of "family/robot", which means the family's first task.

    Raises:
        UnknownNameError: no such family, task or robot.
        TwinloomError: the family has no robot to command.
    """
    name, slash, word = what.rpartition("/")
    if slash and name in families() and not robot:
        one = families()[name]
        if word in one.names("robots") and word not in one.names("tasks"):
            one.get("plant")
            return one, next(iter(one.names("tasks"))), word
    one, task = find(what)
    one.get("plant")  # the first question: is there a robot at all
    return one, task, one.pick("robots", robot or None)


def contract_of(robot: str) -> RobotContract:
    """The contract of a simulated robot: the file of its name. Raises UnknownNameError if there is none."""
    known = contracts()
    if robot not in known:
        raise UnknownNameError("robot", robot, known, "real list robots")
    return load_contract(robot)

"""The plant of a task's family (`sim.plant.Plant`) in the order of a robot file's joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from real.contract import RobotContract
from real.safety.modes import Output
from sim.families import find
from sim.plant import Base, FloatingPlant, Plant
from twinloom.errors import TwinloomError

DAMPING = 8.0  # N m s/rad, where the robot file does not say


class SimPlant:
    """A task's scene with its robot, in simulated time, once it was started.

    Args:
        contract: robot file with a model; its joint names are those of the simulator.
        task: family/task, or a name that is unique.
        scene: which scene, and how its time passes, see `sim.plant.Plant`.

    Attributes:
        scene: the family's plant.

    Raises:
        UnknownNameError: no such task or robot.
        TwinloomError: the family has no robot to command; this one has no model, or its joints are not those of the
            model.
    """

    def __init__(self, contract: RobotContract, task: str, **scene: Any) -> None:
        if contract.model is None:
            raise TwinloomError(f"robot {contract.name} has no model, so it cannot be simulated")
        family, name = find(task)
        self.scene: Plant = family.get("plant")(name, family.pick("robots", contract.model), **scene)
        joints = self.scene.joints
        if sorted(joints) != sorted(contract.names):
            raise TwinloomError(f"robot {contract.name} names joints {contract.names}, its model has {joints}")
        self._contract = contract
        self._to_contract = np.array([joints.index(name) for name in contract.names])
        self._to_sim = np.argsort(self._to_contract)

    def start(self) -> None:
        """Draw the scene and let it settle."""
        self.scene.start()

    @property
    def home(self) -> np.ndarray:
        """(J,) what is commanded at the start."""
        return self.scene.home[self._to_contract]

    @property
    def target(self) -> np.ndarray:
        """(J,) the last commanded positions."""
        return self.scene.target[self._to_contract]

    @property
    def delay_s(self) -> float:
        """From a command to its effect."""
        return self.scene.delay_s

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self.scene.time

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """(J,) positions and velocities at the present time."""
        q, v = self.scene.read()
        return q[self._to_contract], v[self._to_contract]

    def advance(self, seconds: float, target: np.ndarray) -> None:
        """Let time pass while the targets move from the last ones to ``target`` (J,).

        Raises:
            DivergedError: the physics broke down.
        """
        self.scene.advance(seconds, np.asarray(target)[self._to_sim])

    def base(self) -> Base | None:
        """The floating base now; None of a robot without."""
        return self.scene.base() if isinstance(self.scene, FloatingPlant) else None

    def damp(self, seconds: float) -> None:
        """Let time pass while the joints are only damped; a robot that cannot be keeps its targets."""
        damping = self._contract.unitree.damping if self._contract.unitree else DAMPING
        if isinstance(self.scene, FloatingPlant):
            self.scene.damp(seconds, damping)
        else:
            self.advance(seconds, self.target)

    def obey(self, out: Output, seconds: float) -> None:
        """Let time pass as the safety filter says; without power the servos keep what they were told last."""
        if out.damping:
            self.damp(seconds)
        else:
            self.advance(seconds, out.q if out.send else self.target)

    @property
    def success(self) -> bool:
        """Whether the task is done."""
        return self.scene.success

    def record(self) -> dict[str, Any]:
        """Randomisation record: enough to rebuild the scene."""
        return self.scene.record()

    def instruction(self) -> str:
        """The sentence of this episode."""
        return self.scene.instruction

    def close(self) -> None:
        """Free what drawing holds."""
        self.scene.close()

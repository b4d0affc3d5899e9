"""Walking policies on a robot: what it measures and a command in, joint set points out. Loads no ROS, keeps no time.

    walker = make_walker("runs/walker", load_contract("g1"))
    targets = walker.act(sensed, Command((0.3, 0.0)))

Networks see joints and IMU alone. The model-based controller also needs the simulator's truth: no real robot has it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from real.contract import RobotContract
from twinloom.errors import TwinloomError
from twinloom.joint_names import NamesError, match
from twinloom.transforms import quat_to_matrix

if TYPE_CHECKING:
    from policies.humanoid.bodies import Walker as Body
    from sim.humanoid.walking.gait import Command
    from sim.plant import Base

MODEL_BASED, STAND = "model-based", "stand"
LATENCY_S = 0.02
"""From a state to the middle of the motion that answers it, as the model-based controller reckons with: two to three
ticks on the way, and half the time in which the filter approaches a command."""
GAINS = 0.02
"""Relative difference of gains from those that a policy was made with that is only rounding."""


@dataclass(frozen=True)
class Sensed:
    """What a robot measures in one control step, in the order of its file.

    Attributes:
        q, qd: (J,) rad and rad/s.
        quat: (4,) orientation of the base, wxyz; its heading may drift.
        gyroscope: (3,) rad/s, in the frame of the base.
        truth: the simulator's, where there is one.
    """

    q: np.ndarray
    qd: np.ndarray
    quat: np.ndarray
    gyroscope: np.ndarray
    truth: Base | None = None


class Pilot(Protocol):
    """Walks one robot; all joint arrays in the order of the humanoid's joints."""

    def targets(self, sensed: Sensed, command: Command) -> np.ndarray:
        """(nu,) rad of the coming control step."""
        ...


class WalkingPolicy:
    """A pilot in the order of a robot file.

    Args:
        make: a pilot for a new episode.
        joints: names in the pilot's order.
        contract: the robot.
    """

    def __init__(self, make: Callable[[], Pilot], joints: tuple[str, ...], contract: RobotContract) -> None:
        try:
            self._to_file = np.array(match(joints, contract.names, what=f"robot {contract.name}"))
        except NamesError as error:
            raise TwinloomError(str(error)) from error
        self._from_file, self._make, self._limits = np.argsort(self._to_file), make, contract.soft_limits
        self.reset()

    def reset(self) -> None:
        """A new episode: the robot stands."""
        self._pilot = self._make()

    def act(self, sensed: Sensed, command: Command) -> np.ndarray:
        """(J,) set points of the coming control step, inside the soft limits.

        Raises:
            TwinloomError: the policy gave a number that is not finite.
        """
        order = self._from_file
        seen = Sensed(sensed.q[order], sensed.qd[order], sensed.quat, sensed.gyroscope, sensed.truth)
        targets = self._pilot.targets(seen, command)[self._to_file]
        if not np.isfinite(targets).all():
            raise TwinloomError("the policy gave set points that are not finite")
        return np.clip(targets, *self._limits)


def make_walker(reference: str, contract: RobotContract, simulated: bool = False) -> WalkingPolicy:
    """A policy for a humanoid.

    Args:
        reference: folder of a walking network, "model-based:humanoid", "stand", or the YAML file of another simulator's
            policy (docs/humanoid/foreign.md).
        contract: its ``model`` is a humanoid.
        simulated: whether truth will come with the measurements.

    Raises:
        TwinloomError: no such policy; the robot is not one for it, or has other gains than it was made with.
    """
    from assets.robots.humanoid import humanoids

    if contract.imu is None or contract.model not in humanoids():
        raise TwinloomError(f"robot {contract.name} does not walk: it needs an imu and the model of a humanoid")
    check_truth(reference, simulated)
    from policies.humanoid.bodies import real_walker

    body = real_walker(contract.model)
    make, kp, kd = _pilots(reference, body)
    joints = tuple(body.body.model.actuator(k).name for k in range(body.body.model.nu))
    walker = WalkingPolicy(make, joints, contract)
    _check_gains(reference, contract, kp[walker._to_file], kd[walker._to_file])
    return walker


def check_truth(reference: str, simulated: bool) -> None:
    """Refuse the model-based controller where there is no truth. Raises TwinloomError, one line."""
    if reference.partition(":")[0] == MODEL_BASED and not simulated:
        raise TwinloomError(f"policy {reference} reads the simulator's truth: use sim:=true, or a network's folder")


def _pilots(reference: str, body: Body) -> tuple[Callable[[], Pilot], np.ndarray, np.ndarray]:
    """What makes pilots, and the gains (nu,) that they want."""
    gains = body.body.kp, body.body.kd
    if reference == STAND:
        return lambda: Stander(body), *gains
    if reference.partition(":")[0] == MODEL_BASED:
        return lambda: TruePilot(body), *gains
    if Path(reference).suffix in (".yaml", ".yml"):
        from policies.humanoid.foreign import load_foreign

        foreign = load_foreign(reference)
        return lambda: ForeignPilot(foreign.pilot()), foreign.kp, foreign.kd
    from policies.humanoid.student import load_network

    network = load_network(reference)
    return lambda: NetworkPilot(body, network), *gains


def _check_gains(reference: str, contract: RobotContract, kp: np.ndarray, kd: np.ndarray) -> None:
    for name, wanted in (("kp", kp), ("kd", kd)):
        given = contract.column(name)  # nan where the file leaves them to the driver
        off = np.abs(given - wanted) > GAINS * np.abs(wanted) + 1e-6
        if off.any():
            k = int(np.argmax(off))
            raise TwinloomError(
                f"policy {reference} was made with {name} {wanted[k]:g} of {contract.names[k]}, the file of"
                f" {contract.name} says {given[k]:g}: give the robot the policy's gains in a file of its own"
            )


class Stander:
    """Holds the standing pose: for tries, and to see a robot stand before it walks."""

    def __init__(self, body: Body) -> None:
        self._pose = body.body.default_targets

    def targets(self, sensed: Sensed, command: Command) -> np.ndarray:
        """See Pilot."""
        return self._pose.copy()


class NetworkPilot:
    """A network on joints and IMU."""

    def __init__(self, body: Body, network) -> None:
        from policies.humanoid.pupil import Pupil

        self._pupil = Pupil(body, network)

    def targets(self, sensed: Sensed, command: Command) -> np.ndarray:
        """See Pilot."""
        return self._pupil.targets(measurement(sensed), command)


class ForeignPilot:
    """A policy of another simulator on joints and IMU."""

    def __init__(self, pilot) -> None:
        self._pilot = pilot

    def targets(self, sensed: Sensed, command: Command) -> np.ndarray:
        """See Pilot."""
        return self._pilot.targets(measurement(sensed), command)


class TruePilot:
    """The model-based controller on the simulator's truth, which its model carries on to when the answer counts."""

    def __init__(self, body: Body) -> None:
        import mujoco

        from sim.humanoid.walking.controller import WalkingController

        self._body = body.body
        self._data = mujoco.MjData(self._body.model)
        self._controller = WalkingController(body.body, body.gains)
        self._ahead = round(LATENCY_S / self._body.model.opt.timestep)
        self._data.ctrl[:] = self._body.default_targets

    def targets(self, sensed: Sensed, command: Command) -> np.ndarray:
        """See Pilot."""
        import mujoco

        from sim.humanoid.walking.state import BodyState

        base, data, body = sensed.truth, self._data, self._body
        if base is None:
            raise TwinloomError("the model-based controller reads the simulator's truth, and none comes")
        data.qpos[:3], data.qpos[3:7], data.qpos[body.qpos_index] = base.position, base.quat, sensed.q
        data.qvel[:3], data.qvel[3:6], data.qvel[body.dof_index] = base.velocity, base.angular_velocity, sensed.qd
        mujoco.mj_step(body.model, data, self._ahead)
        BodyState.refresh(body.model, data)
        data.ctrl[:] = self._controller.targets(data, command)
        return data.ctrl.copy()


def measurement(sensed: Sensed):
    """What the senses of a network take."""
    from policies.humanoid.senses import Measurement
    from sim.humanoid.walking.headings import heading

    rotation = quat_to_matrix(sensed.quat / np.linalg.norm(sensed.quat))
    return Measurement(sensed.q, sensed.qd, sensed.gyroscope, rotation[2], heading(rotation))

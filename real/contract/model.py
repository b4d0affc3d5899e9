"""What a robot is, as data: joints and their limits, topics, cameras, watchdogs. One YAML file, no Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

Vec3 = tuple[float, float, float]


@dataclass(frozen=True)
class JointLimits:
    """One joint in the order of observations and actions.

    Attributes:
        name: what policies and datasets call it ("left_joint1", "left_gripper").
        lower, upper: hard position limits, rad (grippers: opening, 0 closed to 1 open).
        velocity, acceleration: magnitudes, rad/s and rad/s^2 (openings: 1/s, 1/s^2).
        effort: N m or N; 0 where the driver looks after it.
        step: how far a command may lie from the measured position.
        home: resting position.
        device: what the driver calls it; the same as ``name`` if not given.
        kp, kd: gains of drivers that are told them (Unitree); a policy can never set them.
    """

    name: str
    lower: float
    upper: float
    velocity: float
    acceleration: float
    step: float
    home: float
    effort: float = 0.0
    device: str = ""
    kp: float | None = None
    kd: float | None = None


@dataclass(frozen=True)
class Gripper:
    """A joint whose position is an opening in [0, 1], and the driver's positions for 0 and 1 (m or rad)."""

    joint: str
    closed: float = 0.0
    open: float = 1.0


@dataclass(frozen=True)
class Camera:
    """A camera of the robot: image topic, size in pixels, frames per second."""

    name: str
    topic: str
    width: int
    height: int
    fps: float


@dataclass(frozen=True)
class StateGroup:
    """A ``sensor_msgs/JointState`` topic and which joints it brings, by contract name; extra ones in it are ignored."""

    topic: str
    joints: tuple[str, ...]


@dataclass(frozen=True)
class CommandGroup:
    """A controller's command topic and its joints in the controller's order, by contract name.

    Attributes:
        kind: "forward" (``std_msgs/Float64MultiArray`` of a forward_command_controller) or "trajectory"
            (``trajectory_msgs/JointTrajectory`` of a joint_trajectory_controller).
    """

    topic: str
    kind: Literal["forward", "trajectory"]
    joints: tuple[str, ...]


@dataclass(frozen=True)
class Topics:
    """Where states come from and commands go to. Each joint is in exactly one group of each."""

    state: tuple[StateGroup, ...] = ()
    commands: tuple[CommandGroup, ...] = ()


@dataclass(frozen=True)
class Watchdog:
    """What happens without a valid command.

    Attributes:
        hold_s: seconds until the robot is braked; damp_s: until it is given up.
        window_s: how far ahead of its receipt a trajectory message counts; what it wants later is not done.
    """

    hold_s: float = 0.1
    damp_s: float = 1.0
    window_s: float = 0.2


@dataclass(frozen=True)
class Heartbeat:
    """A topic (std_msgs/Header, about 20 Hz) that says that the operator's side lives.

    Attributes:
        topic: its name.
        timeout_s: seconds without one after which an armed robot makes an emergency stop.
    """

    topic: str = "/safety/heartbeat"
    timeout_s: float = 0.5


@dataclass(frozen=True)
class Stamps:
    """How old, or how far in the future, the stamp of a message may be, seconds."""

    max_age_s: float = 0.5
    max_future_s: float = 0.1


@dataclass(frozen=True)
class Workspace:
    """Box that the hands' tool centre points stay in; world frame of the model, metres."""

    lower: Vec3
    upper: Vec3


@dataclass(frozen=True)
class SelfCollision:
    """Smallest clearance between parts of the robot (m), and how often it is looked at (Hz)."""

    margin: float = 0.01
    rate_hz: float = 50.0


@dataclass(frozen=True)
class Imu:
    """The inertial sensor of a floating base: a ``sensor_msgs/Imu`` topic, and the frame that it is fixed to."""

    topic: str = "/imu"
    frame: str = "pelvis"


@dataclass(frozen=True)
class Fall:
    """When a robot on legs has fallen; it is damped then, since stiff joints break in a fall.

    Attributes:
        tilt: of the base against upright, rad.
        height: of the base over the lower sole, m, by its own joints and orientation; 0 does not look at it.
    """

    tilt: float = 0.8
    height: float = 0.0


@dataclass(frozen=True)
class Unitree:
    """What the low-level interface of a Unitree robot needs besides the joints' gains.

    Attributes:
        motors: length of the motor array of its messages (35: G1, H1-2; 20: Go2, H1).
        message: "hg" or "go".
        damping: kd of every joint in damping mode.
        mode_pr: 0 series (pitch, roll) control of ankles, 1 parallel.
        command, state: DDS topics.
    """

    motors: int = 35
    message: Literal["hg", "go"] = "hg"
    damping: float = 8.0
    mode_pr: int = 0
    command: str = "rt/lowcmd"
    state: str = "rt/lowstate"


@dataclass(frozen=True)
class RobotContract:
    """A robot as its file describes it.

    Attributes:
        name: file name; description: one line for people.
        model: robot of ``assets list robots`` whose kinematics it has, or None.
        joints: in the order of observations and actions.
        rate_hz: of the control loop and the state; command_hz: of a policy's commands.
        on_limit: what happens to a command outside the position limits: "clip" it or "refuse" it.
        damp: what a robot does that is given up: "hold" its position, or "damping" (gains zero, only damped).
        margin: distance of the soft position limits from the hard ones, rad; grippers have none.
        tracking_error: how far a joint may stay behind its command before motion stops, rad; grippers are free.
        start_s: shortest duration of the motion to the start pose.
        confirm: whether a person must arm a second time, at the start pose, before commands count.
        heartbeat: without which an armed robot stops; None asks for none.
        imu: of a robot with a floating base, which has no hands that are placed; None for arms on a table.
        fall: when a robot with an IMU has fallen; None does not look.
    """

    name: str
    description: str
    joints: tuple[JointLimits, ...]
    model: str | None = None
    backend: Literal["ros", "unitree"] = "ros"
    rate_hz: float = 200.0
    command_hz: float = 50.0
    on_limit: Literal["clip", "refuse"] = "clip"
    damp: Literal["hold", "damping"] = "hold"
    margin: float = 0.02
    tracking_error: float = 0.3
    start_s: float = 2.0
    confirm: bool = False
    topics: Topics = field(default_factory=Topics)
    grippers: tuple[Gripper, ...] = ()
    cameras: tuple[Camera, ...] = ()
    watchdog: Watchdog = Watchdog()
    stamps: Stamps = Stamps()
    heartbeat: Heartbeat | None = None
    workspace: Workspace | None = None
    self_collision: SelfCollision | None = None
    unitree: Unitree | None = None
    imu: Imu | None = None
    fall: Fall | None = None
    notes: str = ""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """J joint names."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """J names that the driver uses, in the same order."""
        return tuple(joint.device or joint.name for joint in self.joints)

    @cached_property
    def index(self) -> dict[str, int]:
        """Joint name to position."""
        return {name: k for k, name in enumerate(self.names)}

    @cached_property
    def is_gripper(self) -> np.ndarray:
        """(J,) bool."""
        return np.isin(self.names, [gripper.joint for gripper in self.grippers])

    def column(self, what: str) -> np.ndarray:
        """(J,) float64 of one attribute of the joints, for example "velocity"."""
        return np.array([getattr(joint, what) for joint in self.joints], float)

    @property
    def has_hands(self) -> bool:
        """Whether its model places hands: an arm, or a pair of them, on a fixed base."""
        return self.model is not None and self.imu is None

    @cached_property
    def home(self) -> np.ndarray:
        """(J,) resting pose; read only."""
        home = self.column("home")
        home.flags.writeable = False
        return home

    @cached_property
    def soft_limits(self) -> tuple[np.ndarray, np.ndarray]:
        """(J,) lower and upper position limits that commands obey: the hard ones less the margin."""
        margin = np.where(self.is_gripper, 0.0, self.margin)
        return self.column("lower") + margin, self.column("upper") - margin

    def where(self, joints: Sequence[str]) -> np.ndarray:
        """Positions of joints, by name, in the order of this contract. Raises KeyError for a foreign name."""
        return np.array([self.index[name] for name in joints], int)

    def to_device(self, q: np.ndarray) -> np.ndarray:
        """(..., J) positions as the driver counts them: grippers scaled from openings. A new array."""
        scale, offset = self._scaling
        return q * scale + offset

    @cached_property
    def scale(self) -> np.ndarray:
        """(J,) the driver's units in one of ours: what velocities are multiplied with for it."""
        return self._scaling[0]

    def from_device(self, q: np.ndarray) -> np.ndarray:
        """Inverse of :meth:`to_device`."""
        scale, offset = self._scaling
        return (q - offset) / scale

    @cached_property
    def _scaling(self) -> tuple[np.ndarray, np.ndarray]:
        scale, offset = np.ones(len(self.joints)), np.zeros(len(self.joints))
        for gripper in self.grippers:
            k = self.index[gripper.joint]
            scale[k], offset[k] = gripper.open - gripper.closed, gripper.closed
        return scale, offset


def with_topics(contract: RobotContract) -> RobotContract:
    """The contract itself, or, where its drivers speak no ROS, with the topics that our guard gives the robot."""
    if contract.topics.state:
        return contract
    states = (StateGroup("/joint_states", contract.names),)
    return replace(contract, topics=Topics(states, (CommandGroup("/joint_commands", "forward", contract.names),)))

"""Rewards: a table of terms on batched arrays (HugWBC's, in forms that do not depend on the size of the body).

Weights are per second. Terms of joints are means over the joints that a body has, so that bodies of 10 and of 32 joints
have comparable returns. Terms that ``grow`` are multiplied by the penalty curriculum's scale.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assets.robots.humanoid.recipe import GRAVITY
from sim.humanoid.env.commands import WAIST, WAIST_SLOTS
from sim.humanoid.env.config import REFERENCE
from sim.humanoid.env.population import Population
from sim.humanoid.env.state import State

HIPS = [1, 2, 7, 8]
"""Slots of hip roll and yaw."""
ARMS = slice(15, 29)
KNEES = [3, 9]
MEAN = 19.0
"""Joints of the robot that the weights were found on: means are multiplied by it where the source has a sum."""
LOADED = 0.002
"""Part of the weight from which a foot is in contact."""


@dataclass
class Scene:
    """What terms see of E environments.

    Attributes:
        bodies, state: see there; previous_qd: (E, 32) of the step before.
        command: (E, 13) as in ``commands.NAMES``; standing: (E,) bool.
        phase, contact: (E, 2) warped phase and desired contact of the feet.
        action: (3, E, 32) this one, the last, the one before.
        dt: control step, s.
    """

    bodies: Population
    state: State
    previous_qd: np.ndarray
    command: np.ndarray
    standing: np.ndarray
    phase: np.ndarray
    contact: np.ndarray
    action: np.ndarray
    dt: float

    def __post_init__(self) -> None:
        """Quantities that several terms share."""
        b, s = self.bodies, self.state
        self.size = b.leg_length / REFERENCE
        self.weight = b.mass * GRAVITY
        self.load = s.force[..., 2] / self.weight[:, None]
        self.touching = self.load > LOADED
        self.moved = (s.q - b.default) ** 2 * b.mask
        self.count = b.mask.sum(axis=1)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """(E,) mean of (E, 32) over the joints that exist; absent ones must be 0."""
        return values.sum(axis=1) / self.count


@dataclass(frozen=True)
class Term:
    """A line of the table.

    Attributes:
        weight: 1/s.
        value: function(scene) -> (E,).
        grows: whether the penalty curriculum scales it.
    """

    weight: float
    value: Callable[[Scene], np.ndarray]
    grows: bool = False


def linear_velocity(s: Scene) -> np.ndarray:
    """exp(-|v* - v|^2 / (0.25 L/L_ref))."""
    error = s.command[:, :2] - s.state.velocity[:, :2]
    return np.exp(-(error**2).sum(axis=1) / (0.25 * s.size))


def yaw_rate(s: Scene) -> np.ndarray:
    """exp(-(ω* - ω_z)^2 / 0.25)."""
    return np.exp(-((s.command[:, 2] - s.state.angular[:, 2]) ** 2) / 0.25)


def base_height(s: Scene) -> np.ndarray:
    """Squared error of the height, three times when standing."""
    error = (s.state.height - s.bodies.base_height - s.command[:, 7]) / s.size
    return error**2 * np.where(s.standing, 3.0, 1.0)


def body_pitch(s: Scene) -> np.ndarray:
    """Squared difference of the up direction's x and y from those of the commanded pitch."""
    return (s.state.up[:, 0] + np.sin(s.command[:, 8])) ** 2 + s.state.up[:, 1] ** 2


def waist(s: Scene) -> np.ndarray:
    """Squared error of the waist joints that there are."""
    error = (s.state.q[:, WAIST_SLOTS] - s.command[:, WAIST]) * s.bodies.mask[:, WAIST_SLOTS]
    return (error**2).sum(axis=1)


def swing_force(s: Scene) -> np.ndarray:
    """A foot that should swing carries nothing."""
    return -0.5 * ((1 - s.contact) * (1 - np.exp(-((500 * s.load) ** 2) / 50))).sum(axis=1)


def stance_speed(s: Scene) -> np.ndarray:
    """A foot that should stand does not move."""
    speed = (s.state.foot_speed**2).sum(axis=2) / s.size[:, None]
    return -0.5 * (s.contact * (1 - np.exp(-speed / 5))).sum(axis=1)


def swing_height(s: Scene) -> np.ndarray:
    """Squared error of a swinging sole's height, at most 0.1."""
    triangle = 1 - np.abs(1 - 2 * np.clip(2 * s.phase - 1, 0, 1))
    error = (s.command[:, 6:7] * triangle - s.state.foot_height) / s.size[:, None]
    return np.clip((error**2 * (1 - s.contact)).sum(axis=1), 0, 0.1)


def contact_pattern(s: Scene) -> np.ndarray:
    """1 for one loaded foot when walking, both or none when hopping."""
    loaded = s.touching.sum(axis=1)
    hop = s.command[:, 4] == 0.0
    return np.where(hop, loaded != 1, loaded == 1) & ~s.standing


def stance_width(s: Scene) -> np.ndarray:
    """Squared error of both soles' distance from the middle, ten times when standing."""
    error = s.state.foot_place[..., 1] - 0.5 * s.bodies.spacing[:, None] * np.array([1.0, -1.0])
    return (error**2).sum(axis=1) / s.size**2 * np.where(s.standing, 10.0, 1.0)


def slip(s: Scene) -> np.ndarray:
    """Speed of the soles that touch."""
    speed = np.sqrt((s.state.foot_speed[..., :2] ** 2).sum(axis=2) / s.size[:, None])
    return 1 - np.exp(-(speed * s.touching).sum(axis=1))


def stumble(s: Scene) -> np.ndarray:
    """A foot is pushed from the side and carries nothing."""
    sideways = np.hypot(s.state.force[..., 0], s.state.force[..., 1]) / s.weight[:, None]
    return ((sideways > 2 * LOADED) & (s.load < LOADED)).any(axis=1)


def contact_force(s: Scene) -> np.ndarray:
    """Load of a foot beyond one and a half weights, in 0.01 N of a body of 500 N."""
    beyond = np.minimum((5 * np.maximum(s.load - 1.5, 0)) ** 2, 2).sum(axis=1)
    return beyond * np.where(s.standing, 0.2, 1.0)


def vertical_speed(s: Scene) -> np.ndarray:
    """v_z^2."""
    return s.state.velocity[:, 2] ** 2 / s.size


def tumbling(s: Scene) -> np.ndarray:
    """Rates of roll and pitch, squared."""
    return (s.state.angular[:, :2] ** 2).sum(axis=1)


def hip_deviation(s: Scene) -> np.ndarray:
    """Hip roll and yaw stay near the standing pose."""
    return s.moved[:, HIPS].sum(axis=1)


def arm_deviation(s: Scene) -> np.ndarray:
    """So do arms that are the policy's."""
    mine = np.maximum(s.bodies.mask[:, ARMS].sum(axis=1), 1)
    return s.moved[:, ARMS].sum(axis=1) / mine * (s.command[:, 12] == 0.0)


def knee_balance(s: Scene) -> np.ndarray:
    """Both knees work alike: squared variance of their dimensionless power."""
    power = np.abs(s.state.torque[:, KNEES] * s.state.qd[:, KNEES])
    unit = s.weight * np.sqrt(GRAVITY * s.bodies.leg_length)
    return np.minimum((power / unit[:, None]).var(axis=1) ** 2, 1)


def torque(s: Scene) -> np.ndarray:
    """Torques as parts of the limits, squared and summed."""
    return ((s.state.torque / np.where(s.bodies.mask, s.bodies.effort, 1.0)) ** 2 * s.bodies.mask).sum(axis=1)


def joint_acceleration(s: Scene) -> np.ndarray:
    """Mean over the joints."""
    change = (s.state.qd - s.previous_qd) / s.dt
    return MEAN * s.mean(change**2 * s.bodies.mask)


def action_rate(s: Scene) -> np.ndarray:
    """First and second differences of the action."""
    first, second = s.action[0] - s.action[1], s.action[0] - 2 * s.action[1] + s.action[2]
    return MEAN * s.mean((first**2 + second**2) * s.bodies.mask)


def position_limits(s: Scene) -> np.ndarray:
    """What goes beyond 90 % of the range of a joint."""
    b = s.bodies
    middle, half = (b.upper + b.lower) / 2, 0.45 * (b.upper - b.lower)
    return (np.maximum(np.abs(s.state.q - middle) - half, 0) * b.mask).sum(axis=1)


def velocity_limits(s: Scene) -> np.ndarray:
    """What goes beyond the speed of a joint."""
    beyond = np.clip(np.abs(s.state.qd) - s.bodies.speed, 0, 15) * s.bodies.mask
    return 1 - np.exp(-beyond.sum(axis=1))


def standing(s: Scene) -> np.ndarray:
    """Both feet touch when told to stand."""
    return s.standing & s.touching.all(axis=1)


def standing_in_air(s: Scene) -> np.ndarray:
    """None does."""
    return s.standing & ~s.touching.any(axis=1)


def standing_joints(s: Scene) -> np.ndarray:
    """Arms keep their pose when told to stand."""
    return arm_deviation(s) * 8 * s.standing


def alive(s: Scene) -> np.ndarray:
    """1."""
    return np.ones(len(s.standing))


REWARDS: dict[str, Term] = {
    "linear_velocity": Term(2.0, linear_velocity),
    "yaw_rate": Term(3.0, yaw_rate),
    "base_height": Term(-40.0, base_height, grows=True),
    "body_pitch": Term(-20.0, body_pitch, grows=True),
    "waist": Term(-2.0, waist),
    "swing_force": Term(2.0, swing_force),
    "stance_speed": Term(4.0, stance_speed),
    "swing_height": Term(-30.0, swing_height),
    "contact_pattern": Term(0.25, contact_pattern),
    "stance_width": Term(-5.0, stance_width, grows=True),
    "slip": Term(-0.2, slip),
    "stumble": Term(-0.2, stumble, grows=True),
    "contact_force": Term(-0.2, contact_force, grows=True),
    "vertical_speed": Term(-0.1, vertical_speed, grows=True),
    "tumbling": Term(-0.5, tumbling, grows=True),
    "hip_deviation": Term(-2.0, hip_deviation),
    "arm_deviation": Term(-1.0, arm_deviation),
    "knee_balance": Term(-0.5, knee_balance, grows=True),
    "torque": Term(-0.02, torque, grows=True),
    "joint_acceleration": Term(-2.5e-7, joint_acceleration, grows=True),
    "action_rate": Term(-0.01, action_rate, grows=True),
    "position_limits": Term(-10.0, position_limits),
    "velocity_limits": Term(-2.0, velocity_limits, grows=True),
    "standing": Term(1.0, standing),
    "standing_in_air": Term(-1.0, standing_in_air, grows=True),
    "standing_joints": Term(-2.0, standing_joints),
    "alive": Term(0.2, alive),
}
FALL = -200.0
"""Per second, as the others, for the step in which a body falls."""


def reward(scene: Scene, fallen: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """Rewards (E,) and the terms (len(REWARDS), E) that they are the sums of, all times the control step."""
    weights = np.array([term.weight * (penalty if term.grows else 1.0) for term in REWARDS.values()])
    values = np.stack([term.value(scene) for term in REWARDS.values()])
    terms = values * (weights * scene.dt)[:, None]
    return terms.sum(axis=0) + fallen * FALL * scene.dt, terms

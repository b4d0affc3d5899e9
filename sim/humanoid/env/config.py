"""Numbers of the environment. Lengths and speeds are of a body with legs of REFERENCE and scale with the others'."""

from __future__ import annotations

from dataclasses import dataclass, field

REFERENCE = 0.87
"""m: leg length of the robot that the published ranges are for."""

Range = tuple[float, float]


@dataclass(frozen=True)
class CommandConfig:
    """Ranges of commands (Xue et al. 2026 after HugWBC).

    Attributes:
        velocity_x, velocity_y: m/s; yaw_rate: rad/s; frequency: of a foot's cycle, Hz; swing: height of a swing, m.
        height: of the base against standing, m; pitch: rad, of the base; waist: rad, half range of each waist joint.
        duty: part of a cycle in stance; hop: share of commands with both feet together.
        standing: share of commands to stand; deadband: m/s, planar speeds below are 0.
        interval: s until a new command.
    """

    velocity_x: Range = (-0.6, 0.6)
    velocity_y: Range = (-0.6, 0.6)
    yaw_rate: Range = (-0.6, 0.6)
    frequency: Range = (1.5, 3.5)
    swing: Range = (0.10, 0.35)
    height: Range = (-0.3, 0.0)
    pitch: Range = (0.0, 0.4)
    waist: float = 1.0
    duty: float = 0.5
    hop: float = 0.0
    standing: float = 0.1
    deadband: float = 0.15
    interval: float = 10.0


@dataclass(frozen=True)
class EventConfig:
    """What happens to bodies.

    Attributes:
        joints: rad of noise on the pose at the beginning; joint_speed: rad/s; root_speed: m/s.
        friction: of soles and floor; gain: factor on kp and kd; strength: on effort limits; mass: on the base's mass.
        centre: m by which the base's centre of mass moves in x and y.
        late: share of episodes in which actions come one control step late.
        push_interval: s; push: m/s and push_turn: rad/s, each component at most.
        intervention: share of commands under which arms belong to somebody else; new arm targets every
            ``intervention_steps``, ``intervention_size`` rad; switched with probability ``intervention_switch`` a step.
        noise: factor on the sensors' noise.
    """

    joints: float = 0.1
    joint_speed: float = 0.5
    root_speed: float = 0.3
    friction: Range = (0.3, 1.2)
    gain: Range = (0.8, 1.2)
    strength: Range = (0.8, 1.2)
    mass: Range = (0.91, 1.27)
    centre: float = 0.03
    late: float = 0.5
    push_interval: float = 5.0
    push: float = 0.6
    push_turn: float = 0.6
    intervention: float = 0.5
    intervention_steps: int = 30
    intervention_switch: float = 0.005
    intervention_size: float = 0.2
    noise: float = 1.0


@dataclass(frozen=True)
class EnvConfig:
    """The environment.

    Attributes:
        episode: s.
        commands, events: see there.
        penalty: κ, the scale of rewards and pushes that grow with training, at the beginning; every
            ``penalty_steps`` control steps it becomes κ^0.8. 1 for evaluation.
        curriculum: whether the range of velocity commands grows with success; shared by all environments of a batch,
            so that episodes then depend on those beside them.
    """

    episode: float = 20.0
    commands: CommandConfig = field(default_factory=CommandConfig)
    events: EventConfig = field(default_factory=EventConfig)
    penalty: float = 1.0
    penalty_steps: int = 2400
    curriculum: bool = False

"""The clock of the gait: stand, shift the weight, step; it knows time and the command, nothing of the body's motion.

A robot can keep the same clock by itself, so what a network sees of it in training is what it has later.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import cos, pi, sin

import numpy as np

LEFT, RIGHT = 0, 1


class Mode(IntEnum):
    """What the feet are doing."""

    STAND = 0
    SHIFT = 1
    STEP = 2


@dataclass(frozen=True)
class Command:
    """What the body is asked to do.

    Attributes:
        velocity: forward and to the left, (2,) m/s.
        yaw_rate: to the left, rad/s.
        walk: False to stand; the velocity is then ignored.
    """

    velocity: tuple[float, float] = (0.0, 0.0)
    yaw_rate: float = 0.0
    walk: bool = True


class GaitClock:
    """Time within the gait of one body, and its command made smooth.

    Attributes:
        period: time of one step, s; a whole number of control steps.
        shift: time of the weight shift before the first step, s.
        mode: what the feet are doing.
        time: since the mode or the step began, s.
        stance: LEFT or RIGHT, the foot that carries.
        steps: steps completed since the last standing.
        velocity: the command, with limited acceleration, (2,) m/s.
        yaw_rate: the same, rad/s.
        heading: where the command has turned to since ``reset``, rad.
    """

    def __init__(self, time_unit: float, period: float, shift: float, dt: float, acceleration: float = 0.3) -> None:
        """A clock for one body.

        Args:
            time_unit: √(L/g), s.
            period: of a step, in time units.
            shift: of the weight shift, in time units.
            dt: control step, s.
            acceleration: limit of the change of the velocity, m/s²; in fractions of g it is the same for every size.
        """
        self.dt = dt
        self.period = max(2, round(period * time_unit / dt)) * dt
        self.shift = max(2, round(shift * time_unit / dt)) * dt
        self._acceleration = acceleration
        self._yaw_acceleration = 0.25 / time_unit**2 * 0.05
        self.reset()

    def reset(self, heading: float = 0.0) -> None:
        """Stand, facing along ``heading`` (rad)."""
        self.heading = heading
        self.mode, self.time, self.stance, self.steps = Mode.STAND, 0.0, RIGHT, 0
        self.velocity, self.yaw_rate = np.zeros(2), 0.0
        self._idle = 0

    @property
    def remaining(self) -> float:
        """Time until touch-down, s."""
        return max(self.period - self.time, 0.0)

    @property
    def phase(self) -> float:
        """Progress of the step or of the weight shift, 0 to 1; 0 when standing."""
        if self.mode is Mode.STAND:
            return 0.0
        return min(self.time / (self.period if self.mode is Mode.STEP else self.shift), 1.0)

    def advance(self, command: Command) -> bool:
        """One control step later. Returns whether a step, or standing, has just begun."""
        self._follow(command)
        self.heading += self.yaw_rate * self.dt
        self.time += self.dt
        if self.mode is Mode.STAND:
            return command.walk and self._enter(Mode.SHIFT, RIGHT)
        if self.mode is Mode.SHIFT:
            return self.time >= self.shift - 1e-6 and self._enter(Mode.STEP, self.stance)
        if self.time < self.period - 1e-6:
            return False
        self.steps += 1
        self._idle = 0 if command.walk or self.velocity.any() else self._idle + 1
        if self._idle > 4:  # four steps on the spot bring the feet side by side
            return self._enter(Mode.STAND, self.stance)
        return self._enter(Mode.STEP, 1 - self.stance)

    def features(self) -> np.ndarray:
        """The clock as a network sees it, (7,): one-hot mode, then sines and cosines of the phase and of the stride."""
        side = 1.0 if self.stance == RIGHT else -1.0
        angle = pi * self.phase
        waves = [side * sin(angle), side * cos(angle), sin(2 * angle), cos(2 * angle)]
        return np.array([*(float(self.mode is mode) for mode in Mode), *waves])

    def _enter(self, mode: Mode, stance: int) -> bool:
        if mode is not Mode.STEP:
            self.steps, self._idle = 0, 0
        self.mode, self.time, self.stance = mode, 0.0, stance
        return True

    def _follow(self, command: Command) -> None:
        moving = command.walk and self.mode is Mode.STEP
        target = np.array(command.velocity if moving else (0.0, 0.0))
        gap, reach = target - self.velocity, self._acceleration * self.dt
        distance = float(np.hypot(gap[0], gap[1]))
        self.velocity = target if distance <= reach else self.velocity + gap * (reach / distance)
        turn, reach = (command.yaw_rate if moving else 0.0) - self.yaw_rate, self._yaw_acceleration * self.dt
        self.yaw_rate += min(max(turn, -reach), reach)

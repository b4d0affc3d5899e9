"""The scripted expert of a task as a policy: it plans on a copy of the scene of its own, then follows the robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assets.robots.record import DEFAULT_ROBOT
from policies.base import Observation, PolicySpec
from policies.bimanual.spaces import ROOM, joint_feature, task_name
from sim.bimanual.randomize import parse_axes
from sim.bimanual.rate import substeps
from twinloom.errors import TwinloomError
from twinloom.features import STATE, TIMESTAMP
from twinloom.seeding import episode_seed

LAG = 0.1  # rad by which a joint may be behind the plan before the plan slows down; at twice that it waits
SNAP = 1e-6  # control steps; rounding of timestamps must not turn a recorded action into an interpolated one


class ExpertPolicy:
    """Plays a scripted expert through the interface of a policy.

    At a reset the expert does the whole task in a private simulation of the same scene, known from the episode's seed
    or record. Afterwards the plan is followed by the clock of the observations, and slowed or halted while the
    measured joints are behind it, so a robot that was held finds its place again. Objects are not looked at: a scene
    that differs from the record, or that was disturbed, is not noticed.

    Observations must hold "observation.state" and "timestamp" (seconds on any clock that does not run backwards).

    Args:
        task: "bimanual/click_bell", or the name alone.
        robot: robot name.
        seed: run seed.
        episode: which episode of that seed the first reset plans; every further reset plans the next one, as
            BimanualEnv and datagen number them.
        randomize: axes, as for datagen.
        split: "seen" or "unseen" textures and language.
        fps: actions per second, a divisor of 250.
        horizon: actions in a chunk.

    Attributes:
        failure: why the expert failed in the present episode, "" if it did not. Its actions up to then are played.

    Raises:
        TwinloomError: an unknown name, or a rate that cannot be.
    """

    def __init__(
        self,
        task: str,
        robot: str = DEFAULT_ROBOT,
        seed: int = 0,
        episode: int = 0,
        randomize: str = "none",
        split: str = "seen",
        fps: int = 25,
        horizon: int = 16,
    ) -> None:
        self.task, self.robot = task_name(task), robot
        joints = joint_feature(robot)
        substeps(fps)
        if seed < 0 or episode < 0:
            raise TwinloomError(f"seed {seed} and episode {episode} must not be negative")
        self._seed, self._next, self._axes, self._split = seed, episode, parse_axes(randomize), split
        self.spec = PolicySpec(
            kind="expert",
            observation={STATE: joints},
            action=joints,
            fps=fps,
            horizon=horizon,
            robot=robot,
            task=ROOM + self.task,
        )
        self.failure = ""
        self._states = self._commands = np.zeros((0, joints.shape[0]))
        self._arms = np.array([not name.endswith("_gripper") for name in joints.names])
        self._phase, self._seen, self._planned = 0.0, None, False

    def reset(self, record: Mapping[str, Any] | None = None) -> None:
        """Plan the next episode, or the one of a randomisation record. Takes as long as the expert thinks: about 1 s.

        Raises:
            TwinloomError: the record is of another robot, task, rate or version.
        """
        from sim.bimanual.episode import restore
        from sim.bimanual.rollout import expert_rollout, try_expert

        if record is None:
            seed = episode_seed(self._seed, self.task, self._next)
            self._next += 1
            plan = expert_rollout(self.task, self.robot, seed, self._axes, int(self.spec.fps), self._split, "simple")
        else:
            self._check(record)
            plan = try_expert(restore(dict(record), "simple"))
        self._phase, self._seen, self._planned, self.failure = 0.0, None, True, plan.reason
        self._states = plan.arrays.get(STATE, np.zeros((0, self.spec.action_dim))).astype(float)
        # a control step begins at the command before: the arms stand at home when an episode does
        actions = plan.arrays.get("action", self._states).astype(float)
        self._commands = np.concatenate([self._states[:1], actions])

    def act(self, observation: Observation) -> np.ndarray:
        """The commands of the plan from here on, (horizon, action_dim); its last one for ever after its end.

        Raises:
            TwinloomError: no state or no timestamp.
        """
        missing = [name for name in (STATE, TIMESTAMP) if name not in observation]
        if missing:
            raise TwinloomError(f"the expert needs {' and '.join(missing)} in its observations")
        state = np.asarray(observation[STATE], float)
        now = float(np.asarray(observation[TIMESTAMP], float).reshape(()))
        if not self._planned:
            self.reset()
        if not len(self._states):  # no scene could be drawn: stay
            return np.tile(state, (self.spec.horizon, 1))
        elapsed = 0.0 if self._seen is None else max(0.0, now - self._seen) * self.spec.fps
        self._seen = now
        self._phase = self._follow(min(elapsed, self.spec.horizon), state)
        return _at(self._commands, self._phase + 1 + np.arange(self.spec.horizon))

    @property
    def progress(self) -> float:
        """How much of the plan has been played, 0 to 1."""
        return min(1.0, self._phase / max(1, len(self._states)))

    def _follow(self, elapsed: float, state: np.ndarray) -> float:
        """The place in the plan, in control steps: the clock moves it, a robot that is behind holds it back."""
        ahead = self._phase + elapsed
        behind = np.abs(_at(self._states, np.array([ahead]))[0] - state)[self._arms].max()
        phase = self._phase + elapsed * float(np.clip(2 - behind / LAG, 0, 1))
        return float(round(phase)) if abs(phase - round(phase)) < SNAP else phase

    def _check(self, record: Mapping[str, Any]) -> None:
        """Refuse a record this policy was not made for."""
        try:
            given = {"task": record["task"], "robot": record["scene"]["robot"], "fps": record["fps"]}
            _ = record["seed"], record["axes"], record["split"]
        except (KeyError, TypeError) as error:
            raise TwinloomError(f"the randomisation record is damaged: {type(error).__name__} {error}") from error
        wanted = {"task": self.task, "robot": self.robot, "fps": self.spec.fps}
        if other := [f"{key} {given[key]}, not {wanted[key]}" for key in wanted if given[key] != wanted[key]]:
            raise TwinloomError(f"the record is of {', '.join(other)}")


def _at(rows: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Rows at places between them, linearly; the first before the first and the last behind the last."""
    places = np.clip(places, 0, len(rows) - 1)
    below = np.minimum(places.astype(int), max(0, len(rows) - 2))
    part = (places - below)[:, None]
    above = rows[np.minimum(below + 1, len(rows) - 1)]
    return np.where(part == 0, rows[below], rows[below] * (1 - part) + above * part)

"""Many humanoids in one call of the physics, as a Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from assets.robots.humanoid.recipe import RECIPE
from sim.humanoid.env import curriculum, observations
from sim.humanoid.env.backends import Backend, MujocoBackend
from sim.humanoid.env.commands import NAMES, Commands
from sim.humanoid.env.config import EnvConfig
from sim.humanoid.env.draws import keys
from sim.humanoid.env.events import Events
from sim.humanoid.env.population import Population, random_population, real_population
from sim.humanoid.env.rewards import REWARDS, Scene, reward
from sim.humanoid.env.state import Slots, State, read
from sim.humanoid.env.terminations import fallen
from twinloom.errors import TwinloomError

RANDOM = "random"
"""Name of the environment whose worlds are different random bodies."""
ACTION = 4.0
"""An action of 1 moves the target of a joint by this many of the body's action scales (0.25 rad or less)."""

MakeBackend = Callable[[mujoco.MjModel, int, Mapping[str, np.ndarray]], Backend]


class HumanoidVecEnv(VectorEnv):
    """E worlds of one robot, or of random bodies.

    Actions are (E, 32) in the canonical slots and [-1, 1]; those of absent slots are ignored. The targets of the joints
    are the standing pose plus ACTION times the body's action scales times the action.

    Observations: "history" (5, 102), the last one now; "command" (15,); "mask" (32,); these a robot has. "privileged"
    is for critics alone. ``info``: "terms" (E, len(REWARDS)), "diverged" (E,) bool, "fallen" (E,) bool.

    Autoreset is next-step: the call after an episode's last one ignores that environment's action. What environment i
    of seed s goes through depends on (s, i) and its actions alone, except with ``EnvConfig.curriculum``.

    Args:
        robot: a humanoid (assets list robots), or "random".
        num_envs: E.
        bodies: of "random": environment i is body ``i % bodies`` of ``body_seed``; all different if None.
        config: all else.
        threads: of the physics, 0 for all CPUs.
        backend: makes the engine; MuJoCo on the CPU if None.
        dumps: folder for the states of worlds that diverged; None to only count them.

    Raises:
        UnknownNameError, MissingAssetError: of the robot. TwinloomError: a number that cannot be.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 (Gymnasium's convention)

    def __init__(
        self,
        robot: str = RANDOM,
        num_envs: int = 1,
        bodies: int | None = None,
        body_seed: int = 0,
        config: EnvConfig | None = None,
        threads: int = 0,
        backend: MakeBackend | None = None,
        dumps: Path | None = None,
    ) -> None:
        count = num_envs if bodies is None else bodies
        if num_envs < 1 or count < 1 or threads < 0:
            raise TwinloomError(
                f"num_envs {num_envs} and bodies {bodies} must be at least 1, threads {threads} not negative"
            )
        self.config, self.num_envs, self.robot = config or EnvConfig(), num_envs, robot
        self.bodies = _population(robot, min(count, num_envs), body_seed).take(
            np.arange(num_envs) % count if robot == RANDOM else np.zeros(num_envs, int)
        )
        model = self.bodies.model
        self.dt, self._substeps = RECIPE.timestep * RECIPE.decimation, RECIPE.decimation
        make = backend or (lambda model, worlds, fields: MujocoBackend(model, worlds, fields, threads))
        self.backend = make(model, num_envs, self.bodies.fields)
        self.commands = Commands(self.bodies, self.config.commands, self.config.events.intervention)
        self.events = Events(self.bodies, self.config.events)
        self._slots, self._fixed = Slots(self.bodies), observations.constants(self.bodies)
        self._mask = self.bodies.mask.astype(np.float32)
        self._length = round(self.config.episode / self.dt)
        self.control_steps = 0
        self.diverged = np.zeros(num_envs, int)
        self._dumps = dumps
        self._seed, self._episode = np.zeros(num_envs, np.uint64), np.full(num_envs, -1)
        self._age, self._ended = np.zeros(num_envs, int), np.ones(num_envs, bool)
        self._key = np.zeros(num_envs, np.uint64)
        self._action = np.zeros((3, num_envs, 32))
        self._history = np.zeros((num_envs, observations.HISTORY, observations.FRAME))
        self._previous_qd = np.zeros((num_envs, 32))
        self._tracking = np.zeros((2, num_envs))
        self.single_observation_space = _space()
        self.single_action_space = spaces.Box(-1.0, 1.0, (32,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._running = False

    @property
    def penalty(self) -> float:
        """κ: the scale of rewards and pushes that grow with training."""
        return curriculum.penalty(self.config.penalty, self.control_steps, self.config.penalty_steps)

    def reset(self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None):
        """Start an episode in every environment.

        Args:
            seed: s: environment i draws from (s, i) alone; a sequence gives each its own; None: the next episodes.
            options: not used.
        """
        super().reset(seed=int(seed) if isinstance(seed, (int, np.integer)) else None)
        if seed is None and not self._running:
            seed = int(self.np_random.integers(2**31))
        if seed is not None:
            one = isinstance(seed, (int, np.integer))
            given = np.full(self.num_envs, seed) if one else np.asarray(seed)
            if given.shape != (self.num_envs,) or (given < 0).any():
                raise TwinloomError(f"seed {seed!r} must be a number, not negative, or one for each environment")
            index = np.arange(self.num_envs) if one else np.zeros(self.num_envs, int)
            self._seed, self._episode = keys(given, index), np.full(self.num_envs, -1)
        self._running = True
        state = self._begin(np.arange(self.num_envs))
        self._ended = np.zeros(self.num_envs, bool)
        return self._observe(state), self._info(np.zeros((len(REWARDS), self.num_envs)), self._ended, self._ended)

    def step(self, actions: np.ndarray):
        """Act for one control step, 0.02 s."""
        if not self._running:
            raise TwinloomError("call reset() before step()")
        begins, live = self._ended, ~self._ended
        action = ACTION * np.clip(np.nan_to_num(np.asarray(actions, float)), -1, 1) * self.bodies.mask
        self._action = np.stack([action, self._action[0], self._action[1]])
        if (change := self.events.pushes(self._key, self._age, self.dt, self.penalty)) is not None:
            qvel = self.backend.qvel.copy()
            qvel[:, :6] += change * live[:, None]
            self.backend.push(qvel)
        acted = np.where(self.events.late[:, None], self._action[1], action)
        target = self.bodies.default + self.bodies.scale * acted
        target = self.events.intervene(target, self.commands.values[:, 12] > 0, self._key, self._age)
        control = self._slots.joints(target)
        self.backend.step(control, self._substeps, None if live.all() else np.flatnonzero(live))
        self.control_steps += 1
        self._age += 1
        self.commands.advance(self.dt)
        if begins.any():
            self._begin(np.flatnonzero(begins))
        state = read(self.backend, self._slots, self.bodies.qpos)
        scene = self._scene(state)
        lost = ~state.finite
        down = (fallen(state, self.bodies) | lost) & live
        gained, terms = reward(scene, down & ~lost, self.penalty)
        gained, terms = gained * (live & ~lost), terms * (live & ~lost)
        over = (self._age >= self._length) & live & ~down
        self._tracking += terms[:2]
        if lost.any():
            self._dump(np.flatnonzero(lost & live))
        self._ended = down | over
        if self.config.curriculum and self._ended.any():
            self._judge(np.flatnonzero(self._ended))
        due = np.flatnonzero(live & (self._age % self._interval() == 0))
        if len(due):
            self.commands.draw(due, self._key[due], self._age[due])
        self._previous_qd = state.qd
        return self._observe(state, begins), gained, down, over, self._info(terms, lost & live, down & ~lost)

    def _interval(self) -> int:
        return max(round(self.config.commands.interval / self.dt), 1)

    def _begin(self, ids: np.ndarray) -> State:
        """Start episodes."""
        self._episode[ids] += 1
        key = keys(self._seed[ids], self._episode[ids])
        self._key[ids], self._age[ids] = key, 0
        self.backend.change(ids, self.events.fields(ids, key))
        qpos, qvel = self.events.start(ids, key)
        self.backend.place(ids, qpos, qvel)
        self.commands.draw(ids, key, self._age[ids])
        self.commands.begin(ids, key)
        self._action[:, ids], self._tracking[:, ids] = 0.0, 0.0
        state = read(self.backend, self._slots, self.bodies.qpos)
        self._previous_qd[ids] = state.qd[ids]
        self._history[ids] = 0.0
        return state

    def _scene(self, state: State) -> Scene:
        feet = self.commands.feet()
        return Scene(
            self.bodies,
            state,
            self._previous_qd,
            self.commands.values,
            self.commands.standing,
            feet,
            self.commands.contact(feet),
            self._action,
            self.dt,
        )

    def _observe(self, state: State, begins: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Observations; where an episode begins the first frame also stands for the past."""
        noise = self.config.events.noise
        now = observations.frame(state, self.bodies, self._action[0], self._key, self._age, noise)
        self._history[:, :-1] = self._history[:, 1:]
        self._history[:, -1] = now
        fresh = np.ones(self.num_envs, bool) if begins is None else begins
        if fresh.any():
            self._history[fresh] = now[fresh, None]
        critic = observations.privileged(state, self.bodies, self.events.drawn, self._fixed)
        out = {
            "history": self._history,
            "command": self.commands.observation(self.commands.feet()),
            "mask": self._mask,
            "privileged": critic,
        }
        return {k: np.clip(v, -observations.CLIP, observations.CLIP).astype(np.float32) for k, v in out.items()}

    def _judge(self, ids: np.ndarray) -> None:
        """Raise the ceilings of velocity commands after good episodes."""
        weights = np.array([REWARDS[name].weight for name in ("linear_velocity", "yaw_rate")])
        linear, yaw = self._tracking[:, ids] / (weights * self.dt * self._length)[:, None]
        self.commands.ceiling = curriculum.raised(self.commands.ceiling, linear, yaw)

    def _dump(self, ids: np.ndarray) -> None:
        """Count worlds that diverged and keep what is needed to look at them again."""
        self.diverged[ids] += 1
        if self._dumps is None:
            return
        self._dumps.mkdir(parents=True, exist_ok=True)
        for i in ids:
            np.savez(
                self._dumps / f"diverged-{i}-{self.diverged[i]}.npz",
                qpos=self.backend.qpos[i],
                qvel=self.backend.qvel[i],
                actions=self._action[:, i],
                history=self._history[i],
                command=self.commands.values[i],
                seed=self._seed[i],
                episode=self._episode[i],
                step=self._age[i],
            )

    def _info(self, terms: np.ndarray, diverged: np.ndarray, down: np.ndarray) -> dict[str, Any]:
        every = np.ones(self.num_envs, bool)
        info: dict[str, Any] = {"terms": terms.T.astype(np.float32), "diverged": diverged.copy(), "fallen": down.copy()}
        return info | {f"_{name}": every for name in tuple(info)}


def _population(robot: str, bodies: int, seed: int) -> Population:
    if robot == RANDOM:
        from sim.humanoid.morphology.body import sample_body

        return random_population([sample_body(i, seed) for i in range(bodies)])
    from assets.robots.humanoid import load_humanoid

    return real_population(load_humanoid(robot))


def _space() -> spaces.Dict:
    shapes = {
        "history": (observations.HISTORY, observations.FRAME),
        "command": (len(NAMES) + 2,),
        "mask": (32,),
        "privileged": (observations.PRIVILEGED,),
    }
    clip = observations.CLIP
    return spaces.Dict({name: spaces.Box(-clip, clip, shape, np.float32) for name, shape in shapes.items()})

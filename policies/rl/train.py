"""Train a learner in a run folder. A run can be killed at any moment; the same call goes on from its last checkpoint.

runs/x/run.json       settings; a call with others is refused
runs/x/train.jsonl    learning curve, also in runs/x/tensorboard
runs/x/replay.npy     replay memory, memory-mapped
runs/x/last           checkpoint: policy.json, model.safetensors, training/
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium.vector import VectorEnv
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from policies import checkpoint
from policies.rl import export, learner, learning_curve, training_state
from policies.rl.config import LearnerConfig, renamed
from policies.rl.vecenv import GymnasiumVecEnv, Normalise
from policies.rl.weight_average import Average
from twinloom.atomic import write_json
from twinloom.errors import TwinloomError
from twinloom.interrupt import Interrupt
from twinloom.progress import Progress
from twinloom.runs import RUN, claim, locked

REPLAY, NOT_FINITE = "replay.npy", "not_finite.npz"
EPISODES_PER_LOG = 32


@dataclass(frozen=True)
class TrainingJob:
    """What is learned where.

    Attributes:
        task: "cascade/adopt_profit".
        learner: settings of the learner.
        make_env: replicas to a vector environment with AutoresetMode.DISABLED.
        world: settings of the environment, JSON; kept in the checkpoint.
        observation_names, action_names: of the numbers, in order; "0", "1", ... if empty.
        fps: decisions per unit of time.
    """

    task: str
    learner: LearnerConfig
    make_env: Callable[[int], VectorEnv]
    world: dict[str, Any]
    observation_names: Sequence[str] = ()
    action_names: Sequence[str] = ()
    fps: float = 1.0

    def identity(self) -> dict[str, Any]:
        """What may not change between two calls: everything but the number of steps."""
        settings = {name: value for name, value in self.learner.to_json().items() if name != "steps"}
        return {"task": self.task, "learner": settings, "world": self.world}


class _Stop(Exception):  # noqa: N818 (not an error)
    """Raised between two updates to end the loop of Stable-Baselines3."""


class _Overseer(BaseCallback):
    """Shows progress, writes checkpoints, grants interruptions; all of it between two updates."""

    def __init__(
        self,
        progress: Progress,
        interrupt: Interrupt,
        save: Callable[[], None],
        actor: Average,
        every: int,
        actions: dict[str, tuple[float, float]],
    ) -> None:
        super().__init__()
        self._progress, self._interrupt, self._save, self._every = progress, interrupt, save, every
        self._actor, self._seen = actor, 0
        self._names, self._low, self._high = [*actions], *np.array([*actions.values()]).T
        self._next = 0
        self._actions = np.zeros(0)

    def _on_training_start(self) -> None:
        self._seen = self.model.num_timesteps
        self._next = self._seen + self._every

    def catch_up(self) -> None:
        """Let the average know the actor as it is."""
        if (new := self.model.num_timesteps - self._seen) > 0:
            self._actor.update(new)
            self._seen += new

    def _on_rollout_start(self) -> None:
        self.catch_up()
        if self._interrupt.wanted:
            raise _Stop
        if self.model.num_timesteps >= self._next:
            self._save()
            self._next = self.model.num_timesteps + self._every

    def _on_step(self) -> bool:
        self._progress.advance(self.training_env.num_envs)
        share = (np.clip(np.asarray(self.locals["actions"], np.float64), -1.0, 1.0).mean(axis=0) + 1.0) / 2.0
        taken = self._low + share * (self._high - self._low)
        self._actions = taken if not len(self._actions) else self._actions + 0.05 * (taken - self._actions)
        for name, value in zip(self._names, self._actions, strict=True):
            self.logger.record(f"action/{name}", float(value))
        if (finished := self.model.ep_info_buffer) and self.n_calls % 64 == 0:
            self._progress.status(f"return {np.mean([one['r'] for one in finished]):.3g}")
        return True


def train(job: TrainingJob, folder: Path, *, checkpoint_every: int = 10_000, command: str | None = None) -> Path:
    """Train up to ``job.learner.steps`` and return the checkpoint folder; `steps_done` tells its steps.

    A run that has done as many steps or more is left as it is.

    Args:
        job: what to learn.
        folder: run folder, new or of the same job.
        checkpoint_every: steps between checkpoints: what a power cut can cost.
        command: kept in the checkpoint.

    Raises:
        TwinloomError: the folder belongs to other settings or another process, is damaged, or the disk is full.
        KeyboardInterrupt: interrupted; everything is saved, and the message says where it stands.
    """
    with locked(folder, "training"):
        return _train(job, folder, checkpoint_every, command)


def _train(job: TrainingJob, folder: Path, checkpoint_every: int, command: str | None) -> Path:
    last = folder / checkpoint.LAST
    _modernise(folder / RUN)
    new = claim(folder, job.identity(), "policies train")
    checkpoint.recover(last)
    done = steps_done(last) if (begun := last.exists()) else 0
    if begun and done >= job.learner.steps:
        return last
    torch.set_num_threads(1)  # networks of this size lose with more: synchronising costs more than it saves
    try:
        adapter, env = _environment(job, 0, folder / NOT_FINITE)
        model = learner.make(job.learner, env, str(folder / REPLAY), begun)
    except BaseException:
        if new:  # nothing was learned: the folder must not be taken by settings that cannot be
            for name in (RUN, REPLAY):
                (folder / name).unlink(missing_ok=True)
        raise
    actor = Average(export.actor_layers(model))
    if begun:
        saved = int(training_state.load(model, env, actor, checkpoint.training_of(last))["steps"])
        if saved != done:
            text = f"{done} steps in {checkpoint.DESCRIPTION}, {saved} in {training_state.NUMBERS}"
            raise TwinloomError(f"{last} is damaged: {text}; choose another --out")
        adapter.seed_next(_seed(job.learner.seed, done))
        model.action_space.seed(_seed(job.learner.seed, done))
        np.random.seed(_seed(job.learner.seed, done))  # Stable-Baselines3 draws action noise from it
    names = [*job.observation_names] or [str(n) for n in range(env.observation_space.shape[0])]  # type: ignore[index]
    actions = [*job.action_names] or [str(n) for n in range(env.action_space.shape[0])]  # type: ignore[index]
    extra = {"algo": job.learner.algo, "learner": job.learner.to_json(), "world": job.world}

    def save() -> None:
        spec = export.describe(
            model,
            env,
            adapter,
            observation_names=names,
            action_names=actions,
            fps=job.fps,
            task=job.task,
            extra=extra,
        )
        weights = export.tensors(model, env, actor)
        checkpoint.save(
            last, spec, weights, lambda where: training_state.save(model, env, actor, where), command=command
        )

    model.set_logger(learning_curve.logger(folder, model.num_timesteps))
    try:
        with (
            Interrupt() as interrupt,
            Progress(job.learner.steps, "step", done=model.num_timesteps) as progress,
        ):
            limits = zip(adapter.low.ravel().tolist(), adapter.high.ravel().tolist(), strict=True)
            shown = dict(zip(actions, limits, strict=True))
            overseer = _Overseer(progress, interrupt, save, actor, checkpoint_every, shown)
            _learn(model, job.learner.steps, overseer)
            overseer.catch_up()
            save()
            if interrupt.wanted:
                raise KeyboardInterrupt(f"{model.num_timesteps:,} steps are saved in {last}; the same command goes on")
    finally:
        model.logger.close()
        env.close()
    return last


def _modernise(path: Path) -> None:
    """Write the settings of a run of an earlier version under today's names; `claim` reports what is damaged."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        found = json.loads(path.read_text(encoding="utf-8"))
        learner = found.get("learner") if isinstance(found, dict) else None
        if isinstance(learner, dict) and (new := renamed(learner)) != learner:
            write_json(path, found | {"learner": new})


def steps_done(folder: Path) -> int:
    """Environment steps behind the newest checkpoint of a run.

    Raises:
        TwinloomError: there is none, or it is damaged.
    """
    steps = checkpoint.describe(folder)[0].extra.get("steps")
    if type(steps) is not int or steps < 0:
        where = checkpoint.find(folder) / checkpoint.DESCRIPTION
        raise TwinloomError(f"{where} is damaged: extra.steps is {steps!s:.60}, not a whole number from 0")
    return steps


def _learn(model: BaseAlgorithm, steps: int, overseer: BaseCallback) -> None:
    interval = 1 if model.__class__.__name__ == "PPO" else EPISODES_PER_LOG
    first = model.num_timesteps == 0
    remaining = steps - model.num_timesteps
    with contextlib.suppress(_Stop):
        model.learn(remaining, callback=overseer, log_interval=interval, reset_num_timesteps=first)


def _environment(job: TrainingJob, step: int, dump: Path) -> tuple[GymnasiumVecEnv, Normalise]:
    adapter = GymnasiumVecEnv(job.make_env(job.learner.num_envs), seed=_seed(job.learner.seed, step), dump=dump)
    on = job.learner.normalise
    return adapter, Normalise(adapter, job.learner.gamma, observations=on, rewards=on)


def _seed(seed: int, step: int) -> int:
    """Seed of the episodes that begin at a step: other ones after each resumption."""
    return int(np.random.SeedSequence([seed, zlib.crc32(b"training episodes"), step]).generate_state(1)[0] >> 1)

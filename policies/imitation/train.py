"""Cloning recorded episodes: gradient steps that can be interrupted at any moment and continued."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from policies import checkpoint
from policies.base import PolicySpec
from policies.imitation.config import TrainingConfig
from policies.imitation.data import Demonstrations
from policies.imitation.network import chunk_loss, jittered
from policies.imitation.policy import Scale, as_input, build, clipped
from twinloom.errors import TwinloomError
from twinloom.features import ACTION, STATE
from twinloom.interrupt import Interrupt
from twinloom.jsonlines import JsonLines
from twinloom.progress import Progress

WARM_UP = 200  # steps
EVERY = 250  # steps between lines of the log; the checkpoint is written with each
LOG = "train.jsonl"
STATE_FILE = "state.pt"


@dataclass(frozen=True)
class Result:
    """How a training ended. ``signal``: number of the signal that ended it early, or 0."""

    steps: int
    loss: float | None
    validation: float | None
    signal: int


def describe(demonstrations: Demonstrations, config: TrainingConfig) -> PolicySpec:
    """The description of the policy that these episodes and this configuration give."""
    features = demonstrations.features
    scales = {STATE: Scale.of(demonstrations.state.numpy()), ACTION: Scale.of(demonstrations.action.numpy())}
    return PolicySpec(
        kind="imitation",
        observation={name: feature for name, feature in features.items() if name != ACTION},
        action=features[ACTION],
        fps=demonstrations.fps,
        horizon=config.horizon,
        n_action_steps=config.n_action_steps,
        robot=demonstrations.robot or None,
        task=config.task,
        normalization={name: scale.to_json() for name, scale in scales.items()},
        render=demonstrations.render,
        extra={
            "network": {"image_size": list(config.image_size), "width": config.width, "channels": config.channels},
            "data": {
                "episodes": demonstrations.episodes,
                "frames": len(demonstrations.state),
                "seeds": list(demonstrations.seeds),
            },
            "training": config.to_json(),
        },
    )


class Training:
    """One training run in a folder: ``last/`` is its checkpoint, ``train.jsonl`` its log.

    Args:
        demonstrations: what is cloned.
        config: how.
        out: run folder; a run of the same configuration and data in it is continued.

    Raises:
        TwinloomError: the folder holds a run of another configuration or data, or something else.
    """

    def __init__(self, demonstrations: Demonstrations, config: TrainingConfig, out: Path) -> None:
        self.demonstrations, self.config, self.out = demonstrations, config, Path(out)
        self.spec = describe(demonstrations, config)
        with torch.random.fork_rng():  # initial weights come from torch's global generator
            torch.manual_seed(config.seed)
            self.network = build(self.spec)
        self.averaged = build(self.spec)
        self.averaged.load_state_dict(self.network.state_dict())
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), config.learning_rate, weight_decay=config.weight_decay
        )
        self.step = 0
        self._learn, self._validate = demonstrations.split(config.holdout, config.seed)
        self._scales = {n: Scale.from_json(v) for n, v in self.spec.normalization.items()}
        if (self.out / checkpoint.LAST).exists() or list(self.out.glob(f"{checkpoint.LAST}.*")):
            self._continue()
        elif self.out.exists() and any(self.out.iterdir()):
            raise TwinloomError(f"{self.out} holds something that is no training of ours; choose another --out")

    def run(self, stop: Interrupt, progress: Progress) -> Result:
        """Train to the end, or until ``stop`` caught a signal. Writes the checkpoint either way.

        Raises:
            TwinloomError: the loss is not finite, or nothing can be written.
        """
        losses: list[float] = []
        loss = validation = None
        while self.step < self.config.steps and not stop.signal:
            losses.append(self._gradient_step())
            self.step += 1
            progress.advance()
            if self.step % EVERY == 0 or self.step == self.config.steps or stop.signal:
                loss, losses = float(np.mean(losses)), []
                if not math.isfinite(loss):
                    raise TwinloomError(
                        f"the loss is {loss} at step {self.step}; lower --learning-rate. Kept: {self.out}"
                    )
                validation = self.validate()
                self._keep({"step": self.step, "loss": loss, "validation": validation, "learning_rate": self._rate()})
                progress.status(
                    f"loss {loss:.4f}" + (f", validation {validation:.4f}" if validation is not None else "")
                )
        return Result(self.step, loss, validation, stop.signal)

    def validate(self) -> float | None:
        """Mean absolute error of the averaged weights on the episodes held out, in rad; None if there are none."""
        if not len(self._validate):
            return None
        spread = (self._scales[ACTION].high - self._scales[ACTION].low) / 2
        total = weight = 0.0
        self.averaged.eval()
        with torch.inference_mode():
            for frames in np.array_split(self._validate, math.ceil(len(self._validate) / 256)):
                state, images, wanted, there = self._batch(frames)
                error = (self.averaged(state, images) - wanted).abs() * torch.from_numpy(spread)
                total += float((error.mean(2) * there).sum())
                weight += float(there.sum())
        return total / weight

    def _gradient_step(self) -> float:
        """One step on the batch and with the noise that belong to this step, whatever happened before."""
        generator = torch.Generator().manual_seed(self.config.seed * 2**32 + self.step)
        state, images, wanted, there = self._batch(self._order(self.step))
        state = state + self.config.noise * torch.randn(state.shape, generator=generator)
        if self.config.jitter and images.shape[1]:
            images = jittered(images, self.config.jitter, generator)
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate()
        self.network.train()
        self.optimizer.zero_grad(set_to_none=True)
        loss = chunk_loss(self.network(state, images), wanted, there)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        blend = min(self.config.ema_decay, (1 + self.step) / (10 + self.step))  # the first weights are forgotten fast
        with torch.no_grad():
            for kept, new in zip(self.averaged.parameters(), self.network.parameters(), strict=True):
                kept.lerp_(new, 1 - blend)
        return float(loss.detach())

    def _rate(self) -> float:
        """Learning rate of this step: linear warm-up, then a cosine to zero."""
        warm = min(1.0, (self.step + 1) / WARM_UP)
        return (
            self.config.learning_rate * warm * 0.5 * (1 + math.cos(math.pi * min(1.0, self.step / self.config.steps)))
        )

    def _order(self, step: int) -> np.ndarray:
        """Frames of the batch of a step: epochs of permutations, a function of the seed and the step alone."""
        size, batch = len(self._learn), self.config.batch_size
        wanted = np.arange(step * batch, (step + 1) * batch)
        epochs = {int(epoch): self._permutation(int(epoch)) for epoch in np.unique(wanted // size)}
        return self._learn[[epochs[int(i // size)][i % size] for i in wanted]]

    def _permutation(self, epoch: int) -> np.ndarray:
        if getattr(self, "_kept_epoch", None) != epoch:
            self._kept_epoch = epoch
            self._kept = np.random.default_rng([self.config.seed, 1, epoch]).permutation(len(self._learn))
        return self._kept

    def _batch(self, frames: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Scaled states, images and chunks of these frames, and which actions of the chunks exist."""
        actions, there = self.demonstrations.chunks(frames, self.config.horizon)
        state = clipped(self._scales[STATE].scaled(self.demonstrations.state[frames]))
        return state, as_input(self.demonstrations.images[frames]), self._scales[ACTION].scaled(actions), there

    def _keep(self, line: dict[str, Any]) -> None:
        """Write the checkpoint, then the line of the log: a line never speaks of steps that are lost."""
        tensors = {name: value.detach().numpy() for name, value in self.averaged.state_dict().items()}
        checkpoint.save(self.out / checkpoint.LAST, self.spec, tensors, self._write_state)
        with JsonLines(self.out / LOG, line["step"] - 1) as log:
            log.write(line)

    def _write_state(self, folder: Path) -> None:
        state = {"step": self.step, "network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save(state, folder / STATE_FILE)

    def _continue(self) -> None:
        """Go on where the run in the folder ended."""
        found = checkpoint.read(self.out)
        if found.spec.kind != self.spec.kind:
            raise TwinloomError(f"{self.out} holds a policy of the kind {found.spec.kind}; choose another --out")
        differences = self.config.differences(found.spec.extra.get("training", {}))
        if found.spec.extra.get("data") != self.spec.extra["data"]:
            differences.append(f"other data ({found.spec.extra.get('data')})")
        if found.spec.normalization != self.spec.normalization:
            differences.append("other ranges")
        if differences:
            raise TwinloomError(f"{self.out} was begun with {'; '.join(differences)}; choose another --out")
        path = checkpoint.training_of(self.out) / STATE_FILE
        try:
            state = torch.load(path, weights_only=True)  # tensors and numbers only, no pickled code
            self.network.load_state_dict(state["network"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.step = int(state["step"])
        except Exception as error:
            raise TwinloomError(f"{path} is damaged ({type(error).__name__}); choose another --out") from error
        self.averaged.load_state_dict({name: torch.from_numpy(a.copy()) for name, a in found.tensors.items()})

"""Distil the walking controller in a run folder. A run can be killed at any moment; the same call goes on with it.

runs/x/run.json        settings; a call with others is refused
runs/x/samples/*.npz   what each iteration collected
runs/x/train.jsonl     learning curve
runs/x/last            checkpoint: policy.json, model.safetensors, training/
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from policies import checkpoint
from policies.humanoid.distill.data import Dataset, Shard
from policies.humanoid.distill.gather import BodyResult, Job, gather, shard
from policies.humanoid.distill.settings import DistillConfig
from policies.humanoid.networks import WalkingNetwork
from policies.humanoid.student import describe, load_network
from twinloom.errors import TwinloomError
from twinloom.interrupt import Interrupt
from twinloom.jsonlines import JsonLines
from twinloom.processes import end_with_parent
from twinloom.runs import claim, locked

STATE = "state.pt"


class Student:
    """The network that learns, its running mean that acts, and the optimizer."""

    def __init__(self, config: DistillConfig) -> None:
        """Untrained."""
        torch.manual_seed(config.seed)
        self.config, self.iteration = config, 0
        self.network = WalkingNetwork(config.network)
        self.average = WalkingNetwork(config.network).eval()
        self.average.load_state_dict(self.network.state_dict())
        self.optimizer = torch.optim.Adam(self.network.parameters(), config.learning_rate)

    def begin(self, data: Dataset) -> bool:
        """Start from another checkpoint or from another run's samples; False if there is neither.

        Raises:
            TwinloomError: there are no samples, or the checkpoint is of another kind or shape.
        """
        if self.config.init:
            found = load_network(self.config.init)
            try:
                self.network.load_state_dict(found.state_dict())
            except RuntimeError as error:
                raise TwinloomError(
                    f"{self.config.init} is a network of another shape; choose its --network"
                ) from error
        elif self.config.samples:
            if not len(data):
                raise TwinloomError(f"{self.config.samples} holds no samples; it must be a run of humanoid/walk")
            self.normalise(data)
            self.learn(data, self.config.warm_up)
        self.average.load_state_dict(self.network.state_dict())
        return bool(self.config.init or self.config.samples)

    def normalise(self, data: Dataset) -> None:
        """Set means and scales of inputs and outputs from the first data."""
        tables = {"frame": "frames", "task": "tasks", "description": "descriptions", "action": "actions"}
        least = {"frame": 0.02, "task": 0.02, "description": 0.02, "action": 0.02}
        for network in (self.network, self.average):
            for name, table in tables.items():
                values = data.table(table).float()
                getattr(network, f"{name}_mean").copy_(values.mean(0))
                getattr(network, f"{name}_std").copy_(values.std(0).clamp(min=least[name]))
            network.velocity_std.copy_(data.table("velocities").float().std(0).clamp(min=0.02))

    def learn(self, data: Dataset, steps: int) -> dict[str, float]:
        """Take optimizer steps; returns mean losses of the second half: action (in deviations) and velocity (√(gL))."""
        generator = torch.Generator().manual_seed(self.config.seed * 1_000_003 + self.iteration)
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.rate(self.iteration)
        losses: list[tuple[float, float]] = []
        for _ in range(steps):
            batch = data.batch(self.config.batch, generator)
            noise = torch.randn(batch["description"].shape, generator=generator) * self.config.description_noise
            description = batch["description"] + noise * self.network.description_std
            action, velocity = self.network(batch["frames"], batch["task"], batch["mask"], description)
            wrong = (action - batch["actions"]) / self.network.action_std * batch["mask"]
            astray = (velocity - batch["velocities"]) / self.network.velocity_std
            loss = torch.nn.functional.smooth_l1_loss(wrong, torch.zeros_like(wrong))
            total = loss + self.config.velocity_weight * (astray**2).mean()
            self.optimizer.zero_grad()
            total.backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimizer.step()
            with torch.no_grad():
                for mean, value in zip(self.average.parameters(), self.network.parameters(), strict=True):
                    mean.lerp_(value, 1.0 - self.config.average)
            error = (velocity.detach() - batch["velocities"]).pow(2).mean().sqrt()
            losses.append((float(wrong.detach().pow(2).mean().sqrt()), float(error)))
        late = np.array(losses[len(losses) // 2 :]).mean(0)
        return {"action_error": float(late[0]), "velocity_error": float(late[1])}

    def save(self, folder: Path) -> None:
        """Write a checkpoint that acts with the running mean."""
        tensors = {name: value.detach().numpy() for name, value in self.average.state_dict().items()}
        state = {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "iteration": self.iteration,
        }
        spec = describe(self.config.network, {"distill": asdict(self.config), "iteration": self.iteration})
        checkpoint.save(folder, spec, tensors, lambda place: torch.save(state, place / STATE))

    def resume(self, folder: Path) -> None:
        """Continue from a checkpoint."""
        found = checkpoint.read(folder)
        self.average.load_state_dict({name: torch.from_numpy(value) for name, value in found.tensors.items()})
        state = torch.load(checkpoint.training_of(folder) / STATE, weights_only=True)
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.iteration = int(state["iteration"])


def distill(
    folder: Path,
    config: DistillConfig,
    iterations: int,
    workers: int = 2,
    say: Callable[[str], None] = print,
) -> None:
    """Train until this many iterations are done, or someone asks to stop.

    Args:
        folder: the run folder; a run of the same settings in it is continued.
        iterations: in all, those of earlier calls included.
        workers: processes that collect.
        say: takes one line for each iteration.

    Raises:
        TwinloomError: the folder holds something else, or another process works in it.
    """
    torch.set_num_threads(1)  # the other cores collect
    with locked(folder, "distilling"), Interrupt() as interrupt:
        claim(folder, {"distill": asdict(config)}, "policies train humanoid")
        student, data, samples = Student(config), Dataset(config.keep), folder / "samples"
        samples.mkdir(exist_ok=True)
        last = folder / "last"
        if config.samples:
            for path in sorted((Path(config.samples) / "samples").glob("*.npz"))[-config.keep :]:
                data.add(Shard.load(path))
        if (last / checkpoint.DESCRIPTION).exists():
            student.resume(last)
        elif student.begin(data):
            student.save(last)
        for path in sorted(samples.glob("*.npz")):
            if student.iteration - config.keep <= int(path.stem) < student.iteration:
                data.add(Shard.load(path))
        log = JsonLines(folder / "train.jsonl", student.iteration)
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), end_with_parent) as pool:
            while student.iteration < iterations and not interrupt.wanted:
                row = _iterate(student, data, samples, last, pool)
                log.write(row)
                say(" ".join(f"{name} {value:.4g}" for name, value in row.items()))


def _iterate(student: Student, data: Dataset, samples: Path, last: Path, pool: ProcessPoolExecutor) -> dict[str, float]:
    """Collect, learn, save; returns a row of the learning curve."""
    config, k, began = student.config, student.iteration, time.monotonic()
    weights = last if (last / checkpoint.DESCRIPTION).exists() else None
    beta, hardship = (config.beta(k) if weights else 1.0), config.hardship(k)
    jobs = [
        Job(config.robot, k * config.bodies + i, config.seed, weights, beta, hardship, config.episodes, config.seconds)
        for i in range(config.bodies)
    ]
    results = list(gather(pool, jobs))
    if (fresh := shard(results)) is not None:
        fresh.save(samples / f"{k:05d}.npz")
        data.add(fresh)
    collected = time.monotonic()
    if weights is None:
        student.normalise(data)
    losses = student.learn(data, config.steps if weights else config.warm_up)
    student.iteration = k + 1
    student.save(last)
    return (
        {"step": k + 1, "beta": beta, "hardship": hardship}
        | _outcome(results)
        | losses
        | {
            "rows": len(data),
            "collect_s": collected - began,
            "learn_s": time.monotonic() - collected,
        }
    )


def _outcome(results: list[BodyResult]) -> dict[str, float]:
    episodes = [samples for result in results for samples in result.samples]
    return {
        "bodies": sum(bool(result.samples) for result in results),
        "rejected": sum(not result.samples for result in results),
        "survived": float(np.mean([not samples.fell for samples in episodes])) if episodes else 0.0,
        "seconds": float(np.mean([samples.seconds for samples in episodes])) if episodes else 0.0,
    }

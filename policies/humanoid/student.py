"""A trained walking network: reading it, and running it on a robot."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from policies.base import PolicySpec
from policies.humanoid.networks import HISTORY, MLPWalker, NetworkConfig
from policies.humanoid.senses import DESCRIPTION, FRAME, LEGS, TASK
from twinloom.features import Feature

KIND = "walking_student"
FPS = 50.0


def build_network(config: NetworkConfig) -> MLPWalker:
    """An untrained network."""
    return MLPWalker(config)


def describe(config: NetworkConfig, made: dict[str, Any]) -> PolicySpec:
    """What policy.json says of a network: it is for any body, so no robot is named."""
    from assets.robots.humanoid.slots import SLOTS

    def numbers(count: int, name: str) -> Feature:
        return Feature("float32", (count,), tuple(f"{name}.{i}" for i in range(count)), "dimensionless")

    return PolicySpec(
        kind=KIND,
        observation={
            "observation.frames": numbers(HISTORY * FRAME, "frame"),
            "observation.task": numbers(TASK, "task"),
            "observation.mask": numbers(LEGS, "mask"),
            "observation.description": numbers(DESCRIPTION, "description"),
        },
        action=Feature("float32", (LEGS,), SLOTS[:LEGS], "rad"),
        fps=FPS,
        horizon=1,
        extra={"network": asdict(config)} | made,
    )


def load_network(path: Path) -> MLPWalker:
    """A network from a checkpoint folder, for acting. Raises TwinloomError if it is none."""
    from policies.checkpoint import read

    checkpoint = read(path)
    network = build_network(NetworkConfig(hidden=tuple(checkpoint.spec.extra["network"]["hidden"])))
    network.load_state_dict({name: torch.from_numpy(value) for name, value in checkpoint.tensors.items()})
    return network.eval()

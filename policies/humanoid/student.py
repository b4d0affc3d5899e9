"""Checkpoints of walking networks: what policy.json says of one, and reading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from policies.base import Observation, PolicySpec
from policies.humanoid.networks import HISTORY, NetworkConfig, WalkingNetwork
from policies.humanoid.senses import DESCRIPTION, FRAME, LEGS, TASK
from twinloom.errors import TwinloomError
from twinloom.features import Feature

KIND = "walking_student"
FPS = 50.0


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
        task="humanoid/walk",
        extra={"network": asdict(config)} | made,
    )


def restore(spec: PolicySpec, tensors: Mapping[str, Any]) -> WalkingNetwork:
    """The network of a checkpoint, for acting. Raises KeyError, TypeError or RuntimeError if it is none."""
    shape: dict[str, Any] = dict(spec.extra["network"])
    shape["hidden"] = tuple(shape["hidden"])
    network = WalkingNetwork(NetworkConfig(**shape))
    network.load_state_dict({name: torch.from_numpy(value) for name, value in tensors.items()})
    return network.eval()


class WalkingPolicy:
    """A walking network as any other policy: what it observes is worked out by `policies.humanoid.senses`."""

    def __init__(self, spec: PolicySpec, network: WalkingNetwork) -> None:
        """Of a checkpoint."""
        self.spec, self.network = spec, network

    def reset(self) -> None:
        """A new episode begins; the history is part of the observation."""

    @torch.inference_mode()
    def act(self, observation: Observation) -> np.ndarray:
        """(1, 12) float32, rad from the standing pose in the leg slots; see the description for the observation."""
        frames, task, mask, description = (
            torch.from_numpy(np.array(observation[name], np.float32))[None] for name in self.spec.observation
        )
        return self.network(frames.view(1, HISTORY, FRAME), task, mask, description)[0].numpy()


def load(spec: PolicySpec, tensors: Mapping[str, Any]) -> WalkingPolicy:
    """The policy of a checkpoint. Raises TwinloomError: weights and description do not belong together."""
    try:
        return WalkingPolicy(spec, restore(spec, tensors))
    except (KeyError, TypeError, RuntimeError) as error:
        raise TwinloomError(f"the weights do not fit the description: {type(error).__name__} {error}") from error


def load_network(folder: Path | str) -> WalkingNetwork:
    """The network of a checkpoint folder. Raises TwinloomError if it is none of this kind, or damaged."""
    from policies.checkpoint import read

    checkpoint = read(folder)
    if checkpoint.spec.kind != KIND:
        raise TwinloomError(f"{folder} is a {checkpoint.spec.kind} policy, not a {KIND} (policies list kinds)")
    try:
        return restore(checkpoint.spec, checkpoint.tensors)
    except (KeyError, TypeError, RuntimeError) as error:
        raise TwinloomError(f"{checkpoint.folder} is damaged: {type(error).__name__} {error}") from error

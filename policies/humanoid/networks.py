"""Networks that walk: history, clock and self-knowledge in; joint targets and an estimate of the own velocity out."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from policies.humanoid.senses import DESCRIPTION, FRAME, LEGS, TASK

HISTORY = 5
"""Steps of history that a network sees, the present one last."""
CLIP = 5.0
"""Normalised inputs are cut here: a body unlike all of training must not blow up."""


@dataclass(frozen=True)
class NetworkConfig:
    """Shape of the network.

    Attributes:
        hidden: widths of the trunk's layers.
    """

    hidden: tuple[int, ...] = (512, 384, 256)


class MLPWalker(nn.Module):
    """One trunk over everything; a head for the velocity, and one for the action that sees the trunk and the velocity.

    Inputs and outputs are normalised by buffers, which training sets once from its first data.
    """

    def __init__(self, config: NetworkConfig) -> None:
        """Untrained."""
        super().__init__()
        inputs = HISTORY * FRAME + TASK + LEGS + DESCRIPTION
        layers: list[nn.Module] = []
        for width in config.hidden:
            layers += [nn.Linear(inputs, width), nn.ELU()]
            inputs = width
        self.trunk = nn.Sequential(*layers)
        self.velocity = nn.Linear(inputs, 3)
        self.head = nn.Sequential(nn.Linear(inputs + 3, 128), nn.ELU(), nn.Linear(128, LEGS))
        for name, size in (("frame", FRAME), ("task", TASK), ("description", DESCRIPTION), ("action", LEGS)):
            self.register_buffer(f"{name}_mean", torch.zeros(size))
            self.register_buffer(f"{name}_std", torch.ones(size))
        self.register_buffer("velocity_std", torch.full((3,), 0.1))

    def forward(self, frames: Tensor, task: Tensor, mask: Tensor, description: Tensor) -> tuple[Tensor, Tensor]:
        """Action and velocity.

        Args:
            frames: [B, HISTORY, FRAME].
            task: [B, TASK].
            mask: [B, LEGS], 1 where the joint exists.
            description: [B, DESCRIPTION].

        Returns:
            [B, LEGS] rad from the standing pose in the leg slots, 0 where there is no joint.
            [B, 3] velocity of the base in its level frame, in √(gL).
        """
        scaled = [
            self._scaled(frames, "frame").flatten(1),
            self._scaled(task, "task"),
            mask,
            self._scaled(description, "description"),
        ]
        features = self.trunk(torch.cat(scaled, dim=1))
        velocity = self.velocity(features)
        action = self.head(torch.cat([features, velocity], dim=1)) * self.action_std + self.action_mean
        return action * mask, velocity * self.velocity_std

    def _scaled(self, values: Tensor, name: str) -> Tensor:
        mean, std = getattr(self, f"{name}_mean"), getattr(self, f"{name}_std")
        return ((values - mean) / std).clamp(-CLIP, CLIP)


class Memory:
    """The history of one robot as a network wants it: at the beginning the first frame is repeated."""

    def __init__(self) -> None:
        """Empty."""
        self._frames: list[Tensor] = []

    def push(self, frame: Tensor) -> Tensor:
        """Add the present frame [FRAME]; returns [HISTORY, FRAME], the present one last."""
        self._frames = [*(self._frames or [frame] * HISTORY)[-(HISTORY - 1) :], frame]
        return torch.stack(self._frames)

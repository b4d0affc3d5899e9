"""Moving average of an actor: what is exported. A learner's last weights are one draw of a noisy walk."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn

SHARE = 0.1  # of all steps so far: how far the average looks back


class Average:
    """Exponential moving average of the linear layers of a network, in order.

    Args:
        layers: modules of the network; only linear ones have weights.
    """

    def __init__(self, layers: Iterable[nn.Module]) -> None:
        self.layers = [layer for layer in layers if isinstance(layer, nn.Linear)]
        self._live = [parameter for layer in self.layers for parameter in (layer.weight, layer.bias)]
        self.values = [parameter.detach().clone() for parameter in self._live]
        self._steps = 0

    @torch.no_grad()
    def update(self, steps: int) -> None:
        """The learner has done ``steps`` more environment steps."""
        self._steps += steps
        rate = min(1.0, steps / (SHARE * self._steps))
        for mine, live in zip(self.values, self._live, strict=True):
            mine.lerp_(live, rate)

    def state(self) -> dict[str, object]:
        """For a checkpoint."""
        return {"values": self.values, "steps": self._steps}

    def restore(self, state: dict) -> None:
        """Inverse of `state`. Raises KeyError, TypeError or ValueError for that of another network."""
        self._steps = int(state["steps"])
        for mine, saved in zip(self.values, state["values"], strict=True):
            if mine.shape != saved.shape:
                raise ValueError(f"averaged weights have shape {tuple(saved.shape)} instead of {tuple(mine.shape)}")
            mine.copy_(saved)

    def pairs(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Averaged (weight, bias) of each layer."""
        return list(zip(self.values[::2], self.values[1::2], strict=True))

"""A trained walking network: reading it, and running it on a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from policies.humanoid.networks import MLPWalker, NetworkConfig


def load_network(path: Path) -> torch.nn.Module:
    """A network from a checkpoint folder, for acting."""
    from policies.checkpoint import read

    checkpoint = read(path)
    network = build_network(checkpoint.spec.extra["network"])
    network.load_state_dict({name: torch.from_numpy(value) for name, value in checkpoint.tensors.items()})
    return network.eval()


def build_network(config: dict[str, Any]) -> torch.nn.Module:
    """An untrained network of a JSON description."""
    return MLPWalker(NetworkConfig(hidden=tuple(config["hidden"])))

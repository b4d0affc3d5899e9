"""Networks that walk: history, clock and self-knowledge in; joint targets and an estimate of the own velocity out.

Three trunks with the same inputs and outputs: an MLP over everything, a graph convolution and a Transformer over the
joints (Xue et al. 2026). Joints are nodes of the graph; one more stands for the base and carries what belongs to all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from policies.humanoid.senses import DESCRIPTION, FRAME, LEGS, TASK

HISTORY = 5
"""Steps of history that a network sees, the present one last."""
CLIP = 5.0
"""Normalised inputs are cut here: a body unlike all of training must not blow up."""
NODES = LEGS + 1
"""Leg joints and the base."""
JOINT = 3 * HISTORY
"""Own numbers of a joint: position, velocity and action over the history."""


@dataclass(frozen=True)
class NetworkConfig:
    """Shape of the network.

    Attributes:
        kind: "mlp", "gcn" or "transformer".
        hidden: widths of the MLP's layers; of those that encode what belongs to all nodes in the others.
        width: of a node.
        layers: of the graph networks.
        heads: of the Transformer.
    """

    kind: Literal["mlp", "gcn", "transformer"] = "mlp"
    hidden: tuple[int, ...] = (512, 384, 256)
    width: int = 64
    layers: int = 3
    heads: int = 4


class WalkingNetwork(nn.Module):
    """Normalisation, the trunk, and the estimate of the velocity, which the action's heads see.

    Inputs and outputs are normalised by buffers, which training sets once from its first data.
    """

    action_mean: Tensor
    action_std: Tensor
    description_std: Tensor
    velocity_std: Tensor

    def __init__(self, config: NetworkConfig) -> None:
        """Untrained."""
        super().__init__()
        self.trunk = {"mlp": MLPTrunk, "gcn": GraphTrunk, "transformer": GraphTrunk}[config.kind](config)
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
        scaled = self._scaled(frames, "frame"), self._scaled(task, "task"), self._scaled(description, "description")
        action, velocity = self.trunk(scaled[0], scaled[1], mask, scaled[2])
        return (action * self.action_std + self.action_mean) * mask, velocity * self.velocity_std

    def _scaled(self, values: Tensor, name: str) -> Tensor:
        mean, std = getattr(self, f"{name}_mean"), getattr(self, f"{name}_std")
        return ((values - mean) / std).clamp(-CLIP, CLIP)


class MLPTrunk(nn.Module):
    """One stack of layers over everything."""

    def __init__(self, config: NetworkConfig) -> None:
        """Untrained."""
        super().__init__()
        self.body, width = _stack(HISTORY * FRAME + TASK + LEGS + DESCRIPTION, config.hidden)
        self.velocity = nn.Linear(width, 3)
        self.head = nn.Sequential(nn.Linear(width + 3, 128), nn.ELU(), nn.Linear(128, LEGS))

    def forward(self, frames: Tensor, task: Tensor, mask: Tensor, description: Tensor) -> tuple[Tensor, Tensor]:
        """Normalised inputs to normalised outputs, shapes as in WalkingNetwork."""
        features = self.body(torch.cat([frames.flatten(1), task, mask, description], dim=1))
        velocity = self.velocity(features)
        return self.head(torch.cat([features, velocity], dim=1)), velocity


class GraphTrunk(nn.Module):
    """Joints as nodes that speak along the legs; one decoder for all joints."""

    def __init__(self, config: NetworkConfig) -> None:
        """Untrained."""
        super().__init__()
        width = config.width
        self.base, size = _stack(HISTORY * FRAME + TASK + LEGS + DESCRIPTION, config.hidden)
        self.base_out = nn.Linear(size, width)
        self.joint = nn.Linear(JOINT + 1, width)
        self.place = nn.Parameter(0.1 * torch.randn(NODES, width))
        layer = AttentionLayer if config.kind == "transformer" else ConvolutionLayer
        self.layers = nn.ModuleList(layer(width, config.heads) for _ in range(config.layers))
        self.velocity = nn.Linear(width, 3)
        self.decoder = nn.Sequential(nn.Linear(2 * width + 3, 128), nn.ELU(), nn.Linear(128, 1))

    def forward(self, frames: Tensor, task: Tensor, mask: Tensor, description: Tensor) -> tuple[Tensor, Tensor]:
        """Normalised inputs to normalised outputs, shapes as in WalkingNetwork."""
        batch = len(frames)
        own = frames[:, :, 6 : 6 + 3 * LEGS].reshape(batch, HISTORY, 3, LEGS).permute(0, 3, 1, 2).flatten(2)
        joints = self.joint(torch.cat([own * mask[..., None], mask[..., None]], dim=2))
        shared = self.base_out(self.base(torch.cat([frames.flatten(1), task, mask, description], dim=1)))
        nodes = torch.cat([joints, shared[:, None]], dim=1) + self.place
        adjacency = leg_graph(mask)
        for index, layer in enumerate(self.layers):
            nodes = layer(nodes, adjacency if index == 0 or not layer.sees_all else _present(mask))
        velocity = self.velocity(nodes[:, -1])
        spread = torch.cat([nodes[:, -1], velocity], dim=1)[:, None].expand(-1, LEGS, -1)
        return self.decoder(torch.cat([nodes[:, :-1], spread], dim=2))[..., 0], velocity


class ConvolutionLayer(nn.Module):
    """h + ELU(Â·norm(h)·W): neighbours in every layer (Kipf and Welling 2017)."""

    sees_all = False

    def __init__(self, width: int, heads: int) -> None:
        """Untrained; ``heads`` is not used."""
        super().__init__()
        self.norm, self.weight = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        """[B, N, width] and [B, N, N] bool to [B, N, width]."""
        degree = adjacency.sum(2).clamp(min=1).rsqrt()
        mixed = (adjacency * degree[:, :, None] * degree[:, None]) @ self.weight(self.norm(nodes))
        return nodes + nn.functional.elu(mixed)


class AttentionLayer(nn.Module):
    """A Transformer block whose first layer attends to neighbours alone, later ones to all joints that exist."""

    sees_all = True

    def __init__(self, width: int, heads: int) -> None:
        """Untrained."""
        super().__init__()
        self.heads = heads
        self.norm, self.norm_out = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        """[B, N, width] and [B, N, N] bool, who may look at whom, to [B, N, width]."""
        batch, count, width = nodes.shape
        q, k, v = self.qkv(self.norm(nodes)).view(batch, count, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=adjacency[:, None])
        nodes = nodes + self.out(seen.transpose(1, 2).reshape(batch, count, width))
        return nodes + self.feed(self.norm_out(nodes))


def leg_graph(mask: Tensor) -> Tensor:
    """Who is whose neighbour, [B, NODES, NODES] bool, self included: each leg's joints in the order of their slots.

    A missing joint has only itself; its neighbours meet over it. The base meets the first joint of each leg.
    """
    present = mask > 0.5
    graph = torch.eye(NODES, dtype=torch.bool, device=mask.device).repeat(len(mask), 1, 1)
    for leg in (range(6), range(6, LEGS)):
        for i, near in enumerate((LEGS, *leg)):
            open_way = torch.ones(len(mask), dtype=torch.bool, device=mask.device)
            for far in list(leg)[i:]:
                ends = present[:, far] if near == LEGS else present[:, far] & present[:, near]
                graph[:, near, far] |= open_way & ends
                graph[:, far, near] |= open_way & ends
                open_way = open_way & ~present[:, far]
    return graph


def _present(mask: Tensor) -> Tensor:
    """All joints that exist and the base see one another, [B, NODES, NODES] bool; a missing one sees itself."""
    exists = torch.cat([mask > 0.5, torch.ones_like(mask[:, :1], dtype=torch.bool)], dim=1)
    itself = torch.eye(NODES, dtype=torch.bool, device=mask.device)
    return (exists[:, :, None] & exists[:, None]) | itself


def _stack(inputs: int, hidden: tuple[int, ...]) -> tuple[nn.Sequential, int]:
    layers: list[nn.Module] = []
    for width in hidden:
        layers += [nn.Linear(inputs, width), nn.ELU()]
        inputs = width
    return nn.Sequential(*layers), inputs

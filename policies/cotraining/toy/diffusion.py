"""A denoising diffusion model of few numbers given an input (Ho et al. 2020), with the cosine schedule."""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi

import torch
from torch import Tensor, nn

STEPS = 100
CLIP = 3.0
"""Estimates of the clean output are cut here while sampling; outputs are scaled to deviations of 1."""


def schedule() -> Tensor:
    """Share of the signal after each of STEPS steps, ᾱ: (STEPS,), falling from near 1 to near 0."""
    wave = [cos((k / STEPS + 0.008) / 1.008 * pi / 2) ** 2 for k in range(STEPS + 1)]
    kept, out = 1.0, []
    for before, after in pairwise(wave):
        kept *= max(after / before, 1e-3)
        out.append(kept)
    return torch.tensor(out)


ALPHA_BAR = schedule()


class Denoiser(nn.Module):
    """Four linear layers: noised output, time and input to the noise."""

    def __init__(self, outputs: int, inputs: int, width: int) -> None:
        super().__init__()
        sizes = [outputs + 1 + inputs, width, width, width]
        layers = [layer for a, b in pairwise(sizes) for layer in (nn.Linear(a, b), nn.ReLU())]
        self.layers = nn.Sequential(*layers, nn.Linear(width, outputs))

    def forward(self, noised: Tensor, step: Tensor, inputs: Tensor) -> Tensor:
        """[B, outputs], [B] int, [B, inputs] to [B, outputs]."""
        return self.layers(torch.cat([noised, (step / STEPS)[:, None], inputs], dim=1))


def loss(network: Denoiser, outputs: Tensor, inputs: Tensor, generator: torch.Generator) -> Tensor:
    """Mean squared error of the noise at random times."""
    step = torch.randint(STEPS, (len(outputs),), generator=generator)
    noise = torch.randn(outputs.shape, generator=generator)
    alpha = ALPHA_BAR[step][:, None]
    noised = alpha.sqrt() * outputs + (1 - alpha).sqrt() * noise
    return ((network(noised, step, inputs) - noise) ** 2).mean()


@torch.inference_mode()
def draw(
    network: Denoiser,
    inputs: Tensor,
    generator: torch.Generator,
    unconditional: Tensor | None = None,
    guidance: float = 0.0,
) -> Tensor:
    """Sample outputs [B, outputs] by the ancestral chain.

    Args:
        unconditional: the inputs without their label, for guidance: (1 + g) ε(label) - g ε(no label).
        guidance: g; -1 is the model without the label, 0 the one with it.
    """
    size = network.layers[-1].out_features
    current = torch.randn((len(inputs), size), generator=generator)
    for k in range(STEPS - 1, -1, -1):
        step = torch.full((len(inputs),), k)
        noise = network(current, step, inputs)
        if unconditional is not None and guidance:
            noise = (1 + guidance) * noise - guidance * network(current, step, unconditional)
        alpha, before = ALPHA_BAR[k], ALPHA_BAR[k - 1] if k else torch.tensor(1.0)
        clean = ((current - (1 - alpha).sqrt() * noise) / alpha.sqrt()).clamp(-CLIP, CLIP)
        beta = 1 - alpha / before
        mean = (
            before.sqrt() * beta / (1 - alpha) * clean + (alpha / before).sqrt() * (1 - before) / (1 - alpha) * current
        )
        spread = (beta * (1 - before) / (1 - alpha)).sqrt()
        current = mean + spread * torch.randn(current.shape, generator=generator)
    return current

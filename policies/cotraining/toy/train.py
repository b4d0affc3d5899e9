"""Train the toy model on a mixture of both domains and measure it on the target."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi

import numpy as np
import torch
from torch import Tensor

from policies.cotraining.toy.diffusion import Denoiser, draw, loss
from policies.cotraining.toy.spirals import COVERED, SHIFT, SOURCE, TARGET, Samples, sample, spiral

TESTED = 2000
"""Target inputs over the whole spiral on which a model is measured."""


@dataclass(frozen=True)
class ToyConfig:
    """One cell of the experiment.

    Attributes:
        gap: distance of the domains in the input.
        p_target: share of target samples in a batch.
        label: whether a one-hot label of the domain is an input; ``dropout`` of the time it is blank.
        target, source: numbers of samples.
        width, batch_size, steps, learning_rate: of the network and its training; the rate falls as a cosine.
        seed: of data, weights and noise.
    """

    gap: float
    p_target: float
    label: bool = False
    dropout: float = 0.2
    target: int = 30
    source: int = 3000
    width: int = 128
    batch_size: int = 256
    steps: int = 2500
    learning_rate: float = 1e-3
    seed: int = 0


@dataclass(frozen=True)
class ToyResult:
    """Mean squared errors per coordinate from the noise-free target spiral.

    Attributes:
        inside: where there are target samples (u up to COVERED).
        outside: on the rest, which only the source covers.
    """

    inside: float
    outside: float


class ToyModel:
    """A trained model. ``mean`` and ``std`` scale outputs."""

    def __init__(self, config: ToyConfig) -> None:
        """Draw the data and train."""
        self.config, rng = config, np.random.default_rng(config.seed)
        data = [
            sample(TARGET, config.target, config.gap, rng, COVERED),
            sample(SOURCE, config.source, config.gap, rng),
        ]
        outputs = np.concatenate([one.outputs for one in data])
        self.mean, self.std = float(outputs.mean()), float(outputs.std())
        self.generator = torch.Generator().manual_seed(config.seed)
        with torch.random.fork_rng():
            torch.manual_seed(config.seed)
            self.network = Denoiser(2, 5 if config.label else 3, config.width)
        self._train(data)

    def _train(self, data: list[Samples]) -> None:
        config, generator = self.config, self.generator
        inputs = [torch.from_numpy(one.inputs) for one in data]
        outputs = [(torch.from_numpy(one.outputs) - self.mean) / self.std for one in data]
        optimizer = torch.optim.Adam(self.network.parameters(), config.learning_rate)
        for step in range(config.steps):
            optimizer.param_groups[0]["lr"] = config.learning_rate * 0.5 * (1 + cos(pi * step / config.steps))
            count = int((torch.rand(config.batch_size, generator=generator) < config.p_target).sum())
            rows = [
                torch.randint(len(inputs[TARGET]), (count,), generator=generator),
                torch.randint(len(inputs[SOURCE]), (config.batch_size - count,), generator=generator),
            ]
            seen = torch.cat([self._labelled(inputs[k][rows[k]], k, generator) for k in (TARGET, SOURCE)])
            wanted = torch.cat([outputs[k][rows[k]] for k in (TARGET, SOURCE)])
            optimizer.zero_grad(set_to_none=True)
            loss(self.network, wanted, seen, generator).backward()
            optimizer.step()

    def _labelled(self, inputs: Tensor, domain: int, generator: torch.Generator | None) -> Tensor:
        """With the domain's label, if the model takes one; blank now and then if a generator is given."""
        if not self.config.label:
            return inputs
        label = torch.zeros((len(inputs), 2))
        label[:, domain] = 1.0
        if generator is not None:
            label[torch.rand(len(inputs), generator=generator) < self.config.dropout] = 0.0
        return torch.cat([inputs, label], dim=1)

    def outputs(self, inputs: np.ndarray, guidance: float = 0.0, seed: int = 1) -> np.ndarray:
        """Sampled outputs (N, 2) for target inputs (N, 3)."""
        plain = torch.from_numpy(inputs)
        blank = torch.cat([plain, torch.zeros((len(plain), 2))], dim=1) if self.config.label else None
        generator = torch.Generator().manual_seed(seed)
        drawn = draw(self.network, self._labelled(plain, TARGET, None), generator, blank, guidance)
        return drawn.numpy() * self.std + self.mean

    def measure(self, guidance: float = 0.0) -> ToyResult:
        """Errors on the target."""
        test = sample(TARGET, TESTED, self.config.gap, np.random.default_rng(self.config.seed + 1_000_003))
        error = ((self.outputs(test.inputs, guidance) - spiral(test.u) - SHIFT) ** 2).mean(1)
        inside = test.u <= COVERED
        return ToyResult(float(error[inside].mean()), float(error[~inside].mean()))


def run(config: ToyConfig) -> ToyResult:
    """Train and measure one cell."""
    return ToyModel(config).measure()

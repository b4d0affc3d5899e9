"""Trains the message passing of the "gnn" observer: ``python -m sim.cascade.observe.gnn_training``

It learns to foresee log(1 + infections in the next half time unit) on random graphs, from states as in
`sim.cascade.observe.observability`. The contact rate goes to the head only, so the pooled numbers do not depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assets.networks.generate import barabasi_albert, configuration
from assets.networks.graph import Graph
from sim.cascade.observe import observability
from sim.cascade.observe.gnn import WEIGHTS, WIDTH, MessagePassing, adjacency_of, node_inputs
from sim.cascade.process.reproduction import beta_for, branching_factor
from twinloom.command import run_command
from twinloom.errors import require

require("torch", "rl")

import torch  # noqa: E402  (after the check that it is installed)
from torch import Tensor, nn  # noqa: E402

GRAPHS, STATES = 80, 50  # STATES of each
NODES, LINKS, R0 = (300, 1500), (2, 12), (1.0, 6.0)
FEWEST_SEEDS = 3
EPOCHS, LEARNING_RATE = 40, 3e-3


@dataclass(frozen=True, eq=False)
class Lesson:
    """States of one graph: `MessagePassing` inputs, log10 of the contact rate, log(1 + new infections) [E]."""

    nodes: Tensor
    adjacency: Tensor
    rate: float
    target: Tensor


class Head(nn.Module):
    """What will be infected soon, from pooled numbers, contact rate and size of the graph."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(WIDTH + 2, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, pooled: Tensor, rate: float, n: int) -> Tensor:
        """float32 [R]: log(1 + new infections)."""
        size = float(np.log1p(n))
        given = torch.tensor([rate, size]).expand(len(pooled), 2)
        return self.layers(torch.cat((pooled * size, given), dim=1))[:, 0]


def lesson(graph: Graph, beta: float, seed: int, count: int = STATES) -> Lesson:
    """States of an SIR process on a graph, and what came next."""
    model = observability.process(beta)
    states = observability.reach(graph, model, count, seed, seeds=(FEWEST_SEEDS, graph.n // 2))
    inputs = node_inputs(graph, model, states.state, states.age)
    target = torch.from_numpy(np.log1p(states.new).astype(np.float32))
    return Lesson(inputs, adjacency_of(graph), float(np.log10(beta)), target)


def lessons(count: int = GRAPHS, seed: int = 0) -> list[Lesson]:
    """Barabasi-Albert graphs, and random ones of the same degrees, with contact rates for R0 from 1 to 6."""
    rng, found = np.random.default_rng(seed), []
    for number in range(count):
        n, m = int(rng.integers(*NODES)), round(float(np.exp(rng.uniform(*np.log(LINKS)))))
        graph = barabasi_albert(n, m, rng)
        if number % 2:
            graph = configuration(graph.degree, rng)
        r0 = float(np.exp(rng.uniform(*np.log(R0))))
        beta = beta_for(observability.process(1.0), branching_factor(graph), r0)
        found.append(lesson(graph, beta, seed=1000 + number))
    return found


def train(material: list[Lesson], epochs: int = EPOCHS, seed: int = 0) -> tuple[MessagePassing, Head, float]:
    """The network, its head, and the mean squared error of the last epoch."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network, head = MessagePassing(), Head()
    weights = [*network.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(weights, LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, epochs * len(material))
    error = 0.0
    for _ in range(epochs):
        losses = []
        for number in rng.permutation(len(material)):
            one = material[number]
            guess = head(network(one.nodes, one.adjacency), one.rate, one.nodes.shape[0])
            loss = nn.functional.mse_loss(guess, one.target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        error = float(np.mean(losses))
    return network, head, error


def main(file: Path = WEIGHTS) -> None:
    """Train, print how well it foresees graphs it never saw, and write the weights."""
    from safetensors.torch import save_file

    torch.set_num_threads(1)
    network, head, error = train(lessons())
    held = lessons(count=10, seed=1)
    with torch.no_grad():
        guesses = torch.cat([head(network(one.nodes, one.adjacency), one.rate, one.nodes.shape[0]) for one in held])
    truth = torch.cat([one.target for one in held])
    print(
        f"mean squared error {error:.4f}; R2 on 10 unseen graphs {1 - float((guesses - truth).var() / truth.var()):.3f}"
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: weight.contiguous() for name, weight in network.state_dict().items()}, file)
    print(file)


if __name__ == "__main__":
    run_command(main)

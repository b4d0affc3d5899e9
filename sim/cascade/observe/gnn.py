"""Message passing over every node, then pooling: the observer that sees the whole graph, as an upper reference.

It tells how much the tiers leave out. The weights come along: `sim.cascade.observe.gnn_training` trained them to
foresee infections on random graphs. A policy learns from the pooled numbers as from any other observation.
"""

from __future__ import annotations

import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.observe.tiers import LIMIT, MOST_NODES, Observer
from sim.cascade.process.models import Model
from twinloom.errors import TwinloomError, require

require("torch", "rl")

import torch  # noqa: E402  (after the check that it is installed)
from torch import Tensor, nn  # noqa: E402

INPUTS = ("susceptible", "infectious", "on the way", "age", "log10_degree")
WIDTH, ROUNDS = 16, 2
WEIGHTS = Path(__file__).parents[3] / "assets" / "checkpoints" / "cascade_gnn" / "model.safetensors"


class MessagePassing(nn.Module):
    """Embeds the state of a graph in WIDTH numbers; the same weights for every graph and model.

    Every round joins what a node knows with the sum over those that can infect it::

        h[v] <- relu(W h[v] + V log(1 + sum of h[u] over in-neighbours u) + b)

    and the end is log(1 + sum of h) / log(1 + N): on that scale few infectious nodes among many still count.
    """

    def __init__(self) -> None:
        super().__init__()
        widths = (len(INPUTS), *[WIDTH] * ROUNDS)
        pairs = list(pairwise(widths))
        self.own = nn.ModuleList(nn.Linear(a, b) for a, b in pairs)
        self.received = nn.ModuleList(nn.Linear(a, b, bias=False) for a, b in pairs)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        """Embeddings float32 [R, WIDTH].

        Args:
            nodes: float32 [N, R, INPUTS], see `node_inputs`; none is negative.
            adjacency: float32 [N, N] sparse, rows receive; see `adjacency_of`.
        """
        h, (n, replicas, _) = nodes, nodes.shape
        for own, received in zip(self.own, self.received, strict=True):
            total = (adjacency @ h.reshape(n, -1)).reshape(n, replicas, -1)
            h = torch.relu(own(h) + received(torch.log1p(total)))
        return torch.log1p(h.sum(0)) / np.log1p(n)


def adjacency_of(graph: Graph) -> Tensor:
    """Weight of the edge from each in-neighbour (columns) to each node (rows), float32 sparse [N, N]."""
    back = graph.reverse()
    weights = np.ones(len(back.indices), np.float32) if back.weights is None else back.weights
    parts = (torch.from_numpy(np.array(part)) for part in (back.indptr, back.indices.astype(np.int64), weights))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta", UserWarning)
        return torch.sparse_csr_tensor(*parts, size=(graph.n, graph.n), check_invariants=False)


def node_inputs(graph: Graph, model: Model, state: np.ndarray, age: np.ndarray) -> Tensor:
    """float32 [N, R, INPUTS]: whether a node is susceptible, infectious or will become so by itself, the time since
    infectious nodes became so / mean residence time (at most 10), and log10(1 + degree).

    Args:
        state, age: [R, N] compartments and times since they were entered.
    """
    onset = np.zeros(model.size, bool)
    for step in model.steps:  # compartments that lead to the infectious one by nodal steps, without being susceptible
        onset[step.source] |= step.target == model.infectious and step.source != 0
    step = model.step_from(model.infectious)
    infectious = state == model.infectious
    ages = np.minimum(age * (1.0 / step.law.mean if step is not None else 0.0), LIMIT) * infectious
    degree = np.broadcast_to(np.log10(1.0 + graph.degree), state.shape)
    inputs = np.stack((state == 0, infectious, onset[state], ages, degree), axis=-1)
    return torch.from_numpy(np.ascontiguousarray(inputs.transpose(1, 0, 2), np.float32))


def trained() -> MessagePassing:
    """The network that comes along. Raises TwinloomError if its file is missing."""
    from safetensors.torch import load_file

    if not WEIGHTS.exists():
        raise TwinloomError(f"{WEIGHTS} is missing; make it with: python -m sim.cascade.observe.gnn_training")
    network = MessagePassing()
    network.load_state_dict(load_file(WEIGHTS))
    return network.requires_grad_(False)


def pooled(graph: Graph, model: Model, state: np.ndarray, age: np.ndarray, batch: int = 64) -> np.ndarray:
    """What the trained network makes of states [R, N]: float32 [R, WIDTH], a few replicas at a time."""
    network, adjacency = trained(), adjacency_of(graph)
    parts = [slice(i, i + batch) for i in range(0, len(state), batch)]
    return np.concatenate([network(node_inputs(graph, model, state[p], age[p]), adjacency).numpy() for p in parts])


class GnnObserver:
    """All that an `Observer` of kind "global" sees, then the WIDTH pooled numbers of message passing ("gnn/0", ...).

    Costs O(R E WIDTH) a decision.

    Args:
        graph, tiers, model, features, parameters: as for `Observer`.

    Raises:
        TwinloomError: the graph has more than MOST_NODES nodes.
    """

    def __init__(
        self, graph: Graph, tiers: Tiers, model: Model, features: Any = "full", parameters: bool = False
    ) -> None:
        if graph.n > MOST_NODES:
            raise TwinloomError(f'observer "gnn" takes at most {MOST_NODES:,} nodes, this graph has {graph.n:,}')
        self._totals = Observer(graph, tiers, model, features, "global", parameters)
        self._graph, self._model = graph, model
        self._network, self._adjacency = trained(), adjacency_of(graph)

    @property
    def size(self) -> int:
        """Length D of an observation."""
        return self._totals.size + WIDTH

    @property
    def space(self) -> spaces.Box:
        """Space of one observation."""
        low, high = np.zeros(WIDTH, np.float32), np.full(WIDTH, LIMIT, np.float32)
        return spaces.Box(np.append(self._totals.low, low), np.append(self._totals.high, high))

    def names(self) -> list[str]:
        """Name of each of the D numbers."""
        return self._totals.names() + [f"gnn/{i}" for i in range(WIDTH)]

    def observe(
        self, sim: Any, counts: np.ndarray, contacts: np.ndarray, nodal: np.ndarray, time: np.ndarray, spent: np.ndarray
    ) -> np.ndarray:
        """Observations float32 [R, D] of all replicas; see `Observer.observe`."""
        totals = self._totals.observe(sim, counts, contacts, nodal, time, spent)
        nodes = node_inputs(self._graph, self._model, np.asarray(sim.state), np.asarray(sim.age))
        pooled = self._network(nodes, self._adjacency).numpy()
        return np.concatenate((totals, np.minimum(pooled, LIMIT)), axis=1)

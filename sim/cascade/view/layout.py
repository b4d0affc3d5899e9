"""Where to draw the nodes of a network: a force-directed layout that is the same on every run."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from assets.networks.graph import Graph
from twinloom.errors import TwinloomError

MAX_NODES = 30_000
SAMPLE = 600  # nodes that repel each node in one step; all of them on smaller graphs
STEPS, FEW_STEPS, MANY_NODES = 300, 120, 10_000


@lru_cache(maxsize=4)  # graphs compare by identity; every episode of an environment draws the same one
def layout(graph: Graph, seed: int = 0, steps: int | None = None) -> np.ndarray:
    """Positions in the unit square, float64 [N, 2].

    Fruchterman and Reingold (1991) from a spectral start: edges pull, nodes repel, a weak pull to the middle keeps
    components together; hubs repel more strongly, which keeps their neighbours apart. Ends with the principal axis
    lying flat and a mild evening out of distances from the middle.

    Args:
        seed: of the noise in the start and of the samples of repelling nodes.
        steps: more give a calmer image; None: 300, or 120 from 10,000 nodes on, which take half a minute.

    Raises:
        TwinloomError: too many nodes for an image.
    """
    refuse_large(graph)
    n = graph.n
    if steps is None:
        steps = FEW_STEPS if n > MANY_NODES else STEPS
    rng = np.random.default_rng(seed)
    position = _spectral(graph) + rng.normal(scale=0.02, size=(n, 2))
    length = 1 / np.sqrt(n)
    source, target = graph.sources, graph.indices
    mass = 1 + np.sqrt(graph.degree + graph.reverse().degree) / 2
    for step in range(steps):
        force = _repulsion(position, mass, length, rng) - position * 6 * length * mass[:, None]
        delta = position[source] - position[target]
        pull = delta * (np.linalg.norm(delta, axis=1) / length)[:, None]
        for axis in (0, 1):
            force[:, axis] -= np.bincount(source, weights=pull[:, axis], minlength=n)
            force[:, axis] += np.bincount(target, weights=pull[:, axis], minlength=n)
        size = np.linalg.norm(force, axis=1, keepdims=True)
        heat = 0.1 * (1 - step / steps) ** 1.5
        position += force / np.maximum(size, 1e-12) * np.minimum(size, heat)
    return _framed(position, mass == 1)


def refuse_large(graph: Graph) -> None:
    """Raises TwinloomError if there are too many nodes for an image."""
    if graph.n > MAX_NODES:
        raise TwinloomError(f"{graph.n:,} nodes are too many for an image; up to {MAX_NODES:,} are drawn")


def _repulsion(position: np.ndarray, mass: np.ndarray, length: float, rng: np.random.Generator) -> np.ndarray:
    """Force of other nodes on each, [N, 2]; of a random sample that stands for all of them where there are many."""
    n = len(position)
    chosen = np.arange(n) if n <= SAMPLE else rng.choice(n, SAMPLE, replace=False)
    x, y = (position[:, axis, None] - position[None, chosen, axis] for axis in (0, 1))
    push = mass[None, chosen] / np.maximum(x * x + y * y, 1e-6)
    scale = length**2 * mass * n / len(chosen)
    return np.column_stack(((x * push).sum(axis=1), (y * push).sum(axis=1))) * scale[:, None]


def _spectral(graph: Graph) -> np.ndarray:
    """Start: the second and third eigenvector of the random walk with a chance to stay and to jump, by subspace
    iteration, so that communities begin apart; [N, 2] of unit spread."""
    n = graph.n
    rng = np.random.default_rng(0)  # of the start vectors only
    if n < 4 or not len(graph.indices):
        return rng.normal(size=(n, 2))
    degree = graph.degree + graph.reverse().degree + 1.0
    basis = rng.normal(size=(n, 2))
    for _ in range(100):
        spread = np.column_stack(
            [
                np.bincount(graph.sources, basis[graph.indices, axis], n)
                + np.bincount(graph.indices, basis[graph.sources, axis], n)
                for axis in (0, 1)
            ]
        )
        basis = basis + spread / degree[:, None]
        basis -= (basis * degree[:, None]).sum(axis=0) / degree.sum()  # without the constant vector
        basis, _ = np.linalg.qr(basis)
    rank = np.argsort(np.argsort(basis, axis=0), axis=0) / n - 0.5  # ranks: outlying branches do not squeeze the rest
    return rank + basis * np.sqrt(n) * 0.1


def _framed(position: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """Turned so that the longest axis lies flat, distances from the middle evened out, fitted into the unit square.

    Args:
        position: [N, 2].
        alone: bool [N] nodes without neighbours, which nothing holds: they do not decide how large the rest is drawn.
    """
    centred = position - position.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes.T if len(position) > 1 else centred
    radius = np.linalg.norm(turned, axis=1, keepdims=True)
    far = np.quantile(radius, 0.98) or 1.0
    closer = np.where(alone[:, None], 1.0, 0.7)  # stragglers come closer
    turned *= np.minimum(1, far / np.maximum(radius, 1e-12)) ** closer
    low, high = turned.min(axis=0), turned.max(axis=0)
    return (turned - (low + high) / 2) / max(float((high - low).max()), 1e-9) + 0.5

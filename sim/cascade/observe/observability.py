"""How much of the near future do tiers tell? ``python -m sim.cascade.observe.observability [NETWORK[:BETA] ...]``

Writes docs/results/cascade/observability: R2 of a ridge regression of log(1 + infections in the next half time unit) on
what observers see; and docs/results/cascade/hub_blindness: what follows from equally many infected hubs or leaves. Both
on a Barabasi-Albert graph; the former also on networks that are named, with beta for R0 = 3.5 if none is given.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers, cut
from sim.cascade.observe.tiers import BLOCKS, Observer
from sim.cascade.process import laws, models
from sim.cascade.simulator import CascadeSim
from twinloom.command import run_command

WINDOW = 0.5
TRAINING, HELD_OUT = 1000, 500
BATCH = 50  # states that share the time at which they are looked at
PENALTY = 1e-3
BIAS = (-1.0, 1.0)  # exponent of the degree in the choice of seeds
SEEDS = (50, 2000)  # least and most, log-uniform
LONGEST = 2.5  # mean infectious times until the state is looked at
R0 = 3.5  # where no beta is given
BETA = 0.2  # on the Barabasi-Albert graph
INFECTED, RUNS = 100, 200  # of the comparison of hubs and leaves

CUTS: dict[str, Callable[[Graph], Tiers]] = {
    "none (global)": lambda graph: cut(graph, "pop", 1),
    **{f"stub {k}": lambda graph, k=k: cut(graph, "stub", k) for k in (2, 3, 5, 8)},
    **{f"pop {k}": lambda graph, k=k: cut(graph, "pop", k) for k in (2, 3, 5, 8)},
    **{
        f"top {' / '.join(f'{100 * s:g}' for s in shares)} %": lambda graph, shares=shares: cut(
            graph, "top", shares=shares
        )
        for shares in (
            (0.3, 0.7),
            (0.1, 0.2, 0.7),
            (0.01, 0.99),
            (0.01, 0.09, 0.9),
            (0.001, 0.009, 0.09, 0.9),
            (0.001, 0.009, 0.09, 0.2, 0.7),
        )
    },
}


def process(beta: float) -> models.Model:
    """SIR with a gamma infectious time of shape 3 and mean 1."""
    return models.sir(beta, laws.erlang(1.0, 3))


@dataclass(frozen=True, eq=False)
class States:
    """States of a cascade and what came next.

    Attributes:
        state: int8 [E, N] compartment of every node.
        age: float32 [E, N] time since every node entered it.
        new: int64 [E] infections in the following WINDOW.
        view: float32 [E, D] what an observer saw, D = 0 without one.
    """

    state: np.ndarray
    age: np.ndarray
    new: np.ndarray
    view: np.ndarray


def reach(
    graph: Graph,
    model: models.Model,
    count: int,
    seed: int = 0,
    tiers: Tiers | None = None,
    kind: str | None = None,
    seeds: tuple[int, int] = SEEDS,
) -> States:
    """States in which somebody is infectious, after seeds of random number and degree bias and a random time.

    Args:
        count: E.
        seed: of everything random; tiers and observers change no state.
        tiers, kind: of the observer whose view is kept, if any.
        seeds: least and greatest number of seeds, log-uniform.
    """
    rng = np.random.default_rng(seed)
    sim = CascadeSim(graph, model, BATCH, seed=seed, tiers=tiers)
    observer = None if kind is None else Observer(graph, sim.tiers, model, BLOCKS[:5], kind)
    found: list[tuple[np.ndarray, ...]] = []
    nothing = np.zeros((BATCH, sim.tiers.k))
    while sum(len(part[1]) for part in found) < count:
        sim.reset([_biased(graph, seeds, rng) for _ in range(BATCH)])
        sim.advance(rng.uniform(0, LONGEST))
        alive, state, age, counts = sim.alive, sim.state.copy(), sim.age.copy(), sim.counts.astype(np.float64)
        view = np.zeros((BATCH, 0), np.float32)
        if observer is not None:
            view = observer.observe(sim, counts, nothing, nothing, nothing[:, 0], nothing[:, 0])
        sim.advance(WINDOW)
        new = (counts[:, :, 0] - sim.counts[:, :, 0]).sum(axis=1)
        found.append((state[alive], age[alive], new[alive], view[alive]))
    return States(*(np.concatenate(parts)[:count] for parts in zip(*found, strict=True)))


def _biased(graph: Graph, seeds: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Distinct seeds whose probability grows or falls with a power of their degree."""
    number = round(np.exp(rng.uniform(*np.log(seeds))))
    # the first of exponential times with these rates are a weighted sample without replacement
    weight = np.maximum(graph.degree, 1) ** rng.uniform(*BIAS)
    return np.argpartition(rng.exponential(size=graph.n) / weight, number)[:number]


def share_features(tiers: Tiers, model: models.Model, state: np.ndarray) -> np.ndarray:
    """Shares of each compartment in each tier, their squares, and the products of susceptible and infectious shares.

    Args:
        state: int8 [E, N].

    Returns:
        float64 [E, F].
    """
    cells = tiers.k * model.size
    index = tiers.index.astype(np.int64) * model.size + state
    counts = np.stack([np.bincount(row, minlength=cells) for row in index]).reshape(len(state), tiers.k, model.size)
    shares = counts / tiers.sizes[:, None]
    pairs = shares[:, :, None, 0] * shares[:, None, :, model.infectious]
    flat = shares.reshape(len(state), -1)
    return np.concatenate((flat, flat**2, pairs.reshape(len(state), -1)), axis=1)


def r_squared(features: np.ndarray, target: np.ndarray, training: int) -> float:
    """R2 on the rows after ``training`` of a ridge regression fitted to those before; features are standardised."""
    mean, std = features[:training].mean(axis=0), features[:training].std(axis=0)
    x = np.column_stack(((features - mean) / np.where(std > 1e-12, std, 1.0), np.ones(len(features))))
    penalty = PENALTY * training * np.eye(x.shape[1])
    penalty[-1, -1] = 0.0
    weights = np.linalg.solve(x[:training].T @ x[:training] + penalty, x[:training].T @ target[:training])
    held, guess = target[training:], x[training:] @ weights
    return float(1 - ((held - guess) ** 2).sum() / ((held - held.mean()) ** 2).sum())


def infected_sets(graph: Graph, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Equally many nodes: of the highest degree, at random, of the lowest degree (ties at random)."""
    order = np.argsort(-graph.degree + rng.random(graph.n) * 1e-3, kind="stable")
    return {
        "highest degree": order[:count],
        "random": rng.choice(graph.n, count, replace=False),
        "lowest degree": order[-count:],
    }


def new_infections(graph: Graph, model: models.Model, nodes: np.ndarray, runs: int, seed: int = 0) -> np.ndarray:
    """Infections within WINDOW after these nodes became infectious and all others are susceptible, int64 [runs]."""
    sim = CascadeSim(graph, model, runs, seed=seed)
    sim.reset(nodes, into=model.compartments[model.infectious])
    sim.advance(WINDOW)
    return graph.n - len(np.unique(nodes)) - sim.counts[:, :, 0].sum(axis=1)


def table(graphs: Mapping[str, tuple[Graph, float]]) -> list[dict[str, float | str]]:
    """One row for each cut and each observer, one column for each named (graph, beta)."""
    from sim.cascade.observe.gnn import pooled  # needs torch

    columns: dict[str, dict[str, float]] = {}
    for name, (graph, beta) in graphs.items():
        model, scores = process(beta), {}
        count = TRAINING + HELD_OUT
        states = reach(graph, model, count)
        target = np.log1p(states.new)
        for label, tiers in CUTS.items():
            scores[f"shares, {label}"] = r_squared(share_features(tiers(graph), model, states.state), target, TRAINING)
        kinds = ("global", "tiers", "oracle")
        views = {kind: reach(graph, model, count, tiers=cut(graph), kind=kind).view for kind in kinds}
        views["gnn"] = np.concatenate((views["global"], pooled(graph, model, states.state, states.age)), axis=1)
        for kind, view in views.items():
            wide = view.astype(np.float64)
            scores[f"observer {kind}"] = r_squared(np.concatenate((wide, wide**2), axis=1), target, TRAINING)
        columns[f"{name}, beta {beta:.3g}"] = scores
    first = next(iter(columns.values()))
    return [{"seen": label} | {name: round(scores[label], 3) for name, scores in columns.items()} for label in first]


def seen(graph: Graph, model: models.Model, nodes: np.ndarray, kind: str) -> np.ndarray:
    """Share of infectious nodes in each tier, as an observer sees them when these nodes are; float32 [K]."""
    tiers = cut(graph)
    observer = Observer(graph, tiers, model, ("shares",), kind)
    sim = CascadeSim(graph, model, tiers=tiers)
    sim.reset(nodes, into=model.compartments[model.infectious])
    none = np.zeros((1, tiers.k))
    view = observer.observe(sim, sim.counts.astype(np.float64), none, none, none[:, 0], none[:, 0])[0]
    return view[[name.endswith(f"share/{model.compartments[model.infectious]}") for name in observer.names()]]


def blindness(graph: Graph, beta: float) -> list[dict[str, float | str]]:
    """One row for each of the three sets: what follows from it, and what observers see of it."""
    model, rows = process(beta), []
    for name, nodes in infected_sets(graph, INFECTED, np.random.default_rng(0)).items():
        new = new_infections(graph, model, nodes, RUNS)
        row: dict[str, float | str] = {"100 infected nodes": name}
        row |= {"new infections": round(float(new.mean()), 1)}
        row |= {"standard error": round(float(new.std(ddof=1) / RUNS**0.5), 1)}
        for kind in ("global", "tiers"):
            shares = seen(graph, model, nodes, kind)
            row[f"infectious share, {kind} observer"] = ", ".join(f"{share:.4f}" for share in shares)
        rows.append(row)
    return rows


def main(arguments: Sequence[str]) -> None:
    """Write both results."""
    from assets.networks.catalogue import load
    from assets.networks.generate import barabasi_albert
    from sim.cascade.process.reproduction import beta_for, branching_factor
    from twinloom.results import write_results

    made = barabasi_albert(10_000, 4, np.random.default_rng(0))
    graphs = {"Barabasi-Albert": (made, BETA)}
    for argument in arguments:
        name, _, beta = argument.partition(":")
        graph = load(name)
        graphs[name] = graph, float(beta) if beta else beta_for(process(1.0), branching_factor(graph), R0)
    titles = "What observers of a cascade know of its near future", "Hubs and leaves to an observer without tiers"
    command = shlex.join(("python", "-m", "sim.cascade.observe.observability", *arguments))
    note = (
        f"R² on {HELD_OUT} held-out states of a ridge regression of log(1 + infections in the next {WINDOW}), fitted "
        f"to {TRAINING:,}. SIR, gamma infectious time of shape 3 and mean 1; {SEEDS[0]} to {SEEDS[1]:,} seeds "
        f"(log-uniform), chosen with a random power of their degree, looked at after up to {LONGEST} time units. Rows "
        "of shares use them, their squares and the products of susceptible and infectious ones; rows of observers "
        "their features and the squares of those, in three tiers by edge ends (stub 3). The message passing of gnn was "
        "trained on other graphs. Standard error about 0.01."
    )
    print(
        write_results("cascade", "observability", table(graphs), command=command, seeds=0, note=note, title=titles[0])
    )
    note = (
        f"New infections within {WINDOW} after {INFECTED} nodes of a Barabasi-Albert graph (10,000 nodes, m = 4) "
        f"turned infectious, beta {BETA}, {RUNS} runs. The global observer sees one state in all three."
    )
    rows, command = blindness(made, BETA), "python -m sim.cascade.observe.observability"
    print(write_results("cascade", "hub_blindness", rows, command=command, seeds=0, note=note, title=titles[1]))


if __name__ == "__main__":
    run_command(lambda: main(sys.argv[1:]))

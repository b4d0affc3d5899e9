"""Four simulators of one scenario, from a mean-field equation to the exact process; same methods, same spaces."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.process.models import Matching, Model
from twinloom.errors import TwinloomError, UnknownNameError

WORLDS: dict[str, str] = {
    "ode": "mean-field equation of the tiers, Erlang stages, no noise",
    "markov": "stochastic and exact, exponential residence times",
    "renewal": "stochastic, ages matter; synchronous steps of the leap engine, for large ensembles and GPUs",
    "exact": "as renewal without any time step; the faster one on a CPU",
}
MATCHINGS: dict[str, str] = {
    "rate": "the simpler world keeps contact rate and mean residence times",
    "transmissibility": "the Markov world keeps transmissibility and mean generation time; the mean-field equation "
    "passes as often along an edge as the renewal process does",
}


def check(world: str, matching: str) -> None:
    """Raise UnknownNameError unless both exist."""
    if world not in WORLDS:
        raise UnknownNameError("world", world, WORLDS, ", ".join(WORLDS))
    if matching not in MATCHINGS:
        raise UnknownNameError("matching", matching, MATCHINGS, ", ".join(MATCHINGS))


def simulated(model: Model, world: str, matching: str, graph: Graph | None = None) -> Model:
    """The process that a world simulates in place of the renewal one.

    The mean-field equation lets an infectious node pass the contagion to the same neighbour again and again, beta times
    its infectious time on average; matched by transmissibility, that number is T. On a graph with weights T is the mean
    of the edges, and the generation time that of an edge which transmits with this probability.
    """
    if matching == "transmissibility" and graph is not None and graph.weights is not None:
        return _matched(model, world, graph)
    if world == "markov":
        return model.markov(cast(Matching, matching))
    step = model.step_from(model.infectious)
    if world == "ode" and matching == "transmissibility" and step is not None:
        return model.with_beta(model.transmissibility() / step.law.mean)
    return model


def _matched(model: Model, world: str, graph: Graph) -> Model:
    """`simulated` by transmissibility, on a graph with weights."""
    from sim.cascade.process.reproduction import beta_for, contact_rate, edge_transmissibility

    step, weights = model.step_from(model.infectious), np.asarray(graph.weights, np.float64)
    if world not in ("markov", "ode") or step is None or model.contact != "linear" or model.beta == 0:
        return simulated(model, world, "transmissibility")
    passed = edge_transmissibility(model, graph)
    if world == "ode":
        return model.with_beta(passed / (step.law.mean * float(weights.mean())))
    if passed == 1:
        return simulated(model, world, "transmissibility")  # says that no Markovian twin has it
    twin = model.with_beta(beta_for(model, 1.0, passed)).markov("transmissibility")
    return twin.with_beta(contact_rate(twin, graph, passed, branching=1.0))


def _check_engine(world: str, engine: dict[str, Any]) -> None:
    """Raise TwinloomError for an argument that the engine of the world would ignore."""
    if world == "ode":
        if engine:
            raise TwinloomError(f"the ode world has no engine settings ({', '.join(engine)})")
        return
    numba = engine.get("backend", "numba") == "numba"
    used = ["backend", "threads" if numba else "device"] + ["substeps"] * (world == "renewal")
    for name, value in engine.items():
        if name not in used and (name, value) != ("device", "cpu"):
            where = f'world {world} with backend "{engine.get("backend", "numba")}"'
            raise TwinloomError(f"{where} has no use for {name} {value}; it takes {', '.join(used)}")


def make(
    world: str,
    graph: Graph,
    model: Model,
    tiers: Tiers,
    replicas: int = 1,
    matching: str = "rate",
    seed: int = 0,
    **engine: Any,
):
    """The simulator of one world.

    Args:
        world: one of WORLDS.
        graph, model, tiers: the scenario; the model is the renewal one in every world.
        replicas: copies that run side by side.
        matching: one of MATCHINGS, for the Markov world and the mean-field equation.
        seed: of the random numbers.
        engine: further arguments of CascadeSim: ``threads``; in the renewal world also ``backend``, ``device``,
            ``substeps``.

    Returns:
        CascadeSim or TierODE; both are used in the same way.

    Raises:
        TwinloomError: unknown world or matching, or an argument that this world does not have.
    """
    check(world, matching)
    _check_engine(world, engine)
    if world == "ode":
        from sim.cascade.mean_field.simulator import TierODE

        return TierODE(graph, simulated(model, world, matching, graph), tiers, replicas)
    from sim.cascade.simulator import CascadeSim

    method: Any = "leap" if world == "renewal" else "exact"
    process = simulated(model, world, matching, graph)
    return CascadeSim(graph, process, replicas=replicas, engine=method, seed=seed, tiers=tiers, **engine)

"""What the cells of the transfer experiment do: evaluate policies on graphs, and compare the training worlds."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from policies.cascade.experiments.resumable import ExperimentCell
from policies.cascade.experiments.tasks import constants

HERE = "policies.cascade.experiments.transfer_cells"
PROBLEM = "adopt_profit"
APART = 1_000  # between the first episodes of the graphs of one place


def evaluation(
    name: str,
    graphs: Sequence[Any],
    episodes: int,
    minutes: float,
    *,
    policies: Sequence[ExperimentCell] = (),
    tuned: ExperimentCell | None = None,
    baselines: Sequence[str] = (),
    r0: Sequence[float | None] = (None,),
    every_stage: bool = False,
    together: bool = False,
) -> ExperimentCell:
    """A cell that evaluates policies in the same episodes.

    Args:
        name: readable.
        graphs: names, or [nodes, edges a node brings, seed] of Barabasi-Albert graphs; each gets ``episodes``.
        policies: trainings; or
        tuned, baselines: the tuning cell and which of its baselines.
        r0: reproduction numbers without control; None for the problem's.
        every_stage: all kept policies of the trainings instead of the last ones.
        together: as one committee.
    """
    sources = [*policies] if tuned is None else [tuned]
    arguments = {
        "graphs": list(graphs),
        "episodes": episodes,
        "sources": [cell.stem() for cell in sources],
        "baselines": list(baselines),
        "r0": list(r0),
        "every_stage": every_stage,
        "constants": constants(PROBLEM),
    }
    if together:
        arguments["together"] = True
    return ExperimentCell(name, f"{HERE}:evaluate", arguments, minutes, tuple(cell.name for cell in sources))


def evaluate(arguments: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """Body of `evaluation`: one entry for each policy and R0, with every episode."""
    from policies.cascade.evaluate import SEED, Outcomes
    from policies.cascade.evaluate import evaluate as run

    graphs, found = [make_graph(one) for one in arguments["graphs"]], []
    for policy, view, facts in _policies(arguments, folder):
        for r0 in arguments["r0"]:
            clock = time.process_time()
            parts = [
                run(policy, PROBLEM, view | {"graph": graph, "r0": r0}, arguments["episodes"], SEED + APART * number)
                for number, graph in enumerate(graphs)
            ]
            all_of_them = Outcomes(**{k: np.concatenate([vars(part)[k] for part in parts]) for k in vars(parts[0])})
            seconds = round(time.process_time() - clock, 2)
            found.append(facts | {"r0": r0, "processor_s": seconds, "episodes": all_of_them.to_json()})
    return found


def _policies(arguments: dict[str, Any], folder: Path) -> Iterator[tuple[Any, dict[str, Any], dict[str, Any]]]:
    """Policies with the view they need and what tells them apart."""
    import policies
    from policies.cascade import resolve
    from policies.cascade.config import trained_view

    results = {
        source: json.loads((folder.parent / f"{source}.json").read_text(encoding="utf-8"))["result"]
        for source in arguments["sources"]
    }
    if arguments.get("together"):
        chosen = resolve.resolve(resolve.JOINED.join(one["checkpoint"] for one in results.values()), PROBLEM, {})
        yield chosen.policy, chosen.options, {"policy": arguments["sources"][0], "together": True}
        return
    for source, result in results.items():
        for name in arguments["baselines"]:
            yield resolve.from_json(result[name]), {}, {"policy": name}
        if not arguments["baselines"]:
            kept = [stage["policy"] for stage in result.get("stages", ())]
            for path in kept if arguments["every_stage"] else [result["checkpoint"]]:
                policy: Any = policies.load(path)
                extra = policy.spec.extra
                facts = {"policy": source, "seed": extra["learner"]["seed"], "steps": extra["steps"]}
                yield policy, trained_view(Path(path))[1], facts


def make_graph(value: Any) -> Any:
    """A graph by name, or the Barabasi-Albert graph of [nodes, edges a node brings, seed]."""
    if isinstance(value, str):
        from policies.cascade.config import evaluation_graph

        return evaluation_graph(value)
    from assets.networks.generate import barabasi_albert

    nodes, edges, seed = value
    return barabasi_albert(nodes, edges, np.random.default_rng(np.random.SeedSequence([seed, nodes, edges])))


def matching(name: str, graph: Any, r0: float | None) -> ExperimentCell:
    """A cell that compares the training worlds on a graph."""
    return ExperimentCell(
        f"worlds-{name}", f"{HERE}:compare", {"graph": graph, "r0": r0, "constants": constants(PROBLEM)}, 0.1
    )


def compare(arguments: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """Body of `matching`: for each world, how often an edge transmits, R0 and the generation time."""
    from policies.cascade.environment import ManualResetVecEnv
    from sim.cascade.env.worlds import simulated
    from sim.cascade.process.reproduction import branching_factor

    graph, rows = make_graph(arguments["graph"]), []
    renewal = ManualResetVecEnv(PROBLEM, 1, graph=graph, r0=arguments["r0"]).episodes.arena().model
    kappa, spectral = branching_factor(graph, "kappa"), branching_factor(graph, "spectral")
    for world, how in (("renewal", "rate"), *((w, m) for w in ("markov", "ode") for m in ("rate", "transmissibility"))):
        model = simulated(renewal, world, how)
        step = model.step_from(model.infectious)
        assert step is not None
        passes = model.beta * step.law.mean if world == "ode" else model.transmissibility()
        rows.append(
            {
                "world": world,
                "matching": how if world != "renewal" else "",
                "nodes": graph.n,
                "kappa": kappa,
                "contact rate": model.beta,
                "transmissions per edge": passes,
                "R0": passes * kappa,
                "R0, spectral": passes * spectral,
                "generation time": model.generation_time(),
            }
        )
    return rows

"""Hubs: what a learner loses that cannot tell hubs from leaves.

``policies experiment hubs [--jobs 2 --steps 150000]`` writes docs/results/cascade/hubs: learning curves of TQC with the
observer of tiers and with the global one, which differ in nothing else. The trainings are those of the transfer
experiment with the same steps; ``python -m sim.cascade.observe.observability`` shows what the global observer cannot
see.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from policies.cascade.experiments import resumable, tasks, transfer_cells, transfer_plan
from policies.cascade.experiments.resumable import ExperimentCell
from twinloom.errors import TwinloomError
from twinloom.results import RESULTS

OBSERVERS = {"tiers": "renewal", "global": "hub-blind"}
"""Observer to the method of the transfer experiment that learns with it."""
REAL, SYNTHETIC = "facebook_combined", [2000, 4, 11]


@dataclass(frozen=True)
class HubsConfig:
    """How much is computed.

    Attributes:
        jobs: processes.
        seeds: trainings with each observer.
        steps: of each training.
        episodes: of each policy at each stage.
        dry: only say what would be done, and how long it may take.
        out: folder of the results.
        work: folder of finished parts; that of the transfer experiment, whose trainings are used.
    """

    jobs: int = 1
    seeds: int = 3
    steps: int = 150_000
    episodes: int = 200
    dry: bool = False
    out: Path = RESULTS
    work: Path = resumable.FOLDER / "transfer"


@dataclass(frozen=True)
class Plan:
    """All cells.

    Attributes:
        trained: by observer, one for each seed.
        evaluated: by observer, every stage of these trainings.
        place: name of the graph in tables.
    """

    trained: dict[str, list[ExperimentCell]]
    evaluated: dict[str, ExperimentCell]
    place: str


def plan(options: HubsConfig) -> Plan:
    """What is computed. Raises TwinloomError for a count below 1."""
    resumable.check_counts(options, "jobs", "steps", "seeds", "episodes")
    graph, place = REAL, REAL
    try:
        transfer_cells.make_graph(REAL)
    except TwinloomError as error:
        graph, place = SYNTHETIC, f"a Barabasi-Albert graph of {SYNTHETIC[0]:,} nodes"
        print(f"evaluated on {place} instead of {REAL}: {error}", flush=True)
    trained = {
        observer: [transfer_plan.training(method, seed, options.steps) for seed in range(options.seeds)]
        for observer, method in OBSERVERS.items()
    }
    minutes = transfer_plan.START_MINUTES + len(tasks.STAGES) * options.seeds * options.episodes * 0.004 / 60
    evaluated = {
        observer: transfer_cells.evaluation(
            f"curve-{observer}-{graph if graph == REAL else 'barabasi_albert'}",
            [graph],
            options.episodes,
            minutes,
            policies=runs,
            every_stage=True,
        )
        for observer, runs in trained.items()
    }
    return Plan(trained, evaluated, place)


def main(words: Sequence[str]) -> int:
    """Body of the command."""
    options = tyro.cli(HubsConfig, prog="policies experiment hubs", args=list(words))
    what = plan(options)
    every = [cell for runs in what.trained.values() for cell in runs]
    resumable.run([*every, *what.evaluated.values()], options.work, options.jobs, options.dry)
    if options.dry:
        return 0
    from policies.cascade.experiments import hubs_report as report

    report.write(what, options, shlex.join(["policies", "experiment", "hubs", *words]))
    return 0

"""How fast the leap engine approaches the exact one: ``python -m sim.cascade.leap.convergence``.

SEIR with log-normal latent and infectious times on an Erdos-Renyi graph; the largest difference of the mean shares of
S, E, I and R over the whole epidemic, for halved steps. Writes docs/results/cascade/convergence.{json,md}.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from assets.networks.generate import erdos_renyi
from assets.networks.graph import Graph
from sim.cascade.process.models import Model, seir
from sim.cascade.simulator import CascadeSim
from twinloom.command import run_command
from twinloom.progress import Progress
from twinloom.results import write_results

NODES, MEAN_DEGREE, SEEDS, DAYS = 1000, 7.876, 10, 50
STEPS = (0.5, 0.25, 0.125, 0.0625)
EXACT_RUNS, LEAP_RUNS, BATCH = 6000, 6000, 500


@dataclass(frozen=True, eq=False)
class Course:
    """Mean epidemic.

    Attributes:
        mean: float [DAYS + 1, M] mean share of each compartment at times 0, 1, …
        error: float [DAYS + 1, M] its standard error.
    """

    mean: np.ndarray
    error: np.ndarray

    def distance(self, other: Course) -> float:
        """Largest difference of the means."""
        return float(np.abs(self.mean - other.mean).max())

    def noise(self, other: Course) -> float:
        """Largest standard error of a difference of the means."""
        return float(np.sqrt(self.error**2 + other.error**2).max())


def course(graph: Graph, model: Model, runs: int, days: int = DAYS, **engine: Any) -> Course:
    """Mean epidemic of so many runs from ten random seeds."""
    total, square = np.zeros((2, days + 1, model.size))
    for batch in range(0, runs, BATCH):
        sim = CascadeSim(graph, model, min(BATCH, runs - batch), seed=1 + batch, **engine)
        sim.reset(SEEDS)
        for day in range(days + 1):
            if day:
                sim.advance(1.0)
            share = sim.counts[:, 0] / graph.n
            total[day] += share.sum(axis=0)
            square[day] += (share**2).sum(axis=0)
    mean = total / runs
    return Course(mean, np.sqrt(np.maximum(square / runs - mean**2, 0) / runs))


def extrapolated(coarse: Course, fine: Course) -> Course:
    """Richardson: what remains when the error of first order is taken off; ``fine`` has half the step."""
    return Course(2 * fine.mean - coarse.mean, np.sqrt(4 * fine.error**2 + coarse.error**2))


def table(exact_runs: int = EXACT_RUNS, leap_runs: int = LEAP_RUNS) -> list[dict[str, Any]]:
    """One row for each step length, then the extrapolation of the last two."""
    graph, model = erdos_renyi(NODES, MEAN_DEGREE, np.random.default_rng(0)), seir(0.25)
    with Progress(2 + len(STEPS), "course") as progress:
        reference = course(graph, model, exact_runs)
        progress.advance(2)
        found = []
        for step in STEPS:
            found.append(course(graph, model, leap_runs, engine="leap", substeps=round(1 / step)))
            progress.advance()
    errors = [one.distance(reference) for one in found]
    rows = [_row("exact", None, reference, None, None, reference.noise(reference))]
    for step, one, error, ratio in zip(STEPS, found, errors, [None, *_ratios(errors)], strict=True):
        rows.append(_row("leap", step, one, error, ratio, one.noise(reference)))
    limit = extrapolated(found[-2], found[-1])
    rows.append(_row("leap, extrapolated", 0.0, limit, limit.distance(reference), None, limit.noise(reference)))
    return rows


def _ratios(errors: list[float]) -> list[float]:
    return [coarse / fine for coarse, fine in pairwise(errors)]


def _row(engine: str, step: float | None, course: Course, error: float | None, ratio: float | None, noise: float):
    return {
        "engine": engine,
        "step": step,
        "largest_error": error,
        "ratio_to_the_row_above": ratio,
        "standard_error": noise,
        "peak_of_mean_I": float(course.mean[:, 2].max()),
        "R_at_the_end": float(course.mean[-1, 3]),
    }


def main() -> None:
    """Body of ``python -m sim.cascade.leap.convergence``."""

    def body() -> None:
        path = write_results(
            "cascade",
            "convergence",
            table(),
            command="python -m sim.cascade.leap.convergence",
            title="Convergence of the leap engine",
            seeds={"graph": 0, "runs": [1, EXACT_RUNS]},
            note=(
                f"SEIR of the default laws (beta 0.25) on an Erdos-Renyi graph of {NODES:,} nodes and mean degree "
                f"{MEAN_DEGREE}, {SEEDS} exposed at first, {DAYS} days; {EXACT_RUNS:,} exact and {LEAP_RUNS:,} leap "
                "runs. The error is the largest difference of the mean share of any compartment on any day. It halves "
                "with the step: first order, without a floor. The last row takes the error of first order off."
            ),
        )
        print(path.with_suffix(".md").read_text(encoding="utf-8"))

    run_command(body)


if __name__ == "__main__":
    main()

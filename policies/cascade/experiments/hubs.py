"""Hub blindness: what a global observer cannot see, and what that costs a learner.

``policies experiment hubs [-- --jobs 2]`` writes docs/results/cascade/hubs: learning curves and final profit of TQC
with the tier observer and with the global one, on one graph with strong hubs. What the observers see of the same cascade
is measured by ``python -m sim.cascade.observability``.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from assets.atomic import atomic_file
from assets.results import RESULTS, write_results
from policies.cascade import stats
from policies.cascade.evaluate import Outcomes
from policies.cascade.experiments import cells, work
from policies.cascade.experiments.cells import Cell

OBSERVERS = {"tiers": "#d55e00", "global": "#1f5fa8"}


@dataclass(frozen=True)
class Options:
    """How much is computed.

    Attributes:
        jobs: processes.
        seeds: trainings with each observer.
        steps: of each.
        graph: that they train and are evaluated on.
        episodes: of the evaluation.
        dry: only say what would be done, and how long it may take.
        out: folder of the results.
        work: folder of finished parts.
    """

    jobs: int = 1
    seeds: int = 3
    steps: int = 60_000
    graph: Annotated[str, tyro.conf.arg(metavar="NAME")] = "facebook_combined"
    episodes: int = 200
    dry: bool = False
    out: Path = RESULTS
    work: Path = cells.FOLDER / "hubs"


def main(words: list[str]) -> int:
    """Body of the command."""
    options = tyro.cli(Options, prog="policies experiment hubs --", args=words)
    trained: dict[tuple[str, int], Cell] = {
        (observer, s): work.training(observer, steps=options.steps, seed=s, graph=options.graph, observer=observer)
        for observer in OBSERVERS
        for s in range(options.seeds)
    }
    evaluated = {
        key: work.evaluation(f"{key[0]}-s{key[1]}", options.graph, options.episodes, 0.3, checkpoint=cell)
        for key, cell in trained.items()
    }
    cells.run([*trained.values(), *evaluated.values()], options.work, options.jobs, options.dry)
    if options.dry:
        return 0
    command = shlex.join(["policies", "experiment", "hubs", *(["--", *words] if words else [])])
    found = {key: Outcomes.from_json(cells.result(cell, options.work)["episodes"]) for key, cell in evaluated.items()}
    curves = {key: _curve(options.work / cell.stem()) for key, cell in trained.items()}
    _write(found, curves, options, command)
    return 0


def _curve(folder: Path) -> list[tuple[int, float]]:
    from policies.rl.logs import CURVE, read_curve

    return [
        (row["step"], row["rollout/ep_rew_mean"]) for row in read_curve(folder / CURVE) if "rollout/ep_rew_mean" in row
    ]


def _write(
    found: dict[tuple[str, int], Outcomes],
    curves: dict[tuple[str, int], list[tuple[int, float]]],
    options: Options,
    command: str,
) -> None:
    rows: list[dict[str, Any]] = []
    profit = {o: np.mean([found[o, s].profit for s in range(options.seeds)], axis=0) for o in OBSERVERS}
    for observer in OBSERVERS:
        metrics = [found[observer, s].metrics() for s in range(options.seeds)]
        low, high = stats.mean_interval(profit[observer])
        rows.append(
            {
                "observer": observer,
                "profit": float(profit[observer].mean()),
                "profit 95 %": f"{low:.4f} to {high:.4f}",
                "by seed": " ".join(f"{one['profit']:.3f}" for one in metrics),
                "cvar10": float(np.mean([one["cvar10"] for one in metrics])),
                "spend": float(np.mean([one["spend"] for one in metrics])),
                "loss share": float(np.mean([one["loss_share"] for one in metrics])),
            }
        )
    low, high = stats.paired_interval(profit["tiers"], profit["global"])
    write_results(
        "cascade",
        "hubs",
        rows,
        command=command,
        seeds={"trainings": list(range(options.seeds))},
        folder=options.out,
        title=f"Hub blindness: TQC with the tier and with the global observer on {options.graph}",
        note=f"Same learner, same actions by tier, {options.steps:,} steps on this graph; the global observer adds "
        f"all tiers up. Tiers earn {low:.4f} to {high:.4f} more per node (95 %, common episodes).",
    )
    from sim.cascade.picture import FAINT, INK, PAPER, figure, tidy

    page = figure(900, 540)
    page.text(0.06, 0.92, f"Learning on {options.graph} with and without sight of hubs", fontsize=16, color=INK)
    axes = page.add_axes((0.08, 0.12, 0.87, 0.7))
    tidy(axes, "profit per node of training episodes, mean of the last 100", 12)
    for (observer, s), curve in curves.items():
        if curve:
            steps, value = np.array(curve, float).T
            label = observer if s == 0 else None
            axes.plot(steps / 1000, value, color=OBSERVERS[observer], linewidth=1.6, alpha=0.85, label=label)
    axes.axhline(0, color="#cbd2d9", linewidth=1)
    axes.set_xlabel("thousand decisions", color=FAINT, fontsize=9.5, loc="right")
    axes.legend(frameon=False, fontsize=11, labelcolor=INK, loc="lower right")
    path = options.out / "cascade" / "hubs.png"
    with atomic_file(path) as temporary:
        page.savefig(temporary, format="png", facecolor=PAPER)

"""Tables and figures of the valley experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from policies.cascade.table import own_graph
from sim.cascade.process.theory import Valley
from twinloom.atomic import atomic_file
from twinloom.results import write_results

if TYPE_CHECKING:
    from policies.cascade.experiments.valley import ValleyConfig

ACROSS = 0.5  # spend from which on the expected profit is positive again
COLOURS = ("#7b8794", "#1f2933", "#1f5fa8", "#4fa3d1", "#d55e00", "#7a3b8f")


def write(
    profit: list[dict[str, Any]],
    learned: dict[tuple[str, int], dict[str, Any]],
    fit: dict[str, Any],
    options: ValleyConfig,
    command: str,
) -> None:
    """Write the three tables and their figures into ``options.out``."""
    folder = options.out / "cascade"
    names = list(dict.fromkeys(name for name, _ in learned))
    write_results(
        "cascade",
        "valley_profit",
        profit,
        command=command,
        folder=options.out,
        title="The valley: expected profit of one early spend, per node",
        note=f"Problem `cascade/escape`: {own_graph('escape')}, 10 adopters at the start, all active for one unit of "
        "time. *theory* is the limit of infinitely many nodes, where nothing spreads below R = 1; here the threshold "
        "is soft, which the simulated column shows.",
    )
    task, rows = Valley(), []
    for name in names:
        ends = np.array([run["final"] for key, run in learned.items() if key[0] == name])
        rows.append(
            {
                "learner": name,
                "k": int((ends > ACROSS).sum()),
                "n": len(ends),
                "median spend": float(np.median(ends)),
                "mean profit by theory": float(np.mean([task.profit(end) for end in ends])),
            }
        )
    write_results(
        "cascade",
        "valley_learners",
        rows,
        command=command,
        seeds={"learners": list(range(options.seeds))},
        folder=options.out,
        title="The valley: which learners get across",
        note=f"Each starts at 2.5 % of the largest spend and explores around it ({options.steps:,} decisions). *k* of "
        f"*n* seeds end beyond a spend of {ACROSS}. The episode is a single decision, so nothing is bootstrapped and d "
        "changes nothing: TQC with d = 0 and d = 2 differ only by chance. Who crosses depends on how "
        "widely it explores at first, which was chosen after trials: two seeds, and with half of it nobody crossed.",
    )
    write_results(
        "cascade",
        "valley_critic",
        fit["rows"],
        command=command,
        folder=options.out,
        title="The valley: learned and simulated distributions of the return near the threshold",
        note="Two adopters at the start. TQC critics (3 x 25 atoms, width of the quadratic part of the loss 0.05) "
        f"after spends from the whole range, against {options.episodes:,} simulated episodes at each spend. The "
        "value of a full cascade is 1; *near the mean* is the share of episodes within 0.05 of their mean.",
    )
    _learners(profit, learned, names, folder / "valley_learners.png")
    shown = fit["shown"]["0.5"]
    from policies.cascade.figures import outcomes_and_quantiles

    outcomes_and_quantiles(
        shown["returns"],
        shown["atoms"],
        folder / "valley_critic.png",
        title="A mean that never happens",
        subtitle="cascade/escape with 2 first adopters, spend 0.5: simulated returns, and the atoms of the TQC critics",
        quantity="return per node",
    )


def _learners(
    profit: list[dict[str, Any]], learned: dict[tuple[str, int], dict[str, Any]], names: list[str], path: Any
) -> None:
    """The valley on the left; the spend of every run on the right, one panel for each learner."""
    from sim.cascade.view.style import FAINT, INK, PAPER, figure, tidy

    page = figure(1400, 640)
    page.text(0.04, 0.93, "Who crosses the valley?", fontsize=17, color=INK)
    left = page.add_axes((0.05, 0.12, 0.27, 0.68))
    tidy(left, "expected profit of a spend", 12)
    spend = [row["spend"] for row in profit]
    fine = np.linspace(0, 1, 201)
    left.plot(fine, [Valley().profit(b) for b in fine], color=FAINT, linewidth=1.6, label="theory, infinite graph")
    left.errorbar(
        spend,
        [row["simulated"] for row in profit],
        [
            [row["simulated"] - row["simulated low"] for row in profit],
            [row["simulated high"] - row["simulated"] for row in profit],
        ],
        fmt="o",
        color=COLOURS[2],
        markersize=5,
        label="simulated",
    )
    left.axhline(0, color="#cbd2d9", linewidth=1)
    left.set_xlabel("spend", color=FAINT, loc="right")
    left.legend(frameon=False, fontsize=10, labelcolor=INK)
    columns = 3
    for number, name in enumerate(names):
        row, column = divmod(number, columns)
        axes = page.add_axes((0.38 + 0.21 * column, 0.5 - 0.38 * row, 0.175, 0.29))
        runs = [run for key, run in learned.items() if key[0] == name]
        across = sum(run["final"] > ACROSS for run in runs)
        tidy(axes, f"{name}: {across} of {len(runs)} across", 11)
        for run in runs:
            steps, spent = np.array(run["path"]).T
            axes.plot(steps / 1000, spent, color=COLOURS[number % len(COLOURS)], linewidth=1.2, alpha=0.75)
        axes.axhline(Valley().edge, color=FAINT, linewidth=1, linestyle=(0, (2, 3)))
        axes.set_ylim(-0.03, 1.03)
        if row == (len(names) - 1) // columns:
            axes.set_xlabel("thousand decisions", color=FAINT, fontsize=9.5, loc="right")
        if column == 0:
            axes.set_ylabel("spend", color=FAINT, fontsize=9.5)
    page.text(
        0.38, 0.87, "dotted: below this spend no cascade is possible on an infinite graph", fontsize=10, color=FAINT
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as temporary:
        page.savefig(temporary, format="png", facecolor=PAPER)

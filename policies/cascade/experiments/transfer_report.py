"""Tables and figures of the transfer experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assets.results import write_results
from policies.cascade import stats
from policies.cascade.evaluate import Outcomes
from policies.cascade.experiments import cells

if TYPE_CHECKING:
    from policies.cascade.experiments.transfer import Options, Plan

Found = dict[str, list[Outcomes]]
SYNTHETIC = ("barabasi_albert", "twitter-like", "youtube-like")


def write(plan: Plan, options: Options, command: str) -> None:
    """Read all evaluations and write the three tables and their figures."""
    from policies.cascade.experiments import transfer_figures as figures
    from policies.cascade.experiments.transfer import SWEEP_GRAPH

    folder = options.out / "cascade"
    seeds = {"trainings": list(range(options.seeds)), "episodes": "1000000000 + j"}
    found: dict[str, Found] = {}
    for (graph, name, _), cell in plan.evaluated.items():
        outcomes = Outcomes.from_json(cells.result(cell, options.work)["episodes"])
        found.setdefault(graph, {}).setdefault(name, []).append(outcomes)
    rows = [row for graph, policies in found.items() for row in graph_rows(graph, policies)]
    write_results(
        "cascade",
        "transfer",
        rows,
        command=command,
        seeds=seeds,
        folder=options.out,
        title="Zero-shot transfer of adopt_profit: profit per node in the deployment world",
        note=_note(rows, options),
    )
    ratios = [row for graph, policies in found.items() for row in ratio_rows(graph, policies)]
    write_results(
        "cascade",
        "transfer_ratio",
        ratios,
        command=command,
        seeds=seeds,
        folder=options.out,
        title="Profit of renewal-trained policies against those of simpler training worlds",
        note="Same learner, same observer, same episodes; only the training world differs. A ratio has no finite "
        "interval where the profit below it may be zero: then only the difference and the normalised score say "
        "something.",
    )
    figures.scores(rows, folder / "transfer.png")
    figures.distributions(found, folder / "transfer_ratio.png")
    if plan.sweep:
        swept: dict[float, Found] = {}
        for (r0, name, _), cell in plan.sweep.items():
            outcomes = Outcomes.from_json(cells.result(cell, options.work)["episodes"])
            swept.setdefault(r0, {}).setdefault(name, []).append(outcomes)
        sweep = [{"R0": r0} | row for r0, policies in swept.items() for row in sweep_rows(policies)]
        write_results(
            "cascade",
            "transfer_r0",
            sweep,
            command=command,
            seeds=seeds,
            folder=options.out,
            title=f"Gap between training worlds by R0, on {SWEEP_GRAPH}",
            note="For each R0 one policy of each world was trained around it, for fewer steps than in the main "
            "table. *gap* is the share of the renewal-trained profit that is lost.",
        )
        figures.sweep(sweep, folder / "transfer_r0.png")


def mean_of_seeds(outcomes: list[Outcomes]) -> np.ndarray:
    """Profit of each episode, averaged over trainings; the episodes are common."""
    return np.mean([one.profit for one in outcomes], axis=0)


def graph_rows(graph: str, policies: Found) -> list[dict[str, Any]]:
    """One row for each policy, best first."""
    profit = {name: mean_of_seeds(outcomes) for name, outcomes in policies.items()}
    best = max(profit, key=lambda name: float(profit[name].mean()))
    rows = []
    for name in sorted(profit, key=lambda n: -float(profit[n].mean())):
        outcomes, mine = policies[name], profit[name]
        metrics = [one.metrics() for one in outcomes]
        score, score_low, score_high = score_interval(mine, profit["null"], profit[best])
        low, high = stats.mean_interval(mine)
        row = {
            "graph": graph + (" (synthetic)" if graph in SYNTHETIC else ""),
            "policy": name,
            "profit": float(mine.mean()),
            "profit 95 %": f"{low:.4f} to {high:.4f}",
            "by seed": " ".join(f"{one['profit']:.3f}" for one in metrics),
            "score": score if np.isfinite(score) else None,
            "score 95 %": f"{score_low:.3f} to {score_high:.3f}" if np.isfinite(score_low) else "not finite",
        }
        for key in ("median", "cvar10", "loss_share", "outbreak_share", "attack_rate", "hub_retention", "spend"):
            row[key] = _mean([one[key] for one in metrics])
        rows.append(row | {"optimism": _mean([one["optimism"] for one in metrics]), "episodes": len(mine)})
    return rows


def score_interval(mine: np.ndarray, null: np.ndarray, best: np.ndarray) -> tuple[float, float, float]:
    """Normalised score (J - J_null) / (J_best - J_null) and its bootstrap interval over common episodes."""
    count = min(len(mine), len(null), len(best))  # the planner plays fewer episodes on the largest graphs
    return stats.ratio_interval(mine[:count] - null[:count], best[:count] - null[:count])


def ratio_rows(graph: str, policies: Found) -> list[dict[str, Any]]:
    """Renewal against each other world."""
    renewal, rows = mean_of_seeds(policies["renewal"]), []
    for name in ("markov, rate", "markov, T", "mean field"):
        other = mean_of_seeds(policies[name])
        ratio, low, high = stats.ratio_interval(renewal, other)
        first, last = stats.paired_interval(renewal, other)
        rows.append(
            {
                "graph": graph,
                "trained in": name,
                "renewal": float(renewal.mean()),
                "other": float(other.mean()),
                "ratio": ratio if np.isfinite(ratio) else None,
                "ratio 95 %": f"{low:.2f} to {high:.2f}" if np.isfinite(low) else "not finite",
                "difference": float((renewal - other).mean()),
                "difference 95 %": f"{first:.4f} to {last:.4f}",
                "gap": float(1 - other.mean() / renewal.mean()) if renewal.mean() > 0 else None,
                "renewal sd": float(renewal.std()),
                "other sd": float(other.std()),
            }
        )
    return rows


def sweep_rows(policies: Found) -> list[dict[str, Any]]:
    """Worlds at one R0."""
    renewal, rows = mean_of_seeds(policies["renewal"]), []
    for name, outcomes in policies.items():
        mine = mean_of_seeds(outcomes)
        low, high = stats.mean_interval(mine)
        first, last = stats.paired_interval(renewal, mine)
        gap = 1 - mine.mean() / renewal.mean() if renewal.mean() > 0 else None
        rows.append(
            {
                "trained in": name,
                "profit": float(mine.mean()),
                "profit 95 %": f"{low:.4f} to {high:.4f}",
                "below renewal by": float((renewal - mine).mean()),
                "95 %": f"{first:.4f} to {last:.4f}",
                "gap": None if gap is None else float(gap),
                "loss share": float((mine < 0).mean()),
                "spend": float(np.mean([one.spend.mean() for one in outcomes])),
            }
        )
    return rows


def _mean(values: list[float]) -> float | None:
    known = [value for value in values if value == value]
    return float(np.mean(known)) if known else None


def _note(rows: list[dict[str, Any]], options: Options) -> str:
    """How to read it, and an honest summary of who wins where."""
    verdicts = []
    for graph in dict.fromkeys(row["graph"] for row in rows):
        here = [row for row in rows if row["graph"] == graph]
        renewal = next(row for row in here if row["policy"] == "renewal")
        lowest = float(renewal["profit 95 %"].split(" to ")[0])
        rest = [row for row in here if row["policy"] != "renewal"]
        ahead = [row["policy"] for row in rest if row["profit"] > renewal["profit"]]
        close = [
            row["policy"]
            for row in rest
            if row["policy"] not in ahead and float(row["profit 95 %"].split(" to ")[1]) >= lowest
        ]
        if ahead:
            text = f"behind {', '.join(ahead)}"
        elif close:
            text = f"first, intervals overlap with {', '.join(close)}"
        else:
            text = "ahead of every other policy, intervals apart"
        verdicts.append(f"* {graph}: the renewal-trained policy is {text}.")
    return (
        f"TQC of {options.seeds} seeds and {options.steps:,} steps on random Barabasi-Albert graphs of 500 to 3,000 "
        "nodes; no graph of this table was seen in training. *renewal*, *markov* (matched by rate, or by "
        "transmissibility T and generation time) and *mean field* are its training worlds; *hub-blind* has the "
        "global observer; SAC and PPO are renewal-trained. *constant*, *bang_bang* and *degree_targeted* are tuned "
        "on the training graphs, *constant_here* on the graph itself; *mpc* plans on the mean-field equation of the "
        "graph itself. Profit is averaged over trainings in common episodes; *score* is 0 for doing nothing and 1 "
        "for the best.\n\n" + "\n".join(verdicts)
    )

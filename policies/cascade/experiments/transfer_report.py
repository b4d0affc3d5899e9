"""Tables of the transfer experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from policies.cascade.evaluate import Outcomes
from policies.cascade.experiments import resumable, transfer_figures, transfer_text
from policies.cascade.experiments.transfer_plan import BASELINES, OURS, PLACES, SWEEP_R0, TOGETHER, TRAINED, WORLDS
from policies.cascade.experiments.transfer_stats import Comparison
from twinloom.results import write_results

if TYPE_CHECKING:
    from policies.cascade.experiments.transfer_plan import Plan, TransferConfig

Rows = list[dict[str, Any]]


def write(plan: Plan, options: TransferConfig, command: str) -> None:
    """Write all tables and figures into ``options.out``."""
    method_of = {cell.stem(): name for name, runs in plan.trained.items() for cell in runs}
    compared = {
        place: Comparison(gathered([resumable.result(c, options.work) for c in some], method_of)[options.r0])
        for place, some in plan.deployed.items()
    }
    over_r0 = gathered([resumable.result(cell, options.work) for cell in plan.sweep], method_of)
    sweep = {r0: Comparison(over_r0[r0]) for r0 in SWEEP_R0}
    ratios = [row for place, found in compared.items() for row in against_rows({"graph": PLACES[place].title}, found)]
    swept = [row for r0, found in sweep.items() for row in against_rows({"R0": r0}, found)]
    worlds = {place: resumable.result(cell, options.work) for place, cell in plan.worlds.items()}
    matched = [{"graph": PLACES[place].title, **row} for place, rows in worlds.items() for row in rows]
    trained = training_rows(plan, options)
    world = plan.trained[OURS][0].arguments["world"]
    told = transfer_text.Facts(options, trained, plan.skipped, compared, ratios, swept, matched, world)
    tables = {
        "transfer": (table_rows(compared), "Zero-shot transfer: all policies and baselines", told.table()),
        "transfer_ratio": (ratios, "Renewal-trained against Markov- and mean-field-trained", told.ratio()),
        "transfer_worlds": (matched, "What each training world makes of the same process", told.worlds()),
        "transfer_r0": (swept, "Renewal-trained against the others over R0", told.sweep()),
        "transfer_training": (trained, "The trainings of the transfer experiment", told.training()),
    }
    seeds = {"trainings": list(range(options.seeds)), "steps": options.steps, "episodes": "1000000000 + j"}
    for name, (rows, title, note) in tables.items():
        write_results("cascade", name, rows, command=command, seeds=seeds, folder=options.out, title=title, note=note)
    folder = options.out / "cascade"
    transfer_figures.distributions(compared, ratios, folder / "transfer.png", options.steps)
    transfer_figures.scores(tables["transfer"][0], folder / "transfer_scores.png")
    transfer_figures.over_r0(sweep, folder / "transfer_r0.png", options.steps)
    print("\n".join(f"{folder / name}.md" for name in tables))


def gathered(found: list[list[dict[str, Any]]], method_of: dict[str, str]) -> dict[Any, dict[str, list[Outcomes]]]:
    """Outcomes by R0 and policy, one for each training seed; trainings go by the name of their method."""
    by_r0: dict[Any, dict[str, list[Outcomes]]] = {}
    for entry in (one for cell in found for one in cell):
        name = str(method_of.get(entry["policy"], entry["policy"]))
        name = TOGETHER + name if entry.get("together") else name
        by_r0.setdefault(entry["r0"], {}).setdefault(name, []).append(Outcomes.from_json(entry["episodes"]))
    return by_r0


def table_rows(compared: dict[str, Comparison]) -> Rows:
    """One row for each graph and policy, best first."""
    rows = []
    for place, found in compared.items():
        for name in sorted(found.runs, key=found.mean, reverse=True):
            low, high = found.interval(name)
            score, score_low, score_high = found.score(name) or (None, None, None)
            rows.append(
                {
                    "graph": PLACES[place].title,
                    "policy": name,
                    "profit": found.mean(name),
                    "profit low": low,
                    "profit high": high,
                    "score": score,
                    "score low": score_low,
                    "score high": score_high,
                    "renewal beats it": "" if name == OURS else found.verdict(OURS, name),
                    "committee beats it": _against(found, TOGETHER + OURS, name),
                    **found.metrics(name),
                    "by training": " ".join(f"{mean:.3f}" for mean in found.profit[name].mean(axis=1)),
                    "trainings": len(found.runs.get(name.removeprefix(TOGETHER), ())) if name not in BASELINES else 0,
                    "episodes": found.profit[name].shape[1],
                }
            )
    return rows


def _against(found: Comparison, ours: str, name: str) -> str:
    return "" if name == ours or ours not in found.runs else found.verdict(ours, name)


def against_rows(where: dict[str, Any], found: Comparison) -> Rows:
    """The renewal-trained policies against those of each simpler world; ``where`` begins the rows."""
    rows = []
    for other in WORLDS[1:]:
        ratio, low, high = found.ratio(OURS, other)
        gain, gain_low, gain_high = found.difference(OURS, other)
        rows.append(
            {
                **where,
                "trained in": "Markov world" if TRAINED[other]["world"] == "markov" else "mean field",
                "matching": TRAINED[other].get("matching", "rate"),
                "profit, renewal": found.mean(OURS),
                "profit, other": found.mean(other),
                "ratio": ratio,
                "ratio low": low,
                "ratio high": high,
                "reading": found.reading(OURS, other),
                "difference": gain,
                "difference low": gain_low,
                "difference high": gain_high,
                "gap": 1 - found.mean(other) / found.mean(OURS) if found.mean(OURS) > 0 else None,
                "negative, renewal": float((found.profit[OURS] < 0).mean()),
                "negative, other": float((found.profit[other] < 0).mean()),
                "sd, renewal": float(found.profit[OURS].std()),
                "sd, other": float(found.profit[other].std()),
            }
        )
    return rows


def training_rows(plan: Plan, options: TransferConfig) -> Rows:
    """One row for each method: what was trained, how long it took."""
    rows = []
    for name, runs in plan.trained.items():
        last = [resumable.result(cell, options.work)["stages"][-1] for cell in runs]
        world, learner = runs[0].arguments["world"], runs[0].arguments["learner"]
        rows.append(
            {
                "method": name,
                "algorithm": learner["algo"],
                "world": world["world"],
                "matching": world.get("matching", "rate") if world["world"] in ("markov", "ode") else "",
                "observer": world.get("observer", "tiers"),
                "trainings": len(runs),
                "steps": last[0]["steps"],
                "processor minutes each": float(np.mean([one["processor_s"] / 60 for one in last])),
                "steps per processor second": float(np.mean([o["steps"] / max(o["processor_s"], 0.1) for o in last])),
            }
        )
    return rows

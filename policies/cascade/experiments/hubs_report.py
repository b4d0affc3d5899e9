"""Table and figure of the hubs experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from policies.cascade.evaluate import Outcomes
from policies.cascade.experiments import resumable
from policies.cascade.experiments.transfer_stats import Comparison
from policies.cascade.experiments.transfer_text import ground
from twinloom.atomic import atomic_file
from twinloom.results import write_results

if TYPE_CHECKING:
    from policies.cascade.experiments.hubs import HubsConfig, Plan

COLOURS = {"tiers": "#d55e00", "global": "#1f5fa8"}
SEEN = "[hub_blindness](hub_blindness.md) and [observability](observability.md)"
Curves = dict[str, list[list[tuple[int, Outcomes]]]]


def write(plan: Plan, options: HubsConfig, command: str) -> None:
    """Write the table and the figure into ``options.out``."""
    curves = {name: curves_of(resumable.result(cell, options.work)) for name, cell in plan.evaluated.items()}
    compared = stages(curves)
    rows = stage_rows(compared)
    write_results(
        "cascade",
        "hubs",
        rows,
        command=command,
        seeds={"trainings": list(range(options.seeds)), "steps": options.steps, "episodes": "1000000000 + j"},
        folder=options.out,
        title=f"Learning with and without tiers: mean profit per node on {plan.place}",
        note=_note(plan, options, rows),
    )
    draw(curves, compared, options.out / "cascade" / "hubs.png", plan.place)
    print(options.out / "cascade" / "hubs.md")


def curves_of(found: list[dict[str, Any]]) -> list[list[tuple[int, Outcomes]]]:
    """For each training its stages in order: steps and outcomes."""
    by_seed: dict[int, list[tuple[int, Outcomes]]] = {}
    for entry in found:
        by_seed.setdefault(entry["seed"], []).append((entry["steps"], Outcomes.from_json(entry["episodes"])))
    return [sorted(stages, key=lambda stage: stage[0]) for _, stages in sorted(by_seed.items())]


def stages(curves: Curves) -> dict[int, Comparison]:
    """Both observers after equally many steps."""
    steps = [step for step, _ in next(iter(curves.values()))[0]]
    return {
        step: Comparison({name: [run[number][1] for run in runs] for name, runs in curves.items()})
        for number, step in enumerate(steps)
    }


def stage_rows(compared: dict[int, Comparison]) -> list[dict[str, Any]]:
    """One row for each stage."""
    rows = []
    for step, found in compared.items():
        row: dict[str, Any] = {"steps": step}
        for name in COLOURS:
            low, high = found.interval(name)
            row |= {name: found.mean(name), f"{name} low": low, f"{name} high": high}
        gain, low, high = found.difference("tiers", "global")
        row |= {"difference": gain, "difference low": low, "difference high": high}
        for name in COLOURS:
            facts = found.metrics(name)
            row |= {f"{key}, {name}": facts[key] for key in ("share negative", "hub retention", "spend")}
        rows.append(row)
    return rows


def _note(plan: Plan, options: HubsConfig, rows: list[dict[str, Any]]) -> str:
    last, world = rows[-1], plan.trained["tiers"][0].arguments["world"]
    low, high = last["difference low"], last["difference high"]
    found = (
        "the observer of tiers is ahead"
        if low > 0
        else "the global observer is ahead"
        if high < 0
        else "no difference is clear"
    )
    return (
        f"TQC in the age-dependent world, {options.seeds} trainings with each observer on {ground(world)}; the "
        "policies of each stage play the same episodes. Both command all tiers; the global observer adds them up "
        f"before the policy sees them. At the end {found}: difference {last['difference']:.4f} ({low:.4f} to "
        f"{high:.4f}) per node. What the global observer cannot see: {SEEN}."
    )


def draw(curves: Curves, compared: dict[int, Comparison], path: Path, place: str) -> None:
    """Mean profit of every training at every stage, and the mean over trainings with its interval."""
    from sim.cascade.view.style import FAINT, INK, PAPER, figure, tidy

    page = figure(1100, 620)
    page.text(0.06, 0.93, "Learning with and without tiers", fontsize=17, color=INK)
    about = (
        f"TQC trained on synthetic graphs; mean profit per node on {place}; thin: single trainings; band: 95 % interval"
    )
    page.text(0.06, 0.885, about, fontsize=10.5, color=FAINT)
    axes = page.add_axes((0.09, 0.12, 0.85, 0.68))
    tidy(axes, "", 12)
    at = np.array(list(compared)) / 1000
    for name, colour in COLOURS.items():
        for run in curves[name]:
            means = [outcomes.profit.mean() for _, outcomes in run]
            axes.plot([step / 1000 for step, _ in run], means, color=colour, linewidth=0.9, alpha=0.5)
        bands = np.array([found.interval(name) for found in compared.values()])
        axes.fill_between(at, bands[:, 0], bands[:, 1], color=colour, alpha=0.13, linewidth=0)
        means = [found.mean(name) for found in compared.values()]
        axes.plot(at, means, "o-", color=colour, linewidth=2.2, markersize=5, label=f"observer: {name}")
    axes.axhline(0, color="#9aa5b1", linewidth=0.9)
    axes.set_xlabel("thousand environment steps", color=FAINT, loc="right")
    axes.legend(frameon=False, fontsize=11, labelcolor=INK, loc="lower right")
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as temporary:
        page.savefig(temporary, format="png", facecolor=PAPER)

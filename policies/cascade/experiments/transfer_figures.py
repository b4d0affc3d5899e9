"""Figures of the transfer experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from assets.atomic import atomic_file
from policies.cascade.evaluate import Outcomes
from sim.cascade.picture import FAINT, INK, PAPER, figure, tidy

COLOURS = {"renewal": "#d55e00", "markov, rate": "#1f5fa8", "markov, T": "#4fa3d1", "mean field": "#7a3b8f"}
OTHER = "#9aa5b1"
LOWEST = -1.0  # scores below are drawn at the edge, with their number


def scores(rows: list[dict[str, Any]], path: Path) -> None:
    """Normalised scores, one panel for each graph."""
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    width = 0.86 / len(graphs)
    page = figure(max(900, 300 * len(graphs)), 640)
    page.text(0.03, 0.93, "Zero-shot: normalised score in the deployment world", fontsize=17, color=INK)
    page.text(0.03, 0.885, "0 is doing nothing, 1 the best policy of each graph", fontsize=10.5, color=FAINT)
    order = list(dict.fromkeys(row["policy"] for row in rows))
    for number, graph in enumerate(graphs):
        axes = page.add_axes((0.11 + number * width, 0.08, width * 0.9, 0.73))
        tidy(axes, graph, 11)
        axes.grid(False)
        here = {row["policy"]: row["score"] for row in rows if row["graph"] == graph}
        for place, name in enumerate(order):
            value = here.get(name)
            if value is None:
                continue
            axes.barh(-place, max(value, LOWEST), color=COLOURS.get(name, OTHER), height=0.7)
            axes.text(max(value, LOWEST, 0) + 0.03, -place, f"{value:.2f}", va="center", fontsize=8.5, color=INK)
        axes.axvline(0, color="#cbd2d9", linewidth=1)
        axes.set_xlim(LOWEST, 1.35)
        axes.set_yticks([-k for k in range(len(order))], order if number == 0 else [""] * len(order))
    _save(page, path)


def distributions(found: dict[str, dict[str, list[Outcomes]]], path: Path) -> None:
    """Profit of single episodes: renewal-trained beside Markov-trained and mean-field-trained."""
    page = figure(max(900, 300 * len(found)), 520)
    page.text(0.03, 0.92, "Profit of single episodes by training world", fontsize=17, color=INK)
    width = 0.92 / len(found)
    for number, (graph, policies) in enumerate(found.items()):
        axes = page.add_axes((0.05 + number * width, 0.12, width * 0.84, 0.66))
        tidy(axes, graph, 11)
        pooled = {name: np.concatenate([one.profit for one in policies[name]]) for name in COLOURS if name in policies}
        everything = np.concatenate(list(pooled.values()))
        least, most = np.percentile(everything, [0.5, 99.5])
        edges = np.linspace(least, most, 41)
        if edges[-1] > edges[0]:
            for name, values in pooled.items():
                axes.hist(
                    np.clip(values, edges[0], edges[-1]),
                    edges,
                    density=True,
                    histtype="step",
                    linewidth=1.8,
                    color=COLOURS[name],
                    label=name,
                )
        axes.axvline(0, color="#cbd2d9", linewidth=1)
        axes.set_yticks([])
        axes.set_xlabel("profit per node", color=FAINT, fontsize=9.5, loc="right")
        if number == 0:
            axes.legend(frameon=False, fontsize=9.5, labelcolor=INK)
    _save(page, path)


def sweep(rows: list[dict[str, Any]], path: Path) -> None:
    """Profit by R0 and training world."""
    page = figure(900, 560)
    page.text(0.05, 0.92, "Where does the training world matter?", fontsize=17, color=INK)
    axes = page.add_axes((0.08, 0.12, 0.87, 0.7))
    tidy(axes, "profit per node in the deployment world, by nominal R0", 12)
    for name, colour in COLOURS.items():
        here = [row for row in rows if row["trained in"] == name]
        if not here:
            continue
        low, high = np.array([[float(x) for x in row["profit 95 %"].split(" to ")] for row in here]).T
        r0, profit = np.array([row["R0"] for row in here]), np.array([row["profit"] for row in here])
        axes.errorbar(r0, profit, [profit - low, high - profit], fmt="o-", color=colour, label=name, linewidth=1.8)
    axes.axhline(0, color="#cbd2d9", linewidth=1)
    axes.legend(frameon=False, fontsize=10.5, labelcolor=INK)
    _save(page, path)


def _save(page: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as temporary:
        page.savefig(temporary, format="png", facecolor=PAPER)

"""Figures of the transfer experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from policies.cascade.experiments.transfer_plan import OURS, PLACES, WORLDS
from policies.cascade.experiments.transfer_stats import Comparison
from policies.cascade.experiments.transfer_text import PUBLISHED
from twinloom.atomic import atomic_file

COLOURS = dict(zip(WORLDS, ("#d55e00", "#1f5fa8", "#4fa3d1", "#7a3b8f", "#b58cc4"), strict=True))
LABELS = dict(
    zip(WORLDS, ("renewal", "Markov, by rate", "Markov, by T", "mean field, by rate", "mean field, by T"), strict=True)
)
SHOWN = (OURS, "markov, rate", "mean field")  # distributions; those of the other matchings look much alike
BINS, EDGE = 60, 100.0
LOWEST = -1.0  # score


def distributions(compared: dict[str, Comparison], ratios: list[dict[str, Any]], path: Path, steps: int) -> None:
    """For each graph the distributions of the profit, and beside them the ratios of the means."""
    from sim.cascade.view.style import FAINT, INK, figure, tidy

    rows, top, bottom = len(compared), 150, 64
    height = top + bottom + 150 * rows
    page = figure(1500, height)

    def text(x: float, down: float, words: str, size: float, colour: str) -> None:
        page.text(x, 1 - down / height, words, fontsize=size, color=colour)

    text(0.03, 46, "Three training worlds, one deployment world", 17, INK)
    text(
        0.03,
        74,
        f"TQC with the same observer, {steps:,} steps; deployed where ages matter, on unseen graphs",
        10.5,
        FAINT,
    )
    text(
        0.17, 112, "profit per node, all episodes of all trainings (square root of their share; dashed: mean)", 11, INK
    )
    text(0.72, 112, "ratio of mean profits, renewal / other, 95 % interval", 11, INK)
    tall, gap = (height - top - bottom) / rows / height, 44 / height
    handles: list[Any] = []
    for number, (place, found) in enumerate(compared.items()):
        base = bottom / height + (rows - 1 - number) * tall
        left = page.add_axes((0.17, base, 0.42, tall - gap))
        right = page.add_axes((0.72, base, 0.25, tall - gap))
        title = PLACES[place].title.replace(" (", "\n(").replace("unseen ", "unseen\n").replace("-Albert ", "-Albert\n")
        page.text(0.03, base + (tall - gap) / 2, title, fontsize=11.5, color=INK, va="center")
        tidy(left, "")
        tidy(right, "")
        handles = _densities(left, found)
        _ratios(right, [row for row in ratios if row["graph"] == PLACES[place].title])
    place_of_legend = (0.165, 1 - 120 / height)
    page.legend(
        handles=handles, loc="upper left", bbox_to_anchor=place_of_legend, ncols=3, frameon=False, labelcolor=INK
    )
    _save(page, path)


def _densities(axes: Any, found: Comparison) -> list[Any]:
    """Histograms as filled steps on common bins."""
    together = np.concatenate([found.profit[name].ravel() for name in SHOWN])
    low, high = np.percentile(together, [0.3, 99.7])
    margin = 0.04 * max(float(high - low), 1e-6)
    edges = np.linspace(low - margin, high + margin, BINS + 1)
    handles = []
    for name in SHOWN:
        values = np.clip(found.profit[name].ravel(), edges[0], edges[-1])
        shares = np.sqrt(np.histogram(values, edges)[0] / len(values))  # a peak must not flatten everything else
        handles.append(axes.stairs(shares, edges, color=COLOURS[name], linewidth=1.6, label=LABELS[name]))
        axes.stairs(shares, edges, color=COLOURS[name], fill=True, alpha=0.12)
        axes.axvline(found.mean(name), color=COLOURS[name], linewidth=1.3, linestyle=(0, (3, 2)))
    axes.axvline(0, color="#9aa5b1", linewidth=0.9)
    axes.set(xlim=(edges[0], edges[-1]), yticks=[])
    axes.set_ylim(bottom=0)
    return handles


def _ratios(axes: Any, rows: list[dict[str, Any]]) -> None:
    """One mark for each simpler world; where the ratio means nothing only words."""
    from sim.cascade.view.style import FAINT

    axes.set_xscale("symlog", linthresh=1.0)
    axes.axvline(1, color="#9aa5b1", linewidth=0.9)
    axes.axvline(PUBLISHED, color=FAINT, linewidth=1, linestyle=(0, (2, 3)))
    axes.set(xlim=(-EDGE, EDGE), ylim=(len(rows) - 0.4, -0.6))
    axes.set_xticks([-10, -1, 0, 1, 10, PUBLISHED], ["-10", "-1", "0", "1", "10", f"{PUBLISHED}\npublished"])
    axes.minorticks_off()
    axes.set_yticks(range(len(rows)), [LABELS[name] for name in WORLDS[1:]])
    axes.tick_params(labelsize=8.5)
    axes.grid(False)
    for number, (name, row) in enumerate(zip(WORLDS[1:], rows, strict=True)):
        if row["reading"]:
            words = f"{row['reading']}; difference {row['difference']:+.3f}"
            axes.text(
                0, number, words, color=COLOURS[name], fontsize=8.5, ha="center", va="center", backgroundcolor="white"
            )
            continue
        low, high = np.clip([row["ratio low"], row["ratio high"]], -EDGE, EDGE)
        axes.plot([low, high], [number, number], color=COLOURS[name], linewidth=2.4, solid_capstyle="round")
        axes.plot(np.clip(row["ratio"], -EDGE, EDGE), number, "o", color=COLOURS[name], markersize=5.5)
        beside = {"xytext": (7, 0), "textcoords": "offset points", "va": "center", "fontsize": 8.5}
        axes.annotate(f"{row['ratio']:.2f}", (max(high, low), number), color=COLOURS[name], **beside)


def scores(rows: list[dict[str, Any]], path: Path) -> None:
    """Normalised scores with their intervals, one panel for each graph; scores below LOWEST end at the edge."""
    from sim.cascade.view.style import FAINT, INK, figure, tidy

    graphs, order = (list(dict.fromkeys(row[key] for row in rows)) for key in ("graph", "policy"))
    pixels = max(800, 340 + 250 * len(graphs))
    start = 230 / pixels
    width = (0.98 - start) / len(graphs)
    page = figure(pixels, 780)
    page.text(0.03, 0.93, "Zero-shot: normalised score in the deployment world", fontsize=17, color=INK)
    page.text(
        0.03, 0.885, "0 is doing nothing, 1 the best policy on each graph; 95 % intervals", fontsize=10.5, color=FAINT
    )
    for number, graph in enumerate(graphs):
        axes = page.add_axes((start + number * width, 0.08, width * 0.88, 0.72))
        tidy(axes, graph.replace(" Barabasi-Albert graphs", " BA graphs"), 10.5)
        axes.grid(False)
        here = {row["policy"]: row for row in rows if row["graph"] == graph and row["score"] is not None}
        for down, name in enumerate(order):
            if name in here:
                ends = [here[name][key] for key in ("score", "score low", "score high")]
                score, low, high = np.clip(ends, LOWEST, None)
                axes.barh(-down, score, color=COLOURS.get(name, "#b8c2cc"), height=0.7)
                if high > LOWEST:
                    axes.plot([low, high], [-down, -down], color=INK, linewidth=1.2)
                axes.text(max(high, 0) + 0.04, -down, f"{ends[0]:.2f}", va="center", fontsize=8.5, color=INK)
        if not here:
            axes.text(0.06, -len(order) / 2, "no policy earns\nmore than null", fontsize=9.5, color=FAINT)
        axes.axvline(0, color="#9aa5b1", linewidth=0.9)
        axes.set(xlim=(LOWEST - 0.05, 1.45), ylim=(0.3 - len(order), 0.6))
        axes.set_yticks([-k for k in range(len(order))], order if number == 0 else [""] * len(order))
    _save(page, path)


def over_r0(sweep: dict[float, Comparison], path: Path, steps: int) -> None:
    """Mean profit of each training world over R0, and what renewal training adds."""
    from sim.cascade.view.style import FAINT, INK, figure, tidy

    page = figure(1400, 620)
    page.text(0.04, 0.93, "Where the training world matters", fontsize=17, color=INK)
    about = f"TQC of five training worlds ({steps:,} steps), deployed where ages matter at other R0; 95 % intervals"
    page.text(0.04, 0.885, about, fontsize=10.5, color=FAINT)
    left, right = page.add_axes((0.07, 0.12, 0.4, 0.68)), page.add_axes((0.56, 0.12, 0.4, 0.68))
    tidy(left, "profit per node", 12)
    tidy(right, "renewal-trained less the others, profit per node", 12)
    levels = list(sweep)
    for name in WORLDS:
        means = np.array([(found.mean(name), *found.interval(name)) for found in sweep.values()])
        _curve(left, levels, means, name)
        if name != OURS:
            _curve(right, levels, np.array([found.difference(OURS, name) for found in sweep.values()]), name)
    for axes in (left, right):
        axes.axhline(0, color="#9aa5b1", linewidth=0.9)
        axes.set_xscale("log")
        axes.set_xticks(levels, [f"{r0:g}" for r0 in levels])
        axes.minorticks_off()
        axes.set_xlabel("R0 without control", color=FAINT, loc="right")
    left.legend(frameon=False, fontsize=10, labelcolor=INK)
    _save(page, path)


def _curve(axes: Any, at: list[float], values: np.ndarray, name: str) -> None:
    """Values [n, 3]: mean, low, high."""
    axes.plot(at, values[:, 0], "o-", color=COLOURS[name], linewidth=1.8, markersize=4.5, label=LABELS[name])
    axes.fill_between(at, values[:, 1], values[:, 2], color=COLOURS[name], alpha=0.13, linewidth=0)


def _save(page: Any, path: Path) -> None:
    from sim.cascade.view.style import PAPER

    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as temporary:
        page.savefig(temporary, format="png", facecolor=PAPER)

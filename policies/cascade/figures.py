"""Figures of evaluations. Data comes in as arrays, a PNG file goes out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from policies.cascade.stats import bimodality, two_groups
from twinloom.atomic import atomic_file
from twinloom.errors import TwinloomError

UNIMODAL = 5 / 9  # bimodality coefficient of a uniform law
MEASURED, LEARNED, MEANS = "#1f5fa8", "#d55e00", ("#1f2933", "#7b8794", "#7a3b8f")
BINS = 40


def outcomes_and_quantiles(
    outcomes: ArrayLike,
    atoms: ArrayLike,
    path: Path,
    *,
    title: str,
    subtitle: str = "",
    quantity: str = "discounted return per node",
    means: Mapping[str, float] | None = None,
) -> Path:
    """Draw what happened beside what the critic had learned to expect, on one axis of returns.

    Left: histogram of the outcomes; where they fall into two groups, each with its share of the episodes. Right: their
    quantile function, and the critic's atoms at the levels for which they stand.

    Args:
        outcomes: [E] returns of episodes under one policy from comparable starts.
        atoms: [n] pooled atoms of the critics there, of any shape and order, in the unit of the outcomes.
        path: PNG file.
        title, subtitle: above.
        quantity: what an outcome is, for the axis.
        means: further values of the same unit, drawn as levels; for example what a critic of the mean expects.

    Raises:
        TwinloomError: fewer than two outcomes, no atoms, a value that is not finite, or no matplotlib.
    """
    from sim.cascade.view.style import FAINT, INK, PAPER, figure, tidy

    measured, learned = (np.sort(np.ravel(np.asarray(values, np.float64))) for values in (outcomes, atoms))
    for values, what, least in ((measured, "outcomes", 2), (learned, "atoms", 1)):
        if len(values) < least or not np.isfinite(values).all():
            raise TwinloomError(f"a figure needs at least {least} finite {what}; there are {len(values)}")
    page = figure(1280, 640)
    page.text(0.045, 0.93, title, fontsize=17, color=INK)
    page.text(0.045, 0.885, subtitle, fontsize=10.5, color=FAINT)
    left, right = page.add_axes((0.075, 0.12, 0.4, 0.68)), page.add_axes((0.535, 0.12, 0.4, 0.68))
    tidy(left, f"outcomes of {len(measured):,} episodes", 12)
    tidy(right, "their quantiles, and what the critic learned", 12)
    values = np.concatenate((measured, learned, list((means or {}).values())))
    margin = 0.06 * max(float(np.ptp(values)), 1e-9)
    low, high = float(values.min()) - margin, float(values.max()) + margin
    for axes in (left, right):
        axes.set_ylim(low, high)
    _histogram(left, measured, (low, high))
    left.set_ylabel(quantity, color=INK, fontsize=11)
    left.set_xlabel("episodes", color=FAINT, fontsize=10, loc="right")
    level = (np.arange(len(measured)) + 0.5) / len(measured)
    right.plot(level, measured, color=MEASURED, linewidth=2.6, label="measured", drawstyle="steps-mid")
    level = (np.arange(len(learned)) + 0.5) / len(learned)
    right.plot(level, learned, "o", color=LEARNED, markersize=4.5, markeredgecolor=PAPER, markeredgewidth=0.5,
               label=f"critic, {len(learned)} atoms")  # fmt: skip
    for (name, value), colour in zip((means or {}).items(), MEANS * len(means or {}), strict=False):
        right.axhline(value, color=colour, linewidth=1.5, linestyle=(0, (4, 2)), label=name)
    right.set(xlim=(0, 1), xticks=[0, 0.25, 0.5, 0.75, 1])
    right.set_xlabel("level", color=FAINT, fontsize=10, loc="right")
    right.legend(frameon=False, fontsize=10.5, labelcolor=INK, loc="upper left")
    with atomic_file(path) as temporary:
        page.savefig(temporary, format="png", facecolor=PAPER)
    return path


def _histogram(axes: Any, outcomes: np.ndarray, span: tuple[float, float]) -> None:
    """Bars across the axis of returns; the mean as a line, two groups with their shares."""
    from sim.cascade.view.style import FAINT, INK

    counts, edges = np.histogram(outcomes, BINS, span)
    axes.barh(edges[:-1], counts, np.diff(edges) * 0.92, align="edge", color=MEASURED)
    axes.set_xlim(0, max(counts) * 1.45)
    axes.grid(False)
    axes.axhline(outcomes.mean(), color=FAINT, linewidth=1.2, linestyle=(0, (2, 3)))
    axes.annotate("mean", (1, outcomes.mean()), (0, 4), xycoords=("axes fraction", "data"), textcoords="offset points",
                  ha="right", color=FAINT, fontsize=9.5)  # fmt: skip
    if not bimodality(outcomes) > UNIMODAL:
        return
    below, above, share = two_groups(outcomes)
    for centre, part in ((below, 1 - share), (above, share)):
        inside = (outcomes > outcomes.mean()) == (centre > outcomes.mean())
        widest = counts[np.histogram(outcomes[inside], BINS, span)[0] > 0].max()
        axes.annotate(f"{part:.0%} around {centre:.2g}", (widest, centre), (8, 0), textcoords="offset points",
                      va="center", color=INK, fontsize=11)  # fmt: skip

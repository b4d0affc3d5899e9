"""What images of cascades have in common: what is recorded, colours, names, plain axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.cascade.problems import Problem
from sim.cascade.process.models import Model
from twinloom.errors import require

INK, FAINT, PAPER = "#1f2933", "#7b8794", "#ffffff"
WORDS = {
    "S": "susceptible", "E": "exposed", "I": "infectious", "R": "recovered",
    "U": "unaware", "C": "considering", "A": "active", "X": "churned",
}  # fmt: skip
# A ladder of lightness, and hues apart on the blue-yellow axis: readable with red-green blindness and in grey print.
SUSCEPTIBLE, LATENT, INFECTIOUS, OTHERS = "#d5dbe3", "#efb700", "#d55e00", ("#1f5fa8", "#7a3b8f", "#009e73")
EFFORT = "#edf0f4", "#323f4d"  # none to full: greys, for every hue is a compartment's
HUBS_TO_OTHERS = "#2d1160", "#b5367a", "#fb9a6a"  # curves of the tiers: hues and lightness apart


@dataclass(frozen=True, eq=False)
class Moment:
    """One instant of one cascade.

    Attributes:
        time: since its start.
        state: int8 [N] compartment of each node.
        counts: [K, M] nodes of each tier in each compartment.
        profit: money per node since the start; negative where a problem only costs.
        action: [A] what was decided for the time up to now; None at the start, or if unknown.
    """

    time: float
    state: np.ndarray
    counts: np.ndarray
    profit: float = 0.0
    action: np.ndarray | None = None


def colours(model: Model) -> list[str]:
    """A colour for every compartment, by its role."""
    others = iter(OTHERS * model.size)
    roles = {model.susceptible: SUSCEPTIBLE, model.entry: LATENT, model.infectious: INFECTIOUS}
    return [roles.get(c) or next(others) for c in range(model.size)]


def rgb(values: Sequence[str]) -> np.ndarray:
    """float64 [M, 3] in 0 to 1."""
    return np.array([[int(v[k : k + 2], 16) for k in (1, 3, 5)] for v in values]) / 255


def word(compartment: str) -> str:
    """ "I infectious"; a letter that we have no word for stays alone."""
    return f"{compartment} {WORDS[compartment]}" if compartment in WORDS else compartment


def money(problem: Problem) -> tuple[str, int]:
    """What the problem calls its result, and the sign that turns profit into it: "profit", 1 or "cost", -1."""
    return ("profit", 1) if problem.reward == "profit" else ("cost", -1)


def result(problem: Problem, profit: float) -> str:
    """A profit per node in the problem's own word: "profit 0.15 a node", "cost 0.40 a node"."""
    name, sign = money(problem)
    return f"{name} {sign * profit:.2f} a node".replace("-0.00", "0.00")


def capacity(problem: Problem) -> float | None:
    """Share of infectious nodes above which the problem makes every one of them dear; None if it has no such share."""
    return problem.prices.cap if problem.reward == "mitigation" else None


def round_top(share: float) -> float:
    """The least of 0.001, 0.002, 0.004, 0.006, 0.008, 0.01, 0.02, … up to 1 that is not below a share."""
    known = min(max(share, 1e-3), 1.0)
    scale = 10.0 ** math.floor(math.log10(known))
    return next(top for top in (round(step * scale, 9) for step in (1, 2, 4, 6, 8, 10)) if top >= known)


def figure(width: int, height: int) -> Any:
    """A matplotlib figure of so many pixels with an Agg canvas, apart from pyplot and its global state.

    Raises:
        TwinloomError: matplotlib is not installed.
    """
    require("matplotlib", "viz")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(width / 100, height / 100), dpi=100, facecolor=PAPER)
    FigureCanvasAgg(made)
    return made


def tidy(axes: Any, title: str, size: float = 11.0) -> None:
    """Plain axes of curves: no box, a light grid, a title flush left."""
    axes.set_title(title, loc="left", fontsize=size, color=INK, pad=8)
    axes.tick_params(colors=FAINT, labelsize=0.82 * size, length=0)
    axes.grid(True, axis="y", color="#e4e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color("#cbd2d9")


def tier_colours(k: int) -> list[str]:
    """A colour for the curve of every tier, from the hubs down."""
    anchors = rgb(HUBS_TO_OTHERS)
    at = np.linspace(0, 2, k)
    mixed = np.column_stack([np.interp(at, range(3), anchors[:, channel]) for channel in range(3)])
    return ["#" + "".join(f"{round(255 * value):02x}" for value in row) for row in mixed]


def tier_names(k: int) -> list[str]:
    """ "hubs", "middle", "others", or by number where there are many."""
    known = {1: ["all"], 2: ["hubs", "others"], 3: ["hubs", "middle", "others"]}
    return known.get(k) or ["hubs", *(f"tier {t}" for t in range(1, k))]


def control_names(names: Sequence[str], k: int) -> list[str]:
    """Entries of an action for people: "seed/tier0" becomes "seed hubs"."""
    tiers = tier_names(k)
    found = []
    for name in names:
        channel, _, tier = name.partition("/tier")
        found.append(f"{channel} {tiers[int(tier)]}" if tier.isdecimal() and int(tier) < k else name)
    return found

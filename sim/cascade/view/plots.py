"""Panels of an image of a cascade: the network, curves over time, what the controller does.

Each draws in matplotlib axes of its own, and lists the artists that change from frame to frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.problems import Problem
from sim.cascade.process.models import Model
from sim.cascade.view.layout import layout
from sim.cascade.view.style import (
    EFFORT,
    FAINT,
    INFECTIOUS,
    INK,
    PAPER,
    WORDS,
    Moment,
    colours,
    money,
    result,
    rgb,
    round_top,
    tidy,
    tier_colours,
    tier_names,
    word,
)  # fmt: skip


class NetworkView:
    """A network in matplotlib axes: hubs are large and ringed, edges of infectious nodes glow.

    Args:
        axes: taken over completely.
        graph, tiers, model: what is drawn.
        scale: of nodes and lines.
    """

    def __init__(self, axes: Any, graph: Graph, tiers: Tiers, model: Model, scale: float = 1.0) -> None:
        from matplotlib.collections import LineCollection

        self.axes, self.model, self.palette = axes, model, rgb(colours(model))
        place = layout(graph)
        axes.set(aspect="equal", xlim=(-0.03, 1.03), xticks=[], yticks=[])
        height = np.ptp(place[:, 1]) / 2 + 0.03
        axes.set_ylim(0.5 - height, 0.5 + height)
        axes.set_frame_on(False)
        self._pairs = graph.pairs()
        self._lines = place[self._pairs]
        clear = self._clear = min(0.5, 12 / np.sqrt(max(len(self._pairs), 1)))
        axes.add_collection(
            LineCollection(list(self._lines), colors=[(0.55, 0.6, 0.66, clear)], linewidths=0.7 * scale)
        )
        self.glow: Any = LineCollection([], linewidths=scale * (0.5 + 1.6 * clear))
        axes.add_collection(self.glow)
        crowd = np.clip(15 / np.sqrt(graph.n), 0.15, 1.4) * scale  # few nodes are drawn large
        size = crowd**2 * (26 + 16 * np.sqrt(graph.degree + graph.reverse().degree if graph.directed else graph.degree))
        order = np.argsort(-tiers.index, kind="stable")  # hubs on top
        ringed = (tiers.index == 0) & (tiers.k > 1)
        self._order = order
        self.dots: Any = axes.scatter(
            place[order, 0], place[order, 1], s=np.where(ringed, 2.2, 1.0)[order] * size[order],
            edgecolors=np.where(ringed, INK, PAPER)[order], linewidths=np.where(ringed, 1.6, 0.5)[order] * crowd,
            zorder=3,
        )  # fmt: skip

    def show(self, state: np.ndarray, before: np.ndarray | None = None, share: float = 1.0) -> None:
        """Colour the nodes by compartment, int8 [N]; or by a mixture with the state ``before``."""
        old = state if before is None else before
        colour = (1 - share) * self.palette[old] + share * self.palette[state]
        self.dots.set_facecolors(colour[self._order])
        heat = (1 - share) * (old == self.model.infectious) + share * (state == self.model.infectious)
        strength = heat[self._pairs].max(axis=1) if len(self._pairs) else np.empty(0)
        hot = np.flatnonzero(strength > 0)
        self.glow.set_segments(list(self._lines[hot]))
        tint = np.column_stack((np.tile(rgb([INFECTIOUS]), (len(hot), 1)), 0.9 * self._clear * strength[hot]))
        self.glow.set_color(tint)

    @property
    def artists(self) -> list[Any]:
        """What changes from frame to frame, from the back to the front."""
        return [self.glow, self.dots]


class _Shares:
    """Lines of shares over time, on a scale that ends at a round number not far above them.

    Args:
        axes: taken over completely.
        title: above.
        end: of the time axis.
        size: of the title, points; other texts follow.
        least: the scale reaches up to here at least.
    """

    def __init__(self, axes: Any, title: str, end: float, size: float, least: float = 0.0) -> None:
        self.axes, self.artists, self._least, self._top = axes, [], least, 0.0
        tidy(axes, title, size)
        axes.set_xlim(0, end)
        axes.set_xlabel("time", color=FAINT, fontsize=0.82 * size, loc="right", labelpad=2)

    def shares(self, moments: Sequence[Moment]) -> np.ndarray:
        """[T, lines] what is drawn of these moments."""
        raise NotImplementedError

    def fit(self, moments: Sequence[Moment]) -> bool:
        """Widen the scale until these moments fit; whether it had to be."""
        top = round_top(max(self._least, float(self.shares(moments).max(initial=0.0))))
        if top <= self._top:
            return False
        self._top = top
        self.axes.set_ylim(0, 1.02 * top)
        self.axes.set_yticks([0, top / 2, top], ["0", f"{50 * top:g} %", f"{100 * top:g} %"])
        return True

    def show(self, moments: Sequence[Moment]) -> None:
        """Draw up to the last of these moments."""
        time = [m.time for m in moments]
        for line, share in zip(self.artists, self.shares(moments).T, strict=True):
            line.set_data(time, share)


class Curves(_Shares):
    """Share of the nodes in every compartment over time, but for the first one, which holds the rest.

    Args:
        axes: taken over completely.
        model: names and colours.
        end: of the time axis.
        size: of the title, points; other texts follow.
        cap: share of infectious nodes that are too many, drawn as a level.
    """

    def __init__(self, axes: Any, model: Model, end: float, size: float = 11.0, cap: float | None = None) -> None:
        rest = WORDS.get(model.compartments[model.susceptible], model.compartments[model.susceptible])
        super().__init__(axes, f"share of all nodes; the rest is {rest}", end, size, 0.0 if cap is None else 1.2 * cap)
        self._drawn = [c for c in range(model.size) if c != model.susceptible]
        palette = colours(model)
        self.artists = [
            axes.plot([], [], color=palette[c], linewidth=0.22 * size, solid_capstyle="round")[0] for c in self._drawn
        ]
        if cap is not None:
            name = model.compartments[model.infectious]
            axes.axhline(cap, color=INFECTIOUS, linewidth=0.1 * size, linestyle=(0, (4, 3)))
            axes.annotate(f"capacity for {name}", (0, cap), (5, 4), xycoords=("axes fraction", "data"),
                          textcoords="offset points", color=INFECTIOUS, fontsize=0.82 * size, zorder=5,
                          bbox={"facecolor": PAPER, "alpha": 0.75, "linewidth": 0, "pad": 0.5})  # fmt: skip

    def shares(self, moments: Sequence[Moment]) -> np.ndarray:
        """[T, compartments but the first]."""
        return np.array([m.counts.sum(axis=0)[self._drawn] / m.counts.sum() for m in moments])


class TierCurves(_Shares):
    """Share of infectious (active) nodes in every tier over time; arguments as for `Curves`."""

    def __init__(self, axes: Any, model: Model, tiers: int, end: float, size: float = 11.0) -> None:
        self._infectious = model.infectious
        name = WORDS.get(model.compartments[self._infectious], "infectious")
        super().__init__(axes, f"share {name} in each tier", end, size)
        self.artists = [
            axes.plot([], [], color=colour, linewidth=0.2 * size, label=label, zorder=2 + tiers - t)[0]
            for t, (label, colour) in enumerate(zip(tier_names(tiers), tier_colours(tiers), strict=True))
        ]
        axes.legend(frameon=False, fontsize=0.82 * size, labelcolor=INK, loc="lower right", ncols=min(tiers, 3),
                    bbox_to_anchor=(1.01, 0.97), borderaxespad=0, columnspacing=1.2, handlelength=1.4)  # fmt: skip

    def shares(self, moments: Sequence[Moment]) -> np.ndarray:
        """[T, tiers]."""
        return np.array([m.counts[:, self._infectious] / np.maximum(m.counts.sum(axis=1), 1) for m in moments])


class Result:
    """Money per node since the start over time, in the problem's own word.

    Args:
        axes: taken over completely.
        problem: whose money.
        moments: the whole episode.
        size: of the title, points.
    """

    def __init__(self, axes: Any, problem: Problem, moments: Sequence[Moment], size: float = 11.0) -> None:
        tidy(axes, result(problem, moments[-1].profit), size)
        sign = money(problem)[1]
        axes.plot([m.time for m in moments], [sign * m.profit for m in moments], color=INK, linewidth=0.2 * size)
        axes.axhline(0, color="#9aa5b1", linewidth=1)
        axes.set_xlim(0, moments[-1].time)
        axes.margins(y=0.08)
        axes.locator_params(axis="y", nbins=5)
        axes.set_xlabel("time", color=FAINT, fontsize=0.82 * size, loc="right", labelpad=2)


class Controls:
    """One strip for each entry of the action, dark where its effort is full.

    Args:
        axes: taken over completely.
        names: of the entries.
        horizon, delta: decisions, and the time between two.
        size: of the title, points.
    """

    def __init__(self, axes: Any, names: Sequence[str], horizon: int, delta: float, size: float = 11.0) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        self._effort, self._delta = np.full((len(names), horizon), np.nan), delta
        tidy(axes, "control effort, dark: full", size)
        axes.grid(False)
        shades = LinearSegmentedColormap.from_list("effort", EFFORT).with_extremes(bad="#f5f7fa")
        image = axes.imshow(
            self._effort, cmap=shades, vmin=0, vmax=1, aspect="auto", interpolation="nearest",
            extent=(0, horizon * delta, len(names), 0),
        )  # fmt: skip
        axes.set_yticks(np.arange(len(names)) + 0.5, names)
        axes.set_xlabel("time", color=FAINT, fontsize=0.82 * size, loc="right", labelpad=2)
        rules = [axes.axhline(row, color=PAPER, linewidth=2) for row in range(1, len(names))]
        self.artists = [image, *rules]

    def show(self, moments: Sequence[Moment]) -> None:
        """Draw up to the last of these moments."""
        for m in moments:
            step = round(m.time / self._delta) - 1
            if m.action is not None and 0 <= step < self._effort.shape[1]:
                self._effort[:, step] = m.action
        self.artists[0].set_data(np.ma.masked_invalid(self._effort))


class Legend:
    """Compartments with their colours in one row of a figure, and what a ring means.

    Args:
        figure: where.
        model: names and colours.
        nodes: the largest number that will be shown behind a name; None: numbers will not be.
        hubs: whether rings are drawn.
        x, y: where the row begins, as shares of the figure.
        size: of the text, points.
    """

    def __init__(
        self, figure: Any, model: Model, nodes: int | None, hubs: bool, x: float = 0.025, y: float = 0.055,
        size: float = 10.0,
    ) -> None:  # fmt: skip
        from matplotlib.lines import Line2D

        width, height = figure.get_size_inches() * 72
        renderer, box = figure.canvas.get_renderer(), figure.bbox

        def entry(text: str, **mark: Any) -> Any:
            nonlocal x
            dot = Line2D([x + 0.5 * size / width], [y + 0.27 * size / height], marker="o", linestyle="", **mark)
            figure.add_artist(dot)
            found = figure.text(x + 1.5 * size / width, y, text, fontsize=size, color=INK)
            x += (1.5 + 1.2) * size / width + found.get_window_extent(renderer).width / box.width
            return found

        number = "" if nodes is None else f" {nodes:,}"
        self.artists, self._names = [], [word(c) for c in model.compartments]
        for colour, name in zip(colours(model), self._names, strict=True):
            self.artists.append(entry(name + number, color=colour, markersize=0.9 * size))
        if hubs:
            ring = {"markerfacecolor": PAPER, "markeredgecolor": INK, "markeredgewidth": 0.16 * size}
            entry(" hub", markersize=1.1 * size, **ring)

    def show(self, now: Moment) -> None:
        """Write the numbers of a moment."""
        for text, name, count in zip(self.artists, self._names, now.counts.sum(axis=0), strict=True):
            text.set_text(f"{name} {count:,.0f}")

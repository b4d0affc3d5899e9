"""Images of a cascade, one after the other: the network, its curves, and what the controller does beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.cascade.view import style
from sim.cascade.view.plots import Controls, Curves, Legend, NetworkView, TierCurves
from sim.cascade.view.style import FAINT, INK, Moment, capacity, control_names, result

if TYPE_CHECKING:
    from sim.cascade.env.arena import Arena

SIZE = (1280, 720)
FPS = 25
FRAMES = 5  # of the video, from one decision to the next
PAUSE = 2 * FPS  # frames on the last state


class EpisodeFigure:
    """Images of one cascade.

    Args:
        arena: graph, tiers, model and problem.
        controls: whether the image shows what was decided, instead of infectious nodes by tier.
        title, subtitle: above it; name and summary of the problem if empty.
        end: of the time axis; that of the problem if None.

    Raises:
        TwinloomError: too large a graph, or the extra "viz" is missing.
    """

    def __init__(
        self, arena: Arena, controls: bool = False, title: str = "", subtitle: str = "", end: float | None = None
    ) -> None:
        canvas = self._figure = style.figure(*SIZE)
        model, tiers, problem = arena.model, arena.scenario.tiers, arena.problem
        end, k = problem.horizon * problem.delta if end is None else end, tiers.k
        self._problem = problem
        canvas.text(0.025, 0.94, title or problem.name, fontsize=17, color=INK)
        canvas.text(0.025, 0.905, subtitle or problem.summary, fontsize=10.5, color=FAINT)
        self._clock = canvas.text(0.98, 0.94, "", fontsize=12, color=INK, ha="right")
        self._network = NetworkView(canvas.add_axes((0.01, 0.1, 0.55, 0.79)), arena.scenario.graph, tiers, model)
        self._curves = Curves(canvas.add_axes((0.62, 0.52, 0.36, 0.33)), model, end, cap=capacity(problem))
        self._shares: list[Any] = [self._curves]
        if controls:
            names = control_names(arena.actions.names, k)
            height = min(0.325, 0.05 * len(names))
            lower = canvas.add_axes((0.69, 0.415 - height, 0.29, height))
            self._lower: Any = Controls(lower, names, max(1, round(end / problem.delta)), problem.delta)
        else:
            self._lower = TierCurves(canvas.add_axes((0.62, 0.09, 0.36, 0.325)), model, k, end)
            self._shares.append(self._lower)
        self._legend = Legend(canvas, model, arena.nodes, hubs=k > 1)
        panels = (self._network, self._curves, self._lower, self._legend)
        self._moving = [artist for panel in panels for artist in panel.artists] + [self._clock]
        for artist in self._moving:  # the rest is drawn once and kept as background
            artist.set_animated(True)
        self._background: Any = None

    def fit(self, moments: Sequence[Moment]) -> None:
        """Make room for these moments, so that the scale stays the same for all of them."""
        if any([panel.fit(moments) for panel in self._shares]) or self._background is None:
            self._figure.canvas.draw()
            self._background = self._figure.canvas.copy_from_bbox(self._figure.bbox)

    def draw(self, moments: Sequence[Moment]) -> np.ndarray:
        """uint8 [H, W, 3] the last of these moments, with the course up to there."""
        return next(self.frames(moments, 1))

    def frames(self, moments: Sequence[Moment], count: int) -> Iterator[np.ndarray]:
        """``count`` images that lead from the last but one of these moments to the last."""
        self.fit(moments)
        before = moments[max(0, len(moments) - 2)].state
        for k in range(1, count + 1):
            yield self._image(moments, before, k / count)

    def _image(self, moments: Sequence[Moment], before: np.ndarray, share: float) -> np.ndarray:
        now = moments[-1]
        self._network.show(now.state, before, share)
        self._curves.show(moments)
        self._lower.show(moments)
        self._legend.show(now)
        self._clock.set_text(f"time {now.time:g}   {result(self._problem, now.profit)}")
        canvas = self._figure.canvas
        canvas.restore_region(self._background)
        for artist in self._moving:
            (self._figure if artist.axes is None else artist.axes).draw_artist(artist)
        return np.array(canvas.buffer_rgba())[:, :, :3]


def video_frames(figure: EpisodeFigure, moments: Sequence[Moment]) -> Iterator[np.ndarray]:
    """Images of an episode from its first to its last state, with a pause there."""
    figure.fit(moments)
    image = figure.draw(moments[:1])
    yield image
    for shown in range(2, len(moments) + 1):
        for image in figure.frames(moments[:shown], FRAMES):
            yield image
    for _ in range(PAUSE):
        yield image

"""An episode in one picture: the network at three times, the curves and the controls below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from assets.atomic import atomic_file
from sim.cascade.panels import Controls, Curves, Legend, NetworkView
from sim.cascade.picture import FAINT, INK, Moment, control_names, figure

if TYPE_CHECKING:
    from sim.cascade.arena import Arena


def poster(arena: Arena, moments: Sequence[Moment], path: Path, title: str, subtitle: str = "") -> None:
    """Write a PNG file.

    Args:
        arena: graph, tiers and model.
        moments: from the start of the episode to its end.
        path: the file.
        title, subtitle: above it.

    Raises:
        TwinloomError: the disk refuses.
    """
    page = figure(1600, 1000)
    page.text(0.03, 0.95, title, fontsize=21, color=INK)
    page.text(0.03, 0.918, subtitle, fontsize=13, color=FAINT)
    graph, model, tiers = arena.scenario.graph, arena.model, arena.scenario.tiers
    Legend(page, model, None, tiers.k > 1, x=0.55, y=0.952, size=13)
    shown = snapshots(moments, model.infectious)
    for column, index in enumerate(shown):
        axes = page.add_axes((0.01 + 0.33 * column, 0.42, 0.32, 0.45))
        NetworkView(axes, graph, tiers, model, scale=0.8).show(moments[index].state)
        axes.set_title(f"time {moments[index].time:g}", fontsize=14, color=INK, pad=2)
    end = moments[-1].time
    axes = page.add_axes((0.06, 0.075, 0.4, 0.27))
    Curves(axes, model, end, size=14).show(moments)
    for index in shown:
        axes.axvline(moments[index].time, color=FAINT, linewidth=1, linestyle=(0, (2, 3)))
    if len(moments) > 1:
        delta = arena.problem.delta
        names = control_names(arena.actions.names, tiers.k)
        height = min(0.27, 0.04 * len(names))
        lower = page.add_axes((0.6, 0.345 - height, 0.37, height))
        Controls(lower, names, max(1, round(end / delta)), delta, size=14).show(moments)
    page.canvas.draw()
    picture = Image.fromarray(np.asarray(page.canvas.buffer_rgba())[:, :, :3])
    with atomic_file(path) as temporary:  # few colours, so a palette makes a third of the bytes
        picture.quantize(128, dither=Image.Dither.NONE).save(temporary, "png", optimize=True)


def snapshots(moments: Sequence[Moment], infectious: int) -> list[int]:
    """Three positions: halfway up to the peak of infectious nodes, the peak, and the end."""
    active = np.array([m.counts[:, infectious].sum() for m in moments])
    peak = int(active.argmax())
    rise = int(np.argmax(active >= active[peak] / 2))
    return [rise, peak, len(moments) - 1]

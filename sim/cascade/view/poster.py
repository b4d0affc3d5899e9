"""An episode in one image: the network at three times; the curves, the money and the controls below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from sim.cascade.view.plots import Controls, Curves, Legend, NetworkView, Result
from sim.cascade.view.style import FAINT, INK, PAPER, Moment, capacity, colours, control_names, figure, rgb
from twinloom.atomic import atomic_file

if TYPE_CHECKING:
    from sim.cascade.env.arena import Arena

PALETTE = 256  # colours of the file: a palette makes a third of the bytes


def poster(arena: Arena, moments: Sequence[Moment], path: Path, title: str, subtitle: str = "") -> None:
    """Write a PNG file.

    Args:
        arena: graph, tiers, model and problem.
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
    axes = page.add_axes((0.045, 0.075, 0.285, 0.27))
    curves = Curves(axes, model, max(end, 1e-9), size=14, cap=capacity(arena.problem))
    curves.fit(moments)
    curves.show(moments)
    for index in shown:
        axes.axvline(moments[index].time, color=FAINT, linewidth=1, linestyle=(0, (2, 3)))
    if len(moments) > 1:
        Result(page.add_axes((0.385, 0.075, 0.235, 0.27)), arena.problem, moments, size=14)
        delta = arena.problem.delta
        names = control_names(arena.actions.names, tiers.k)
        height = min(0.27, 0.04 * len(names))
        lower = page.add_axes((0.735, 0.345 - height, 0.245, height))
        Controls(lower, names, max(1, round(end / delta)), delta, size=14).show(moments)
    page.canvas.draw()
    image = with_palette(np.asarray(page.canvas.buffer_rgba())[:, :, :3], [*colours(model), INK, FAINT, PAPER])
    with atomic_file(path) as temporary:
        image.save(temporary, "png", optimize=True)


def with_palette(image: np.ndarray, exact: Sequence[str]) -> Image.Image:
    """An image in few colours: these exactly, and those that a median cut finds for the rest of the pixels.

    Args:
        image: uint8 [H, W, 3].
        exact: "#rrggbb"; a pixel of such a colour keeps it.
    """
    cut = Image.fromarray(image).quantize(PALETTE - len(exact), dither=Image.Dither.NONE).getpalette("RGB") or []
    palette = np.concatenate((np.round(255 * rgb(exact)), np.reshape(cut, (-1, 3)))).astype(np.int64)
    code = image.astype(np.int64) @ [65536, 256, 1]
    found, position = np.unique(code, return_inverse=True)
    nearest = np.empty(len(found), np.uint8)
    for first in range(0, len(found), 4096):  # of all colours with all: not more than a few megabytes at once
        part = found[first : first + 4096, None] // [65536, 256, 1] % 256
        nearest[first : first + 4096] = ((part[:, None] - palette[None]) ** 2).sum(axis=2).argmin(axis=1)
    made = Image.fromarray(nearest[position.reshape(code.shape)], "P")
    made.putpalette(palette.astype(np.uint8).tobytes())
    return made


def snapshots(moments: Sequence[Moment], infectious: int) -> list[int]:
    """Three positions: halfway up to the peak of infectious nodes, the peak, and the end."""
    active = np.array([m.counts[:, infectious].sum() for m in moments])
    peak = int(active.argmax())
    rise = int(np.argmax(active >= active[peak] / 2))
    return [rise, peak, len(moments) - 1]

"""Watch an episode: a video or an image of the network, with its curves and what the controller does beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sim.cascade.env.single import CascadeEnv
from sim.cascade.view.demo import environment, rule
from sim.cascade.view.frames import SIZE, EpisodeFigure, video_frames
from sim.cascade.view.layout import refuse_large
from sim.cascade.view.poster import poster
from sim.cascade.view.style import Moment, result
from sim.video import write_video
from twinloom.errors import TwinloomError, require

Act = Callable[[CascadeEnv, Any], np.ndarray]


def view(
    task: str,
    *,
    seed: int = 0,
    episode: int = 0,
    video: Path | str | None = None,
    out: Path | str | None = None,
    act: Act | None = None,
    actor: str = "rule of thumb",
    **options: Any,
) -> list[Moment]:
    """Run one episode, on a small network if no graph is given, and show it.

    Args:
        task: a problem ("cascade/adopt_profit").
        seed, episode: which episode.
        video: MP4 file to write.
        out: PNG file to write: the episode in one image.
        act: (environment, observation) -> action [A]; `sim.cascade.view.demo.rule` if None.
        actor: what acts, for the title.
        options: of `CascadeEnv`.

    Returns:
        The episode: its start, and the state after every decision.

    Raises:
        TwinloomError: neither file is named, or one has another ending; the extra "viz" is missing; too large a graph,
            or a world without nodes.
    """
    video, out = (None if path is None else Path(path) for path in (video, out))
    for path, flag, ending in ((video, "--video", ".mp4"), (out, "--out", ".png")):
        if path is not None and path.suffix.lower() != ending:
            raise TwinloomError(f"{flag} {path}: the name must end in {ending}, for example cascade{ending}")
    if video is None and out is None:
        raise TwinloomError("a cascade is shown in a file: give --video FILE.mp4 for a video, --out FILE.png, or both")
    require("matplotlib", "viz")
    env = environment(task, render_mode="rgb_array", **options)
    refuse_large(env.episodes.arena().scenario.graph)
    moments = play(env, act or rule, seed, episode)
    arena, title = env.episodes.arena(), f"{env.problem.name}, {actor}"
    ended = result(env.problem, moments[-1].profit)
    print(f"{env.problem.name} on {arena.scenario.graph!r}: {len(moments) - 1} decisions, {ended}")
    if video is not None:
        figure = EpisodeFigure(arena, True, title, end=moments[-1].time)
        write_video(video_frames(figure, moments), video, SIZE)
        print(f"video  {video}")
    if out is not None:
        poster(arena, moments, out, title, env.problem.summary)
        print(f"image  {out}")
    return moments


def play(env: CascadeEnv, act: Act, seed: int = 0, episode: int = 0) -> list[Moment]:
    """One episode from start to end.

    Args:
        env: with a render mode, so that it records.
        act: (environment, observation) -> action [A].
        seed, episode: which.
    """
    observation, _ = env.reset(seed=seed)
    for _ in range(episode):
        observation, _ = env.reset()
    over = False
    while not over:
        observation, _, terminated, truncated, _ = env.step(act(env, observation))
        over = terminated or truncated
    return env.moments

"""Watch a cascade: a film or a picture of the network, with its curves and what the controller does beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assets.atomic import atomic_file
from assets.errors import TwinloomError, require
from sim.cascade.panels import Controls, Curves, Legend, NetworkView, TierCurves
from sim.cascade.picture import FAINT, INK, Moment, control_names, figure

if TYPE_CHECKING:
    from sim.cascade.arena import Arena
    from sim.cascade.env import CascadeEnv

Act = Callable[["CascadeEnv", Any], np.ndarray]
SIZE = (1280, 720)
FPS = 25
FRAMES = 5  # of the film, from one decision to the next
PAUSE = 2 * FPS  # frames on the last state


class Picture:
    """A cascade as an image that grows with it.

    Args:
        arena: graph, tiers, model and simulator.
        controls: whether the picture shows actions, which `draw` is then given.
        title, subtitle: above it; name and summary of the problem if empty.
        replica: which one.

    Raises:
        TwinloomError: too large a graph, a world without nodes, or the extra "viz" is missing.
    """

    def __init__(
        self, arena: Arena, controls: bool = False, title: str = "", subtitle: str = "", replica: int = 0
    ) -> None:
        if arena.options.world == "ode":
            raise TwinloomError('world "ode" is a mean field without nodes; draw "exact", "renewal" or "markov"')
        self._arena, self._replica = arena, replica
        self.moments = [self._moment(None)]
        canvas = self._figure = figure(*SIZE)
        model, tiers, problem = arena.model, arena.scenario.tiers, arena.problem
        end, k = problem.horizon * problem.delta, tiers.k
        canvas.text(0.025, 0.94, title or problem.name, fontsize=17, color=INK)
        canvas.text(0.025, 0.905, subtitle or problem.summary, fontsize=10.5, color=FAINT)
        self._clock = canvas.text(0.98, 0.94, "", fontsize=12, color=INK, ha="right")
        self._network = NetworkView(canvas.add_axes((0.01, 0.1, 0.55, 0.79)), arena.scenario.graph, tiers, model)
        self._curves = Curves(canvas.add_axes((0.62, 0.52, 0.36, 0.33)), model, end)
        if controls:
            names = control_names(arena.actions.names, k)
            height = min(0.325, 0.05 * len(names))
            lower = canvas.add_axes((0.69, 0.415 - height, 0.29, height))
            self._lower: Any = Controls(lower, names, problem.horizon, problem.delta)
        else:
            self._lower = TierCurves(canvas.add_axes((0.62, 0.09, 0.36, 0.325)), model, k, end)
        self._legend = Legend(canvas, model, arena.nodes, hubs=k > 1)
        panels = (self._network, self._curves, self._lower, self._legend)
        self._moving = [artist for panel in panels for artist in panel.artists] + [self._clock]
        for artist in self._moving:  # the rest is drawn once and kept as background
            artist.set_animated(True)
        canvas.canvas.draw()
        self._background = canvas.canvas.copy_from_bbox(canvas.bbox)

    def _moment(self, action: np.ndarray | None) -> Moment:
        sim, r = self._arena.sim, self._replica
        return Moment(float(sim.time[r]), np.array(sim.state[r]), np.array(sim.counts[r]), action)

    def draw(self, action: np.ndarray | None = None, note: str = "") -> np.ndarray:
        """uint8 [H, W, 3] the cascade as it is now, after an action [A]; the note stands beside the time."""
        return list(self.frames(1, action, note))[-1]

    def frames(self, count: int, action: np.ndarray | None = None, note: str = "") -> Iterator[np.ndarray]:
        """``count`` images that lead from the state last drawn to the present one."""
        now, before = self._moment(action), self.moments[-1]
        if now.time > before.time:
            self.moments.append(now)
        for k in range(1, count + 1):
            yield self._image(now, before.state, k / count, note)

    def _image(self, now: Moment, before: np.ndarray, share: float, note: str) -> np.ndarray:
        self._network.show(now.state, before, share)
        self._curves.show(self.moments)
        self._lower.show(self.moments)
        self._legend.show(now)
        self._clock.set_text(f"time {now.time:g}" + (f"   {note}" if note else ""))
        canvas = self._figure.canvas
        canvas.restore_region(self._background)
        for artist in self._moving:
            (self._figure if artist.axes is None else artist.axes).draw_artist(artist)
        return np.array(canvas.buffer_rgba())[:, :, :3]


def view(
    task: str,
    *,
    seed: int = 0,
    episode: int = 0,
    video: Path | None = None,
    out: Path | None = None,
    act: Act | None = None,
    actor: str = "rule of thumb",
    **options: Any,
) -> None:
    """Run one episode on a small network and show it.

    Args:
        task: a problem ("cascade/adopt_profit").
        seed, episode: which episode.
        video: MP4 file to write.
        out: PNG file to write: the episode in one picture.
        act: (environment, observation) -> action [A]; `sim.cascade.demo.rule` if None.
        actor: what acts, for the title.
        options: of `CascadeEnv`; the graph is a small one unless given.

    Raises:
        TwinloomError: neither file is named, or one has another ending; the extra "viz" is missing.
    """
    from sim.cascade.demo import environment, rule

    for path, flag, ending in ((video, "--video", ".mp4"), (out, "--out", ".png")):
        if path is not None and path.suffix.lower() != ending:
            raise TwinloomError(f"{flag} {path}: the name must end in {ending}, for example cascade{ending}")
    if video is None and out is None:
        raise TwinloomError("a cascade is shown in a file: give --video FILE.mp4 for a film, --out FILE.png, or both")
    require("matplotlib", "viz")
    env = environment(task, **options)
    observation, _ = env.reset(seed=seed)
    for _ in range(episode):
        observation, _ = env.reset()
    arena = env.episodes.arena()
    film = Picture(arena, True, f"{env.problem.name}, {actor}")
    images = _episode(env, film, act or rule, observation, FRAMES if video is not None else 1)
    if video is not None:
        write_video(images, video)
        print(f"video  {video}")
    else:
        for _ in images:
            pass
    if out is not None:
        from sim.cascade.poster import poster

        poster(arena, film.moments, out, f"{env.problem.name}, {actor}", env.problem.summary)
        print(f"picture  {out}")


def _episode(env: CascadeEnv, film: Picture, act: Act, observation: Any, count: int) -> Iterator[np.ndarray]:
    """Images of an episode from its first to its last state, with a pause there in a film; prints how it ended."""
    image, over, note = film.draw(), False, ""
    yield image
    while not over:
        observation, _, terminated, truncated, info = env.step(act(env, observation))
        over = terminated or truncated
        note = f"profit {info['profit'] / env.episodes.arena().nodes:.2f} a node"
        for image in film.frames(count, info["action_applied"], note):
            yield image
    print(f"{env.problem.name} on {env.episodes.arena().scenario.graph!r}: {len(film.moments) - 1} decisions, {note}")
    for _ in range(PAUSE if count > 1 else 0):
        yield image


def write_video(images: Iterator[np.ndarray], path: Path, fps: int = FPS) -> None:
    """Encode uint8 images of `SIZE` as H.264 in MP4. Raises TwinloomError when the disk refuses."""
    import av

    with atomic_file(path) as temporary, av.open(str(temporary), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=fps, options={"crf": "18", "preset": "medium"})
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        for image in images:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(image), "rgb24")))
        container.mux(stream.encode())

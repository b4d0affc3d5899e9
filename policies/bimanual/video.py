"""Videos of a policy's episodes: positions are kept while it acts, and drawn afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from sim.bimanual.env import BimanualEnv
from sim.bimanual.view import write_video
from sim.engine.render import StateRenderer
from twinloom.errors import TwinloomError

CAMERA = "third"


class Video:
    """Keeps what happens in one episode.

    Args:
        env: the environment, before the first step of the episode.
    """

    def __init__(self, env: BimanualEnv) -> None:
        self._model, self._qpos = env.prepared.sim.model, []
        self(env)

    def __call__(self, env: BimanualEnv) -> None:
        """Keep the present state; an observer of sim.loop."""
        self._qpos.append(env.prepared.sim.data.qpos.copy())

    def render(
        self, cameras: Sequence[str], size: tuple[int, int], mode: str = "auto"
    ) -> Iterator[dict[str, np.ndarray]]:
        """As Rollout.render, but only as finely as this machine draws quickly: there are many episodes."""
        with StateRenderer(self._model, size, "auto") as renderer:
            for qpos in self._qpos:
                yield renderer.images(qpos, cameras)

    def write(self, folder: Path, episode: int, success: bool, fps: int) -> Path:
        """Write ``episode_003_success.mp4`` into the folder and return its path.

        Raises:
            TwinloomError: the disk refuses.
        """
        path = folder / f"episode_{episode:03d}_{'success' if success else 'failure'}.mp4"
        write_video(self, CAMERA, path, fps)  # type: ignore[arg-type]
        return path


def check_folder(folder: Path | None) -> None:
    """Raises TwinloomError where videos cannot be put."""
    if folder is not None and folder.exists() and not folder.is_dir():
        raise TwinloomError(f"--video {folder} is a file; give a folder for the videos")

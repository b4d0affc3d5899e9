"""Videos of a policy's episodes: positions are kept while it acts, and drawn afterwards."""

from __future__ import annotations

from pathlib import Path

from sim.bimanual.env import BimanualEnv
from sim.bimanual.view import VIDEO_SIZE
from sim.engine.render import StateRenderer
from sim.video import write_video
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

    def write(self, folder: Path, episode: int, success: bool, fps: int) -> Path:
        """Write ``episode_003_success.mp4`` into the folder and return its path.

        Raises:
            TwinloomError: the disk refuses.
        """
        path = folder / f"episode_{episode:03d}_{'success' if success else 'failure'}.mp4"
        with StateRenderer(self._model, VIDEO_SIZE, "auto") as renderer:  # there are many episodes: drawn quickly
            write_video((renderer.images(qpos, [CAMERA])[CAMERA] for qpos in self._qpos), path, VIDEO_SIZE, fps)
        return path


def check_folder(folder: Path | None) -> None:
    """Raises TwinloomError where videos cannot be put."""
    if folder is not None and folder.exists() and not folder.is_dir():
        raise TwinloomError(f"--video {folder} is a file; give a folder for the videos")

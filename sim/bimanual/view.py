"""Watch an expert: an MP4 file, or a page in the browser with the moving scene."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim.bimanual.rollout import expert_rollout
from sim.bimanual.viewer import require_port, serve
from sim.video import write_video
from twinloom.errors import TwinloomError, require
from twinloom.seeding import episode_seed

VIDEO_SIZE = (640, 480)


def view(
    task: str,
    *,
    robot: str,
    seed: int = 0,
    episode: int = 0,
    axes: Sequence[str] = (),
    camera: str = "third",
    video: Path | None = None,
    port: int = 8080,
) -> None:
    """Run one expert episode and show it.

    Args:
        task, robot, seed, episode, axes: which episode, as datagen counts them (first attempt).
        camera: camera of the video.
        video: MP4 file to write; a browser viewer is served on ``port`` if None.

    Raises:
        TwinloomError: no usable scene, ``video`` is not called .mp4, the port is taken, or the extra "viz" is missing.
    """
    if video is None:
        require("viser", "viz")  # before the expert works for nothing
        require_port(port)
    elif video.suffix.lower() != ".mp4":
        raise TwinloomError(f"--video {video}: the name must end in .mp4, for example {task}.mp4")
    rollout = expert_rollout(task, robot, episode_seed(seed, task, episode), frozenset(axes))
    if not rollout.length:
        raise TwinloomError(f"{task}: {rollout.detail}; try another --episode")
    verdict = "success" if rollout.success else f"failure ({rollout.detail})"
    print(f"{task} on {robot}, seed {seed}, episode {episode}: {verdict}, {rollout.length / 25:.1f} s")
    print(f'"{rollout.instruction}"')
    if video is not None:
        images = (image[camera] for image in rollout.render([camera], VIDEO_SIZE, "best"))
        write_video(images, video, VIDEO_SIZE)
        print(f"video  {video}")
    else:
        serve(rollout, port)

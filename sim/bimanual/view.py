"""Watch an expert: an MP4 file, or a page in the browser with the moving scene."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim.bimanual.rollout import Rollout, expert_rollout
from sim.bimanual.viewer import require_port, serve
from twinloom.atomic import atomic_file
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
        write_video(rollout, camera, video)
        print(f"video  {video}")
    else:
        serve(rollout, port)


def write_video(rollout: Rollout, camera: str, path: Path, fps: int = 25) -> None:
    """Render one camera of a rollout into an H.264 MP4 file. Raises TwinloomError when the disk refuses."""
    import av

    with atomic_file(path) as temporary, av.open(str(temporary), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=fps, options={"crf": "18", "preset": "medium"})
        stream.width, stream.height = VIDEO_SIZE
        stream.pix_fmt = "yuv420p"
        for images in rollout.render([camera], VIDEO_SIZE, "best"):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(images[camera], "rgb24")))
        container.mux(stream.encode())

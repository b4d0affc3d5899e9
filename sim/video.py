"""Images become an MP4 file to be looked at; recordings have an encoder of their own (`datagen.encode`)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from twinloom.atomic import atomic_file


def write_video(images: Iterable[np.ndarray], path: Path, size: tuple[int, int], fps: int = 25) -> None:
    """Encode uint8 images (H, W, 3) as H.264. Raises TwinloomError when the disk refuses.

    Args:
        size: (W, H), both even.
    """
    import av

    with atomic_file(path) as temporary, av.open(str(temporary), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=fps, options={"crf": "18", "preset": "medium"})
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        for image in images:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(image), "rgb24")))
        container.mux(stream.encode())

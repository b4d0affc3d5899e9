"""The video codecs a dataset may use, and the rules that each has for frame sizes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from twinloom.errors import TwinloomError
from twinloom.registry import Registry

GOP = 2  # a key frame at every second frame: random access decodes two frames at most, as LeRobot wants it

os.environ.setdefault("SVT_LOG", "1")  # libsvtav1 prints a banner per file unless told to report errors only


@dataclass(frozen=True)
class Codec:
    """An encoder with its settings. One thread and no B-frames: the same frames give the same bytes.

    Attributes:
        name: as users choose it.
        encoder: FFmpeg's name of the encoder.
        crf, preset: quality and effort in the encoder's own scale.
        options: further private options of the encoder.
        smallest: least width and height, pixels.
        odd_444: odd sizes need unreduced colour (4:4:4), since 4:2:0 halves both sides.
    """

    name: str
    encoder: str
    crf: int
    preset: str
    options: dict[str, str] = field(default_factory=dict)
    smallest: int = 1
    odd_444: bool = False

    def pix_fmt(self, width: int, height: int) -> str:
        """Pixel format for frames of this size.

        Raises:
            TwinloomError: the codec cannot hold such frames.
        """
        if min(width, height) < self.smallest:
            raise TwinloomError(
                f"{self.name} video needs at least {self.smallest}x{self.smallest} pixels, got {width}x{height}; "
                "choose another --size or --codec h264"
            )
        return "yuv444p" if self.odd_444 and (width % 2 or height % 2) else "yuv420p"

    def encoder_options(self) -> dict[str, str]:
        """Options for opening the encoder."""
        return {"crf": str(self.crf), "preset": self.preset, **self.options}

    def info(self, width: int, height: int, fps: int) -> dict[str, Any]:
        """What info.json says about a camera, keys as LeRobot writes them."""
        return {
            "video.height": height,
            "video.width": width,
            "video.codec": self.name,
            "video.pix_fmt": self.pix_fmt(width, height),
            "video.fps": fps,
            "video.channels": 3,
            "has_audio": False,
            "video.g": GOP,
            "video.crf": self.crf,
            "video.preset": self.preset,
            "video.fast_decode": 0,
            "video.video_backend": "pyav",
            "video.extra_options": self.options,
            "is_depth_map": False,
        }


codecs: Registry[Codec] = Registry("codec", "datagen --help")
# Without cpu-independent x264 picks approximations by processor, and now and then differs from itself on one machine
# when a side is no multiple of 16.
_X264 = {"bf": "0", "x264-params": "cpu-independent=1"}
codecs.register("h264", Codec("h264", "libx264", 23, "veryfast", _X264, odd_444=True))
codecs.register("av1", Codec("av1", "libsvtav1", 30, "10", {"svtav1-params": "lp=1"}, smallest=4))

"""What a per-frame array is: the words in which simulators, datasets, policies and robots describe their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

STATE = "observation.state"
ACTION = "action"
IMAGES = "observation.images."  # followed by the camera: "observation.images.head"
TIMESTAMP = "timestamp"

IMAGE_AXES = ("height", "width", "channels")


@dataclass(frozen=True)
class Feature:
    """One per-frame array, named as in LeRobot (``observation.state``, ``action``, ...).

    Attributes:
        dtype: NumPy name ("float32"), or "video".
        shape: per frame; (height, width, 3) for video.
        names: one per element, for example "left_joint1"; ("height", "width", "channels") for video.
        unit: what the numbers are ("rad", "m", ...; free text, may differ by element), kept in info.json.
    """

    dtype: str
    shape: tuple[int, ...]
    names: tuple[str, ...]
    unit: str = ""

    def to_json(self) -> dict[str, Any]:
        """As JSON; the inverse of from_json."""
        return {"dtype": self.dtype, "shape": list(self.shape), "names": list(self.names), "unit": self.unit}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Feature:
        """Raises KeyError, TypeError or ValueError where something is missing or of another type."""
        shape, names = tuple(int(n) for n in value["shape"]), tuple(str(name) for name in value["names"])
        return cls(str(value["dtype"]), shape, names, str(value["unit"]))


def image_feature(height: int, width: int, channels: int = 3, dtype: str = "video") -> Feature:
    """The feature of one camera; a frame is (height, width, channels)."""
    return Feature(dtype, (height, width, channels), IMAGE_AXES)


def cameras(names: Mapping[str, Any] | tuple[str, ...] | list[str]) -> list[str]:
    """The cameras among feature names: "head" of "observation.images.head", in their order."""
    return [name.removeprefix(IMAGES) for name in names if name.startswith(IMAGES)]

"""What a per-frame array is: the words in which simulators and datasets describe their columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """One per-frame array of a dataset, named as in LeRobot (``observation.state``, ``action``, ...).

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

"""Small datasets that differ from one another in every way that a mixture must bring together."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from datagen.dataset import DatasetWriter
from datagen.episode import DatasetSpec, Episode
from tests.datagen.fake import paint
from twinloom.features import ACTION, IMAGES, STATE, Feature, image_feature

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path, monkeypatch) -> Make:
    """make(name, fps=…, names=…, cameras=…, episodes=…, offset=…) -> folder; element k of frame t is offset + k + t."""
    monkeypatch.setenv("TWINLOOM_IMAGE_CACHE", str(tmp_path / "images"))

    def build(
        name: str,
        fps: int = 25,
        names: tuple[str, ...] = ("a", "b"),
        cameras: tuple[str, ...] = ("head",),
        episodes: int = 2,
        length: int = 20,
        offset: float = 0.0,
    ) -> Path:
        features = {key: Feature("float32", (len(names),), names, "rad") for key in (STATE, ACTION)}
        features |= {IMAGES + camera: image_feature(24, 32) for camera in cameras}
        spec = DatasetSpec(fps, "arm", "made", features, "targets")
        with DatasetWriter(tmp_path / name, spec) as writer:
            for number in range(episodes):
                time = np.arange(length)[:, None] * 25 / fps
                values = (offset + np.arange(len(names)) + time).astype(np.float32)
                images = (
                    {IMAGES + camera: paint(number << 8 | frame, (32, 24), 90) for camera in cameras}
                    for frame in range(length)
                )
                arrays = {STATE: values, ACTION: values * 2}
                writer.add(Episode("calm", f"sentence {number}", arrays, images, True, (0, number), {}))
        return tmp_path / name

    return build

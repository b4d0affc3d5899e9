"""Decoded images of a dataset on disk, as a memory map: random access at the price of a page, for all workers alike."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
from PIL import Image

from datagen.lerobot import layout
from datagen.lerobot.read import Dataset
from twinloom.atomic import atomic_file

VERSION = 1  # of the way images are shrunk


def cache_folder() -> Path:
    """$TWINLOOM_IMAGE_CACHE, by default ~/.cache/twinloom/images."""
    chosen = os.environ.get("TWINLOOM_IMAGE_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "twinloom" / "images"


def image_cache(dataset: Dataset, camera: str, image_size: tuple[int, int]) -> np.ndarray:
    """All frames of a camera, episodes in order, shrunk by area; decoded at the first call for a dataset.

    The file's name is a digest of the dataset's account of itself, so another version of the dataset has another file.

    Args:
        dataset: open dataset.
        camera: feature name.
        image_size: (width, height).

    Returns:
        (frames, height, width, 3) uint8, read-only memory map.

    Raises:
        TwinloomError: the video is damaged, or the cache cannot be written.
    """
    width, height = image_size
    shape = (dataset.frames, height, width, 3)
    path = cache_folder() / f"{_digest(dataset, camera, image_size)}.u8"
    if not (path.is_file() and path.stat().st_size == int(np.prod(shape))):
        with atomic_file(path) as temporary, temporary.open("wb") as file:  # a full disk is an error here, not later
            for episode in range(len(dataset)):
                for image in dataset.images(episode, camera):
                    file.write(shrunk(image, image_size).tobytes())
    return np.memmap(path, np.uint8, "r", shape=shape)


def shrunk(image: np.ndarray, image_size: tuple[int, int]) -> np.ndarray:
    """(H, W, 3) uint8 as (height, width, 3) uint8, each pixel the mean of the area that it covers."""
    if image.shape[1::-1] == tuple(image_size):
        return image
    return np.asarray(Image.fromarray(image).resize(image_size, Image.Resampling.BOX))


def _digest(dataset: Dataset, camera: str, image_size: tuple[int, int]) -> str:
    """Of the dataset's checksums where it has them, else of its meta files, and of what is made of it."""
    sums = dataset.root / layout.CHECKSUMS
    paths = [sums] if sums.is_file() else sorted((dataset.root / "meta").rglob("*.parquet"))
    words = hashlib.sha256(repr((VERSION, str(dataset.root.resolve()), camera, image_size)).encode())
    for path in [dataset.root / layout.INFO, *paths]:
        words.update(path.read_bytes())
    return words.hexdigest()[:24]

"""LeRobot v3.0, our own format: videos are copied, not encoded again."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from datagen.dataset import DatasetWriter
from datagen.episode import DatasetSpec
from datagen.formats import ReadConfig, Reader, Writer
from datagen.lerobot.layout import INFO, version_of
from datagen.lerobot.read import Dataset

SUMMARY = "LeRobot v3.0: Parquet and MP4, many episodes a file"


def detect(path: Path) -> bool:
    """A folder whose meta/info.json says v3."""
    return (path / INFO).is_file() and version_of(path).startswith("v3")


def reader(path: Path, config: ReadConfig) -> Reader:
    """See Format.reader."""
    return Dataset(path)


def writer(path: Path, spec: DatasetSpec) -> AbstractContextManager[Writer]:
    """See Format.writer."""
    return DatasetWriter(path, spec)

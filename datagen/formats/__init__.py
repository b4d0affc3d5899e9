"""File formats of others at the edge: each reads and writes episodes, behind ``datagen import`` and ``datagen export``.

A format is a module with ``SUMMARY``, ``detect(path)``, ``reader(path, config)``, which gives something iterable with a
``spec`` and a length, and ``writer(path, spec)``, which gives a context manager with ``add(episode)``. Our own
`datagen.Dataset` and `datagen.DatasetWriter` are such a pair. A plug-in adds one through the entry point group
``twinloom.formats``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from datagen.episode import DatasetSpec, Episode
from twinloom.errors import TwinloomError
from twinloom.plugins import found, load_of
from twinloom.registry import Registry


@dataclass(frozen=True)
class ReadConfig:
    """What a file may not say.

    Attributes:
        fps: frames per second; 0 is what the file says.
        task: name and sentence of the task; "" is what the file says.
        robot: name of the robot; "" is what the file says.
    """

    fps: int = 0
    task: str = ""
    robot: str = ""


class Reader(Protocol):
    """Episodes of a foreign file or folder, read one at a time."""

    @property
    def spec(self) -> DatasetSpec: ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Episode]: ...


class Writer(Protocol):
    """Takes episodes one at a time."""

    def add(self, episode: Episode) -> object:
        """Append one episode."""
        ...


class Format(Protocol):
    """One format, for example the module datagen.formats.robomimic. It holds one episode in memory at a time."""

    SUMMARY: str

    def detect(self, path: Path) -> bool:
        """Whether a path looks like one of this format; nothing heavy is loaded."""
        ...

    def reader(self, path: Path, config: ReadConfig) -> Reader:
        """Raises TwinloomError: the path is not of this format, or damaged, or does not say its rate."""
        ...

    def writer(self, path: Path, spec: DatasetSpec) -> AbstractContextManager[Writer]:
        """Raises TwinloomError: the format cannot hold such episodes, or the disk cannot be written."""
        ...


FORMATS: Registry[str] = Registry("format", "datagen import --help")
for _name in ("lerobot30", "lerobot21", "robotwin", "robomimic", "diffusion_policy"):
    FORMATS.register(_name, f"datagen.formats.{_name}")


def names() -> list[str]:
    """Names of all formats, plug-ins last."""
    return [*FORMATS, *(name for name in found("formats") if name not in FORMATS)]


def load(name: str) -> Format:
    """A format by name. Raises UnknownNameError with the nearest name."""
    plugins = found("formats")
    return plugins[name].load() if name in plugins and name not in FORMATS else load_of(name, FORMATS[name])


def detect(path: Path) -> str:
    """Name of the format of a path.

    Raises:
        TwinloomError: no such path, or of none or several formats.
    """
    if not path.exists():
        raise TwinloomError(f"{path} does not exist")
    fitting = [name for name in names() if load(name).detect(path)]
    if len(fitting) != 1:
        what = f"may be {' or '.join(fitting)}" if fitting else "is of no known format"
        raise TwinloomError(f"{path} {what}; name it with --format: {', '.join(names())}")
    return fitting[0]

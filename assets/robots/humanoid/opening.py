"""Opening a model file, MJCF or URDF."""

from __future__ import annotations

from pathlib import Path

from assets.robots.humanoid.mjcf import open_mjcf
from assets.robots.humanoid.record import HumanoidRecord
from assets.robots.humanoid.source import SourceModel
from assets.robots.humanoid.urdf import open_urdf
from twinloom.errors import TwinloomError


def load_source(record: HumanoidRecord, root: Path) -> SourceModel:
    """Read the model of a record, whose wheel is unpacked below ``root``.

    Raises:
        TwinloomError: the file is missing or MuJoCo cannot read it.
    """
    path = root / record.source.model if record.source else record.file
    if path is None or not path.is_file():
        raise TwinloomError(f"model {path} of {record.name} does not exist")
    return open_model(path)


def open_model(path: Path) -> SourceModel:
    """Read an MJCF or URDF file. Raises TwinloomError when MuJoCo cannot."""
    try:
        return open_urdf(path) if path.suffix.lower() == ".urdf" else open_mjcf(path)
    except ValueError as error:
        raise TwinloomError(f"{path.name}: {' '.join(str(error).split())}") from error

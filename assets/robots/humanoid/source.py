"""Opening a source model, MJCF or URDF, in MuJoCo."""

from __future__ import annotations

from pathlib import Path

import mujoco

from assets.robots.humanoid.record import HumanoidRecord
from twinloom.errors import TwinloomError


def load_model(record: HumanoidRecord, root: Path) -> tuple[mujoco.MjModel, dict[str, float]]:
    """The compiled source and the largest speed of its joints (rad/s) where it says so.

    Raises:
        TwinloomError: the file is missing or MuJoCo cannot read it.
    """
    path = root / record.source.model if record.source else record.file
    if path is None or not path.is_file():
        raise TwinloomError(f"model {path} of {record.name} does not exist")
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        for group in (spec.keys, spec.sensors):
            for item in list(group):
                spec.delete(item)
        return spec.compile(), {}
    except ValueError as error:
        raise TwinloomError(f"{path.name}: {' '.join(str(error).split())}") from error

"""Robot files by name or path."""

from __future__ import annotations

import sys
from pathlib import Path

from real.contract.model import RobotContract
from real.contract.parse import read_contract
from sim.families import families
from twinloom.errors import UnknownNameError
from twinloom.machine import REPOSITORY

FOLDER = REPOSITORY / "launch" / "robots"


def folders() -> list[Path]:
    """Where robot files are looked for: the repository, or what an installed wheel brought, and what families bring."""
    own = [FOLDER, Path(sys.prefix) / "share" / "twinloom" / "launch" / "robots"]
    return own + [family.contracts for family in families().values() if family.contracts is not None]


def contracts() -> list[str]:
    """Names of all robots, sorted."""
    return sorted({path.stem for folder in folders() for path in folder.glob("*.yaml")})


def load_contract(name_or_path: str | Path) -> RobotContract:
    """Read a robot by name (``launch/robots/<name>.yaml``) or from a file of your own.

    Raises:
        UnknownNameError: no such robot and no such file.
        InvalidSettingsError: the file is wrong; all its problems are listed.
    """
    text = str(name_or_path)
    if text.endswith((".yaml", ".yml")) or "/" in text:
        path = Path(text).expanduser()
        if path.is_file():
            return read_contract(path)
    for folder in folders():
        path = folder / f"{text}.yaml"
        if path.is_file():
            return read_contract(path)
    raise UnknownNameError("robot", text, contracts(), "real list robots")

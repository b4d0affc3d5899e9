"""Reading and validating a robot file; every problem of it is reported at once."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from assets.robots.record import (
    DEFAULT_ROBOT,
    FOLDER,
    SIDES,
    BasePose,
    Gripper,
    Limits,
    MeshPart,
    MeshSource,
    RobotRecord,
    ShapePart,
    StandShape,
    WristCamera,
)
from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError
from twinloom.plugins import found

_REQUIRED = {"description", "provenance", "licence", "home", "base", "limits", "gripper", "wrist_camera"}
_OPTIONAL = {"sources", "visual", "stand", "model"}


@cache
def _own_robots() -> tuple[str, ...]:
    names = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return tuple(sorted(names, key=lambda name: (name != DEFAULT_ROBOT, name.lower())))


def robots() -> tuple[str, ...]:
    """Names of all robots, sorted, the default first, those of plug-ins last."""
    return _own_robots() + tuple(name for name in found("robots") if name not in _own_robots())


@cache
def load_robot(name: str = DEFAULT_ROBOT) -> RobotRecord:
    """Read one robot; its file is read once in a process.

    Raises:
        UnknownNameError: no such robot.
        TwinloomError: its plug-in cannot be used.
        InvalidSettingsError: the file is malformed; all its problems are listed.
    """
    if name not in robots():
        raise UnknownNameError("robot", name, robots(), "assets list robots")
    if name in _own_robots():
        return read_record(FOLDER / f"{name}.toml")
    path = found("robots")[name].load()
    if not isinstance(path, Path) or path.stem != name:
        raise TwinloomError(f'plug-in "{name}" (twinloom.robots) must be the path of a file {name}.toml, got {path!r}')
    return read_record(path)


def read_record(path: Path) -> RobotRecord:
    """Read and validate a robot file. Raises InvalidSettingsError listing every problem found."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InvalidSettingsError(path.name, [f"not valid TOML: {error}"]) from error
    problems: list[str] = []
    record = _parse(path, table, problems)
    if record is not None:
        problems += _contradictions(record)
    if record is None or problems:
        raise InvalidSettingsError(path.name, problems)
    return record


def _parse(path: Path, table: dict[str, Any], problems: list[str]) -> RobotRecord | None:
    """Build the record; anything missing, unknown or of the wrong type becomes a problem."""
    problems += [f"{key} is missing" for key in sorted(_REQUIRED - table.keys())]
    allowed = ", ".join(sorted(_REQUIRED | _OPTIONAL))
    problems += [f"unknown key {key}; allowed: {allowed}" for key in sorted(table.keys() - _REQUIRED - _OPTIONAL)]
    for key in ("home", "base"):
        if key in table and (not isinstance(table[key], dict) or sorted(table[key]) != ["left", "right"]):
            problems.append(f"{key} needs exactly left and right")
    if problems:
        return None

    def build(kind: type, where: str, values: Any) -> Any:
        if not isinstance(values, dict):
            problems.append(f"{where} must be a table")
            return None
        try:
            return kind(**{key: _frozen(value) for key, value in values.items()})
        except TypeError as error:
            problems.append(f"{where}: {str(error).replace(kind.__name__ + '.__init__() ', '')}")
            return None

    def build_all(kind: type, where: str, items: list[Any]) -> Any:
        return tuple(build(kind, f"{where}[{i}]", item) for i, item in enumerate(items))

    visual = table.get("visual", {})
    stray = sorted(visual.keys() - {"meshes", "shapes", "colours"})
    problems += [f"unknown key visual.{key}; allowed: meshes, shapes, colours" for key in stray]
    record = RobotRecord(
        path.stem,
        folder=path.parent,
        **{key: table[key] for key in ("description", "provenance", "licence")},
        joints=tuple(f"joint{i + 1}" for i in range(len(table["home"]["left"]))),
        home={side: tuple(table["home"][side]) for side in SIDES},
        base={side: build(BasePose, f"base.{side}", table["base"][side]) for side in SIDES},
        limits=build(Limits, "limits", table["limits"]),
        gripper=build(Gripper, "gripper", table["gripper"]),
        wrist_camera=build(WristCamera, "wrist_camera", table["wrist_camera"]),
        sources=build_all(MeshSource, "sources", table.get("sources", [])),
        meshes=build_all(MeshPart, "visual.meshes", visual.get("meshes", [])),
        shapes=build_all(ShapePart, "visual.shapes", visual.get("shapes", [])),
        colours={key: tuple(value) for key, value in visual.get("colours", {}).items()},
        stand=build_all(StandShape, "stand.shapes", table.get("stand", {}).get("shapes", [])),
        model=table.get("model", ""),
    )
    return None if problems else record


def _frozen(value: Any) -> Any:
    """TOML arrays as tuples, at every depth."""
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _contradictions(record: RobotRecord) -> list[str]:
    """Values that have the right type but cannot be right."""
    problems = []
    n = record.dof
    if n not in (6, 7):
        problems.append(f"home.left has {n} joints; an arm has 6 or 7")
    if len(record.home["right"]) != n:
        problems.append(f"home.right has {len(record.home['right'])} joints, home.left has {n}")
    for key in ("velocity", "acceleration", "effort"):
        values = getattr(record.limits, key)
        if len(values) != n or not all(v > 0 for v in values):
            problems.append(f"limits.{key} needs {n} positive numbers")
    for side, pose in record.base.items():
        if len(pose.pos) != 3 or len(pose.quat) != 4 or abs(math.hypot(*pose.quat) - 1) > 1e-3:
            problems.append(f"base.{side} needs pos of 3 numbers and a unit quaternion wxyz")
    for key in ("max_opening", "force", "finger_depth"):
        if not getattr(record.gripper, key) > 0:
            problems.append(f"gripper.{key} must be positive")  # noqa: PERF401
    if not 10 <= record.wrist_camera.fovy <= 120:
        problems.append("wrist_camera.fovy must be between 10 and 120 degrees")
    for i, part in enumerate(record.meshes):
        if not 0 <= part.source < len(record.sources):
            problems.append(f"visual.meshes[{i}].source {part.source} is not an index of sources")
        if part.triangles < 12 or not part.files:
            problems.append(f"visual.meshes[{i}] needs files and at least 12 triangles")
    lacking = [(i, shape.lacks()) for i, shape in enumerate(record.shapes)]
    problems += [f"visual.shapes[{i}] needs {what}" for i, what in lacking if what]
    names = [part.name for part in record.meshes]
    problems += [f"two meshes are called {name}" for name in sorted({n for n in names if names.count(n) > 1})]
    if not record.model_path.is_file():
        problems.append(f"model file {record.model_path.name} does not exist")
    return problems

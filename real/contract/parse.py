"""Reading a robot file: every key is known, every number possible, every problem reported at once."""

from __future__ import annotations

import dataclasses
import sys
import types
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from real.contract.model import (
    Camera,
    CommandGroup,
    Fall,
    Gripper,
    Heartbeat,
    Imu,
    JointLimits,
    RobotContract,
    SelfCollision,
    Stamps,
    StateGroup,
    Topics,
    Unitree,
    Watchdog,
    Workspace,
)
from twinloom.errors import InvalidSettingsError, TwinloomError

_PARTS = {"watchdog": Watchdog, "stamps": Stamps, "workspace": Workspace, "self_collision": SelfCollision}
_PARTS |= {"unitree": Unitree, "heartbeat": Heartbeat, "imu": Imu, "fall": Fall}  # type: ignore[dict-item]
LARGEST = 1e6  # rad, rad/s, rad/s^2: more is a slip, and its square would not be a number to calculate with
SMALLEST = 1e-3  # the same: a joint that needs an hour to brake is a slip, and 1 / 1e-300 squared is no number either
_LISTS = {"joints": JointLimits, "grippers": Gripper}


class _Loader(yaml.SafeLoader):
    """YAML that refuses a key given twice; plain YAML silently keeps the last."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict:
    table: dict = {}
    for key_node, value in node.value:
        key = loader.construct_object(key_node)
        if isinstance(key, (list, dict, set)):
            raise yaml.constructor.ConstructorError(None, None, "a key must be a plain text", key_node.start_mark)
        if key in table:
            raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is given twice", node.start_mark)
        table[key] = loader.construct_object(value, deep=True)
    return table


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_yaml(path: Path) -> Any:
    """Contents of a YAML file.

    Raises:
        InvalidSettingsError: not YAML, a key given twice, or not UTF-8.
        TwinloomError: the file cannot be read.
    """
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except yaml.YAMLError as error:
        raise InvalidSettingsError(path.name, [" ".join(f"not valid YAML: {error}".split())]) from error
    except UnicodeDecodeError as error:
        raise InvalidSettingsError(path.name, [f"not UTF-8: {error}"]) from error
    except (ValueError, RecursionError) as error:  # 2001-99-99, !!int abc; brackets without end
        raise InvalidSettingsError(path.name, [f"not valid YAML: {error}"]) from error
    except OSError as error:
        raise TwinloomError(f"cannot read {path}: {error.strerror}") from error


def read_contract(path: Path) -> RobotContract:
    """Read and check a robot file. Raises InvalidSettingsError listing every problem found."""
    table, problems = read_yaml(path), []
    if not isinstance(table, dict):
        raise InvalidSettingsError(path.name, ["must be a table of keys such as description and joints"])
    if "name" in table:
        problems.append("unknown key name; the name of a robot is that of its file")
    contract = _contract(path.stem, {k: v for k, v in table.items() if k != "name"}, problems)
    if contract is not None and not problems:
        problems += contradictions(contract)
    if contract is None or problems:
        raise InvalidSettingsError(path.name, problems)
    return contract


def _contract(name: str, table: dict, problems: list[str]) -> RobotContract | None:
    values: dict[str, Any] = {**table, "name": name}
    groups: dict[str, tuple[str, ...]] = {}
    chains = values.pop("chains", None)
    if "joints" not in values and isinstance(values.get("model"), str):
        from real.contract.chains import groups_of, joints_of  # a model loads MuJoCo

        joints, grippers = joints_of(values["model"], chains, problems)
        if problems:
            return None
        groups = groups_of(values["model"])
    elif chains is not None:
        problems.append("chains are those of a model; a file that lists its joints has none")
    for key, kind in _PARTS.items():
        if values.get(key) is not None:
            values[key] = _record(kind, key, values[key], problems)
    for key, kind in _LISTS.items():
        if key in values:
            values[key] = _records(kind, key, values[key], problems)
    if "cameras" in values:
        values["cameras"] = _cameras(values["cameras"], problems)
    if problems:
        return None
    if groups:
        values |= {"joints": joints, "grippers": grippers}
    if "topics" in values:
        names = tuple(joint.name for joint in values.get("joints", ()))
        values["topics"] = _topics(values["topics"], names, groups, problems)
    return _record(RobotContract, "", values, problems, nested=True)


def _cameras(value: Any, problems: list[str]) -> Any:
    if not isinstance(value, dict):
        problems.append("cameras must be a table: name: {topic, width, height, fps}")
        return ()
    rows = [(f"cameras.{name}", {"name": name, **row} if isinstance(row, dict) else row) for name, row in value.items()]
    return tuple(_record(Camera, where, row, problems) for where, row in rows)


def _topics(value: Any, names: tuple[str, ...], groups: dict[str, tuple[str, ...]], problems: list[str]) -> Any:
    """A state topic alone stands for one that brings every joint."""
    if not isinstance(value, dict):
        problems.append("topics must be a table: {state: ..., commands: [...]}")
        return None
    state, commands = value.get("state", ()), value.get("commands", ())
    state = [{"topic": state, "joints": list(names)}] if isinstance(state, str) else state
    problems += [f"unknown key topics.{k}; allowed: state, commands" for k in value.keys() - {"state", "commands"}]
    return Topics(
        _records(StateGroup, "topics.state", _spelled_out(state, groups), problems),
        _records(CommandGroup, "topics.commands", _spelled_out(commands, groups), problems),
    )


def _spelled_out(rows: Any, groups: dict[str, tuple[str, ...]]) -> Any:
    """Rows of topics in which a chain's name stands for its joints."""
    if not isinstance(rows, (list, tuple)):
        return rows
    found = []
    for row in rows:
        if isinstance(row, dict) and isinstance(row.get("joints"), str):
            row = {**row, "joints": list(groups.get(row["joints"], (row["joints"],)))}
        found.append(row)
    return found


def _records(kind: type, where: str, rows: Any, problems: list[str]) -> Any:
    if not isinstance(rows, (list, tuple)):
        problems.append(f"{where} must be a list")
        return ()
    return tuple(_record(kind, f"{where}[{k}]", row, problems) for k, row in enumerate(rows))


def _record(kind: type, where: str, row: Any, problems: list[str], nested: bool = False) -> Any:
    """A dataclass from a table; what is missing, unknown or of a wrong type becomes a problem."""
    if not isinstance(row, dict):
        problems.append(f"{where} must be a table, got {row!r}")
        return None
    if kind is JointLimits and isinstance(row.get("name"), str):
        where = f"joint {row['name']}"
    hints, fields = typing.get_type_hints(kind), {f.name: f for f in dataclasses.fields(kind)}
    dot = f"{where}." if where and not where.startswith("joint ") else f"{where}: " if where else ""
    allowed = ", ".join(key for key in fields if key != "name" or not nested)
    found = [f"unknown key {dot}{key}; allowed: {allowed}" for key in row if key not in fields]
    needed = [f for f in fields.values() if f.default is f.default_factory is dataclasses.MISSING]
    found += [f"{dot}{f.name} is missing" for f in needed if f.name not in row]
    values = {}
    for key in row.keys() & fields.keys():
        value, problem = _value(hints[key], row[key])
        values[key] = value
        if problem:
            found.append(f"{dot}{key} must be {problem}, got {row[key]!r}")
    problems += sorted(found)
    return None if found else kind(**values)


def _value(hint: Any, value: Any) -> tuple[Any, str]:
    """The value as its field wants it, and what it should have been ("" if it is)."""
    origin, options = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return value, "" if value in options else " or ".join(map(str, options))
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None, ""
        return _value(next(o for o in options if o is not type(None)), value)
    if origin is tuple:
        return _tuple(options, value)
    if hint is float:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        good = number and -sys.float_info.max <= value <= sys.float_info.max  # math.isfinite fails for 10**400
        return (float(value), "") if good else (value, "a finite number")
    if hint in (int, str, bool):
        good = type(value) is hint
        return value, "" if good else {int: "a whole number", str: "a text", bool: "true or false"}[hint]
    return value, ""  # a record made before


def _tuple(options: tuple, value: Any) -> tuple[Any, str]:
    if not isinstance(value, (list, tuple)):
        return value, "a list"
    kinds = [options[0]] * len(value) if options[-1] is Ellipsis else list(options)
    if len(kinds) != len(value):
        return value, f"a list of {len(kinds)}"
    pairs = [_value(kind, item) for kind, item in zip(kinds, value, strict=True)]
    return tuple(item for item, _ in pairs), next((f"a list of which each is {p}" for _, p in pairs if p), "")


def contradictions(contract: RobotContract) -> list[str]:
    """Values of the right type that cannot be right."""
    problems = [*_impossible_joints(contract), *_impossible_times(contract)]
    if contract.backend == "ros":
        for what, groups in (("state", contract.topics.state), ("commands", contract.topics.commands)):
            problems += _coverage(contract, what, groups)
    problems += _impossible_unitree(contract)
    if contract.workspace and not all(
        a < b for a, b in zip(contract.workspace.lower, contract.workspace.upper, strict=True)
    ):
        problems.append("workspace.lower must be below workspace.upper")
    for key in ("workspace", "self_collision"):
        if getattr(contract, key) and not contract.has_hands:
            problems.append(f"{key} needs a model, whose kinematics place the hands")
    if contract.fall is not None:
        problems += _impossible_fall(contract, contract.fall)
    problems += [
        f"camera {camera.name}: width, height and fps must be positive"
        for camera in contract.cameras
        if min(camera.width, camera.height, camera.fps) <= 0
    ]
    return problems


def _impossible_fall(contract: RobotContract, fall: Fall) -> list[str]:
    problems = [] if contract.imu else ["fall needs an imu, which tells the tilt"]
    if not 0.0 < fall.tilt < 3.2 or fall.height < 0.0:
        problems.append("fall.tilt must be between 0 and 3.2 rad, fall.height not negative")
    if fall.height and contract.model is None:
        problems.append("fall.height needs a model, whose kinematics place the soles")
    return problems


def _impossible_joints(contract: RobotContract) -> list[str]:
    if not contract.joints:
        return ["joints must name at least one joint"]
    problems = [f"joint {n} is there twice" for n in sorted({n for n in contract.names if contract.names.count(n) > 1})]
    problems += [f"gripper {g.joint} is not a joint" for g in contract.grippers if g.joint not in contract.index]
    problems += [f"gripper {g.joint}: open and closed are the same" for g in contract.grippers if g.open == g.closed]
    grippers = {gripper.joint for gripper in contract.grippers}
    for joint in contract.joints:
        soft = 0.0 if joint.name in grippers else contract.margin
        if not joint.lower + soft < joint.upper - soft:
            problems.append(f"joint {joint.name}: lower must be below upper, with twice the margin between them")
        elif not joint.lower + soft <= joint.home <= joint.upper - soft:
            problems.append(f"joint {joint.name}: home {joint.home:g} is outside its limits less the margin")
        if not min(joint.velocity, joint.acceleration, joint.step) > 0 or joint.effort < 0:
            problems.append(f"joint {joint.name}: velocity, acceleration and step must be positive")
        elif max(map(abs, (joint.lower, joint.upper, joint.velocity, joint.acceleration, joint.step))) > LARGEST:
            problems.append(f"joint {joint.name}: limits, velocity, acceleration and step must be at most {LARGEST:g}")
        elif min(joint.velocity, joint.acceleration, joint.step) < SMALLEST:
            problems.append(f"joint {joint.name}: velocity, acceleration and step must be at least {SMALLEST:g}")
        if joint.name in grippers and (joint.lower, joint.upper) != (0.0, 1.0):
            problems.append(f"joint {joint.name}: a gripper opens from 0 to 1")
    return problems


def _impossible_times(contract: RobotContract) -> list[str]:
    problems = []
    if not 1 <= contract.rate_hz <= 1000:
        problems.append("rate_hz must be between 1 and 1000")
    elif not 0 < contract.command_hz <= contract.rate_hz:
        problems.append("command_hz must be positive and at most rate_hz")
    elif contract.watchdog.hold_s < 2 / contract.command_hz:
        problems.append("watchdog.hold_s must be at least two periods of command_hz, or one late command brakes")
    if not contract.watchdog.hold_s < contract.watchdog.damp_s:
        problems.append("watchdog.hold_s must be below watchdog.damp_s")
    if not 1 / contract.command_hz <= contract.watchdog.window_s <= 5.0:
        problems.append("watchdog.window_s must be between one period of command_hz and 5")
    if contract.heartbeat and not 0.05 <= contract.heartbeat.timeout_s <= 10.0:
        problems.append("heartbeat.timeout_s must be between 0.05 and 10")
    if min(contract.stamps.max_age_s, contract.stamps.max_future_s) <= 0:
        problems.append("stamps must be positive")
    if contract.margin < 0 or contract.tracking_error <= 0 or contract.start_s < 0:
        problems.append("margin and start_s must not be negative, tracking_error must be positive")
    if contract.self_collision and min(contract.self_collision.margin, contract.self_collision.rate_hz) <= 0:
        problems.append("self_collision.margin and rate_hz must be positive")
    return problems


def _coverage(contract: RobotContract, what: str, groups: Sequence[StateGroup | CommandGroup]) -> list[str]:
    """Every joint in one group, and names of the driver unique within each."""
    named = [name for group in groups for name in group.joints]
    problems = [f"topics.{what} names {name}, which is not a joint" for name in named if name not in contract.index]
    if problems:
        return problems
    problems += [f"topics.{what} leaves out {name}" for name in contract.names if name not in named]
    problems += [f"topics.{what} has {name} twice" for name in sorted({n for n in named if named.count(n) > 1})]
    for group in groups:
        devices = [contract.devices[contract.index[name]] for name in group.joints]
        if len(set(devices)) < len(devices):
            problems.append(f"{group.topic}: two joints have the same device name")
    return problems


def _impossible_unitree(contract: RobotContract) -> list[str]:
    if contract.backend != "unitree":
        return ["unitree is only for backend unitree"] if contract.unitree else []
    if contract.unitree is None:
        return ["backend unitree needs a table unitree"]
    problems = [f"joint {j.name}: kp and kd are missing" for j in contract.joints if j.kp is None or j.kd is None]
    if len(contract.joints) > contract.unitree.motors:
        problems.append(f"{len(contract.joints)} joints, but unitree.motors is {contract.unitree.motors}")
    if contract.unitree.damping <= 0 or any((j.kp or 0) < 0 or (j.kd or 0) < 0 for j in contract.joints):
        problems.append("gains must not be negative, unitree.damping must be positive")
    return problems

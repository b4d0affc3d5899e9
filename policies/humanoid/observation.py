"""The layout of a foreign policy: which numbers make its observation, in which order and scale. Read from YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError

FOLDER = Path(__file__).parent / "layouts"
FOREIGN = (".yaml", ".yml")
"""How the names of such files end."""
SIZES: dict[str, int | None] = {
    "angular_velocity": 3,
    "gravity": 3,
    "command": 3,
    "positions": None,
    "velocities": None,
    "action": None,
    "phase": 2,
}
"""What an observation may hold; None: one number a joint."""


@dataclass(frozen=True)
class Part:
    """One slice of an observation.

    Attributes:
        what: angular_velocity (of the base, its frame), gravity (its direction in the frame of the base; 0 0 -1
            upright), command (forward, left, turn), positions (from the default pose), velocities, action (the last
            output of the network), phase (sine and cosine of the gait's).
        scale: a factor, or one for each number.
        period: of the phase, s.
    """

    what: str
    scale: tuple[float, ...] = (1.0,)
    period: float = 0.8

    def size(self, joints: int) -> int:
        """How many numbers it has."""
        return SIZES[self.what] or joints


@dataclass(frozen=True, eq=False)
class ForeignLayout:
    """All that the YAML says.

    Attributes:
        file: the YAML; network: the TorchScript file, beside it.
        robot: humanoid (assets list robots).
        task: family/task that it acts in.
        joints: J names, in the order of the observation and of the action.
        default: (J,) rad, what an action of zero asks for.
        kp, kd: (J,) N m/rad and N m s/rad.
        action_scale: rad of an action of 1.
        observation: parts, in order.
        dt: of the policy, s; physics_dt: of the physics.
        history: frames that the network sees, oldest first; history_by: "frame", whole frames one behind the other, or
            "part", the history of each part behind that of the one before.
        clip: largest size of a number of an observation or an action.
        reset: method of the network that empties its hidden state, "" for one without.
    """

    file: Path
    network: str
    robot: str
    joints: tuple[str, ...]
    default: tuple[float, ...]
    kp: tuple[float, ...]
    kd: tuple[float, ...]
    observation: tuple[Part, ...]
    task: str = "humanoid/walk"
    action_scale: float = 0.25
    dt: float = 0.02
    physics_dt: float = 0.002
    history: int = 1
    history_by: str = "frame"
    clip: float = 100.0
    reset: str = ""

    @property
    def size(self) -> int:
        """Numbers that the network is given."""
        return self.history * sum(part.size(len(self.joints)) for part in self.observation)

    @cached_property
    def default_array(self) -> np.ndarray:
        """(J,) of ``default``."""
        return np.array(self.default)

    def frame(self, time: float, **values: np.ndarray) -> np.ndarray:
        """One step's observation.

        Args:
            time: since the begin of the episode, s.
            values: everything in SIZES but the phase.
        """
        found = []
        for part in self.observation:
            if part.what == "phase":
                angle = 2 * np.pi * (time % part.period) / part.period
                value = np.array([np.sin(angle), np.cos(angle)])
            else:
                value = values[part.what]
            found.append(value * np.array(part.scale))
        return np.clip(np.concatenate(found), -self.clip, self.clip)

    def input(self, frames: list[np.ndarray]) -> np.ndarray:
        """What the network is given for the newest frames, oldest first."""
        if self.history_by == "frame":
            return np.concatenate(frames)
        ends = np.cumsum([part.size(len(self.joints)) for part in self.observation])[:-1]
        return np.concatenate(
            [piece for part in zip(*(np.split(f, ends) for f in frames), strict=True) for piece in part]
        )


def layouts() -> list[str]:
    """Names of the layouts that are known."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def read_task(file: Path) -> str:
    """family/task of a foreign policy. Raises TwinloomError if the file is none."""
    return str(_merged(file).get("task", ForeignLayout.task))


def read_layout(file: Path) -> ForeignLayout:
    """Read and check. Raises TwinloomError; InvalidSettingsError lists every problem found."""
    table, problems = _merged(file), []
    allowed = {field.name for field in fields(ForeignLayout)} - {"file"}
    problems += [f"unknown key {key}; allowed: layout, {', '.join(sorted(allowed))}" for key in table.keys() - allowed]
    required = ("network", "robot", "joints", "default", "kp", "kd", "observation")
    problems += [f"{key} is missing" for key in required if key not in table]
    if problems:
        raise InvalidSettingsError(file.name, problems)
    values: dict[str, Any] = {"file": file}
    for key in ("network", "robot", "task", "reset", "history_by"):
        if key in table:
            values[key] = str(table[key])
    for key in ("action_scale", "dt", "physics_dt", "clip", "history"):
        if key in table:
            values[key] = _number(key, table[key], problems)
    values["history"] = int(values.get("history", 1))
    joints = table["joints"]
    if not isinstance(joints, list) or not joints or len(set(map(str, joints))) != len(joints):
        raise InvalidSettingsError(file.name, ["joints must be a list of different names"])
    values["joints"] = tuple(map(str, joints))
    for key in ("default", "kp", "kd"):
        values[key] = _numbers(key, table[key], len(joints), problems)
    values["observation"] = _parts(table["observation"], len(joints), problems)
    if problems:
        raise InvalidSettingsError(file.name, problems)
    layout = ForeignLayout(**values)
    steps = layout.dt / layout.physics_dt
    if not layout.dt >= layout.physics_dt > 0 or abs(steps - round(steps)) > 1e-6 or abs(layout.dt - 0.02) > 1e-9:
        raise InvalidSettingsError(file.name, ["dt must be 0.02, a whole number of physics_dt"])
    if layout.history_by not in ("frame", "part"):
        raise InvalidSettingsError(file.name, [f'history_by must be frame or part, got "{layout.history_by}"'])
    if layout.history < 1 or layout.clip <= 0:
        raise InvalidSettingsError(file.name, ["history must be at least 1 and clip positive"])
    return layout


def _merged(file: Path) -> dict[str, Any]:
    table = _read(file)
    if (name := table.pop("layout", None)) is None:
        return table
    if name not in layouts():
        raise UnknownNameError("layout", str(name), layouts(), "docs/humanoid/foreign.md")
    return _read(FOLDER / f"{name}.yaml") | table


def _read(file: Path) -> dict[str, Any]:
    try:
        table = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise TwinloomError(f"cannot read {file}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidSettingsError(file.name, [" ".join(f"not valid YAML: {error}".split())]) from error
    if not isinstance(table, dict):
        raise InvalidSettingsError(file.name, ["must be a table of keys such as layout and network"])
    return table


def _number(key: str, value: Any, problems: list[str]) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
        problems.append(f"{key} must be a number, got {value!r}")
        return 1.0
    return float(value)


def _numbers(key: str, value: Any, count: int, problems: list[str]) -> tuple[float, ...]:
    given = value if isinstance(value, list) else [value] * count
    if len(given) != count:
        problems.append(f"{key} has {len(given)} numbers for {count} joints")
    return tuple(_number(key, one, problems) for one in given)


def _parts(value: Any, joints: int, problems: list[str]) -> tuple[Part, ...]:
    parts = []
    for row in value if isinstance(value, list) else [value]:
        if not isinstance(row, Mapping) or row.get("what") not in SIZES or row.keys() - {"what", "scale", "period"}:
            problems.append(f"observation: {row!r} must be {{what: one of {', '.join(SIZES)}; scale, period}}")
            continue
        what, scale = str(row["what"]), row.get("scale", 1.0)
        scales = tuple(_number("scale", one, problems) for one in (scale if isinstance(scale, list) else [scale]))
        part = Part(what, scales, _number("period", row.get("period", 0.8), problems))
        if len(scales) not in (1, part.size(joints)):
            problems.append(f"observation: {what} has {len(scales)} scales for {part.size(joints)} numbers")
        if part.period <= 0:
            problems.append("observation: period must be positive")
        parts.append(part)
    return tuple(parts)

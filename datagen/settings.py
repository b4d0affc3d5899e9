"""Everything that decides what a run records, checked once, kept beside the data, compared when a run continues."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from datagen.lerobot.codec import codecs
from datagen.lerobot.layout import INFO, SETTINGS
from datagen.staging import STAGING, staged
from twinloom.atomic import storage_error, write_json
from twinloom.errors import InvalidSettingsError, TwinloomError
from twinloom.machine import cores, versions

LAYOUT = 1
LONG = 60  # characters of a value in a message; of longer lists only what differs is named
PACKAGES = ("mujoco", "numpy", "scipy", "pyarrow", "av")  # noted for bug reports; only the engine's version binds


@dataclass(frozen=True)
class CollectConfig:
    """What every episode of a dataset was made with. Two runs with equal settings make equal episodes.

    Attributes:
        tasks: names of tasks of one family, without it, sorted.
        robot: robot name.
        seed: run seed.
        cameras: camera names.
        size: (width, height) of the images in pixels.
        fps: frames per second.
        randomize: randomisation axes, sorted.
        attempts: how often a slot is tried at most.
        codec: name from datagen.lerobot.codec.
        render: render mode; "auto" until the first worker has looked at the machine.
        source, engine: which family's world with which version, for example "sim/mujoco" and "mujoco 4.0.0".
        data_mb, video_mb: size at which a new data or video file begins.
    """

    tasks: tuple[str, ...]
    robot: str
    seed: int
    cameras: tuple[str, ...]
    size: tuple[int, int]
    fps: int
    randomize: tuple[str, ...]
    attempts: int
    codec: str
    render: str
    source: str
    engine: str
    data_mb: float = 100
    video_mb: float = 200

    def to_json(self) -> dict[str, Any]:
        """As JSON; tuples become lists."""
        return json.loads(json.dumps(asdict(self)))

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> CollectConfig:
        """Inverse of to_json."""
        return cls(**{f.name: _tuple(value[f.name]) for f in fields(cls)})


def check_settings(settings: CollectConfig, episodes: int, workers: int) -> None:
    """Check the numbers of a run; names were checked when they were chosen.

    Raises:
        InvalidSettingsError: every problem at once.
    """
    width, height = settings.size
    problems = []
    if episodes < 1:
        problems.append(f"--episodes {episodes}: at least 1")
    most = max(16, 4 * cores())
    if not 0 <= workers <= most:
        problems.append(f"--workers {workers}: 0 to {most} on this machine; 0 works in this process")
    if settings.attempts < 1:
        problems.append(f"--attempts {settings.attempts}: at least 1")
    if not 0 <= settings.seed < 2**63:
        problems.append(f"--seed {settings.seed}: a whole number from 0 to 2^63 - 1")
    if settings.fps < 1:
        problems.append(f"--fps {settings.fps}: a whole number from 1")
    if min(width, height) < 1 or max(width, height) > 8192:
        problems.append(f"--size {width}x{height}: between 1x1 and 8192x8192 pixels")
    elif not problems:
        try:
            codecs[settings.codec].pix_fmt(width, height)
        except TwinloomError as error:
            problems.append(str(error))
    if problems:
        raise InvalidSettingsError("datagen settings", problems)


def parse_size(text: str) -> tuple[int, int]:
    """ "320x240" as (width, height).

    Raises:
        TwinloomError: not of that form.
    """
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise TwinloomError(f'--size "{text}" is not of the form WIDTHxHEIGHT, for example 320x240')
    return int(width), int(height)


def read_settings(out: Path) -> CollectConfig | None:
    """Settings that bind further runs in a folder; None if none has begun there, or none has finished anything.

    Raises:
        TwinloomError: the folder holds something else or cannot be read, or its settings are unreadable.
    """
    try:
        os.fspath(out).encode()
        return _read_settings(out)
    except UnicodeEncodeError as error:  # Parquet files are opened by UTF-8 names alone
        raise TwinloomError(f"{out} is not a UTF-8 name; choose another --out") from error
    except OSError as error:
        raise storage_error(out, error) from error


def _read_settings(out: Path) -> CollectConfig | None:
    path = out / SETTINGS
    if path.is_file():
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            if value.get("layout") != LAYOUT or "settings" not in value:
                raise ValueError(value.get("kind", "of another version"))
            settings = CollectConfig.from_json(value["settings"])
            return settings if (out / INFO).exists() or any(staged(out)) else None
        except (ValueError, KeyError, TypeError) as error:
            raise TwinloomError(f"{path} is not the settings of a run ({error}); choose another --out") from error
    if out.exists() and not out.is_dir():
        raise TwinloomError(f"{out} is a file; --out names a folder")
    if (out / INFO).exists():
        raise TwinloomError(f"{out} holds a dataset that datagen did not begin; choose another --out")
    if out.is_dir() and {path.name for path in out.iterdir()} - {STAGING.name, "meta"}:
        raise TwinloomError(f"{out} is not empty and holds no dataset; choose another --out")
    return None


def settle(out: Path, wanted: CollectConfig) -> CollectConfig:
    """Compare the settings of a run with those of the run in its folder.

    A render mode of "auto" takes the one there.

    Raises:
        InvalidSettingsError: they differ in something that would change episodes; every difference is named.
    """
    there = read_settings(out)
    if there is None:
        return wanted
    if wanted.render == "auto":
        wanted = replace(wanted, render=there.render)
    pairs = {f.name: (getattr(there, f.name), getattr(wanted, f.name)) for f in fields(CollectConfig)}
    differences = [_difference(name, *pair) for name, pair in pairs.items() if pair[0] != pair[1]]
    if differences:
        differences[-1] += ". Repeat its settings to continue it, or choose another --out"
        raise InvalidSettingsError(f"{out} was begun with other settings", differences)
    return wanted


def write_settings(out: Path, settings: CollectConfig) -> None:
    """Keep the settings of a run that begins; those of a run that is continued are left as they are."""
    if read_settings(out) is None:
        write_json(out / SETTINGS, {"layout": LAYOUT, "settings": settings.to_json(), "versions": versions(*PACKAGES)})


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _difference(name: str, there: Any, now: Any) -> str:
    """What is other: "seed is 0 there and 1 now"; of long lists the names that only one of them has."""
    shown = [", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value) for value in (there, now)]
    if max(map(len, shown)) <= LONG:
        return f"{name} is {shown[0]} there and {shown[1]} now"
    only = [_some([one for one in ours if one not in other]) for ours, other in ((there, now), (now, there))]
    return f"{name} has only there {only[0]} and only now {only[1]} ({len(there)} there, {len(now)} now)"


def _some(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more or "nothing"

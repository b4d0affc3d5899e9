"""Run folders: who works in one, which settings it was begun with, and how a rerun's settings differ from those."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from twinloom.atomic import write_json
from twinloom.errors import TwinloomError
from twinloom.locks import exclusive

RUN, LOCK = "run.json", ".lock"
SHOWN = 100  # characters of a value in an error text


def locked(folder: Path, work: str = "working") -> AbstractContextManager[None]:
    """Hold the folder's lock, which ends with the process however it ends; the folder is made if needed.

    Args:
        folder: the run folder.
        work: what the other process is doing when it is busy ("training").

    Raises:
        TwinloomError: another process holds it, or the folder cannot be written.
    """
    return exclusive(
        folder / LOCK, f"another process ({{holder}}) is {work} in {folder}; wait for it, or choose another --out"
    )


def claim(folder: Path, identity: Mapping[str, Any], kind: str) -> bool:
    """Mark a folder as one of these settings and return True, or check that it is and return False. Hold its lock.

    Args:
        folder: the run folder.
        identity: what may not change between two calls, JSON.
        kind: what writes such folders ("policies train"), for error texts.

    Raises:
        TwinloomError: it holds something else, or a run of other settings; every difference is named.
    """
    path, wanted = folder / RUN, json.loads(json.dumps(identity))
    if not path.exists():
        if any(one.name != LOCK for one in folder.iterdir()):
            raise TwinloomError(f"{folder} is not empty and not a run of {kind}; choose another --out")
        write_json(path, wanted)
        return True
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError("it holds no settings")
    except (OSError, ValueError, RecursionError) as error:
        raise TwinloomError(f"{path} is damaged: {error}; choose another --out") from error
    if found != wanted:
        differ = ", ".join(differences(found, wanted))
        raise TwinloomError(f"{folder} holds a run with {differ}; choose another --out, or delete it")
    return False


def differences(found: Any, wanted: Any, name: str = "") -> list[str]:
    """What differs between two JSON values: ["seed 0 (now 1)", "world.matching rate (now transmissibility)"].

    Lists of names are compared as sets: "tasks without a (now with)" rather than two long lists that look alike.
    """
    if found == wanted:
        return []
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        keys = sorted({*found, *wanted})
        return [
            text
            for key in keys
            for text in differences(found.get(key), wanted.get(key), f"{name}.{key}".removeprefix("."))
        ]
    if _names(found) and _names(wanted) and set(found) != set(wanted):
        gone = [f"{name} with {_some([x for x in found if x not in wanted])}"] if set(found) - set(wanted) else []
        new = [f"{name} without {_some([x for x in wanted if x not in found])}"] if set(wanted) - set(found) else []
        return [" and ".join(gone + [text.removeprefix(f"{name} ") for text in new] if gone else new)]
    return [f"{name} {_short(found)} (now {_short(wanted)})"]


def _names(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(item, str) for item in value)


def _some(names: list[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if _names(value) else str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."

"""Tuned baselines are kept in the cache folder: what was found for a problem by this code is not searched for again."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from assets.robots.meshes import cache_folder
from sim.cascade.problems import PROBLEMS
from twinloom.atomic import write_json
from twinloom.errors import TwinloomError
from twinloom.machine import REPOSITORY

SOURCES = ("sim/cascade", "assets/networks", "policies/cascade")


def remembered(name: str, problem: Any, r0: float | None, search: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The parameters that ``search`` finds, from the cache if the same code has looked for them before.

    Args:
        name: of the baseline.
        problem: name of a problem; a problem of one's own is searched for every time.
        r0: reproduction number of the training graphs, None for the problem's.
        search: finds the parameters, JSON.
    """
    if not isinstance(problem, str):
        return search()
    facts = {key: value for key, value in asdict(PROBLEMS[problem]).items() if not callable(value)}
    key = json.dumps([name, problem, facts, r0, _stamp()], default=str, sort_keys=True)
    try:
        folder = cache_folder() / "baselines"
    except TwinloomError:  # no home folder
        return search()
    path = folder / f"{name}-{problem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(found, dict) and "kind" in found:
            return found
    found = search()
    with contextlib.suppress(OSError, TwinloomError):  # a cache that cannot be written costs time, not results
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, found)
    return found


@cache
def _stamp() -> str:
    """Checksum of the code that decides what a search finds."""
    digest = hashlib.sha256()
    for folder in SOURCES:
        for file in sorted((REPOSITORY / folder).rglob("*.py")):
            digest.update(Path(file).read_bytes())
    return digest.hexdigest()

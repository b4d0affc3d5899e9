"""Checks of the data files: columns, row counts, bookkeeping, numbers that are not finite, statistics."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from datagen.lerobot import layout
from datagen.lerobot.check import Check
from datagen.lerobot.check_stats import check_array_stats
from datagen.lerobot.columns import to_numpy
from twinloom.features import ACTION, STATE

TOLERANCE_S = 1e-4  # LeRobot's default
LAGS = range(-4, 9)  # frames from an action to the state it is compared with


def check_data(check: Check, step: Callable[[str], None]) -> None:
    """Every data file that episodes refer to."""
    numbered = enumerate(check.rows)
    for file, group in itertools.groupby(numbered, key=lambda item: check.data_file(item[1])):
        if (check.root / file).is_file():
            step(file.as_posix())
            _check_file(check, file, list(group))
    if sorted(check.tasks) == list(range(len(check.tasks))):
        total = check.info["total_tasks"]
        unused = [index for index in range(min(total, len(check.tasks))) if index not in check.used_tasks]
        if unused and len(check.rows) == check.info["total_episodes"]:
            check.add(layout.TASKS, f"no frame has task_index {', '.join(map(str, unused[:10]))}")
    if check.lags and min(check.lags.values()) < max(check.lags.values()):
        lag = min(check.lags, key=lambda k: (check.lags[k], abs(k)))
        near = check.lags[lag] < 0.5 * max(check.lags.values())
        if near and (lag < 0 or (lag == 0 and check.lags[0] > 0)):  # an action that is the state itself is a convention
            said = f"{-lag} frames earlier" if lag else "at the same moment"
            check.note(
                "data", f"actions are nearest to the state {said}: are they shifted? a command precedes its effect"
            )
    if check.ours and list(check.used_tasks) != sorted(check.used_tasks):
        check.add(layout.TASKS, "task indices are not in order of first use")


def _check_file(check: Check, file: Path, episodes: list[tuple[int, dict[str, Any]]]) -> None:
    try:
        table = pq.read_table(check.root / file, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        check.add(file, f"not readable: {error}")
        return
    features = {**layout.features_of(check.info), **layout.BOOKKEEPING}
    columns: dict[str, np.ndarray] = {}
    for name, feature in features.items():
        if feature.dtype in ("video", "image"):
            continue
        if name not in table.column_names:
            check.add(file, f'column "{name}" is missing')
            continue
        try:
            column = to_numpy(table[name], feature)
        except (ValueError, pa.ArrowException) as error:
            check.add(file, f'column "{name}" does not have shape {feature.shape}: {error}')
            continue
        if feature.dtype != "string" and column.dtype != np.dtype(feature.dtype):
            check.add(file, f'column "{name}" is {column.dtype}, info.json says {feature.dtype}')
        columns[name] = column
    for name in table.column_names:
        if name not in features:
            check.add(file, f'column "{name}" is in no feature of info.json')
    finite = {n: c for n, c in columns.items() if c.dtype.kind != "f" or np.isfinite(c).all()}
    if len(table):
        check.histograms.add({n: c for n, c in finite.items() if n in features})
    first = episodes[0][1]["dataset_from_index"]
    rows = episodes[-1][1]["dataset_to_index"] - first
    if len(table) != rows:
        check.add(file, f"{len(table)} rows, its {len(episodes)} episodes have {rows} frames")
    for number, row in episodes:
        start = row["dataset_from_index"] - first
        part = slice(start, start + row["length"])
        if start >= 0 and part.stop <= len(table):
            _check_episode(check, file, number, row, {name: column[part] for name, column in columns.items()})


def _check_episode(check: Check, file: Path, number: int, row: dict[str, Any], part: dict[str, np.ndarray]) -> None:
    length = row["length"]
    counted = {
        "frame_index": np.arange(length),
        "episode_index": np.full(length, number),
        "index": np.arange(length) + row["dataset_from_index"],
    }
    for name, expected in counted.items():
        if name in part:
            wrong = np.flatnonzero(part[name] != expected)
            if len(wrong):
                k = wrong[0]
                check.add(file, f"{name} of frame {k} is {part[name][k]}, expected {expected[k]}", number, kind=name)
    if "timestamp" in part:
        times = part["timestamp"].astype(np.float64)
        exact = np.arange(length) / check.fps
        with np.errstate(invalid="ignore"):
            wrong = np.flatnonzero(~(np.abs(times - exact) <= np.maximum(TOLERANCE_S, np.spacing(np.float32(exact)))))
        if len(wrong):
            k = wrong[0]
            check.add(
                file, f"timestamp of frame {k} is {times[k]:.6f}, expected {exact[k]:.6f}", number, kind="timestamp"
            )
    if "task_index" in part:
        _check_task_index(check, file, number, row, part["task_index"])
    for name, array in part.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            k = int(np.argwhere(~np.isfinite(array))[0][0])
            check.add(file, f'"{name}" is not finite at frame {k}', number, kind=f"{name} not finite")
        elif array.dtype.kind in "fiub":
            check_array_stats(check, number, name, array)
    state, action = part.get(STATE), part.get(ACTION)
    if state is not None and action is not None and state.shape == action.shape and length > 4 * LAGS[-1]:
        inner = np.arange(-LAGS[0], length - LAGS[-1])
        check.lags.update({lag: float(np.square(action[inner] - state[inner + lag]).sum()) for lag in LAGS})


def _check_task_index(check: Check, file: Path, number: int, row: dict[str, Any], indices: np.ndarray) -> None:
    used = list(dict.fromkeys(int(i) for i in indices))
    check.used_tasks |= dict.fromkeys(used)
    unknown = [i for i in used if i not in check.tasks]
    if unknown and check.tasks:
        check.add(file, f"task_index {unknown[0]} is not in {layout.TASKS}", number, kind="task_index")
    sentences = {check.tasks[i] for i in used if i in check.tasks}
    if not unknown and check.tasks and sentences != set(row["tasks"]):
        said = f"meta/episodes says {row['tasks']}"
        check.add(file, f"frames have the tasks {sorted(sentences)}, {said}", number, kind="tasks")

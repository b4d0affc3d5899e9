"""Checks of info.json, meta/episodes and meta/tasks.parquet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from datagen.lerobot import layout
from datagen.lerobot.check import Check
from datagen.lerobot.entry import EXTRA_COLUMNS
from datagen.lerobot.read import HEAVY, file_number
from datagen.lerobot.stats import from_lists
from datagen.lerobot.tasks import read_tasks
from twinloom.errors import TwinloomError

_COLUMNS = {
    "episode_index": pa.int64(),
    "tasks": pa.list_(pa.string()),
    "length": pa.int64(),
    "data/chunk_index": pa.int64(),
    "data/file_index": pa.int64(),
    "dataset_from_index": pa.int64(),
    "dataset_to_index": pa.int64(),
}
_VIDEO_COLUMNS = {
    "chunk_index": pa.int64(),
    "file_index": pa.int64(),
    "from_timestamp": pa.float64(),
    "to_timestamp": pa.float64(),
}


def check_info(check: Check) -> bool:
    """Values of info.json. Returns whether the other checks make sense."""
    info, before = check.info, len(check.problems)
    for key in ("fps", "total_episodes", "total_frames", "total_tasks"):
        value = info.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < (1 if key == "fps" else 0):
            check.add(layout.INFO, f"{key} is {value!r}, expected a whole number")
    features = info["features"]
    for name, feature in layout.BOOKKEEPING.items():
        found = features.get(name, {})
        if found.get("dtype") != feature.dtype or found.get("shape") != [1]:
            check.add(layout.INFO, f'feature "{name}" is {found or "missing"}, expected {feature.dtype} of shape [1]')
    for name, entry in features.items():
        shape, names = entry.get("shape"), entry.get("names")
        if not isinstance(shape, list) or not all(isinstance(n, int) and n > 0 for n in shape):
            check.add(layout.INFO, f'feature "{name}" has shape {shape!r}')
        elif entry.get("dtype") not in ("video", "image") and isinstance(names, list) and len(names) != shape[0]:
            check.add(layout.INFO, f'feature "{name}" has {shape[0]} elements but {len(names)} names')
    if any(entry.get("dtype") == "video" for entry in features.values()) and not info.get("video_path"):
        check.add(layout.INFO, "there are cameras but no video_path")
    sound = len(check.problems) == before
    splits = info.get("splits")
    if splits is not None and splits != {"train": f"0:{info['total_episodes']}"}:
        ends = [part.partition(":")[2] for part in splits.values()] if isinstance(splits, dict) else []
        if not ends or not all(e.isdecimal() and int(e) <= info["total_episodes"] for e in ends):
            check.add(layout.INFO, f"splits {splits!r} do not fit {info['total_episodes']} episodes")
    return sound


def check_episodes(check: Check) -> None:
    """Files of meta/episodes: complete, readable, and each row where the one before it ended."""
    root, total = check.root, check.info["total_episodes"]
    paths = sorted((root / "meta/episodes").glob("*/*.parquet"), key=file_number)
    expected = layout.FileId()
    limits = layout.Limits(chunk=check.info.get("chunks_size", 1000))
    surplus = 0
    for path in paths:
        file = path.relative_to(root)
        if file != expected.episodes():
            check.add(file, f"expected {expected.episodes()} before it")
        expected = layout.FileId(*file_number(path)).next(limits)
        try:
            table = pq.read_table(path, page_checksum_verification=True)
        except (OSError, pa.ArrowException) as error:
            check.add(file, f"not readable: {error}")
            continue
        if not _check_columns(check, file, table):
            continue
        for row in table.to_pylist():
            if len(check.rows) < total:
                _check_row(check, file, row)
            else:
                surplus += 1
    if surplus:
        check.add("meta/episodes", f"{surplus} episodes more than info.json counts; {_unfinished(check)}")
    if len(check.rows) < total:
        check.add("meta/episodes", f"{len(check.rows)} episodes, info.json counts {total}")
    frames = sum(row["length"] for row in check.rows)
    if frames != check.info["total_frames"]:
        check.add(layout.INFO, f"total_frames is {check.info['total_frames']}, the episodes add up to {frames}")


def _unfinished(check: Check) -> str:
    if check.ours:
        return "a commit was interrupted: run the same datagen command again"
    return "info.json is out of date"


def _check_columns(check: Check, file: Path, table: pa.Table) -> bool:
    wanted = dict(_COLUMNS)
    for key in check.cameras():
        wanted |= {f"videos/{key}/{name}": kind for name, kind in _VIDEO_COLUMNS.items()}
    if check.ours:
        wanted |= {name: kind for name, kind in EXTRA_COLUMNS.items() if name != "slot"}
    sound = True
    for name, kind in wanted.items():
        if name not in table.column_names:
            check.add(file, f'column "{name}" is missing')
            sound = False
        elif not _same_type(table.schema.field(name).type, kind):
            check.add(file, f'column "{name}" is {table.schema.field(name).type}, expected {kind}')
            sound = False
        elif table[name].null_count and name not in EXTRA_COLUMNS:
            check.add(file, f'column "{name}" lacks {table[name].null_count} values')
            sound = False
    return sound


def _same_type(found: pa.DataType, wanted: pa.DataType) -> bool:
    def plain(kind: pa.DataType) -> str:
        return str(kind).replace("large_", "").replace("item", "element")

    return plain(found) == plain(wanted)


def _check_row(check: Check, file: Path, row: dict[str, Any]) -> None:
    number = len(check.rows)
    end = check.rows[-1]["dataset_to_index"] if check.rows else 0
    if row["episode_index"] != number:
        check.add(file, f"episode_index is {row['episode_index']}, expected {number}", number, kind="episode_index")
    if row["length"] < 1:
        check.add(file, f"length is {row['length']}", number, kind="length")
    if row["dataset_from_index"] != end:
        message = f"dataset_from_index is {row['dataset_from_index']}, the episode before ends at {end}"
        check.add(file, message, number, kind="dataset_from_index")
    if row["dataset_to_index"] - row["dataset_from_index"] != row["length"]:
        message = f"dataset_from_index to dataset_to_index is {row['dataset_to_index'] - row['dataset_from_index']} "
        check.add(file, message + f"frames, length says {row['length']}", number, kind="dataset_to_index")
    chunk, index = file_number(file)
    own = (row.get("meta/episodes/chunk_index", chunk), row.get("meta/episodes/file_index", index))
    if own != (chunk, index):
        check.add(file, f"the row says it is in chunk {own[0]}, file {own[1]}", number, kind="meta/episodes")
    for name in ("record", "extra"):
        try:
            json.loads(row.get(name) or "{}")
        except ValueError as error:
            check.add(file, f"{name} is not JSON: {error}", number, kind=name)
    nested: dict[str, dict[str, Any]] = {}
    for column, value in row.items():
        if column.startswith("stats/") and value is not None:
            feature, _, stat = column.removeprefix("stats/").rpartition("/")
            nested.setdefault(feature, {})[stat] = value
    check.stats.append(from_lists(nested))
    check.rows.append({name: row[name] for name in row if not name.startswith("stats/") and name not in HEAVY})


def check_tasks(check: Check) -> None:
    """Sentences: numbered 0, 1, 2, ..., each once, and those that the episodes name."""
    try:
        check.tasks = read_tasks(check.root / layout.TASKS)
    except TwinloomError as error:
        check.add(layout.TASKS, str(error))
        return
    total = check.info["total_tasks"]
    if len(check.tasks) > total:
        check.add(layout.TASKS, f"{len(check.tasks)} tasks, info.json counts {total}; {_unfinished(check)}")
    if sorted(check.tasks) != list(range(len(check.tasks))):
        check.add(layout.TASKS, f"task_index is not 0 to {len(check.tasks) - 1}: {list(check.tasks)[:10]}")
    elif len(check.tasks) < total:
        check.add(layout.TASKS, f"{len(check.tasks)} tasks, info.json counts {total}")
    sentences = list(check.tasks.values())
    for sentence in sorted({str(s) for s in sentences if sentences.count(s) > 1}):
        check.add(layout.TASKS, f'"{sentence}" is there more than once')
    known = set(sentences)
    for number, row in enumerate(check.rows):
        for sentence in row["tasks"] or [None]:
            if sentence not in known:
                check.add(layout.TASKS, f'sentence "{sentence}" is missing', number, kind="missing sentence")

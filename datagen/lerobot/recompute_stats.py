"""``datagen stats``: the statistics of a dataset computed again from its frames."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from datagen.lerobot import layout
from datagen.lerobot.commit import commit, recover, write
from datagen.lerobot.histogram import HISTOGRAMS
from datagen.lerobot.integrity import check_intact
from datagen.lerobot.manifest import listed
from datagen.lerobot.read import Dataset, file_number
from datagen.lerobot.stats import STATS, Fold, ImageStats, Stats, array_stats, to_lists
from datagen.lerobot.write import PARQUET, ROWS_PER_GROUP, to_json
from datagen.lock import writer_lock


def recompute(root: Path, *, images: bool = False, step: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Write the statistics of every episode and of the dataset anew, all or none.

    Args:
        root: the dataset, ours or anybody's.
        images: also decode the videos again where their statistics are there.
        step: told how many of how many episodes are done.

    Raises:
        TwinloomError: no dataset, its frames are damaged, or the disk is full or not writable.
    """
    with writer_lock(root), Dataset(root) as dataset:
        recover(root)
        meta = {layout.INFO, layout.TASKS}
        frames = {p for p in listed(root) if p.suffix == ".parquet" and p != HISTOGRAMS} | (meta if images else set())
        manifest = check_intact(root, frames, what="nothing was written", statistics=False)
        fold, stats = Fold(), []
        for episode in range(len(dataset)):
            arrays = {n: a for n, a in dataset.arrays(episode).items() if a.dtype.kind in "fiub" and a.ndim < 4}
            fold.histograms.add(arrays)
            there = {} if images else dataset.episode_stats(episode)
            own = {name: array_stats(array) for name, array in arrays.items()}
            own |= {key: there.get(key) or _image_stats(dataset, episode, key) for key in dataset.cameras}
            fold.add(own)
            stats.append(own)
            step(episode + 1, len(dataset))
        with commit(root, manifest) as aside:
            first = 0
            for path in sorted((root / "meta/episodes").glob("*/*.parquet"), key=file_number):
                table = _with_stats(pq.read_table(path), stats[first:])
                first += len(table)
                target = aside / path.relative_to(root)
                target.parent.mkdir(parents=True, exist_ok=True)
                pq.write_table(table, target, row_group_size=ROWS_PER_GROUP, **PARQUET)
            pq.write_table(fold.histograms.table(), aside / HISTOGRAMS, **PARQUET)
            write(aside / layout.STATS, to_json(to_lists(fold.result())))
            write(aside / layout.INFO, (root / layout.INFO).read_bytes())


def _image_stats(dataset: Dataset, episode: int, key: str) -> Stats:
    collector = ImageStats(int(dataset.row(episode)["length"]))
    for index, frame in enumerate(dataset.images(episode, key)):
        collector.add(index, frame)
    return collector.result()


def _with_stats(table: pa.Table, stats: list[dict[str, Stats]]) -> pa.Table:
    """A table of meta/episodes with the statistics replaced, columns kept in their order."""
    rows = [json.loads(json.dumps(to_lists(own))) for own in stats[: len(table)]]
    for name in stats[0] if stats else ():
        for stat in STATS:
            column = f"stats/{name}/{stat}"
            values = [row[name][stat] for row in rows]
            if column in table.column_names:
                index = table.column_names.index(column)
                field = table.schema.field(index)
                table = table.set_column(index, field, pa.array(values, type=field.type))
            else:
                table = table.append_column(column, pa.array(values))
    return table

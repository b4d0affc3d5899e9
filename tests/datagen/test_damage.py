"""Damage is named and never signed anew; statistics and checksums are repaired from sound frames only."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datagen.collect import collect
from datagen.dataset import DatasetWriter
from datagen.lerobot.histogram import HISTOGRAMS
from datagen.lerobot.layout import Limits
from datagen.lerobot.manifest import Manifest
from datagen.lerobot.merge import merge
from datagen.lerobot.read import Dataset
from datagen.lerobot.recompute_stats import recompute
from datagen.lerobot.verify import verify
from datagen.repair import repair
from tests.datagen.conftest import FIXTURE, files_of, make_run
from twinloom.errors import TwinloomError

DATA, EPISODES = "data/chunk-000/file-000.parquet", "meta/episodes/chunk-000/file-000.parquet"
VIDEO, SUMS = "videos/observation.images.head/chunk-000/file-000.mp4", "meta/SHA256SUMS"


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("damage") / "base"
    collect(make_run(out, 2, tasks=("calm",), cameras=("head",)))
    return out


@pytest.fixture
def root(base, tmp_path) -> Path:
    shutil.copytree(base, tmp_path / "data")
    return tmp_path / "data"


def resign(root: Path, name: str) -> None:
    """As if the present content of a file were what was written."""
    manifest = Manifest.load(root)
    manifest.add(root, Path(name))
    (root / SUMS).write_bytes(manifest.text())


def replace_column(path: Path, name: str, change) -> None:
    table = pq.read_table(path)
    index = table.column_names.index(name)
    values = change(np.stack(table[name].to_numpy()).copy())
    column = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    pq.write_table(table.set_column(index, table.schema.field(index), column), path)


def nudge(root: Path) -> None:
    def change(values):
        values[3, 1] += 0.001
        return values

    replace_column(root / DATA, "action", change)


def flip(root: Path) -> None:
    content = bytearray((root / VIDEO).read_bytes())
    content[len(content) // 3] ^= 4
    (root / VIDEO).write_bytes(content)


def cut(name: str):
    def change(root: Path) -> None:
        content = (root / name).read_bytes()
        (root / name).write_bytes(content[: len(content) // 2])

    return change


DAMAGE = [nudge, flip, *map(cut, (DATA, EPISODES, VIDEO, "meta/stats.json", "meta/tasks.parquet", "meta/failed.jsonl"))]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_rerun_refuses_damage_before_any_simulation_and_signs_nothing(root, damage):
    (root / "meta/failed.jsonl").write_text('{"slot": 99, "task": "calm", "attempts": 1, "failures": ["x"]}\n')
    resign(root, "meta/failed.jsonl")
    damage(root)
    before = files_of(root)
    with pytest.raises(TwinloomError, match=r"damaged|not readable|not a readable|not as it was written") as caught:
        collect(make_run(root, 3, tasks=("calm",), cameras=("head",)))
    assert "\n" not in str(caught.value)
    assert files_of(root) == before
    assert verify(root).problems


@pytest.mark.parametrize("damage", [nudge, flip])
def test_merge_refuses_damage(root, base, tmp_path, damage):
    damage(root)
    with pytest.raises(TwinloomError, match="not as it was written"):
        merge([base, root], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


@pytest.mark.parametrize("content", [None, b"", b"half"])
def test_missing_checksums_are_written_after_a_full_check(root, content):
    sums = (root / SUMS).read_bytes()
    (root / SUMS).unlink()
    if content is not None:
        (root / SUMS).write_bytes(content and sums[: len(sums) // 2])
    collect(make_run(root, 3, tasks=("calm",), cameras=("head",)))
    assert verify(root).problems == []
    (root / SUMS).unlink()
    nudge(root)
    replace_column(root / DATA, "action", lambda values: values * 2)
    with pytest.raises(TwinloomError, match="do not fit the frames"):
        collect(make_run(root, 4, tasks=("calm",), cameras=("head",)))
    assert not (root / SUMS).exists()


def test_stats_repairs_datasets_whose_quantiles_are_averages(root, base):
    """As every dataset was written before: no histograms, quantiles of stats.json averaged over the episodes."""
    with Dataset(root) as dataset:
        own = [dataset.episode_stats(episode)["action"]["q99"] for episode in range(len(dataset))]
        frames = np.concatenate([dataset.arrays(episode)["action"] for episode in range(len(dataset))])
    sound = files_of(root)
    stats = json.loads((root / "meta/stats.json").read_text())
    stats["action"]["q99"] = np.mean(own, axis=0).tolist()
    (root / "meta/stats.json").write_text(json.dumps(stats))
    (root / HISTOGRAMS).unlink()
    resign(root, "meta/stats.json")
    sums = Manifest.load(root).sums
    del sums[HISTOGRAMS.as_posix()]
    (root / SUMS).write_bytes(Manifest(sums).text())
    assert any("datagen stats" in str(problem) for problem in verify(root).problems)
    recompute(root)
    assert verify(root).problems == []
    assert {n for n, content in files_of(root).items() if sound[n] != content} <= {EPISODES, SUMS}
    assert pq.read_table(root / EPISODES).equals(pq.read_table(base / EPISODES))
    with Dataset(root) as dataset:
        near = np.ptp(frames, axis=0) / 1024
        assert (np.abs(dataset.stats["action"]["q99"] - np.quantile(frames, 0.99, axis=0)) < near).all()


def test_stats_refuses_damaged_frames(root):
    nudge(root)
    with pytest.raises(TwinloomError, match="not as it was written"):
        recompute(root)


def test_stats_repairs_a_dataset_of_lerobot(tmp_path):
    shutil.copytree(FIXTURE, tmp_path / "data")
    os.utime(tmp_path / "data")
    recompute(tmp_path / "data")
    verdict = verify(tmp_path / "data")
    assert verdict.problems == []
    assert not [note for note in verdict.notes if note.file == "meta/stats.json"]


def test_repair_saves_the_episodes_of_sound_files(root, base, tmp_path):
    with (
        Dataset(base) as dataset,
        DatasetWriter(tmp_path / "many", dataset.spec, limits=Limits(data_mb=1e-6)) as writer,
    ):
        for episode in (*dataset, *dataset):
            writer.add(episode)
    damaged = tmp_path / "many" / "data/chunk-000/file-001.parquet"
    damaged.write_bytes(damaged.read_bytes()[:50])
    result = repair(tmp_path / "many", tmp_path / "saved")
    assert (result.saved, result.lost) == (3, [1])
    assert verify(tmp_path / "saved").problems == []
    with Dataset(base) as old, Dataset(tmp_path / "saved") as new:
        for index, origin in enumerate((0, 0, 1)):
            assert np.array_equal(new.arrays(index)["action"], old.arrays(origin)["action"])
    cut(EPISODES)(root)
    with pytest.raises(TwinloomError):
        repair(root, tmp_path / "none")
    assert not (tmp_path / "none").exists()

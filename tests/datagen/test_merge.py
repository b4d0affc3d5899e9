"""merge: the episodes of several datasets, untouched, one after the other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from datagen.collect import collect
from datagen.lerobot.layout import Limits
from datagen.lerobot.merge import merge
from datagen.lerobot.read import Dataset
from datagen.lerobot.verify import verify
from tests.datagen.conftest import FIXTURE, files_of, make_run
from twinloom.errors import InvalidSettingsError, TwinloomError


@pytest.fixture(scope="module")
def two(tmp_path_factory) -> list[Path]:
    folder = tmp_path_factory.mktemp("two")
    for seed in (0, 1):
        collect(make_run(folder / str(seed), 4, 1, seed=seed))
    return [folder / "0", folder / "1"]


def check_parts(merged: Path, parts: list[Path]) -> None:
    with Dataset(merged) as whole:
        offset = 0
        for part in parts:
            with Dataset(part) as dataset:
                for episode in range(len(dataset)):
                    there, here = dataset.arrays(episode), whole.arrays(offset + episode)
                    for name in dataset.features:
                        if name in there:
                            assert there[name].tobytes() == here[name].tobytes()
                    assert [dataset.tasks[i] for i in there["task_index"]] == [
                        whole.tasks[i] for i in here["task_index"]
                    ]
                    assert (here["episode_index"] == offset + episode).all()
                    for camera in dataset.cameras:
                        for a, b in zip(
                            dataset.images(episode, camera), whole.images(offset + episode, camera), strict=True
                        ):
                            assert (a == b).all()
                offset += len(dataset)
        assert len(whole) == offset


def test_our_datasets(two, tmp_path):
    out = tmp_path / "merged"
    assert merge(two, out) == (16, sum(Dataset(part).frames for part in two))
    check_parts(out, two)
    verdict = verify(out)
    assert (verdict.problems, verdict.notes) == ([], [])
    with Dataset(out) as dataset, Dataset(two[1]) as second:
        assert dataset.episodes["record"].to_pylist()[8:] == second.episodes["record"].to_pylist()
    origin = json.loads((out / "meta/twinloom.json").read_text())
    assert [source["settings"]["seed"] for source in origin["sources"]] == [0, 1]


def test_lerobots_dataset_with_itself(tmp_path):
    out = tmp_path / "merged"
    assert merge([FIXTURE, FIXTURE], out) == (6, 600)
    check_parts(out, [FIXTURE, FIXTURE])
    assert verify(out).problems == []
    with Dataset(out) as dataset, Dataset(FIXTURE) as fixture:
        assert dataset.tasks == fixture.tasks
        for stat in ("min", "max", "mean", "std"):
            np.testing.assert_allclose(dataset.stats["action"][stat], fixture.stats["action"][stat], rtol=1e-5)


def test_missing_statistics_are_computed(two, tmp_path):
    bare = tmp_path / "bare"
    shutil.copytree(two[0], bare)
    path = bare / "meta/episodes/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    pq.write_table(table.select([name for name in table.column_names if "stats/" not in name]), path)
    for name in ("SHA256SUMS", "twinloom.json"):  # as of a dataset that others wrote
        (bare / "meta" / name).unlink()
    merge([bare, two[1]], tmp_path / "a")
    merge(two, tmp_path / "b")
    assert verify(tmp_path / "a").problems == []
    with Dataset(tmp_path / "a") as a, Dataset(tmp_path / "b") as b:
        np.testing.assert_allclose(a.stats["action"]["mean"], b.stats["action"]["mean"])


def test_small_files_roll_over(two, tmp_path):
    out = tmp_path / "merged"
    merge(two, out, limits=Limits(data_mb=0.004, video_mb=0.01, episodes=5))
    assert len(list(out.glob("data/*/*.parquet"))) > 2
    check_parts(out, two)
    assert verify(out).problems == []


def test_merging_repeats(two, tmp_path):
    merge(two, tmp_path / "a")
    merge(two, tmp_path / "b")
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


def test_every_difference_is_named(two, tmp_path):
    other = tmp_path / "other"
    collect(make_run(other, 1, 1, cameras=("head",), fps=50, robot="tank", size=(48, 32)))
    with pytest.raises(InvalidSettingsError) as caught:
        merge([two[0], other], tmp_path / "merged")
    text = "\n".join(caught.value.problems)
    for part in (
        "fps is 25 in",
        "robot_type is arm in",
        'left_wrist" is only in',
        'shape of "observation.images.head"',
    ):
        assert part in text
    assert not (tmp_path / "merged").exists()


def test_existing_folders_and_single_datasets_are_refused(two, tmp_path):
    with pytest.raises(TwinloomError, match="exists already"):
        merge(two, tmp_path)
    with pytest.raises(TwinloomError, match="at least two datasets"):
        merge(two[:1], tmp_path / "merged")


def test_a_damaged_source_leaves_nothing(two, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(two[1], broken)
    video = broken / "videos/observation.images.head/chunk-000/file-000.mp4"
    video.write_bytes(video.read_bytes()[:3000])
    with pytest.raises(TwinloomError, match=r"file-000\.mp4"):
        merge([two[0], broken], tmp_path / "merged")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken"]


def test_a_merged_dataset_is_not_continued_by_a_run(two, tmp_path):
    merge(two, tmp_path / "merged")
    with pytest.raises(TwinloomError, match=r"not the settings of a run \(a merged dataset\)"):
        collect(make_run(tmp_path / "merged", 4, 1))

"""Written datasets: what LeRobot expects to find, read back exactly, and equal bytes however they were committed."""

from __future__ import annotations

import errno
import itertools
import json
import os
import random
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from datagen.episode import DatasetSpec, Episode, Feature
from datagen.lerobot.codec import codecs
from datagen.lerobot.entry import EXTRA_COLUMNS
from datagen.lerobot.layout import Limits
from datagen.lerobot.read import Dataset
from datagen.lerobot.verify import verify
from datagen.lerobot.write import Writer
from datagen.staging import StagedEpisode, stage_episode
from tests.datagen.conftest import FIXTURE, files_of
from tests.datagen.fake import FEATURES, paint, read_number
from twinloom.errors import InvalidSettingsError, TwinloomError

SIZE = (32, 24)
HEAD = "observation.images.head"
SPEC = DatasetSpec(25, "arm", "fake", FEATURES | {HEAD: Feature("video", (24, 32, 3), ("h", "w", "c"))}, "targets")
VIDEOS = {HEAD: codecs["h264"].info(*SIZE, 25)}
SMALL = Limits(data_mb=0.003, video_mb=0.008, episodes=4, chunk=2)  # many files and chunks from few episodes


def make_episode(number: int, length: int, spec: DatasetSpec = SPEC) -> Episode:
    rng = np.random.default_rng(number)
    motion = rng.normal(size=(length, 6)).astype(np.float32)
    size = spec.features[HEAD].shape[1::-1]
    return Episode(
        task="calm",
        instruction=f"sentence {number % 3}",
        arrays={
            "observation.state": motion,
            "action": motion * 2,
            "observation.effort": motion.sum(axis=1),
        },
        images=({HEAD: paint(number << 8 | frame & 255, size, 90)} for frame in range(length)),
        success=True,
        seed=(0, 1, number, 0),
        record={"number": number, "text": "Grüße"},
        extra={"instructions": {"seen": ["a"], "unseen": ["b"]}, "timing": {"plan": 0.1}},
    )


@pytest.fixture(scope="module")
def staged(tmp_path_factory) -> list[StagedEpisode]:
    out = tmp_path_factory.mktemp("staged")
    lengths = [5, 1, 30, 12, 7, 1, 19, 3, 26, 2]
    for number, length in enumerate(lengths):
        stage_episode(out, number, make_episode(number, length), SPEC, codecs["h264"], 1)
    return [StagedEpisode(out, number) for number in range(len(lengths))]


def write(root: Path, episodes: list[StagedEpisode], cuts=(), limits: Limits = SMALL) -> Path:
    bounds = [0, *sorted(cuts), len(episodes)]
    for begin, end in itertools.pairwise(bounds):
        # a fresh writer each time: as if the process had ended in between
        Writer(root, SPEC, VIDEOS, limits).append([episode.entry for episode in episodes[begin:end]])
    return root


def check_content(root: Path, count: int) -> None:
    """Every number and every frame is the one that was given."""
    with Dataset(root) as dataset:
        assert len(dataset) == count
        for number in range(count):
            arrays, row = dataset.arrays(number), dataset.row(number)
            original = make_episode(number, row["length"])
            for name, array in original.arrays.items():
                assert arrays[name].tobytes() == array.tobytes()
            assert dataset.tasks[int(arrays["task_index"][0])] == original.instruction
            for frame in range(row["length"]):
                assert read_number(dataset.frame(number, frame, HEAD)) == number << 8 | frame
        records = [json.loads(text) for text in dataset.episodes["record"].to_pylist()]
        assert records == [{"number": number, "text": "Grüße"} for number in range(count)]


def test_frame_k_of_episode_n_is_exactly_that_frame(staged, tmp_path):
    root = write(tmp_path / "data", staged)
    assert len(list(root.rglob("data/*/*.parquet"))) > 2
    assert (root / "data/chunk-001").is_dir()
    assert len(list(root.rglob("videos/*/*/*.mp4"))) > 1
    check_content(root, len(staged))
    assert verify(root).problems == []


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.sets(st.integers(1, 9)), large=st.booleans())
def test_the_bytes_do_not_depend_on_the_commits(staged, tmp_path_factory, cuts, large):
    limits = Limits() if large else SMALL
    folder = tmp_path_factory.mktemp("commits")
    assert files_of(write(folder / "a", staged, cuts, limits)) == files_of(write(folder / "b", staged, (), limits))


def test_a_commit_that_breaks_off_anywhere_leaves_old_or_new(staged, tmp_path, monkeypatch):
    """The rename is stopped at every position in turn, as a kill would; then the next writer carries on."""
    expected = files_of(write(tmp_path / "expected", staged, {6}))
    real = os.replace
    stopped_at = rolled_back = 0
    while True:
        root = write(tmp_path / f"data{stopped_at}", staged[:6])
        calls = 0

        def replace_some(source, target, stop=stopped_at):
            nonlocal calls
            if calls == stop:
                raise KeyboardInterrupt
            calls += 1
            real(source, target)

        monkeypatch.setattr(os, "replace", replace_some)
        try:
            write(root, staged[6:])
            break  # there were fewer renames than that
        except KeyboardInterrupt:
            pass
        finally:
            monkeypatch.setattr(os, "replace", real)
        check_content(root, 6)
        if Writer(root, SPEC, VIDEOS, SMALL).state.episodes == 6:  # else it finished what was begun
            write(root, staged[6:])
            rolled_back += 1
        assert files_of(root) == expected
        stopped_at += 1
    assert stopped_at > 8
    assert rolled_back == 0  # all renames come after everything is on the disk


def test_the_layout_is_lerobots(staged, tmp_path):
    """Field by field beside a dataset that LeRobot wrote."""
    root = write(tmp_path / "data", staged, limits=Limits())
    ours, theirs = (json.loads((r / "meta/info.json").read_text()) for r in (root, FIXTURE))
    assert list(ours) == list(theirs)
    for key in ("codebase_version", "chunks_size", "data_files_size_in_mb", "video_files_size_in_mb"):
        assert ours[key] == theirs[key]
    assert (ours["data_path"], ours["video_path"]) == (theirs["data_path"], theirs["video_path"])
    assert ours["splits"] == {"train": "0:10"}
    for name in ("timestamp", "frame_index", "episode_index", "index", "task_index"):
        assert ours["features"][name] == theirs["features"][name]
    front = theirs["features"]["observation.images.front"]
    assert set(ours["features"][HEAD]["info"]) == set(front["info"])
    assert set(ours["features"]["action"]) - {"unit"} == set(theirs["features"]["action"])

    data, fixture = (pq.ParquetFile(r / "data/chunk-000/file-000.parquet") for r in (root, FIXTURE))
    assert data.schema_arrow.field("action").type == pa.list_(pa.float32(), 6)
    for name in ("timestamp", "frame_index", "episode_index", "index", "task_index"):
        assert data.schema_arrow.field(name).type == fixture.schema_arrow.field(name).type
    assert data.num_row_groups == len(staged)
    described, wanted = (
        json.loads(f.schema_arrow.metadata[b"huggingface"])["info"]["features"] for f in (data, fixture)
    )
    assert described["action"] == wanted["action"] | {"length": 6}
    assert described["timestamp"] == wanted["timestamp"]
    assert data.metadata.row_group(0).column(0).compression == fixture.metadata.row_group(0).column(0).compression

    tasks, wanted = (pq.read_schema(r / "meta/tasks.parquet") for r in (root, FIXTURE))
    assert tasks.names == wanted.names
    pandas, wanted = (json.loads(schema.metadata[b"pandas"]) for schema in (tasks, wanted))
    assert pandas["index_columns"] == wanted["index_columns"] == ["task"]
    assert [c["name"] for c in pandas["columns"]] == [c["name"] for c in wanted["columns"]]

    rows, wanted = (pq.read_schema(r / "meta/episodes/chunk-000/file-000.parquet") for r in (root, FIXTURE))
    translate = {"front": "head"}
    for field in wanted:
        name = field.name
        for old, new in translate.items():
            name = name.replace(old, new)
        if "wrist" not in name:
            assert str(rows.field(name).type) == str(field.type), name
    lerobots = [name for name in rows.names if name not in EXTRA_COLUMNS and not name.startswith("stats/")]
    assert lerobots == [
        name.replace("front", "head") for name in wanted.names if not name.startswith("stats/") and "wrist" not in name
    ]
    stats, wanted = (json.loads((r / "meta/stats.json").read_text()) for r in (root, FIXTURE))
    for name, other in (("action", "action"), (HEAD, "observation.images.front"), ("index", "index")):
        assert list(stats[name]) == list(wanted[other])
        assert np.shape(stats[name]["mean"])[1:] == np.shape(wanted[other]["mean"])[1:]


def test_task_ids_follow_first_appearance(staged, tmp_path):
    with Dataset(write(tmp_path / "data", staged)) as dataset:
        assert dataset.tasks == {0: "sentence 0", 1: "sentence 1", 2: "sentence 2"}


def test_lerobots_dataset_reads_back():
    with Dataset(FIXTURE) as dataset:
        assert (len(dataset), dataset.frames, dataset.fps) == (3, 300, 20)
        arrays = dataset.arrays(1)
        assert arrays["action"].shape == (100, 14)
        assert arrays["index"][0] == 120
        first = dataset.frame(1, 0, "observation.images.front")
        assert first.shape == (64, 64, 3)
        assert (dataset.frame(0, 119, "observation.images.front") != first).any()
        assert dataset.tasks[0] == "stack the blocks"


def test_forty_minutes_in_one_episode(tmp_path):
    """60,000 frames at 25 Hz: time stamps are rounded once, and the last frame is still exactly the last."""
    length, size = 60_000, (16, 16)
    spec = replace(SPEC, features=FEATURES | {HEAD: Feature("video", (16, 16, 3), ())})
    levels = [np.full((16, 16, 3), level, np.uint8) for level in range(0, 250, 10)]
    episode = make_episode(0, length)
    episode.images = ({HEAD: levels[frame % 25]} for frame in range(length))
    stage_episode(tmp_path, 0, episode, spec, codecs["h264"], 1)
    root = tmp_path / "data"
    Writer(root, spec, {HEAD: codecs["h264"].info(*size, 25)}).append([StagedEpisode(tmp_path, 0).entry])
    with Dataset(root) as dataset:
        times = dataset.arrays(0)["timestamp"]
        assert times.dtype == np.float32
        assert (times == (np.arange(length) / 25).astype(np.float32)).all()
        assert dataset.row(0)[f"videos/{HEAD}/to_timestamp"] == 2400.0
        for index in (0, 1, 30_001, 59_998, 59_999):
            assert round(float(dataset.frame(0, index, HEAD).mean()) / 10) == index % 25
    assert verify(root, quick=True).problems == []


def test_odd_sizes_are_stored_as_they_are(tmp_path):
    spec = replace(SPEC, features=FEATURES | {HEAD: Feature("video", (25, 33, 3), ())})
    stage_episode(tmp_path, 0, make_episode(3, 9, spec), spec, codecs["h264"], 1)
    root = tmp_path / "data"
    Writer(root, spec, {HEAD: codecs["h264"].info(33, 25, 25)}).append([StagedEpisode(tmp_path, 0).entry])
    with Dataset(root) as dataset:
        assert dataset.info["features"][HEAD]["info"]["video.pix_fmt"] == "yuv444p"
        for index, frame in enumerate(dataset.images(0, HEAD)):
            assert frame.shape == (25, 33, 3)
            assert read_number(frame) == 3 << 8 | index
    assert verify(root).problems == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a.pop("action"), '"action" is missing'),
        (lambda a: a.update(action=a["action"][:, :5]), r'"action" has shape \(9, 5\), expected \(9, 6\)'),
        (lambda a: a.update(action=a["action"].astype(float)), '"action" is float64, expected float32'),
        (lambda a: a["action"].__setitem__((4, 2), np.nan), '"action" is not finite at frame 4'),
        (lambda a: a.update(torque=a["action"]), '"torque" is no feature'),
    ],
)
def test_arrays_that_do_not_fit_never_reach_the_disk(tmp_path, change, message):
    episode = make_episode(0, 9)
    change(episode.arrays)
    with pytest.raises(InvalidSettingsError, match=message):
        stage_episode(tmp_path, 0, episode, SPEC, codecs["h264"], 1)
    assert list(tmp_path.rglob("*.mp4")) == []


def test_an_encoder_that_fails_says_so_and_leaves_nothing(tmp_path):
    episode = make_episode(0, 9)
    episode.images = ({HEAD: np.zeros((5, 5, 3), np.uint8)} for _ in range(9))
    with pytest.raises(ValueError, match="a frame is"):
        stage_episode(tmp_path, 0, episode, SPEC, codecs["h264"], 1)
    assert list((tmp_path / ".staging").iterdir()) == []


def test_an_encoder_that_fails_at_the_very_end_says_so_too(tmp_path, monkeypatch):
    def full(self):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("datagen.encode.VideoWriter.close", full)
    with pytest.raises(TwinloomError, match="the disk is full"):
        stage_episode(tmp_path, 0, make_episode(0, 9), SPEC, codecs["h264"], 1)
    assert list((tmp_path / ".staging").iterdir()) == []


def test_another_dataset_in_the_folder_is_not_continued(staged, tmp_path):
    root = write(tmp_path / "data", staged[:2])
    with pytest.raises(InvalidSettingsError, match=r'head", info, video.fps is 25 there, 50 here; fps is 25 there, 50'):
        Writer(root, replace(SPEC, fps=50), {HEAD: codecs["h264"].info(*SIZE, 50)}, SMALL)


def test_files_of_an_interrupted_commit_are_removed(staged, tmp_path):
    root = write(tmp_path / "data", staged)
    before = files_of(root)
    (root / "data/chunk-009").mkdir()
    (root / "data/chunk-009/file-001.parquet").write_bytes(b"orphan")
    (root / "notes.txt").write_text("mine")
    Writer(root, SPEC, VIDEOS, SMALL)
    assert files_of(root) == before | {"notes.txt": b"mine"}


@pytest.mark.parametrize(
    ("version", "message"),
    [("v2.1", "convert it with: datagen import"), ("v4.0", 'format "v4.0", this reader needs "v3.0"')],
)
def test_other_versions_are_refused_with_a_hint(staged, tmp_path, version, message):
    root = write(tmp_path / "data", staged[:1])
    path = root / "meta/info.json"
    path.write_text(path.read_text().replace("v3.0", version))
    with pytest.raises(TwinloomError, match=message):
        Dataset(root)


def test_readers_need_neither_statistics_nor_our_columns(staged, tmp_path):
    root = write(tmp_path / "data", staged, limits=Limits())
    path = root / "meta/episodes/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    pq.write_table(table.select([n for n in table.column_names if "stats/" not in n and n not in EXTRA_COLUMNS]), path)
    (root / "meta/stats.json").unlink()
    with Dataset(root) as dataset:
        assert dataset.stats == {}
        assert dataset.episode_stats(0) == {}
        assert dataset.arrays(2)["action"].shape == (30, 6)


def test_asking_for_what_is_not_there(staged, tmp_path):
    with Dataset(write(tmp_path / "data", staged[:2])) as dataset:
        for call, message in (
            (lambda: dataset.row(2), "has episodes 0 to 1, not 2"),
            (lambda: dataset.frame(1, 1, HEAD), "has frames 0 to 0, not 1"),
            (lambda: dataset.frame(0, 0, "front"), f'no camera "front"; it has {HEAD}'),
        ):
            with pytest.raises(TwinloomError, match=message):
                call()
    with pytest.raises(TwinloomError, match="is no LeRobot dataset"):
        Dataset(tmp_path)


def test_reading_in_random_order_is_exact(staged, tmp_path):
    with Dataset(write(tmp_path / "data", staged)) as dataset:
        places = [(n, k) for n in range(len(dataset)) for k in range(dataset.row(n)["length"])]
        random.Random(0).shuffle(places)
        assert all(read_number(dataset.frame(n, k, HEAD)) == n << 8 | k for n, k in places)


def test_a_continued_writer_knows_what_is_open(staged, tmp_path):
    writer = Writer(tmp_path / "data", SPEC, VIDEOS, SMALL)
    for episode in staged:
        writer.append([episode.entry])
        again = Writer(tmp_path / "data", SPEC, VIDEOS, SMALL).state
        assert (again.data, again.meta, again.videos) == (writer.state.data, writer.state.meta, writer.state.videos)
    assert 0 < writer.state.open_episodes < len(staged)


@pytest.mark.slow
def test_a_thousand_episodes_cost_the_same_each(staged, tmp_path):
    """Commits of 50; the last ones take no longer than the first ones, and memory stays where it was."""
    limits = Limits(data_mb=0.1, video_mb=0.2, episodes=200)
    writer = Writer(tmp_path / "data", SPEC, VIDEOS, limits)
    entries = [episode.entry for episode in staged] * 5
    seconds, memory = [], []
    for _ in range(20):
        began = time.process_time()
        writer.append(entries)
        seconds.append(time.process_time() - began)
        memory.append(int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20)
    assert writer.state.episodes == 1000
    assert np.median(seconds[-5:]) < 1.5 * np.median(seconds[2:7])
    assert memory[-1] - memory[4] < 40  # MiB
    with Dataset(tmp_path / "data") as dataset:
        assert read_number(dataset.frame(998, 25, HEAD)) == 8 << 8 | 25

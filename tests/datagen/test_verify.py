"""verify: silent on sound datasets, and whatever is damaged, it names the file and, if there is one, the episode."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datagen.collect import collect
from datagen.lerobot.manifest import Manifest
from datagen.lerobot.verify import verify
from datagen.lerobot.video import Clip, join
from tests.datagen.conftest import FIXTURE, make_run
from twinloom.errors import TwinloomError

DATA = "data/chunk-000/file-000.parquet"
EPISODES = "meta/episodes/chunk-000/file-000.parquet"
HEAD = "observation.images.head"
VIDEO = f"videos/{HEAD}/chunk-000/file-000.mp4"


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("sound") / "data"
    collect(make_run(out, 5, 1, tasks=("calm", "flaky"), cameras=("head",)))
    return out


@pytest.fixture
def dataset(sound, tmp_path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "data"))


def reseal(root: Path) -> None:
    """Make the checksums fit again, so that they are not what finds the damage."""
    manifest = Manifest.load(root)
    for name in list(manifest.sums):
        if (root / name).exists():
            manifest.add(root, Path(name))
    (root / "meta/SHA256SUMS").write_bytes(manifest.text())


def edit_table(root: Path, file: str, change: Callable[[pa.Table], pa.Table]) -> None:
    table = pq.read_table(root / file)
    pq.write_table(change(table), root / file)
    reseal(root)


def edit_column(root: Path, file: str, name: str, change: Callable[[list], None]) -> None:
    def apply(table: pa.Table) -> pa.Table:
        values = table[name].to_pylist()
        change(values)
        index = table.column_names.index(name)
        return table.set_column(index, table.schema.field(index), pa.array(values, table.schema.field(index).type))

    edit_table(root, file, apply)


def edit_json(root: Path, file: str, change: Callable[[dict], None]) -> None:
    value = json.loads((root / file).read_text())
    change(value)
    (root / file).write_text(json.dumps(value, indent=4))
    reseal(root)


def problems(root: Path) -> list[str]:
    return [str(problem) for problem in verify(root).problems]


def put(index: int, value) -> Callable[[list], None]:
    return lambda values: values.__setitem__(index, value)


def bend(index: int, element: int, value: float) -> Callable[[list], None]:
    return lambda values: values[index].__setitem__(element, value)


def test_a_dataset_written_by_lerobot_passes():
    verdict = verify(FIXTURE)
    assert (verdict.problems, verdict.episodes, verdict.frames) == ([], 3, 300)
    assert [note.message.partition(" are not")[0] for note in verdict.notes if note.file == "meta/stats.json"] == [
        f'q01, q10, q50, q90, q99 of "{name}"' for name in ("action", "observation.state")
    ]


def test_our_dataset_passes_with_and_without_decoding(sound):
    assert problems(sound) == []
    assert verify(sound, quick=True).problems == []


TABLE_DAMAGE = {
    "frame index": (DATA, "frame_index", put(2, 7), "episode 0: frame_index of frame 2 is 7, expected 2"),
    "episode index": (DATA, "episode_index", put(-1, 3), "episode 9: episode_index of frame"),
    "global index": (DATA, "index", put(0, 9), "episode 0: index of frame 0 is 9, expected 0"),
    "timestamp": (DATA, "timestamp", put(1, 0.05), "episode 0: timestamp of frame 1 is 0.050000, expected 0.040000"),
    "timestamp NaN": (DATA, "timestamp", put(1, float("nan")), "timestamp of frame 1 is nan"),
    "unknown task": (DATA, "task_index", put(0, 77), "episode 0: task_index 77 is not in meta/tasks.parquet"),
    "other task": (DATA, "task_index", put(0, 1), "episode 0: frames have the tasks"),
    "not finite": (DATA, "action", bend(3, 4, float("inf")), 'episode 0: "action" is not finite at frame 3'),
    "changed value": (DATA, "action", bend(3, 4, 500.0), 'episode 0: max, mean, std of "action" in the statistics'),
    "missing value": (DATA, "observation.effort", put(0, None), "some values are missing"),
    "length": (EPISODES, "length", put(4, 1), "episode 4: dataset_from_index to dataset_to_index is"),
    "start": (EPISODES, "dataset_from_index", put(4, 1), "episode 4: dataset_from_index is 1, the episode before"),
    "numbering": (EPISODES, "episode_index", put(4, 9), "episode 4: episode_index is 9, expected 4"),
    "video time": (EPISODES, f"videos/{HEAD}/from_timestamp", put(4, 0.5), "episode 4: from_timestamp of"),
    "video end": (EPISODES, f"videos/{HEAD}/to_timestamp", put(4, 99.0), "episode 4: to_timestamp of"),
    "video file": (EPISODES, f"videos/{HEAD}/file_index", put(9, 3), "file-003.mp4: the file is missing"),
    "data file": (EPISODES, "data/file_index", put(9, 3), "data/chunk-000/file-003.parquet: the file is missing"),
    "sentence": (EPISODES, "tasks", put(4, ["sing"]), 'episode 4: sentence "sing" is missing'),
    "record": (EPISODES, "record", put(4, "{"), "episode 4: record is not JSON"),
    "statistics": (EPISODES, "stats/action/mean", bend(4, 0, 99.0), 'episode 4: mean of "action" in the statistics'),
    "quantile": (EPISODES, "stats/action/q50", bend(4, 0, 99.0), 'episode 4: q50 of "action" in the statistics'),
    "colour": (EPISODES, f"stats/{HEAD}/mean", put(4, [[[0.9]], [[0.9]], [[0.9]]]), "episode 4: mean colour of"),
    "task number": ("meta/tasks.parquet", "task_index", put(0, 5), "task_index is not 0 to"),
    "doubled task": ("meta/tasks.parquet", "task", lambda v: put(0, v[1])(v), "is there more than once"),
}


@pytest.mark.parametrize("name", TABLE_DAMAGE)
def test_damaged_tables_are_named(dataset, name):
    file, column, change, message = TABLE_DAMAGE[name]
    edit_column(dataset, file, column, change)
    assert any(message in problem for problem in problems(dataset)), problems(dataset)


INFO_DAMAGE = {
    "fps": (lambda info: info.update(fps=24), "timestamp of frame 1 is 0.040000, expected 0.041667"),
    "fractional fps": (lambda info: info.update(fps=29.97), "meta/info.json: fps is 29.97, expected a whole number"),
    "frames": (lambda info: info.update(total_frames=1), "total_frames is 1, the episodes add up to"),
    "more episodes": (lambda info: info.update(total_episodes=11), "meta/episodes: 10 episodes, info.json counts 11"),
    "fewer episodes": (lambda info: info.update(total_episodes=9), "1 episodes more than info.json counts"),
    "tasks": (lambda info: info.update(total_tasks=99), "tasks, info.json counts 99"),
    "splits": (lambda info: info.update(splits={"train": "0:99"}), "do not fit 10 episodes"),
    "size": (lambda info: info["features"][HEAD].update(shape=[48, 32, 3]), "frames are 32x24, info.json says 32x48"),
    "codec": (lambda info: info["features"][HEAD]["info"].update({"video.codec": "av1"}), "video.codec is h264"),
    "shape": (lambda info: info["features"]["action"].update(shape=[5], names=None), 'column "action" does not have'),
    "dtype": (lambda info: info["features"]["action"].update(dtype="float64"), 'column "action" is float32, info.json'),
    "names": (lambda info: info["features"]["action"].update(names=["a"]), '"action" has 6 elements but 1 names'),
    "feature": (lambda info: info["features"].pop("action"), 'column "action" is in no feature'),
    "version": (lambda info: info.update(codebase_version="v2.1"), 'has LeRobot format "v2.1"'),
}


@pytest.mark.parametrize("name", INFO_DAMAGE)
def test_a_wrong_info_is_named(dataset, name):
    change, message = INFO_DAMAGE[name]
    edit_json(dataset, "meta/info.json", change)
    assert any(message in problem for problem in problems(dataset)), problems(dataset)


def test_wrong_totals_are_named(dataset):
    edit_json(dataset, "meta/stats.json", lambda stats: stats["action"].update(max=[9.0] * 6))
    assert problems(dataset) == ['meta/stats.json: max of "action" do not fit the episodes']


FILE_DAMAGE = {
    "data gone": (lambda root: (root / DATA).unlink(), f"{DATA}: the file is missing"),
    "video gone": (lambda root: (root / VIDEO).unlink(), f"{VIDEO}: the file is missing"),
    "episodes gone": (lambda root: (root / EPISODES).unlink(), "meta/episodes: 0 episodes, info.json counts 10"),
    "tasks gone": (lambda root: (root / "meta/tasks.parquet").unlink(), "meta/tasks.parquet: "),
    "stats gone": (lambda root: (root / "meta/stats.json").unlink(), "meta/stats.json: the file is missing"),
    "sums gone": (lambda root: (root / "meta/SHA256SUMS").unlink(), "meta/SHA256SUMS: the file is missing"),
    "info gone": (lambda root: (root / "meta/info.json").unlink(), "meta/info.json: "),
    "extra data": (lambda root: shutil.copy(root / DATA, (root / DATA).with_name("file-001.parquet")), "no episode"),
    "extra video": (lambda root: (root / "videos/x.mp4").write_bytes(b""), "videos/x.mp4: the file belongs to no"),
    "extra meta": (lambda root: (root / "meta/x.json").write_bytes(b"{}"), "meta/x.json: the file is not listed"),
    "short data": (lambda root: cut(root / DATA, 0.6), f"{DATA}: not readable"),
    "short video": (lambda root: cut(root / VIDEO, 0.6), f"{VIDEO}: "),
    "short episodes": (lambda root: cut(root / EPISODES, 0.6), f"{EPISODES}: not readable"),
    "empty video": (lambda root: (root / VIDEO).write_bytes(b""), f"{VIDEO}: "),
    "info no JSON": (lambda root: cut(root / "meta/info.json", 0.5), "meta/info.json: "),
    "stats no JSON": (lambda root: cut(root / "meta/stats.json", 0.5), "meta/stats.json: not readable"),
}


def cut(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])


@pytest.mark.parametrize("name", FILE_DAMAGE)
def test_missing_extra_and_cut_off_files_are_named(dataset, name):
    damage, message = FILE_DAMAGE[name]
    damage(dataset)
    if name != "sums gone":
        reseal(dataset)
    assert any(message in problem for problem in problems(dataset)), problems(dataset)


def test_rows_that_are_missing_or_swapped_are_named(dataset):
    edit_table(dataset, DATA, lambda table: table.slice(0, len(table) - 2))
    assert any("rows, its 10 episodes have" in problem for problem in problems(dataset))


def test_a_video_that_lost_frames_is_named(dataset, tmp_path):
    lengths = pq.read_table(dataset / EPISODES)["length"].to_pylist()
    short = tmp_path / "short.mp4"
    with short.open("wb") as file:
        join(file, [Clip(dataset / VIDEO, 0, sum(lengths) - lengths[-1])], 25)
    shutil.copy(short, dataset / VIDEO)
    reseal(dataset)
    found = problems(dataset)
    assert any(f"{VIDEO}: {sum(lengths) - lengths[-1]} frames, its 10 episodes have {sum(lengths)}" in p for p in found)
    assert any(f"{VIDEO}, episode 9: frame 0 and later do not decode" in p for p in found)


def test_frames_of_the_wrong_episode_are_noticed_by_their_colour(dataset, tmp_path):
    """Same count, same codec, other images: only the statistics can tell."""
    other = tmp_path / "other"
    collect(make_run(other, 5, 1, tasks=("calm", "flaky"), cameras=("left_wrist", "head")))
    shutil.copy(other / VIDEO, dataset / VIDEO)
    reseal(dataset)
    assert any('mean colour of "observation.images.head"' in problem for problem in problems(dataset))


def test_what_killed_runs_leave_is_a_note(dataset):
    for name in (".staging/commit", ".staging/slot-000031.77.partial", ".staging/slot-000030"):
        (dataset / name).mkdir(parents=True)
    verdict = verify(dataset)
    assert verdict.problems == []
    assert len(verdict.notes) == 3
    assert "1 finished slots wait" in " ".join(map(str, verdict.notes))


def test_many_problems_of_one_kind_are_summed_up(dataset):
    edit_column(dataset, DATA, "frame_index", lambda values: values.__setitem__(slice(None), [9999] * len(values)))
    found = [p for p in problems(dataset) if "frame_index of frame" in p or "kind (frame_index)" in p]
    assert len(found) == 6
    assert "more problems of this kind" in found[-1]


@pytest.mark.parametrize("seed", range(12))
def test_random_damage_is_always_noticed(dataset, seed):
    """One random byte or stretch of any file is changed, removed or added."""
    rng = random.Random(seed)
    files = sorted(p for p in dataset.rglob("*") if p.is_file() and ".staging" not in p.parts)
    free = {"account.json", "timing.jsonl", "errors.log"}
    path = rng.choice([p for p in files if p.name not in free])
    content = bytearray(path.read_bytes())
    place = rng.randrange(len(content))
    kind = rng.choice(["flip", "cut", "zero", "insert"])
    if kind == "flip":
        content[place] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del content[place:]
    elif kind == "zero":
        stretch = content[place : place + 64]
        content[place : place + 64] = bytes(byte ^ 255 for byte in stretch)
    else:
        content[place:place] = b"\x00" * 16
    path.write_bytes(bytes(content))
    assert problems(dataset), f"{kind} at {place} of {path.relative_to(dataset)}"


def test_damaged_numbers_in_parquet_are_noticed_without_checksums(dataset):
    """Pages carry their own CRC, so a flipped bit is found even where SHA256SUMS is gone."""
    rng = random.Random(0)
    original, table = (dataset / DATA).read_bytes(), pq.read_table(dataset / DATA)
    noticed = 0
    for _ in range(20):
        content = bytearray(original)
        content[rng.randrange(4, len(content) // 2)] ^= 1 << rng.randrange(8)
        (dataset / DATA).write_bytes(bytes(content))
        reseal(dataset)
        if problems(dataset):
            noticed += 1
        else:  # it hit a hint in a page's header: no number is another
            assert pq.read_table(dataset / DATA).equals(table)
    assert noticed > 10


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(TwinloomError, match="is no folder"):
        verify(tmp_path / "nowhere")
    assert "is no LeRobot dataset" in problems(tmp_path)[0]


def test_image_means_of_the_reference_are_close(sound):
    """The tolerance for colours is well above coding loss and well below the distance of two cameras (40 levels)."""
    stats = json.loads((sound / "meta/stats.json").read_text())[HEAD]
    assert 0 < np.mean(stats["mean"]) < 1

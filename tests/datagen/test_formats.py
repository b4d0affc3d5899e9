"""Other formats: round trips are exact, and files that others wrote in the layout of the original code are read."""

from __future__ import annotations

import io
import json
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

import datagen
from datagen import formats
from datagen.dataset import copy
from datagen.episode import DatasetSpec, Episode, Feature
from datagen.formats import ReadConfig
from datagen.lerobot.verify import verify
from tests.datagen.conftest import FIXTURE
from tests.datagen.fake import paint, read_number
from twinloom.errors import TwinloomError
from twinloom.features import ACTION, IMAGES, STATE, image_feature

h5py, zarr = pytest.importorskip("h5py"), pytest.importorskip("zarr")
HEAD = IMAGES + "head"
JOINTS = tuple(f"{side}_{j}" for side in ("left", "right") for j in (*(f"joint{k + 1}" for k in range(6)), "gripper"))
SPEC = DatasetSpec(
    25, "arm", "fake",
    {STATE: Feature("float32", (14,), JOINTS, "rad"), ACTION: Feature("float32", (14,), JOINTS, "rad"),
     "observation.effort": Feature("float32", (1,), ("effort",), "N m"), HEAD: image_feature(24, 32)},
    "targets",
)  # fmt: skip
PATHS = {
    "robotwin": "out",
    "robomimic": "out.hdf5",
    "diffusion_policy": "out.zarr",
    "lerobot21": "out",
    "lerobot30": "out",
}


def make_episode(number: int, length: int = 5) -> Episode:
    motion = np.random.default_rng(number).normal(size=(length, 14)).astype(np.float32)
    return Episode(
        task="calm",
        instruction=f"sentence {number % 2}",
        arrays={STATE: motion, ACTION: motion * 2, "observation.effort": motion.sum(axis=1)},
        images=({HEAD: paint(number << 8 | frame, (32, 24), 90)} for frame in range(length)),
        success=number != 1,
        seed=(0, 1, number, 0),
        record={"number": number, "text": "Grüße"},
        extra={"instructions": {"seen": ["a"], "unseen": ["b"]}},
    )


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("formats") / "data"
    with datagen.DatasetWriter(out, SPEC) as writer:
        assert [writer.add(make_episode(number, 4 + number)) for number in range(3)] == [0, 1, 2]
    assert verify(out).problems == []
    assert not (out / ".staging").exists()
    return out


@pytest.mark.parametrize("name", PATHS)
def test_a_round_trip_keeps_every_number_and_word(root, tmp_path, name):
    path, back = tmp_path / PATHS[name], tmp_path / "back"
    with datagen.Dataset(root) as source, formats.load(name).writer(path, source.spec) as target:
        assert copy(source, target) == 3
    assert formats.detect(path) == name
    reader = formats.load(name).reader(path, ReadConfig())
    with datagen.DatasetWriter(back, reader.spec) as target:
        copy(reader, target)
    assert verify(back).problems == []
    with datagen.Dataset(root) as before, datagen.Dataset(back) as after:
        assert (after.fps, after.robot_type, list(after.features)) == (
            before.fps,
            before.robot_type,
            list(before.features),
        )
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            for key, array in old.arrays.items():
                assert new.arrays[key].tobytes() == array.tobytes(), key
            for key in ("task", "instruction", "success", "seed", "record"):
                assert getattr(new, key) == getattr(old, key), key
            assert new.extra["instructions"] == old.extra["instructions"]
            pairs = list(zip(old.images, new.images, strict=True))
            assert [read_number(image[HEAD]) for _, image in pairs] == [index << 8 | k for k in range(len(pairs))]
            if name in ("lerobot21", "lerobot30"):  # copied, not encoded
                assert all(np.array_equal(a[HEAD], b[HEAD]) for a, b in pairs)


def imported(path: Path, out: Path, config: ReadConfig | None = None) -> datagen.Dataset:
    reader = formats.load(formats.detect(path)).reader(path, config or ReadConfig())
    with datagen.DatasetWriter(out, reader.spec) as target:
        copy(reader, target)
    assert verify(out).problems == []
    return datagen.Dataset(out)


def bgr_jpeg(image: np.ndarray) -> bytes:
    """What cv2.imencode makes of an RGB array: it believes it to be BGR."""
    file = io.BytesIO()
    Image.fromarray(image[..., ::-1].copy()).save(file, "JPEG", quality=95)
    return file.getvalue()


def colourful(number: int) -> np.ndarray:
    image = paint(number, (32, 24), 90)
    image[..., 0] = np.maximum(image[..., 0], 180)  # reddish: exchanged channels would show
    return image


@pytest.mark.parametrize("raw", [False, True])
def test_robotwins_own_files_are_read(tmp_path, raw):
    folder = tmp_path / "hanging_mug" / "demo_clean"
    (folder / "data").mkdir(parents=True)
    (folder / "instructions").mkdir()
    vectors = np.random.default_rng(0).normal(size=(2, 6, 14))
    for episode, vector in enumerate(vectors):
        if raw:
            cache = folder / f".cache/episode{episode}"
            cache.mkdir(parents=True)
            for k, row in enumerate(vector):
                frame = {"observation": {"head_camera": {"rgb": colourful(episode << 8 | k)}}}
                frame |= {"joint_action": {"vector": row, "left_arm": row[:6].tolist()}, "pointcloud": []}
                (cache / f"{k}.pkl").write_bytes(pickle.dumps(frame))
        else:
            with h5py.File(folder / f"data/episode{episode}.hdf5", "w") as file:
                file["joint_action/vector"] = vector
                file["endpose/left_endpose"], file["endpose/right_endpose"] = vector[:, :7], vector[:, 7:]
                file["endpose/left_gripper"], file["endpose/right_gripper"] = vector[:, 6], vector[:, 13]
                coded = [bgr_jpeg(colourful(episode << 8 | k)) for k in range(6)]
                longest = max(map(len, coded))
                file["observation/head_camera/rgb"] = np.array(coded, dtype=f"S{longest}")
        text = {"seen": [f"Hang mug {episode}"], "unseen": ["Put it up"]}
        (folder / f"instructions/episode{episode}.json").write_text(json.dumps(text))
    (folder / "seed.txt").write_text("3 7")
    (folder / "scene_info.json").write_text(json.dumps({"episode_1": {"{A}": "mug"}}))
    with pytest.raises(TwinloomError, match="--fps"):
        formats.load("robotwin").reader(folder, ReadConfig())
    with imported(folder, tmp_path / "out", ReadConfig(fps=15, robot="aloha")) as dataset:
        assert (len(dataset), dataset.fps, dataset.robot_type) == (2, 15, "aloha")
        for index, episode in enumerate(dataset):
            vector = vectors[index].astype(np.float32)
            assert np.array_equal(episode.arrays[STATE], vector[:-1])
            assert np.array_equal(episode.arrays[ACTION], vector[1:])  # the target of the next frame
            assert ("observation.endpose" in episode.arrays) != raw
            assert (episode.task, episode.instruction, episode.seed) == (
                "hanging_mug",
                f"Hang mug {index}",
                ((3, 7)[index],),
            )
            for k, images in enumerate(episode.images):
                assert read_number(images[HEAD][..., 1:2]) == index << 8 | k
                assert images[HEAD][..., 0].mean() > images[HEAD][..., 2].mean() + 30
        assert dataset.episode(1).record == {"{A}": "mug"}
        assert dataset.episode(1).extra["instructions"]["unseen"] == ["Put it up"]


class Evil:
    def __reduce__(self):
        return (print, ("code ran",))


def test_a_raw_frame_that_would_run_code_is_refused(tmp_path, capsys):
    (tmp_path / "data/episode0").mkdir(parents=True)
    (tmp_path / "data/episode0/0.pkl").write_bytes(pickle.dumps({"observation": Evil()}))
    with pytest.raises(TwinloomError, match="no array"):
        formats.load("robotwin").reader(tmp_path, ReadConfig(fps=15))
    assert "code ran" not in capsys.readouterr().out


def test_robomimics_own_files_are_read(tmp_path):
    rng = np.random.default_rng(0)
    with h5py.File(tmp_path / "image.hdf5", "w") as file:
        data = file.create_group("data")
        data.attrs["env_args"] = json.dumps(
            {"env_name": "Lift", "env_kwargs": {"control_freq": 20, "robots": ["Panda"]}}
        )
        for k in (0, 1, 10):
            demo = data.create_group(f"demo_{k}")
            demo.attrs["num_samples"], demo.attrs["model_file"] = 4, "<mujoco/>"
            demo["actions"], demo["states"] = rng.normal(size=(4, 7)), rng.normal(size=(4, 32))
            demo["rewards"], demo["dones"] = np.array([0.0, 0.0, 0.0, float(k != 1)]), np.array([0, 0, 0, 1])
            demo["obs/robot0_eef_pos"], demo["obs/object"] = rng.normal(size=(4, 3)), rng.normal(size=(4, 10))
            demo["obs/agentview_image"] = np.stack([paint(k << 8 | t, (32, 24), 90) for t in range(4)])
        actions, position = data["demo_10/actions"][()], data["demo_10/obs/robot0_eef_pos"][()]
    with imported(tmp_path / "image.hdf5", tmp_path / "out") as dataset:
        assert (dataset.fps, dataset.robot_type, dataset.cameras) == (20, "Panda", [IMAGES + "agentview"])
        last = dataset.episode(2)
        np.testing.assert_allclose(last.arrays[ACTION], actions, atol=1e-6)
        np.testing.assert_allclose(last.arrays[STATE][:, 10:], position, atol=1e-6)
        assert dataset.features[STATE].names[10] == "robot0_eef_pos_0"
        assert [episode.success for episode in dataset] == [True, False, True]
        assert [read_number(images[IMAGES + "agentview"]) for images in last.images] == [10 << 8 | t for t in range(4)]
        assert last.task == "Lift"
        assert last.extra["attributes"]["model_file"] == "<mujoco/>"


@pytest.mark.parametrize("zipped", [False, True])
def test_replay_buffers_of_diffusion_policy_are_read(tmp_path, zipped):
    path = tmp_path / ("pusht.zarr.zip" if zipped else "pusht.zarr")
    store = zarr.storage.ZipStore(path, mode="w") if zipped else str(path)
    group = zarr.open_group(store, mode="w", zarr_format=2)
    images = np.stack([paint(t, (32, 24), 90) for t in range(7)]).astype(np.float32)
    arrays = {
        "img": images,
        "state": np.arange(35, dtype=np.float32).reshape(7, 5),
        "action": np.ones((7, 2), np.float32),
    }
    arrays["keypoint"] = np.arange(126, dtype=np.float32).reshape(7, 9, 2)
    for name, array in arrays.items():
        group.create_array(f"data/{name}", data=array, chunks=(3, *array.shape[1:]))
    group.create_array("meta/episode_ends", data=np.array([3, 7]))
    if zipped:
        store.close()
    with imported(path, tmp_path / "out", ReadConfig(fps=10, task="Push the T")) as dataset:
        assert [row["length"] for row in dataset.rows.to_pylist()] == [3, 4]
        second = dataset.episode(1)
        assert np.array_equal(second.arrays[STATE], arrays["state"][3:])
        assert np.array_equal(second.arrays["observation.keypoint"], arrays["keypoint"][3:].reshape(4, 18))
        assert [read_number(frames[IMAGES + "img"]) for frames in second.images] == [3, 4, 5, 6]
        assert (second.instruction, second.success) == ("Push the T", None)


def test_a_dataset_of_lerobot_v21_is_read(tmp_path):
    """Built from the frames that LeRobot itself wrote, in the layout of its v2.1."""
    import av

    root = tmp_path / "v21"
    (root / "meta").mkdir(parents=True)
    info = json.loads((FIXTURE / "meta/info.json").read_text())
    info |= {"codebase_version": "v2.1", "total_chunks": 1, "total_videos": 6, "chunks_size": 1000}
    info["data_path"] = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
    info["video_path"] = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"
    (root / "meta/info.json").write_text(json.dumps(info))
    with datagen.Dataset(FIXTURE) as source:
        lines = [json.dumps({"task_index": k, "task": text}) for k, text in source.tasks.items()]
        (root / "meta/tasks.jsonl").write_text("\n".join(lines))
        table, rows = pq.read_table(FIXTURE / "data"), []
        for index in range(2):
            own = table.filter(pa.compute.equal(table["episode_index"], index))
            (root / "data/chunk-000").mkdir(parents=True, exist_ok=True)
            pq.write_table(own, root / f"data/chunk-000/episode_{index:06d}.parquet")
            rows.append(json.dumps({"episode_index": index, "tasks": source.row(index)["tasks"], "length": len(own)}))
            for key in source.cameras:
                path = root / f"videos/chunk-000/{key}/episode_{index:06d}.mp4"
                path.parent.mkdir(parents=True, exist_ok=True)
                with av.open(str(path), "w") as container:
                    stream = container.add_stream("libx264", rate=source.fps, options={"g": "2", "bf": "0"})
                    stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
                    for image in source.images(index, key):
                        container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
                    container.mux(stream.encode(None))
        (root / "meta/episodes.jsonl").write_text("\n".join(rows))
        with imported(root, tmp_path / "out") as dataset:
            for index, episode in enumerate(dataset):
                assert np.array_equal(episode.arrays[ACTION], source.arrays(index)[ACTION])
                assert episode.instruction == source.row(index)["tasks"][0]
                image, expected = dataset.frame(index, 3, source.cameras[0]), source.frame(index, 3, source.cameras[0])
                assert np.abs(image.astype(int) - expected).mean() < 12


@pytest.mark.parametrize("name", ["robomimic", "diffusion_policy"])
@pytest.mark.slow
def test_a_thousand_episodes_stay_flat_in_memory(tmp_path, name):
    features = {ACTION: Feature("float32", (2,), ("x", "y")), HEAD: image_feature(24, 32)}
    spec = DatasetSpec(25, "arm", "fake", features, "targets")
    image, peaks = np.zeros((24, 32, 3), np.uint8), []
    with formats.load(name).writer(tmp_path / PATHS[name], spec) as target:
        tracemalloc.start()
        for number in range(1000):
            images = ({HEAD: image} for _ in range(3))
            target.add(
                Episode("t", "t", {ACTION: np.zeros((3, 2), np.float32)}, images, True, (number,), {"n": "x" * 2000})
            )
            if number in (199, 999):
                peaks.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 2_000_000


def test_unknown_formats_and_paths_are_named(root, tmp_path):
    with pytest.raises(TwinloomError, match="robomimic"):
        formats.load("robomimik")
    with pytest.raises(TwinloomError, match="no known format"):
        formats.detect(tmp_path)
    with pytest.raises(TwinloomError, match="does not exist"):
        formats.detect(tmp_path / "nothing")
    (tmp_path / "cut.hdf5").write_bytes(b"\x89HDF\r\n\x1a\n")
    with pytest.raises(TwinloomError, match="not a readable HDF5"):
        formats.detect(tmp_path / "cut.hdf5")
    assert formats.detect(root) == "lerobot30"

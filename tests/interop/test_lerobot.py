"""LeRobot itself reads what we write, frame by frame.

LeRobot needs Python 3.12 and its own versions of everything, so it lives in an environment of its own:
``python3.12 -m venv lerobot && lerobot/bin/pip install 'lerobot[dataset]==0.6.1'`` (3 GB), then
``TWINLOOM_LEROBOT_PYTHON=lerobot/bin/python make test-all``.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from datagen.collect import collect
from datagen.lerobot.merge import merge
from datagen.lerobot.read import Dataset
from tests.datagen.conftest import make_run

PYTHON = os.environ.get("TWINLOOM_LEROBOT_PYTHON", "")
SCRIPT = Path(__file__).with_name("read_with_lerobot.py")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="TWINLOOM_LEROBOT_PYTHON names no Python with LeRobot"),
]

CASES = {
    "plain": {},
    "odd size": {"size": (33, 25)},
    "av1": {"codec": "av1"},
    "many files": {"data_mb": 0.004, "video_mb": 0.01},
}


@pytest.mark.parametrize("name", CASES)
def test_lerobot_reads_every_frame_as_we_do(tmp_path, name):
    out = tmp_path / "data"
    collect(make_run(out, 5, 2, tasks=("calm", "flaky", "tiny"), **CASES[name]))
    if name == "many files":
        assert len(list(out.glob("data/*/*"))) > 1
        assert len(list(out.glob("videos/*head/*/*"))) > 1
    compare(out, tmp_path)


def test_lerobot_reads_a_merged_dataset(tmp_path):
    for seed in (0, 1):
        collect(make_run(tmp_path / str(seed), 3, 1, seed=seed))
    merge([tmp_path / "0", tmp_path / "1"], tmp_path / "merged")
    compare(tmp_path / "merged", tmp_path)


def compare(root: Path, cache: Path) -> None:
    with Dataset(root) as dataset:
        places = [(n, k) for n in range(len(dataset)) for k in range(dataset.row(n)["length"])]
        environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(cache / "cache")}
        command = [PYTHON, str(SCRIPT), str(root), *map(str, range(len(places)))]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
        seen = json.loads(done.stdout.splitlines()[-1])
        assert (seen["episodes"], seen["frames"]) == (len(dataset), dataset.frames)
        for (episode, index), item in zip(places, seen["items"], strict=True):
            arrays = dataset.arrays(episode)
            assert item["episode"] == episode
            assert np.array_equal(np.float32(item["action"]), arrays["action"][index])
            assert item["task"] == dataset.tasks[int(arrays["task_index"][index])]
            for camera in dataset.cameras:
                frame = dataset.frame(episode, index, camera)
                assert item["shapes"][camera] == [3, *frame.shape[:2]]
                assert item["images"][camera] == hashlib.sha256(frame.tobytes()).hexdigest()
        for feature, mean in seen["stats"].items():
            np.testing.assert_allclose(mean, dataset.stats[feature]["mean"].reshape(-1), rtol=1e-6, atol=1e-7)

"""docs/data.md from its reader's side: its two ways to read a dataset work as printed, and agree."""

from __future__ import annotations

import re

import numpy as np
import pytest

from datagen.lerobot.read import Dataset
from twinloom.machine import REPOSITORY

FIXTURE = REPOSITORY / "tests" / "fixtures" / "lerobot_v3"
PAGE = (REPOSITORY / "docs" / "data.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("episode", [0, 1, 2])
def test_reading_without_us_finds_the_same_actions_and_images(episode):
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "import av" in block]
    choice = 'root, camera, episode = "data/demo", "observation.images.head", 1'
    assert choice in code
    found: dict = {"root": str(FIXTURE), "camera": "observation.images.wrist", "episode": episode}
    exec(code.replace(choice, ""), found)
    with Dataset(FIXTURE) as dataset:
        assert np.array_equal(found["actions"], dataset.arrays(episode)["action"])
        expected = [dataset.frame(episode, k, found["camera"]) for k in range(len(found["actions"]))]
    assert np.array_equal(found["images"], expected)


def test_our_reader_is_called_as_the_page_says():
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "datagen.lerobot" in block]
    fitting = code.replace("data/demo", str(FIXTURE)).replace("(3", "(2").replace("images.head", "images.front")
    found: dict = {}
    exec("\n".join(line for line in fitting.splitlines() if "pandas" not in line), found)
    assert found["image"].shape == (64, 64, 3)
    assert len(found["arrays"]["action"]) > 0

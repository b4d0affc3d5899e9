"""An episode depends on its seed alone: not on the process, nor on what ran in it before, nor on hashes or locale."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from sim.bimanual.task import task_names
from tests.sim.bimanual.digests import digest, digests, episode
from twinloom.machine import REPOSITORY

FEW = ("click_bell", "handover_block", "hanging_mug", "open_laptop")


def elsewhere(names: Sequence[str], images: bool) -> dict[str, dict[str, str]]:
    """The same fingerprints from a process of its own, in which the tasks came in the opposite order."""
    command = [sys.executable, "-m", "tests.sim.bimanual.digests", "images" if images else "none", *reversed(names)]
    environment = os.environ | {"PYTHONHASHSEED": "12345", "LC_ALL": "C", "TZ": "Asia/Tokyo"}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def differences(one: dict[str, dict[str, str]], other: dict[str, dict[str, str]]) -> list[str]:
    assert one.keys() == other.keys()
    return [f"{part} of {task}" for task in one for part in one[task] if one[task][part] != other[task][part]]


def test_another_process_and_another_order_make_the_same_episodes_and_images():
    here = digests(FEW, images=True)
    assert differences(here, elsewhere(FEW, images=True)) == []
    assert len({found["positions"] for found in here.values()}) == len(FEW)


def test_an_episode_repeats_after_others_of_its_task():
    state = str(np.random.get_state())
    first = digest(episode("place_shoe", 0))
    assert digest(episode("place_shoe", 1)) != first
    assert digest(episode("place_shoe", 0)) == first
    assert digest(episode("place_shoe", 0, visuals="simple")) == first  # success rates are measured without meshes
    assert str(np.random.get_state()) == state


@pytest.mark.slow
def test_another_process_and_another_order_make_the_same_episodes_of_all_task_names():
    names = task_names()
    assert len(names) == 50
    assert differences(digests(names, images=False), elsewhere(names, images=False)) == []

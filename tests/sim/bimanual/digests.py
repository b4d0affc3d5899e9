"""Fingerprints of expert episodes: ``python -m tests.sim.bimanual.digests TASK ...`` prints those of tasks."""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Sequence

import numpy as np

from sim.bimanual.randomize import AXES
from sim.bimanual.rollout import Rollout, expert_rollout
from twinloom.seeding import episode_seed

CAMERAS, SIZE = ("head", "left_wrist", "right_wrist"), (64, 48)


def episode(task: str, number: int = 0, visuals: str = "mesh") -> Rollout:
    """A fully randomised episode, not rendered."""
    return expert_rollout(task, "franka-panda", episode_seed(0, task, number), frozenset(AXES), visuals=visuals)


def digest(rollout: Rollout, images: bool = False) -> dict[str, str]:
    """What an episode consists of, and a hash of each."""
    parts = {name: array.tobytes() for name, array in rollout.arrays.items()}
    parts["positions"] = rollout.qpos.tobytes()
    parts["record"] = json.dumps(rollout.record).encode()
    parts["language"] = json.dumps([rollout.instruction, rollout.instructions]).encode()
    parts["result"] = f"{rollout.success} {rollout.detail}".encode()
    found = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
    if images:
        total = hashlib.sha256()
        for frames in rollout.render(CAMERAS, SIZE, "fast"):
            for camera in CAMERAS:
                total.update(frames[camera].tobytes())
        found["images"] = total.hexdigest()
    return found


def digests(tasks: Sequence[str], images: bool) -> dict[str, dict[str, str]]:
    """Task name to fingerprint of its first episode."""
    return {task: digest(episode(task), images) for task in tasks}


if __name__ == "__main__":
    random.seed(99)
    np.random.seed(99)
    images, *names = sys.argv[1:]
    print(json.dumps(digests(names, images == "images")))

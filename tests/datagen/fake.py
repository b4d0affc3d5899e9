"""A fast, deterministic source of episodes for tests: no simulator, images that say which frame they are."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from twinloom.features import Feature, image_feature
from twinloom.seeding import stream

SOURCE = "tests.datagen.fake:Fake"
TASKS = ("bug", "calm", "deadly", "empty", "flaky", "hopeless", "nan", "slow", "tiny")
JOINTS = tuple(f"{side}_{name}" for side in ("left", "right") for name in ("joint1", "joint2", "gripper"))
FEATURES = {
    "observation.state": Feature("float32", (6,), JOINTS, "rad"),
    "action": Feature("float32", (6,), JOINTS, "rad"),
    "observation.effort": Feature("float32", (1,), ("effort",), "N m"),
}
BITS = 16
CELL = 6  # pixels


def paint(number: int, size: tuple[int, int], shade: int) -> np.ndarray:
    """(H, W, 3) image whose 4 x 4 blocks spell ``number`` in binary, on a background of ``shade``."""
    width, height = size
    image = np.full((height, width, 3), shade, np.uint8)
    for bit in range(BITS):
        row, column = divmod(bit, 4)
        value = 235 if number >> bit & 1 else 20
        image[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL] = value
    return image


def read_number(image: np.ndarray) -> int:
    """Inverse of paint, from the centres of the blocks of a decoded image."""
    number = 0
    for bit in range(BITS):
        row, column = divmod(bit, 4)
        block = image[row * CELL + 1 : (row + 1) * CELL - 1, column * CELL + 1 : (column + 1) * CELL - 1]
        number |= int(block.mean() > 128) << bit
    return number


def label(seed: Sequence[int]) -> int:
    """Eight bits that tell an episode by its seed."""
    return int(np.random.default_rng(list(seed)).integers(256))


@dataclass
class FakeRollout:
    success: bool
    reason: str
    detail: str
    arrays: dict[str, np.ndarray]
    features: dict[str, Feature]
    instruction: str
    instructions: dict[str, list[str]]
    record: dict[str, Any]
    timing: dict[str, float]

    @property
    def length(self) -> int:
        return len(self.arrays["action"]) if self.arrays else 0

    def facts(self) -> dict[str, Any]:
        return {"views": {"objects": 0.5, "robot": 0.25, "robot_95": 0.5}}

    def render(self, cameras: Sequence[str], size: tuple[int, int], mode: str) -> Iterator[dict[str, np.ndarray]]:
        mark = label(self.record["seed"])
        for frame in range(self.length):
            time.sleep(float(os.environ.get("FAKE_FRAME_SLEEP", "0")))
            yield {
                camera: paint(mark << 8 | frame & 255, size, 60 + 40 * index) for index, camera in enumerate(cameras)
            }


class Fake:
    name = "fake"
    action_space = "joint position targets"
    batch = 1

    def engine(self) -> str:
        return os.environ.get("FAKE_ENGINE", "fake 1.0")

    def check(self, robot: str, fps: int) -> None:
        pass

    def images(self, cameras: Sequence[str], size: tuple[int, int]) -> dict[str, Feature]:
        return {camera: image_feature(size[1], size[0]) for camera in cameras}

    def open(self, render: str) -> dict[str, str]:
        return {"render": "fast" if render == "auto" else render, "renderer": "crayon"}

    def rollouts(self, attempts, robot, randomize, fps) -> Iterator[FakeRollout]:
        for attempt in attempts:
            yield self.rollout(attempt.task, attempt.seed, randomize)

    def rollout(self, task, seed, randomize) -> FakeRollout:
        rng = stream(seed, "scene")
        timing = {"plan": 0.001, "simulate": 0.002}
        entropy = [int(word) for word in seed.entropy]
        record = {"layout": 1, "task": task, "seed": entropy, "axes": sorted(randomize), "weight": float(rng.random())}
        failed = FakeRollout(False, "dropped", "dropped", {}, {}, "", {}, {}, timing)
        if task == "slow":
            time.sleep(float(os.environ.get("FAKE_SLEEP", "0.05")))
        if task == "hopeless" or (task == "flaky" and rng.random() < 0.5):
            return failed
        if task == "bug":
            raise ZeroDivisionError("a bug in a task")
        if task == "deadly" and entropy[-1] == 0:
            os.kill(os.getpid(), signal.SIGSEGV)
        length = {"tiny": 1, "slow": 8}.get(task, int(rng.integers(3, 40)))
        motion = np.cumsum(rng.normal(size=(length, 6)), axis=0).astype(np.float32)
        if task == "nan":
            motion[length // 2, 1] = np.nan
        arrays = {
            "observation.state": motion,
            "action": motion * 2,
            "observation.effort": np.abs(motion).sum(axis=1),
        }
        sentence = f"do the {task} thing, variant {int(rng.integers(3))}"
        sentences = {"seen": [sentence, "again"], "unseen": [f"please {sentence}"]}
        return FakeRollout(True, "", "", arrays, FEATURES, sentence, sentences, record, timing)

    def replay(self, record, actions, fps) -> FakeRollout:
        seed = np.random.SeedSequence(record["seed"])
        rollout = self.rollout(record["task"], seed, frozenset(record["axes"]))
        rollout.arrays["action"] = actions
        rollout.arrays["observation.state"] = actions / 2
        return rollout

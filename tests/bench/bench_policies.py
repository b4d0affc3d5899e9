"""What it costs to ask a policy in another process."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from tests.bench.harness import Samples, benchmark

CAMERAS, SIZE = ("head", "left_wrist"), (240, 320, 3)
QUESTIONS, REPETITIONS = 200, 5
NEEDS = ("torch", "safetensors", "websockets", "msgpack")
PEER = "the same policy in process"


def untrained(folder: Path) -> None:
    """Checkpoint of a policy of the usual size with weights that nobody trained."""
    import torch

    from policies import checkpoint
    from policies.bimanual.spaces import joint_feature
    from policies.imitation.config import TrainingConfig
    from policies.imitation.data import Demonstrations
    from policies.imitation.policy import build
    from policies.imitation.train import describe
    from twinloom.features import IMAGE_AXES, IMAGES, STATE, Feature

    joints = joint_feature("franka-panda")
    image = Feature("video", SIZE, IMAGE_AXES)
    config = TrainingConfig("bimanual/click_bell", cameras=CAMERAS)
    features = {STATE: joints, "action": joints, **{IMAGES + name: image for name in CAMERAS}}
    rows, none = torch.rand(2, joints.shape[0]), torch.zeros(2, 2, 3, 1, 1, dtype=torch.uint8)
    recorded = Demonstrations(25, "franka-panda", features, rows, rows, none, np.array([0, 2]), (), "auto")
    spec = describe(recorded, config)
    checkpoint.save(folder, spec, {name: value.numpy() for name, value in build(spec).state_dict().items()})


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Address of a server of this checkpoint in another process, one thread."""
    command = [sys.executable, "-m", "policies", "serve", str(folder), "--port", "0", "--threads", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split(" on ")[1].split(",")[0]
    finally:
        process.terminate()
        process.wait(10)


@cache
def latencies() -> dict[str, np.ndarray]:
    """Milliseconds of each question, (REPETITIONS, QUESTIONS): "ours" over the websocket, "peer" in process."""
    import torch

    import policies
    from real.policy.client import PolicyClient

    torch.set_num_threads(1)
    found = {name: np.zeros((REPETITIONS, QUESTIONS)) for name in ("ours", "peer")}
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "policy"
        untrained(folder)
        local = policies.load(folder)
        observation = {
            name: rng.integers(0, 256, f.shape, np.uint8) if f.dtype == "video" else np.zeros(f.shape, np.float32)
            for name, f in local.spec.observation.items()
        }
        with served(folder) as url, PolicyClient(url, timeout=10) as remote:
            sides = {"ours": remote, "peer": local}
            for policy in sides.values():
                for _ in range(10):
                    policy.act(observation)
            for repetition in range(REPETITIONS):
                for question in range(QUESTIONS):
                    for name, policy in sides.items():
                        started = time.perf_counter()
                        policy.act(observation)
                        found[name][repetition, question] = 1e3 * (time.perf_counter() - started)
    return found


def percentile(of: float) -> Samples:
    """This percentile of every repetition."""
    ours, peer = (np.percentile(latencies()[name], of, axis=1).tolist() for name in ("ours", "peer"))
    return Samples(ours, peer)


@benchmark("policy/serve_roundtrip_p50", unit="ms", peer=PEER, better="lower", needs=NEEDS)
def median() -> Samples:
    """Two 320x240 images and 16 joints there, a chunk of 24 actions back, over the loopback."""
    return percentile(50)


@benchmark("policy/serve_roundtrip_p99", unit="ms", peer=PEER, better="lower", needs=NEEDS)
def tail() -> Samples:
    """The slowest hundredth of the same questions."""
    return percentile(99)

"""Runs that are interrupted, terminated or killed at random moments: rerunning gives the bytes of one quiet run."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from datagen.lerobot.read import Dataset
from datagen.lerobot.verify import verify
from tests.datagen.conftest import files_of

ROOT = Path(__file__).parents[2]
MARK = "TWINLOOM_TEST_RUN"


def start(out: Path, *, workers: int = 2, sleep: float = 0.1, episodes: int = 12) -> subprocess.Popen:
    command = [sys.executable, "-m", "tests.datagen.run_fake", out, episodes, workers, 4, "calm", "flaky", "slow"]
    environment = os.environ | {"FAKE_SLEEP": str(sleep), MARK: str(out)}
    return subprocess.Popen(
        [str(word) for word in command],
        cwd=ROOT,
        env=environment,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def relatives(out: Path) -> list[int]:
    """Processes that belong to a run, by a variable in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={out}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue  # it ended while we looked, or is not ours
    return found


def wait_for_end(out: Path) -> None:
    deadline = time.monotonic() + 20
    while relatives(out):
        assert time.monotonic() < deadline, f"processes outlive their run: {relatives(out)}"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("reference") / "data"
    process = start(out, sleep=0)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, output + errors
    return out


def wait_for_work(process: subprocess.Popen, out: Path) -> None:
    """Until the workers of a run have begun to finish slots, or it has ended."""

    def seen() -> set[str]:
        return {path.name for path in out.glob(".staging/slot-*")}

    before = seen()
    while process.poll() is None and not seen() - before:
        time.sleep(0.01)


def check_finished(process: subprocess.Popen, out: Path, reference: Path) -> None:
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, output + errors
    verdict = verify(out)
    assert (verdict.problems, verdict.notes) == ([], [])
    assert files_of(out) == files_of(reference)


def interrupt_many_times(out: Path, reference: Path, times: int, seed: int) -> None:
    rng = random.Random(seed)
    interrupted = 0
    while interrupted < times:
        kind = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)[interrupted % 3]
        process = start(out)
        working = interrupted % 5 < 4  # the others are interrupted while they start
        if working:
            wait_for_work(process, out)
        try:
            process.wait(rng.uniform(0, 0.8))
            check_finished(process, out, reference)  # it was faster: begin again
            shutil.rmtree(out)
            continue
        except subprocess.TimeoutExpired:
            interrupted += 1
        if kind == signal.SIGINT:
            os.killpg(process.pid, kind)  # as a terminal does: the workers get it too
        else:
            process.send_signal(kind)
        output, errors = process.communicate(timeout=60)
        if working:
            assert process.returncode in (0, 128 + kind, -kind), output + errors
            assert "Traceback" not in errors, errors
        wait_for_end(out)
        if (out / "meta/info.json").exists():
            with Dataset(out) as dataset:
                assert all(len(dataset.arrays(n)["action"]) == dataset.row(n)["length"] for n in range(len(dataset)))
    check_finished(start(out, sleep=0), out, reference)


def test_interrupted_three_times(reference, tmp_path):
    interrupt_many_times(tmp_path / "data", reference, 3, seed=0)


@pytest.mark.slow
def test_interrupted_twenty_times(reference, tmp_path):
    interrupt_many_times(tmp_path / "data", reference, 20, seed=1)


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_is_finished_and_ends_at_once(tmp_path, kind):
    out = tmp_path / "data"
    process = start(out, workers=1, sleep=600, episodes=2)  # calm and flaky pass, slow hangs
    deadline = time.monotonic() + 30
    while len(list(out.glob(".staging/slot-*"))) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    began = time.monotonic()
    process.send_signal(kind)
    output, errors = process.communicate(timeout=30)
    assert time.monotonic() - began < 10
    assert process.returncode == 128 + kind, errors
    assert output == "kept 2 of 6\n"
    with Dataset(out) as dataset:
        assert dataset.rows["task_name"].to_pylist() == ["calm", "flaky"]
    wait_for_end(out)


def test_workers_end_with_a_killed_parent(tmp_path):
    out = tmp_path / "data"
    process = start(out, workers=2, sleep=600)
    deadline = time.monotonic() + 30
    while len(list(out.glob(".staging/slot-*"))) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert len(relatives(out)) >= 3
    process.kill()
    process.communicate()
    wait_for_end(out)

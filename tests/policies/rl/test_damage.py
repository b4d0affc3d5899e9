"""Run folders that something happened to: every damage is said in one line, and nothing is trained on what is left."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from policies.rl import learning_curve
from policies.rl.train import steps_done, train
from tests.policies.rl.test_train import clock
from twinloom import jsonlines
from twinloom.errors import TwinloomError

TENSORS, NUMBERS, DESCRIPTION = "last/training/state.pt", "last/training/state.json", "last/policy.json"


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    train(clock(), folder)
    return folder


def write(name: str, data: bytes):
    return lambda folder: (folder / name).write_bytes(data)


def cut(name: str, size: int):
    return lambda folder: os.truncate(folder / name, size)


def edit(name: str, change):
    def damage(folder: Path) -> None:
        value = json.loads((folder / name).read_text())
        change(value)
        (folder / name).write_text(json.dumps(value))

    return damage


def retype(name: str):
    """A folder where a file was, or the other way round."""

    def damage(folder: Path) -> None:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
            path.write_text("x")
        else:
            path.unlink()
            path.mkdir()

    return damage


def tensors(change):
    def damage(folder: Path) -> None:
        saved = torch.load(folder / TENSORS, weights_only=True)
        change(saved)
        torch.save(saved, folder / TENSORS)

    return damage


def poison(saved) -> None:
    next(iter(saved["parts"]["policy"].values())).fill_(np.nan)


DAMAGES = {
    "state.pt is something else": (write(TENSORS, b"garbage" * 100), "cannot continue"),
    "state.pt is cut short": (cut(TENSORS, 1_000), "cannot continue"),
    "state.pt is empty": (cut(TENSORS, 0), "cannot continue"),
    "state.pt is a folder": (retype(TENSORS), "cannot continue"),
    "state.pt is a list": (lambda folder: torch.save([1], folder / TENSORS), "cannot continue"),
    "a weight is not finite": (tensors(poison), "policy/.*not finite"),
    "an average is not finite": (tensors(lambda s: s["actor"]["values"][0].fill_(np.inf)), "actor/.*not finite"),
    "an average has another shape": (tensors(lambda s: s["actor"]["values"].reverse()), "averaged weights have shape"),
    "weights are missing": (tensors(lambda s: s["parts"].pop("policy")), "instead of .*policy"),
    "state.json is a list": (write(NUMBERS, b"[]"), "cannot continue"),
    "state.json is empty": (write(NUMBERS, b"{}"), "cannot continue"),
    "steps are null": (edit(NUMBERS, lambda v: v.update(steps=None)), "steps None in state.json"),
    "steps are others": (edit(NUMBERS, lambda v: v.update(steps=12)), "320 steps in policy.json, 12 in state.json"),
    "statistics are another's": (edit(NUMBERS, lambda v: v.update(statistics={"a": 1})), "cannot continue"),
    "statistics are not finite": (
        edit(NUMBERS, lambda v: v["statistics"]["obs_rms"].update(mean=[float("nan")])),
        "obs_rms.mean are not",
    ),
    "statistics have another size": (
        edit(NUMBERS, lambda v: v["statistics"]["seen"].update(low=[0.0, 0.0])),
        "seen.low are not",
    ),
    "a variance is negative": (edit(NUMBERS, lambda v: v["statistics"]["ret_rms"].update(var=-1.0)), "are negative"),
    "the position is outside": (edit(NUMBERS, lambda v: v.update(position=10**9)), "position 1000000000"),
    "the minibatches are empty": (edit(NUMBERS, lambda v: v.update(minibatches={})), "cannot continue"),
    "the memory is missing": (lambda folder: (folder / "replay.npy").unlink(), "replay memory .* is missing"),
    "the memory is cut short": (cut("replay.npy", 5_000), "replay memory .* is damaged"),
    "policy.json without steps": (edit(DESCRIPTION, lambda v: v["extra"].pop("steps")), "extra.steps is None"),
    "policy.json with words": (edit(DESCRIPTION, lambda v: v["extra"].update(steps="a")), "extra.steps is a,"),
    "policy.json is missing": (lambda folder: (folder / DESCRIPTION).unlink(), "weights but no policy.json"),
    "no training folder": (lambda folder: shutil.rmtree(folder / "last/training"), "can be used but not continued"),
    "last is a file": (retype("last"), "is not a policy"),
    "the curve is no text": (write("train.jsonl", b"\xff\xfe\x00garbage\n"), "train.jsonl is damaged: .*move it away"),
    "the curve is a folder": (retype("train.jsonl"), "train.jsonl is damaged: .*move it away"),
    "tensorboard is a file": (retype("tensorboard"), "cannot write .*tensorboard"),
    "run.json is a list": (write("run.json", b"[]"), "run.json is damaged: it holds no settings"),
    "run.json is no text": (write("run.json", b"\xff"), "run.json is damaged"),
    "run.json is a folder": (retype("run.json"), "run.json is damaged"),
    "run.json has a list inside": (edit("run.json", lambda v: v.update(learner=[])), r"learner \[\] \(now "),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_said_in_one_line(name, run, tmp_path):
    damage, text = DAMAGES[name]
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    damage(folder)
    with pytest.raises(TwinloomError, match=text) as error:
        train(clock(steps=360), folder)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 600


def test_the_run_that_was_damaged_goes_on_where_it_is_whole(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run" / "train.jsonl").unlink()
    assert steps_done(train(clock(steps=360), tmp_path / "run")) == 360


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_that_fills_up_on_the_way_is_said_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(TwinloomError, match="the disk is full"):
        train(clock(), tmp_path / "run")


def test_a_curve_on_a_full_disk(monkeypatch):
    monkeypatch.setattr(jsonlines, "read_rows", lambda path: [])
    monkeypatch.setattr(jsonlines, "write_text", lambda path, text: None)
    curve = learning_curve.Curve(Path("/dev/full"), 0)
    with pytest.raises(TwinloomError, match="cannot write /dev/full: the disk is full"):
        curve.write({"a": 1.0}, {}, 5)
    with pytest.raises(TwinloomError, match="the disk is full"):  # what was not written is tried once more
        curve.close()

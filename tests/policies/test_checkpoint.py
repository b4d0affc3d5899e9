"""A checkpoint folder comes back as it was written, exists as a whole, and says in one line what is wrong with it."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace

import numpy as np
import pytest

import policies.checkpoint as checkpoint
from policies.base import PolicySpec
from policies.upgrade import MOVED
from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError
from twinloom.features import Feature
from twinloom.machine import REPOSITORY

pytest.importorskip("safetensors")

SPEC = PolicySpec(
    kind="imitation",
    observation={"observation.state": Feature("float32", (2,), ("a", "b"), "rad")},
    action=Feature("float32", (2,), ("a", "b"), "rad"),
    fps=25,
    horizon=4,
    robot="franka-panda",
    n_action_steps=3,
    task="bimanual/click_bell",
    normalization={"action": {"low": [0.0, 0.0], "high": [1.0, 2.0]}},
    render="fast",
    extra={"numbers": [1, 2.5, None], "network": {"image_size": [8, 9]}, "training": {"batch_size": 64, "seed": 0}},
)
TENSORS = {"layer.weight": np.arange(6, dtype=np.float32).reshape(2, 3), "steps": np.array([7], np.int64)}


@pytest.fixture
def folder(tmp_path):
    return checkpoint.save(tmp_path / "run" / "last", SPEC, TENSORS, command="policies train x")


def test_what_was_saved_is_read(folder):
    found = checkpoint.read(folder)
    assert found.spec == SPEC
    assert found.tensors.keys() == TENSORS.keys()
    for name, value in TENSORS.items():
        np.testing.assert_array_equal(found.tensors[name], value)
        assert found.tensors[name].dtype == value.dtype
    assert found.made["command"] == "policies train x"
    assert {"commit", "versions"} <= found.made.keys()


def test_descriptions_of_layout_1_are_read(folder):
    """Where they had their numbers in ``extra``, and other words for them."""
    path = folder / checkpoint.DESCRIPTION
    value = json.loads(path.read_text()) | {"layout": 1}
    extra = {old: value.pop(new) for old, new in MOVED.items()}
    extra |= {"numbers": [1, 2.5, None], "network": {"pixels": [8, 9]}, "training": {"batch": 64, "seed": 0}}
    path.write_text(json.dumps(value | {"extra": extra}))
    assert checkpoint.read(folder).spec == SPEC


def test_a_run_folder_means_its_last_checkpoint(folder):
    assert checkpoint.find(folder.parent) == folder
    assert checkpoint.read(folder.parent).spec == SPEC


def test_training_state_is_kept_beside_the_weights(tmp_path):
    folder = checkpoint.save(
        tmp_path / "x", SPEC, TENSORS, lambda path: (path / "state.json").write_text("{}") and None
    )
    assert (checkpoint.training_of(folder) / "state.json").read_text() == "{}"
    checkpoint.save(folder, SPEC, TENSORS)  # saved for use only
    with pytest.raises(TwinloomError, match="can be used but not continued"):
        checkpoint.training_of(folder)


def test_a_failing_save_leaves_the_earlier_checkpoint(folder):
    def fail(path):
        (path / "half").write_text("x")
        raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError):
        checkpoint.save(folder, replace(SPEC, horizon=9), TENSORS, fail)
    assert checkpoint.read(folder).spec.horizon == SPEC.horizon
    assert [path.name for path in folder.parent.iterdir()] == ["last"]


def test_a_kill_between_the_two_renames_loses_nothing(folder):
    left = folder.with_name("last.123.old.partial")
    folder.rename(left)
    assert checkpoint.read(folder).spec == SPEC
    assert checkpoint.read(folder.parent).spec == SPEC
    checkpoint.save(folder, replace(SPEC, horizon=9), TENSORS)
    assert checkpoint.read(folder).spec.horizon == 9
    assert not left.exists()


def test_an_export_has_what_it_takes_to_act_and_no_more(tmp_path):
    source = checkpoint.save(tmp_path / "x", SPEC, TENSORS, lambda path: (path / "state").write_text("x") and None)
    out = checkpoint.export(source, tmp_path / "y")
    assert sorted(path.name for path in out.iterdir()) == ["model.safetensors", "policy.json"]
    one, other = checkpoint.read(source), checkpoint.read(out)
    assert (one.spec, one.made) == (other.spec, other.made)
    checkpoint.export(source, out)


@pytest.mark.parametrize("write", [lambda f: checkpoint.save(f, SPEC, TENSORS), lambda f: checkpoint.export("x", f)])
def test_nothing_else_is_ever_replaced(tmp_path, write, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checkpoint.save("x", SPEC, TENSORS)
    thesis = tmp_path / "thesis"
    thesis.mkdir()
    (thesis / "chapter.txt").write_text("1")
    with pytest.raises(TwinloomError, match="no checkpoint; choose another folder"):
        write(thesis)
    assert (thesis / "chapter.txt").read_text() == "1"


def change(folder, **values):
    path = folder / "policy.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


DAMAGES = {
    "no folder": (lambda f: shutil.rmtree(f.parent), "there is no folder"),
    "no description": (lambda f: (f / "policy.json").unlink(), "has weights but no policy.json"),
    "something else": (lambda f: [p.unlink() for p in f.iterdir()], "is not a policy"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "model.safetensors is missing"),
    "half the weights": (
        lambda f: (f / "model.safetensors").write_bytes((f / "model.safetensors").read_bytes()[:-5]),
        "truncated or damaged",
    ),
    "no byte of weights": (lambda f: (f / "model.safetensors").write_bytes(b""), "truncated or damaged"),
    "a pickle": (lambda f: (f / "model.safetensors").write_bytes(b"\x80\x04" + b"K" * 99), "truncated or damaged"),
    "other weights": (
        lambda f: (f / "model.safetensors").write_bytes((f / "model.safetensors").read_bytes()[:-1] + b"\1"),
        "not the file that policy.json was written with",
    ),
    "half the description": (lambda f: (f / "policy.json").write_text('{"format": '), "is not readable"),
    "a list": (lambda f: (f / "policy.json").write_text("[]"), "was not written by twinloom"),
    "another project's": (lambda f: (f / "policy.json").write_text('{"type": "act"}'), "was not written by twinloom"),
    "a newer version": (lambda f: change(f, layout=99), "layout 99; this version reads up to 2"),
    "no layout": (lambda f: change(f, layout=None), "layout None"),
    "an unknown kind": (lambda f: change(f, kind="imitatoin"), "Did you mean imitation"),
    "missing keys": (lambda f: change(f, action={}), "is damaged: KeyError"),
    "another type": (lambda f: change(f, observation=3), "is damaged: AttributeError"),
    "an impossible value": (lambda f: change(f, horizon=0), "horizon 0 must be at least 1"),
}


def test_weights_that_are_a_pipe_are_not_waited_for(folder):
    (folder / "model.safetensors").unlink()
    os.mkfifo(folder / "model.safetensors")
    with pytest.raises(TwinloomError, match="is no file"):
        checkpoint.read(folder)


def test_absurd_sizes_are_refused_before_memory_is_asked_for(folder):
    for key, value in (("horizon", 10**12), ("horizon", 10**30)):
        change(folder, **{key: value})
        with pytest.raises(TwinloomError, match="is more than"):
            checkpoint.describe(folder)
    change(folder, horizon=3, observation={"x": {"dtype": "float32", "shape": [10**9] * 9, "names": [], "unit": ""}})
    with pytest.raises(TwinloomError, match="x of shape"):
        checkpoint.describe(folder)
    (folder / "policy.json").write_text(" " * (17 << 20))
    with pytest.raises(TwinloomError, match="larger than 16 MiB"):
        checkpoint.describe(folder)


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named_in_one_line(folder, name):
    damage, text = DAMAGES[name]
    damage(folder)
    with pytest.raises(TwinloomError, match=text) as caught:
        checkpoint.read(folder)
    assert "\n" not in str(caught.value)
    assert str(folder.name) in str(caught.value) or name == "an unknown kind"


def test_weights_that_are_not_finite_are_neither_written_nor_read(folder, monkeypatch):
    bad = {"actor.mu": np.array([1.0, np.nan], np.float32)}
    with pytest.raises(TwinloomError, match=r"not finite: actor\.mu; the training diverged"):
        checkpoint.save(folder, SPEC, bad)
    assert checkpoint.read(folder).tensors.keys() == TENSORS.keys()
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "_refuse_non_finite", lambda *_: None)
        checkpoint.save(folder, SPEC, bad)
    with pytest.raises(TwinloomError, match="not finite"):
        checkpoint.read(folder)


def test_an_unregistered_kind_is_not_saved(tmp_path):
    with pytest.raises(UnknownNameError):
        checkpoint.save(tmp_path / "x", replace(SPEC, kind="os:system"), TENSORS)


def test_a_description_collects_its_problems():
    with pytest.raises(InvalidSettingsError) as caught:
        PolicySpec("", {}, Feature("float32", (2,), ("a", "a")), fps=float("nan"), horizon=0)
    assert len(caught.value.problems) == 4


def test_a_kind_that_lacks_a_tensor_is_reported(folder):
    with pytest.raises(TwinloomError, match="is damaged: it lacks"):
        checkpoint.load_policy(folder)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("extra", "network"), True),
        (("extra", "network", "width"), 10**7),
        (("extra", "network", "channels"), 2**31),
        (("extra", "network", "image_size", 0), 10**9),
        (("extra", "network", "image_size", 0), None),
        (("extra", "network", "width"), {"a": 1}),
        (("normalization", "action"), "x"),
        (("normalization", "action", "low", 0), [None]),
        (("normalization", "observation.state", "high", 1), {}),
    ],
)
def test_a_description_that_makes_no_policy_is_damaged(tmp_path, where, value):
    pytest.importorskip("torch", reason="the shipped policy needs the extra rl")
    folder = tmp_path / "damaged"
    shutil.copytree(REPOSITORY / "assets" / "checkpoints" / "click_bell", folder)
    description = json.loads((folder / "policy.json").read_text())
    place = description
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    (folder / "policy.json").write_text(json.dumps(description))
    with pytest.raises(TwinloomError, match=r"is damaged|do not fit|asks for"):
        checkpoint.load_policy(folder)


def test_a_description_of_brackets_or_with_a_wrong_origin_is_one_line(folder):
    change(folder, made=True)
    with pytest.raises(TwinloomError, match="made must be a table"):
        checkpoint.read(folder)
    (folder / "policy.json").write_text("[" * 100_000)
    with pytest.raises(TwinloomError, match="not readable"):
        checkpoint.read(folder)

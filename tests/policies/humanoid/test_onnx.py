"""Walking networks as ONNX: the same numbers as PyTorch, and a JSON that says how to feed them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from policies import commands
from policies.checkpoint import save
from policies.humanoid.bodies import real_walker
from policies.humanoid.networks import HISTORY, NetworkConfig, WalkingNetwork
from policies.humanoid.pupil import Pupil
from policies.humanoid.senses import FRAME, LEGS, TASK, Measurement
from policies.humanoid.student import describe, load_network
from sim.humanoid.walking.gait import Command
from twinloom.errors import TwinloomError

REASON = "ONNX is an extra: pip install 'twinloom[onnx]'"
pytest.importorskip("onnxscript", reason=REASON)
onnxruntime = pytest.importorskip("onnxruntime", reason=REASON)


def checkpoint(folder, kind="mlp"):
    config = NetworkConfig(kind, hidden=(32, 16), width=16, layers=2)
    network = WalkingNetwork(config)
    network.frame_std.fill_(2.0)
    network.action_mean.fill_(0.1)
    tensors = {name: value.numpy() for name, value in network.state_dict().items()}
    return save(folder / f"walker-{kind}", describe(config, {}), tensors)


SLOW = pytest.mark.slow


@pytest.mark.parametrize("kind", ["mlp", pytest.param("gcn", marks=SLOW), pytest.param("transformer", marks=SLOW)])
def test_every_network_is_written_and_is_the_same(kind, tmp_path, capsys):
    out = tmp_path / "any.onnx"
    assert commands.export(checkpoint(tmp_path, kind), out) == 0
    assert "of PyTorch" in capsys.readouterr().out
    about = json.loads(out.with_suffix(".json").read_text())
    assert about["largest_difference_to_pytorch"] < 1e-4
    assert set(about["inputs"]) == {"frames", "task", "mask", "description"}


def test_one_built_for_a_robot_acts_as_the_policy_does_on_it(tmp_path):
    folder, out = checkpoint(tmp_path), tmp_path / "g1.onnx"
    commands.export(folder, out, robot="g1")
    about = json.loads(out.with_suffix(".json").read_text())
    walker = real_walker("g1")
    body = walker.body
    assert about["joints"]["order"] == [body.model.actuator(k).name for k in range(body.model.nu)]
    for name, values in (("default_pose", body.default_targets), ("kp", body.kp), ("kd", body.kd)):
        np.testing.assert_array_equal(about["joints"][name], values)
    assert about["rate_hz"] == 50
    session = onnxruntime.InferenceSession(str(out), providers=["CPUExecutionProvider"])
    shapes = {one.name: one.shape for one in session.get_inputs()}
    assert shapes == {"frames": [1, HISTORY, FRAME], "task": [1, TASK]}

    pupil, rng, frames = Pupil(walker, load_network(folder)), np.random.default_rng(0), []
    for _ in range(8):
        measured = Measurement(
            qpos=body.default_targets + rng.normal(0.0, 0.05, body.model.nu),
            qvel=rng.normal(0.0, 0.5, body.model.nu),
            angular_velocity=rng.normal(0.0, 0.2, 3),
            up=np.array([0.0, 0.0, 1.0]),
            heading=0.1,
        )
        wanted = pupil.targets(measured, Command((0.3, 0.0)))
        frames = [*(frames or [pupil.frame] * HISTORY)[1 - HISTORY :], pupil.frame]
        feed = {"frames": np.array(frames, np.float32)[None], "task": pupil.task.astype(np.float32)[None]}
        (targets,) = session.run(["targets"], feed)
        np.testing.assert_allclose(targets[0], wanted, atol=1e-4)
    assert len([name for name in about["outputs"]["action"]["names"] if name.startswith("left_")]) == LEGS // 2


def test_what_cannot_be_exported_is_said(tmp_path):
    with pytest.raises(TwinloomError, match="--robot is for an ONNX file"):
        commands.export(checkpoint(tmp_path), tmp_path / "copy", robot="g1")
    with pytest.raises(TwinloomError, match=r"gaussian_actor policy, which cannot be .* walking_student"):
        commands.export(Path("adopt_profit"), tmp_path / "x.onnx")

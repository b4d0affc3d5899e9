"""Policies of other simulators: their layout, their physics, and every mistake of the YAML said in one line.

The networks are scripted here, in the layout of unitree_rl_gym: a balancer by feedback, which would not stand for a
second if a scale, a sign or an order were wrong, and a recurrent one. Real files are tried where they are.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml

from policies.humanoid.evaluate import EXERCISES, episode
from policies.humanoid.foreign import load_foreign
from policies.humanoid.observation import layouts, read_layout
from policies.humanoid.senses import Measurement
from sim.humanoid.walking.gait import Command
from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError

STAND = EXERCISES[0]
REAL = Path(os.environ.get("TWINLOOM_FOREIGN", "/nonexistent"))


class Balancer(torch.nn.Module):
    """Linear feedback of tilt and rate to ankles and hips about a trim, which gravity's third number stands for."""

    def __init__(self, joints: int, gains: dict[int, tuple[float, float, float, float, float]]) -> None:
        super().__init__()
        weights = torch.zeros(9 + 3 * joints + 2, joints)
        for joint, (pitch, pitch_rate, trim, roll, roll_rate) in gains.items():
            feedback = torch.tensor([roll_rate / 0.25, pitch_rate / 0.25, 0.0, pitch, -roll, -trim])
            weights[:6, joint] = feedback / 0.25
        self.register_buffer("weights", weights)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return observation @ self.weights


G1 = {"ankle": (3.04, 0.223, 0.074, 0.0, 0.0), "hip": (0.194, 0.063, -0.056, 0.0, 0.0)}
G1 |= {"ankle roll": (0.0, 0.0, 0.0, 0.955, 0.303), "hip roll": (0.0, 0.0, 0.0, -0.017, 0.085)}
H1 = {"ankle": (1.964, 0.553, 0.086, 0.0, 0.0), "hip": (0.289, 0.076, -0.071, 0.0, 0.0)}
H1 |= {"hip roll": (0.0, 0.0, 0.0, 0.005, 0.186)}
"""Found by trying, in this world."""


class Counter(torch.nn.Module):
    """A recurrent network: its hidden state counts the steps since it was reset."""

    def __init__(self, joints: int) -> None:
        super().__init__()
        self.joints = joints
        self.register_buffer("hidden", torch.zeros(1))

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        self.hidden += 1.0
        return self.hidden.repeat(observation.shape[0], self.joints) + 0.0 * observation.sum()

    @torch.jit.export
    def reset_memory(self) -> None:
        self.hidden[:] = 0.0


def save(folder: Path, module: torch.nn.Module, /, **keys) -> Path:
    torch.jit.script(module).save(str(folder / "policy.pt"))
    path = folder / "policy.yaml"
    path.write_text(yaml.safe_dump({"layout": "unitree-g1", "network": "policy.pt", **keys}))
    return path


def balancer(folder: Path, robot: str) -> Path:
    gains, of_leg = (H1, ("hip yaw", "hip roll", "hip", "knee", "ankle")) if robot == "h1" else (G1, G1_LEG)
    count = len(of_leg)
    network = Balancer(2 * count, {k: gains[of_leg[k % count]] for k in range(2 * count) if of_leg[k % count] in gains})
    return save(folder, network, layout=f"unitree-{robot}")


G1_LEG = ("hip", "hip roll", "hip yaw", "knee", "ankle", "ankle roll")


def measured(nu: int, **changed) -> Measurement:
    values = {
        "qpos": np.zeros(nu),
        "qvel": np.zeros(nu),
        "angular_velocity": np.zeros(3),
        "up": np.array([0.0, 0.0, 1.0]),
        "heading": 0.0,
    }
    return Measurement(**(values | changed))


def seconds(policy: Path, robot: str) -> float:
    return episode(str(policy), robot, STAND, 0.0, 0, seconds=10.0).seconds


def test_a_policy_in_the_layout_balances_the_g1_which_falls_without(tmp_path):
    assert seconds(balancer(tmp_path, "g1"), "g1") == 10.0
    assert seconds(save(tmp_path, Balancer(12, {})), "g1") < 2.0


def test_on_the_h1_which_has_no_ankle_roll_feedback_delays_the_fall(tmp_path):
    with_feedback = seconds(balancer(tmp_path, "h1"), "h1")
    assert with_feedback > 1.2 * seconds(save(tmp_path, Balancer(10, {}), layout="unitree-h1"), "h1")


def test_the_observation_has_the_order_and_scales_of_the_layout(tmp_path):
    layout = read_layout(save(tmp_path, Counter(12)))
    assert layout.size == 47
    joints = np.arange(12.0)
    frame = layout.frame(
        time=0.2,
        angular_velocity=np.array([1.0, 2.0, 3.0]),
        gravity=np.array([0.0, 0.0, -1.0]),
        command=np.array([0.5, 0.1, 0.4]),
        positions=joints,
        velocities=joints,
        action=-joints,
    )
    np.testing.assert_allclose(frame[:9], [0.25, 0.5, 0.75, 0.0, 0.0, -1.0, 1.0, 0.2, 0.1])
    np.testing.assert_allclose(frame[9:45], np.concatenate([joints, 0.05 * joints, -joints]))
    np.testing.assert_allclose(frame[45:], [1.0, 0.0], atol=1e-12)  # a quarter of 0.8 s


def test_joints_are_matched_by_name_and_actions_scaled_about_the_default_pose(tmp_path):
    layout = read_layout(save(tmp_path, Counter(12)))
    order = list(reversed(layout.joints))
    foreign = load_foreign(save(tmp_path, Counter(12), joints=order, default=list(reversed(layout.default))))
    nu = len(foreign.kp)
    targets = foreign.pilot().targets(measured(nu), Command(walk=False))
    names = [foreign.walker.body.model.actuator(k).name for k in range(nu)]
    where = [names.index(name) for name in layout.joints]
    np.testing.assert_allclose(targets[where], np.array(layout.default) + 0.25)
    rest = np.setdiff1d(np.arange(nu), where)
    np.testing.assert_allclose(targets[rest], foreign.walker.body.default_targets[rest])


def test_a_hidden_state_belongs_to_one_episode(tmp_path):
    foreign = load_foreign(save(tmp_path, Counter(12), reset="reset_memory"))
    nu = len(foreign.kp)
    first, second = foreign.pilot(), foreign.pilot()
    actions = [first.targets(measured(nu), Command())[0] for _ in range(3)]
    np.testing.assert_allclose(np.diff(actions), 0.25)
    assert second.targets(measured(nu), Command())[0] == pytest.approx(actions[0])


@pytest.mark.parametrize(("by", "wanted"), [("frame", [1, 2, 3, 4]), ("part", [1, 3, 2, 4])])
def test_history_is_stacked_by_frame_or_by_part(by, wanted, tmp_path):
    parts = [{"what": "positions"}, {"what": "velocities"}]
    keys = {"joints": ["left_knee_joint"], "default": 0.0, "kp": 100, "kd": 2, "observation": parts}
    layout = read_layout(save(tmp_path, Counter(1), **keys, history=2, history_by=by))
    assert layout.input([np.array([1.0, 2.0]), np.array([3.0, 4.0])]).tolist() == wanted


def test_the_physics_is_an_explicit_torque_law_cut_to_the_effort(tmp_path):
    import mujoco

    body = load_foreign(save(tmp_path, Counter(12))).walker.body
    data = mujoco.MjData(body.model)
    data.qpos[:], data.qvel[6:] = body.qpos_default, np.linspace(-3.0, 3.0, len(body.kp))
    data.ctrl[:] = body.default_targets + np.linspace(-1.0, 2.0, len(body.kp))
    mujoco.mj_forward(body.model, data)
    torque = body.kp * (data.ctrl - data.qpos[7:]) - body.kd * data.qvel[6:]
    np.testing.assert_allclose(data.actuator_force, np.clip(torque, -body.effort, body.effort), atol=1e-9)
    assert body.model.opt.timestep == 0.002
    assert body.model.opt.integrator == mujoco.mjtIntegrator.mjINT_EULER


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"observation": [{"what": "gravity"}]}, "does not take an observation of 3 numbers"),
        ({"kp": [1.0, 2.0]}, "kp has 2 numbers for 12 joints"),
        ({"observation": [{"what": "colour"}]}, "must be {what: one of angular_velocity, gravity"),
        ({"observation": [{"what": "gravity", "scale": [1, 2]}]}, "gravity has 2 scales for 3 numbers"),
        ({"scale": 1}, "unknown key scale; allowed: layout, action_scale"),
        ({"reset": "forget"}, "no method forget"),
        ({"network": "other.pt"}, "there is no network"),
        ({"dt": 0.015}, "dt must be 0.02"),
        ({"history_by": "day"}, 'history_by must be frame or part, got "day"'),
    ],
)
def test_mistakes_are_one_line(keys, line, tmp_path):
    with pytest.raises(TwinloomError, match=line):
        load_foreign(save(tmp_path, Balancer(12, {}), **keys))


def test_other_files_are_refused(tmp_path):
    with pytest.raises(UnknownNameError, match="layout"):
        load_foreign(save(tmp_path, Counter(12), layout="unitree-g2"))
    path = save(tmp_path, Counter(12))
    (tmp_path / "policy.pt").write_text("no network")
    with pytest.raises(TwinloomError, match="is no TorchScript file"):
        load_foreign(path)
    path.write_text("- 1")
    with pytest.raises(InvalidSettingsError, match="must be a table"):
        load_foreign(path)
    joints = ["left_tail_joint", "left_knee_joint"]
    foreign = load_foreign(save(tmp_path, Counter(2), joints=joints, default=0.0, kp=1.0, kd=1.0))
    with pytest.raises(TwinloomError, match="g1 has no joint left_tail_joint"):
        foreign.walker  # noqa: B018


def test_a_policy_walks_its_own_robot_only(tmp_path):
    with pytest.raises(TwinloomError, match="is for g1, not for h1: --robots g1"):
        load_foreign(save(tmp_path, Counter(12))).walker_of("h1")


@pytest.mark.parametrize("name", layouts())
def test_real_networks_walk_where_they_are(name, tmp_path):
    """TWINLOOM_FOREIGN is a folder with <layout>.pt, for example unitree_rl_gym's deploy/pre_train/g1/motion.pt."""
    network = REAL / f"{name}.pt"
    if not network.is_file():
        pytest.skip(f"no {network.name}: set TWINLOOM_FOREIGN to a folder that has it (docs/humanoid/foreign.md)")
    path = tmp_path / "policy.yaml"
    path.write_text(yaml.safe_dump({"layout": name, "network": str(network)}))
    walk = EXERCISES[4]
    row = episode(str(path), load_foreign(path).layout.robot, walk, 0.0, 0)
    assert row.survived
    assert row.metrics.forward_error < 0.15

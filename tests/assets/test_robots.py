"""Every robot: its file, frames, kinematics against the source, servos, gripper."""

from __future__ import annotations

import shutil
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from assets.robots import DEFAULT_ROBOT, SIDES, load_robot, robots
from assets.robots.build import arm_spec
from assets.robots.contract import violations
from assets.robots.kinematics import InverseKinematics
from assets.robots.load import read_record
from assets.robots.meshes import mesh_file
from assets.robots.record import FOLDER, RobotRecord
from assets.robots.show import at_home, table_scene
from twinloom.errors import InvalidSettingsError, MissingAssetError, TwinloomError, UnknownNameError

ROBOTWIN = {"franka-panda", "aloha-agilex", "piper", "ARX-X5", "ur5-wsg"}

# Computed with the models that the kinematics are from: a frame and which of its axes, joint angles, position, axis.
SOURCE = {
    "franka-panda": (
        "hand", 2, (0.3, -0.5, 0.2, -2.1, 0.4, 1.9, 0.6),
        (0.35169, 0.24675, 0.64295), (0.12844, 0.3843, -0.91423),
    ),
    "ur5-wsg": (
        "link6", 1, (0.3, -1.2, 1.4, -0.9, -1.1, 0.6),
        (0.5361, 0.3061, 0.40475), (-0.78524, 0.2319, -0.57413),
    ),
    "wxai": (
        "link6", 0, (0.3, 0.7, 0.9, -0.4, 0.5, 0.6),
        (0.13553, 0.0274, 0.36254), (0.96335, -0.20384, -0.17435),
    ),
    "aloha2": (
        "link6", 0, (0.3, -0.7, 0.9, -0.4, 0.5, 0.6),
        (0.19508, 0.04671, 0.29292), (0.79304, 0.04989, -0.60713),
    ),
    "piper": (
        "link6", 2, (0.3, 1.2, -0.9, -0.4, 0.5, 0.6),
        (0.23699, 0.05689, 0.30958), (0.78558, 0.04758, -0.61693),
    ),
    "ARX-X5": (
        "link6", 0, (0.3, 0.7, 0.9, -0.4, 0.5, 0.6),
        (0.13364, 0.02811, 0.35611), (0.96336, -0.20384, -0.17435),
    ),
}  # fmt: skip


@pytest.fixture(params=robots())
def record(request: pytest.FixtureRequest) -> RobotRecord:
    return load_robot(request.param)


def bare_scene(record: RobotRecord) -> mujoco.MjSpec:
    return table_scene(record, "simple", props=False)


def test_the_five_robots_of_robotwin_are_there_and_the_default_comes_first():
    assert set(robots()) >= ROBOTWIN
    assert robots()[0] == DEFAULT_ROBOT
    assert len({name.lower() for name in robots()}) == len(robots())


def test_contract(record):
    assert violations(record, "simple") == []
    if not record.meshes or mesh_file(record).is_file():
        assert violations(record, "mesh") == []


def test_contract_notices_what_is_wrong(tmp_path):
    record = load_robot(DEFAULT_ROBOT)
    text = record.model_path.read_text()
    for old, new, said in (
        ('xyaxes="0 0 1 0 -1 0"', 'xyaxes="0 0 1 0 1 0"', "finger1 must lie on the +y side"),
        ('<site name="tcp" pos="0 0 0.1034"', '<site name="tcp" pos="0 0 0.09"', "midway between the pads"),
        ('name="gripper" tendon="grip"', 'name="grippers" tendon="grip"', "actuator gripper is missing"),
        ('<body name="hand" pos="0 0 0.107" ', '<body name="hand" pos="0 0 -0.107" ', "touches"),
        ('mass="0.73" pos', 'mass="0.73" pos="0 0 1" ipos', "does not compile"),
        ('quat="0.9238795 0 0 -0.3826834" gravcomp="1"', 'quat="0.9238795 0 0 -0.3826834"', "not gravity compensated"),
    ):
        assert text.count(old) == 1
        (tmp_path / "broken.xml").write_text(text.replace(old, new))
        found = violations(replace(record, model="broken.xml", stand=(), folder=tmp_path), "simple")
        assert any(said in problem for problem in found), (said, found)
    weaker = replace(record, limits=replace(record.limits, effort=(1.0,) * 7))
    assert any("is not the effort" in problem for problem in violations(weaker, "simple"))


def test_physics_is_the_same_with_and_without_meshes(record):
    if record.meshes and not mesh_file(record).is_file():
        pytest.skip(f"assets pull {record.name} was not run")
    simple, mesh = (arm_spec(record, "left", visuals).compile() for visuals in ("simple", "mesh"))
    for field in ("body_mass", "body_inertia", "body_pos", "jnt_range", "dof_damping", "actuator_gainprm", "cam_pos"):
        np.testing.assert_array_equal(getattr(simple, field), getattr(mesh, field))
    felt = [model.geom_size[model.geom_contype != 0] for model in (simple, mesh)]
    np.testing.assert_array_equal(*felt)


@pytest.mark.parametrize("name", SOURCE)
def test_forward_kinematics_equal_the_source(name):
    body, axis, q, position, direction = SOURCE[name]
    record = load_robot(name)
    model = arm_spec(record, "left", "simple").compile()
    data = mujoco.MjData(model)
    for joint, angle in zip(record.joints, q, strict=True):
        data.joint(joint).qpos = angle
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(data.body(body).xpos, position, atol=2e-5)
    np.testing.assert_allclose(data.body(body).xmat.reshape(3, 3)[:, axis], direction, atol=2e-5)


def test_batched_kinematics_equal_mujoco(record):
    model = arm_spec(record, "left", "simple").compile()
    chain = InverseKinematics(model, "")
    data = mujoco.MjData(model)
    q = np.random.default_rng(0).uniform(chain.lower, chain.upper, (20, record.dof))
    T, J = chain.forward(q), chain.jacobian(q)
    for k in range(len(q)):
        data.qpos[: record.dof] = q[k]
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(T[k, :3, 3], data.site("tcp").xpos, atol=1e-9)
        np.testing.assert_allclose(T[k, :3, :3], data.site("tcp").xmat.reshape(3, 3), atol=1e-9)
        exact = np.zeros((6, model.nv))
        mujoco.mj_jacSite(model, data, exact[:3], exact[3:], model.site("tcp").id)
        np.testing.assert_allclose(J[k], exact[:, : record.dof], atol=1e-9)


def test_inverse_kinematics_reach_what_is_reachable(record):
    chain = InverseKinematics(arm_spec(record, "left", "simple").compile(), "")
    home = np.tile(record.home["left"], (100, 1))
    near = home + np.random.default_rng(0).uniform(-0.25, 0.25, home.shape)
    targets = chain.forward(np.clip(near, chain.lower + 0.04, chain.upper - 0.04))
    q, solved, _ = chain.solve(targets, home, restarts=0)
    assert solved.mean() > 0.95
    assert np.linalg.norm(chain.forward(q[solved])[:, :3, 3] - targets[solved, :3, 3], axis=1).max() < 1e-3


def with_payload(record: RobotRecord, mass: float) -> mujoco.MjModel:
    scene = bare_scene(record)
    site = scene.site("left_tcp")
    hand = next(body for body in scene.bodies if any(s.name == "left_tcp" for s in body.sites))
    load = hand.add_body(name="load", pos=site.pos)
    load.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.02, 0, 0], mass=mass, contype=0, conaffinity=0)
    return scene.compile()


@pytest.mark.parametrize("mass", [0.001, 0.5])
def test_servos_track_a_move_of_30_cm_in_one_second(record, mass):
    """Commands as datagen gives them: 25 Hz, joint targets moving linearly in between, 4 ms steps."""
    model = with_payload(record, mass)
    data = at_home(model, record)
    chain = InverseKinematics(model, "left_")
    q = [np.array(record.home["left"])]
    start = chain.forward(q[0])
    for k in range(1, 26):
        target = start.copy()
        target[:3, 3] += np.array([0.0, 0.26, -0.15]) * (10 - 15 * k / 25 + 6 * (k / 25) ** 2) * (k / 25) ** 3
        solution = chain.solve(target, q[-1], restarts=0)
        assert solution.ok[0]
        q.append(solution.q[0])
    servos = [model.actuator(f"left_{joint}").id for joint in record.joints]
    errors = []
    for k in range(25 * 10 + 125):
        fraction = min(k + 1, 250) / 10
        before = min(int(fraction), 24)
        command = q[before] + (q[before + 1] - q[before]) * (fraction - before)
        data.ctrl[servos] = command
        mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        wanted = chain.forward(command)
        errors.append(np.linalg.norm(data.site("left_tcp").xpos - wanted[:3, 3]))
    assert max(errors) < 0.005
    assert errors[-1] < 0.001
    assert np.abs(data.qvel).max() < 1e-3


@pytest.mark.parametrize(("width", "mass"), [(0.05, 0.2), (0.05, 0.5), (0.004, 0.02)])
def test_gripper_closes_on_a_box_and_holds_it_for_two_seconds(record, width, mass):
    scene = bare_scene(record)
    reference = at_home(scene.compile(), record)
    tcp = reference.site("left_tcp")
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, tcp.xmat)
    box = scene.worldbody.add_body(name="box", pos=tcp.xpos, quat=quat, gravcomp=1)
    box.add_freejoint()
    box.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.015, width / 2, 0.03], mass=mass, friction=[0.8, 0.005, 0.0001]
    )
    model = scene.compile()
    data = at_home(model, record)
    half = record.gripper.max_opening / 2
    for k in range(150):  # the box floats until it is held
        data.actuator("left_gripper").ctrl = half * max(0.0, 1 - k / 100)
        mujoco.mj_step(model, data)
    model.body_gravcomp[model.body("box").id] = 0
    held = data.body("box").xpos - data.site("left_tcp").xpos
    for _ in range(500):
        mujoco.mj_step(model, data)
    assert np.linalg.norm(data.body("box").xpos - data.site("left_tcp").xpos - held) < 0.002
    assert data.joint("left_finger1").qpos[0] == pytest.approx(width / 2, abs=0.001)
    force = np.zeros(6)
    total = 0.0
    for k, contact in enumerate(data.contact[: data.ncon]):
        if {model.geom(g).name for g in contact.geom} & {"left_pad1"}:
            mujoco.mj_contactForce(model, data, k, force)
            total += force[0]
    assert 10 < total < 1.1 * record.gripper.force


def test_gripper_opens_and_closes_fully(record):
    model = bare_scene(record).compile()
    data = at_home(model, record, opening=0.0)
    half = record.gripper.max_opening / 2
    for target in (half, 0.0):
        for side in SIDES:
            data.actuator(f"{side}_gripper").ctrl = target
        for _ in range(200):
            mujoco.mj_step(model, data)
        for side in SIDES:
            for finger in ("finger1", "finger2"):
                assert data.joint(f"{side}_{finger}").qpos[0] == pytest.approx(target, abs=5e-4)


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"Did you mean franka-panda\? .*assets list robots"):
        load_robot("panda-franka")
    record = load_robot(DEFAULT_ROBOT)
    with pytest.raises(TwinloomError, match="choose left or right"):
        arm_spec(record, "middle")  # type: ignore[arg-type]
    with pytest.raises(TwinloomError, match="choose mesh or simple"):
        arm_spec(record, "left", "nice")  # type: ignore[arg-type]


def test_meshes_that_were_not_pulled_are_named_with_the_cure(tmp_path, monkeypatch):
    monkeypatch.setenv("TWINLOOM_CACHE", str(tmp_path))
    with pytest.raises(MissingAssetError, match="run: assets pull franka-panda"):
        arm_spec(load_robot("franka-panda"), "left")
    damaged = mesh_file(load_robot("franka-panda"))
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"PK not really")
    with pytest.raises(MissingAssetError, match="is damaged"):
        arm_spec(load_robot("franka-panda"), "left")


def test_a_malformed_file_lists_every_problem_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("assets.robots.record.FOLDER", tmp_path)
    text = (FOLDER / "piper.toml").read_text()
    shutil.copy(FOLDER / "piper.xml", tmp_path / "arm.xml")

    def problems(changed: str) -> list[str]:
        (tmp_path / "arm.toml").write_text(changed)
        with pytest.raises(InvalidSettingsError) as raised:
            read_record(tmp_path / "arm.toml")
        return raised.value.problems

    (tmp_path / "arm.toml").write_text(text)
    assert read_record(tmp_path / "arm.toml").name == "arm"
    found = problems(text.replace("force = 35.0", "force = -1.0").replace("fovy = 58.0", "fovy = 580.0"))
    assert found == ["gripper.force must be positive", "wrist_camera.fovy must be between 10 and 120 degrees"]
    assert problems(text.replace("[limits]", "[limit]")) == [
        "limits is missing",
        "unknown key limit; allowed: base, description, gripper, home, licence, limits, model, provenance, sources, "
        "stand, visual, wrist_camera",
    ]
    assert problems(text.replace("max_opening =", "opening =")) == [
        "gripper: got an unexpected keyword argument 'opening'"
    ]
    assert problems(text.replace('kind = "tube", start', 'kind = "pipe", start', 1)) == [
        "visual.shapes[0] needs a kind among box, tube, loft (not pipe)"
    ]
    assert problems("x = [")[0].startswith("not valid TOML")

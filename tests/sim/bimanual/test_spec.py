"""Scenes as data: JSON and back without loss, equal specs give equal models."""

from __future__ import annotations

import dataclasses
import json

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.bimanual.compile import compile_scene
from sim.bimanual.spec import (
    DEFAULT_CAMERAS,
    BlockSpec,
    CameraSpec,
    DynamicsSpec,
    LightSpec,
    Placement,
    SceneSpec,
)
from twinloom.errors import TwinloomError

NUMBER = st.floats(-5, 5)
VEC3 = st.tuples(NUMBER, NUMBER, NUMBER)
QUAT = st.tuples(NUMBER, NUMBER, NUMBER, NUMBER)
NAME = st.text(min_size=1, max_size=8)
BLOCK = st.builds(BlockSpec, VEC3, QUAT, NAME, NUMBER, st.tuples(NUMBER), NUMBER, st.booleans())
PLACEMENT = st.builds(
    Placement,
    NAME,
    NAME,
    st.integers(0, 9),
    VEC3,
    QUAT,
    st.sampled_from(["free", "static", "fixed"]),
    st.none() | NUMBER,
    st.dictionaries(NAME, NUMBER, max_size=2),
    st.booleans(),
    st.none() | BLOCK,
)
SCENE = st.builds(
    SceneSpec,
    robot=NAME,
    table_bias=NUMBER,
    table_offset=st.tuples(NUMBER, NUMBER),
    placements=st.lists(PLACEMENT, max_size=3).map(tuple),
    surfaces=st.dictionaries(NAME, NAME, max_size=3),
    ambient=VEC3,
    lights=st.lists(st.builds(LightSpec, VEC3, VEC3, VEC3, st.booleans(), st.booleans()), max_size=3).map(tuple),
    cameras=st.dictionaries(NAME, st.builds(CameraSpec, VEC3, VEC3, NUMBER), max_size=2),
    wrist_offset=st.tuples(*[NUMBER] * 6),
    dynamics=st.builds(DynamicsSpec, NUMBER, NUMBER, NUMBER, NUMBER),
    latency=st.integers(0, 20),
)


@given(SCENE)
def test_json_and_back_is_the_same_scene(spec):
    assert SceneSpec.from_json(json.loads(json.dumps(spec.to_json(), allow_nan=False))) == spec


def test_numpy_numbers_become_plain_ones():
    p = Placement("a", "block", 0, tuple(np.arange(3.0)), (1.0, 0.0, 0.0, 0.0), mass=np.float32(0.5))  # type: ignore[arg-type]
    text = json.dumps(SceneSpec("franka-panda", placements=(p,)).to_json())
    assert SceneSpec.from_json(json.loads(text)).placements[0].mass == 0.5


@pytest.mark.parametrize("field", [f.name for f in dataclasses.fields(SceneSpec)])
def test_no_default_fills_a_gap_in_a_record(field):
    """Else a quantity that another version does not know would silently be replayed with its default."""
    record = SceneSpec("franka-panda").to_json()
    del record[field]
    with pytest.raises(KeyError, match=field):
        SceneSpec.from_json(record)


def test_nor_in_its_parts():
    record = scene().to_json()
    del record["placements"][0]["block"]["friction"]
    with pytest.raises(KeyError, match="BlockSpec with other fields: friction"):
        SceneSpec.from_json(record)


def test_a_field_of_another_version_is_refused():
    with pytest.raises(KeyError, match="gravity"):
        SceneSpec.from_json({**SceneSpec("franka-panda").to_json(), "gravity": -9.81})


# ------------------------------------------------------------------ compiling


def scene(**changes) -> SceneSpec:
    box = BlockSpec((0.02, 0.03, 0.04), (0.8, 0.1, 0.1, 1.0))
    placements = (Placement("box", "block", 0, (0.1, 0.0, 0.74), (1.0, 0.0, 0.0, 0.0), block=box),)
    return dataclasses.replace(SceneSpec("franka-panda", placements=placements), **changes)


def model_of(**changes) -> mujoco.MjModel:
    return compile_scene(scene(**changes), "simple")


@pytest.fixture(scope="module")
def plain() -> mujoco.MjModel:
    return model_of()


def test_equal_specs_give_equal_models(plain):
    other = compile_scene(SceneSpec.from_json(json.loads(json.dumps(scene().to_json()))), "simple")
    size = mujoco.mj_sizeModel(plain)
    assert size == mujoco.mj_sizeModel(other)
    raw = [np.zeros(size, np.uint8) for _ in range(2)]
    for model, buffer in zip((plain, other), raw, strict=True):
        mujoco.mj_saveModel(model, None, buffer)
    assert np.array_equal(*raw)


def test_visuals_do_not_change_the_physics(plain):
    pretty = compile_scene(scene(), "mesh")
    assert pretty.nv == plain.nv
    np.testing.assert_array_equal(pretty.body_mass, plain.body_mass)
    np.testing.assert_array_equal(pretty.body_inertia, plain.body_inertia)
    np.testing.assert_array_equal(pretty.dof_damping, plain.dof_damping)
    felt = [m.geom_size[(m.geom_contype != 0)] for m in (pretty, plain)]
    np.testing.assert_array_equal(*felt)


@pytest.mark.parametrize("name", DEFAULT_CAMERAS)
def test_cameras_look_along_their_direction_with_a_level_horizon(plain, name):
    data = mujoco.MjData(plain)
    mujoco.mj_forward(plain, data)
    camera = data.camera(name)
    R, forward = camera.xmat.reshape(3, 3), np.array(DEFAULT_CAMERAS[name].forward)
    np.testing.assert_allclose(-R[:, 2], forward / np.linalg.norm(forward), atol=1e-9)
    assert abs(R[2, 0]) < 1e-9  # the image's x axis is horizontal
    assert R[2, 1] > 0  # and its y axis points up
    np.testing.assert_allclose(camera.xpos, DEFAULT_CAMERAS[name].pos)


def test_a_camera_may_look_straight_down():
    model = model_of(cameras={"top": CameraSpec((0, 0, 2), (0, 0, -1))})
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.camera("top").xmat.reshape(3, 3), np.eye(3), atol=1e-9)


def test_table_height_and_shift_move_the_table_only(plain):
    moved = model_of(table_bias=0.02, table_offset=(0.3, -0.1))
    shift = moved.body("table").pos - plain.body("table").pos
    np.testing.assert_allclose(shift, [0.3, -0.1, 0.02])
    legs = moved.geom_bodyid == moved.body("table").id
    data = mujoco.MjData(moved)
    mujoco.mj_forward(moved, data)
    bottom = (data.geom_xpos[legs, 2] - moved.geom_size[legs, 2]).min()
    assert bottom == pytest.approx(0.0, abs=1e-9)  # the legs stand on the floor at every height
    np.testing.assert_array_equal(moved.body("left_base").pos, plain.body("left_base").pos)


def test_dynamics_factors(plain):
    varied = model_of(dynamics=DynamicsSpec(friction=0.8, mass=1.2, servo_stiffness=1.1, joint_damping=1.25))
    np.testing.assert_allclose(varied.geom_friction[:, 0], 0.8 * plain.geom_friction[:, 0])
    np.testing.assert_array_equal(varied.geom_friction[:, 1:], plain.geom_friction[:, 1:])
    assert varied.body("box").mass == pytest.approx(1.2 * plain.body("box").mass)
    assert varied.body("left_hand").mass == plain.body("left_hand").mass
    for side in ("left", "right"):
        a, b = varied.actuator(f"{side}_joint1"), plain.actuator(f"{side}_joint1")
        np.testing.assert_allclose(a.gainprm[0] / b.gainprm[0], 1.1)
        np.testing.assert_allclose(a.biasprm[1] / b.biasprm[1], 1.1)
        grip = [m.actuator(f"{side}_gripper").gainprm for m in (varied, plain)]
        np.testing.assert_array_equal(*grip)
        damping = [m.joint(f"{side}_joint1").damping[0] for m in (varied, plain)]
        assert damping[0] == pytest.approx(1.25 * damping[1])


def test_wrist_cameras_shift_in_their_own_frame(plain):
    moved = model_of(wrist_offset=(0.004, 0, 0, 0, 0, 0.02))
    for side in ("left", "right"):
        a, b = moved.camera(f"{side}_wrist"), plain.camera(f"{side}_wrist")
        assert np.linalg.norm(a.pos - b.pos) == pytest.approx(0.004)
        assert abs(a.quat @ b.quat) == pytest.approx(np.cos(0.01))


def test_mass_and_joints_of_a_placement():
    cabinet = Placement("c", "cabinet", 0, (0, 0.1, 0.74), (1.0, 0.0, 0.0, 0.0), "fixed", 3.0, {"drawer": 0.05})
    model = compile_scene(SceneSpec("franka-panda", placements=(cabinet,)), "simple")
    bodies = [b for b in range(model.nbody) if model.body(b).name.split("/")[0] == "c"]
    assert model.body_mass[bodies].sum() == pytest.approx(3.0)
    assert model.qpos0[model.joint("c/drawer").qposadr[0]] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"robot": "franka-pnada"}, "Did you mean franka-panda"),
        ({"surfaces": {"table": "seen/wod/000029", "wall": "#ffffff", "floor": "#ffffff"}}, "names look like"),
        ({"placements": (Placement("a", "botle", 0, (0, 0, 1), (1, 0, 0, 0)),)}, "Did you mean bottle"),
    ],
)
def test_unknown_names_are_explained(changes, words):
    with pytest.raises(TwinloomError, match=words):
        model_of(**changes)

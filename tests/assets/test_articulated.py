"""Doors, drawers, lids and rockers move over their whole range, stay where they are left, and can be grasped."""

import mujoco
import numpy as np
import pytest

from assets.objects import library
from assets.objects.build import add_object
from assets.objects.model import ObjectAsset
from assets.objects.shapes import part_poses

ARTICULATED = {"laptop": 11, "microwave": 3, "cabinet": 3, "switch": 8, "oven": 4, "box_with_lid": 7, "kettle": 3}
KEYS = [(name, k) for name, count in ARTICULATED.items() for k in range(count)]
FINGER = 0.010  # metres: half the thickness of a finger, from its inner face to its middle


def _compile(asset: ObjectAsset, mode: str = "fixed", yaw: float = 0.4) -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.integrator = 0.004, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 10
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
    add_object(spec, asset, "it", (0.1, -0.2, 0.0), (np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)), mode=mode)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def _joints(asset: ObjectAsset) -> list[str]:
    return [f"it/{p.name}" for p in asset.parts if p.joint]


def _own_contacts(model: mujoco.MjModel, data: mujoco.MjData) -> list[tuple[str, str]]:
    names = [(model.geom(c.geom[0]).name, model.geom(c.geom[1]).name) for c in data.contact]
    return [n for n in names if all(x.startswith("it/") for x in n)]


@pytest.mark.parametrize(("name", "index"), KEYS)
def test_joint_starts_where_it_should_and_stays(name, index):
    asset = library.load(name, index)
    model, data = _compile(asset)
    for part in (p for p in asset.parts if p.joint):
        joint = f"it/{part.name}"
        low, high = model.joint(joint).range
        assert (low, high) == pytest.approx(part.joint.limits)
        assert data.joint(joint).qpos[0] == pytest.approx(part.joint.initial)
        for fraction in (0.25, 0.5, 0.9):
            mujoco.mj_resetData(model, data)
            data.joint(joint).qpos[0] = low + fraction * (high - low)
            for _ in range(250):
                mujoco.mj_step(model, data)
            assert data.joint(joint).qpos[0] == pytest.approx(low + fraction * (high - low), abs=0.004 * (high - low))


@pytest.mark.parametrize(("name", "index"), KEYS)
def test_joint_is_free_over_its_range(name, index):
    asset = library.load(name, index)
    model, data = _compile(asset)
    for joint in _joints(asset):
        low, high = model.joint(joint).range
        for position in np.linspace(low, high, 25):
            mujoco.mj_resetData(model, data)
            data.joint(joint).qpos[0] = position
            mujoco.mj_forward(model, data)
            assert not _own_contacts(model, data)
        # a few newtons at the handle move it from end to end within two seconds
        dof = model.joint(joint).dofadr[0]
        mujoco.mj_resetData(model, data)
        data.joint(joint).qpos[0] = low
        lever = 1.0 if model.jnt_type[model.joint(joint).id] == mujoco.mjtJoint.mjJNT_SLIDE else _lever(asset, joint)
        for _ in range(500):
            data.qfrc_applied[dof] = 6.0 * lever
            mujoco.mj_step(model, data)
        assert data.joint(joint).qpos[0] > low + 0.97 * (high - low)


def _lever(asset: ObjectAsset, joint: str) -> float:
    """Distance of the first grasp on the moving part from the joint's axis, metres."""
    part = next(p for p in asset.parts if f"it/{p.name}" == joint)
    at = next(g for g in asset.grasps if g.part == part.name).T_object_hand[:3, 3] - part.joint.pos
    return float(np.linalg.norm(np.cross(part.joint.axis, at)))


@pytest.mark.parametrize(("name", "index"), [*KEYS, *(("kitchen_pot", k) for k in range(7))])
def test_fingers_meet_material_and_have_room(name, index):
    asset = library.load(name, index)
    model, data = _compile(asset, mode="static", yaw=0.0)
    poses = part_poses(asset)
    origin = np.array([0.1, -0.2, 0.0])

    def distance(start: np.ndarray, direction: np.ndarray) -> float:
        hit = mujoco.mj_ray(
            model, data, origin + start, direction, np.array([1, 0, 0, 1, 0, 0], np.uint8), 1, -1, np.zeros(1, np.int32)
        )
        return np.inf if hit < 0 else hit

    for grasp in asset.grasps:
        T = poses[grasp.part] @ grasp.T_object_hand
        tip, approach, opening = T[:3, 3], T[:3, 0], T[:3, 1]
        assert np.allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), atol=1e-9)
        if grasp.width == 0:  # a press: the surface lies just ahead of the fingertips
            if grasp.group == "press":
                assert distance(tip - 0.02 * approach, approach) == pytest.approx(0.02, abs=0.001)
            continue
        assert grasp.width <= 0.03
        for side in (-1, 1):
            finger = tip + side * (grasp.width / 2 + FINGER) * opening
            assert distance(finger, -side * opening) == pytest.approx(FINGER, abs=0.003), grasp.group
            # the finger and the room behind it are free
            assert distance(finger + 0.012 * approach, -approach) > 0.12, grasp.group


@pytest.mark.parametrize("index", range(7))
def test_pot_can_be_lifted_by_its_handles_without_tipping_over(index):
    asset = library.load("kitchen_pot", index)
    assert asset.mass <= 1.0
    model, data = _compile(asset, mode="free")
    for _ in range(250):
        mujoco.mj_step(model, data)
    assert data.body("it").xpos == pytest.approx([0.1, -0.2, 0], abs=0.002)
    left, right = (
        np.mean([g.T_object_hand[:3, 3] for g in asset.grasps_in(f"{s}_handle")], axis=0) for s in ("left", "right")
    )
    assert left == pytest.approx(right * [-1, 1, 1], abs=1e-9)
    assert left[2] > data.body("it").xipos[2], "held below its centre of mass it would turn over"


def test_drawer_takes_an_object_and_carries_it_in():
    cabinet = library.load("cabinet", 0)
    model, data = _compile(cabinet)
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.004
    add_object(spec, cabinet, "cabinet", (0, 0, 0), mode="fixed")
    floor = part_poses(cabinet)["drawer"] @ cabinet.point("drawer").T_object_point
    cube = spec.worldbody.add_body(name="cube", pos=floor[:3, 3] + [0, -0.18, 0.05])
    cube.add_freejoint()
    cube.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.02, 0.02, 0.02], mass=0.05)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.joint("cabinet/drawer").qpos[0] = 0.18
    for _ in range(200):
        mujoco.mj_step(model, data)
    assert data.body("cube").xpos[2] == pytest.approx(floor[2, 3] + 0.02, abs=0.002)
    for _ in range(400):
        data.qfrc_applied[model.joint("cabinet/drawer").dofadr[0]] = -4
        mujoco.mj_step(model, data)
    assert data.joint("cabinet/drawer").qpos[0] < 0.002
    assert np.abs(data.body("cube").xpos[:2] - floor[:2, 3]).max() < 0.05

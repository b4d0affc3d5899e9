"""A floating parallel gripper closes at the grasp points and lifts; objects stay where tasks will put them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from assets.objects import library
from assets.objects.build import add_object
from assets.objects.frames import pose, quat_of, rotation
from assets.objects.model import GraspPoint, ObjectAsset

STEP = 0.004
OPENING = 0.07  # metres, the narrowest of the shipped grippers
FORCE = 25.0  # newton per finger
LIFT = 0.10  # metres
BATCH = 24
TWO_HANDED = {"roller", "tray", "plastic_box", "shoe_box", "kitchen_pot"}  # one hand cannot keep these level
Case = tuple[ObjectAsset, GraspPoint]


def base_spec() -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    # the table meets objects only, never the fingers
    table = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[50, 50, 0.05], pos=[0, 0, -0.05])
    table.contype, table.conaffinity = 4, 1
    return spec


def add_gripper(spec: mujoco.MjSpec, name: str, T_world_hand: np.ndarray) -> None:
    """Two pads of 20 x 44 mm on a vertical slide; the tool centre point lies at the pads' ends."""
    R = T_world_hand[:3, :3]
    base = spec.worldbody.add_body(name=name, pos=T_world_hand[:3, 3], quat=quat_of(R))
    base.gravcomp = 1
    base.add_joint(name=f"{name}/lift", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=R.T @ [0, 0, 1], damping=[20, 0, 0])
    base.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.02, 0, 0], mass=0.5, contype=0, conaffinity=0)
    drive = spec.add_actuator(name=f"{name}/lift", target=f"{name}/lift", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    drive.set_to_position(kp=4000, dampratio=1)
    for side, finger in ((1, "left"), (-1, "right")):
        body = base.add_body(name=f"{name}/{finger}", pos=[-0.02, side * (OPENING / 2 + 0.004), 0])
        body.gravcomp = 1
        body.add_joint(
            name=f"{name}/{finger}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, -side, 0],
            limited=True, range=[0, OPENING / 2], damping=[10, 0, 0], armature=0.05,
        )  # fmt: skip
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.022, 0.004, 0.010], mass=0.05, condim=4,
            friction=[1, 0.01, 0.0001], contype=2, conaffinity=1,
        )  # fmt: skip
        drive = spec.add_actuator(name=f"{name}/{finger}", target=f"{name}/{finger}", trntype=mujoco.mjtTrn.mjTRN_JOINT)
        drive.set_to_position(kp=600, dampratio=1)
        drive.forcelimited, drive.forcerange = True, [-FORCE, FORCE]


def lift(cases: list[Case]) -> list[tuple[float, float]]:
    """Close, lift by 10 cm, hold. Returns slip (m) against the hand and turn (rad) of every object."""
    spec = base_spec()
    for k, (asset, grasp) in enumerate(cases):
        place = np.array([1.2 * (k % 6), 1.2 * (k // 6), 0.0])
        add_object(spec, asset, f"object{k}", tuple(place))
        add_gripper(spec, f"hand{k}", pose(place) @ grasp.T_object_hand)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    start = [data.body(f"object{k}").xpos.copy() for k in range(len(cases))]
    closing, raising, holding = 100, 150, 100
    for i in range(closing + raising + holding):
        data.ctrl[0::3] = LIFT * np.clip((i - closing) / raising, 0, 1)
        closed = OPENING / 2 * min(1.0, i / 70) + 0.005  # the target lies inside the object: full force
        data.ctrl[1::3] = data.ctrl[2::3] = closed
        mujoco.mj_step(model, data)
    result = []
    for k, origin in enumerate(start):
        body = data.body(f"object{k}")
        turn = np.arccos(np.clip((np.trace(body.xmat.reshape(3, 3)) - 1) / 2, -1, 1))
        result.append((float(np.linalg.norm(body.xpos - origin - (0, 0, LIFT))), float(turn)))
    return result


def graspable() -> list[Case]:
    """Two grasps of every group of every one-handed rigid object that stands in its identity pose."""
    cases: list[Case] = []
    for name in library.categories():
        if name in TWO_HANDED:
            continue
        for index in range(library.instances(name)):
            asset = library.load(name, index)
            if len(asset.parts) > 1 or asset.stable_quats[0] != (1, 0, 0, 0) or asset.mass > 0.5:
                continue
            for group in dict.fromkeys(g.group for g in asset.grasps if g.width > 0):
                if (name, group) == ("basket", "rim"):  # for pulling it closer, not for lifting
                    continue
                reachable = [g for g in asset.grasps_in(group) if g.T_object_hand[2, 0] < 0.3]  # not from below
                cases += [(asset, reachable[0]), (asset, reachable[len(reachable) // 3])]
    return cases


CASES = graspable()


@pytest.mark.parametrize("chunk", range(-(-len(CASES) // BATCH)))
def test_every_grasp_lifts(chunk: int) -> None:
    cases = CASES[BATCH * chunk : BATCH * (chunk + 1)]
    bad = [
        f"{asset.key} {grasp.group}: slipped {1000 * slip:.0f} mm, turned {np.rad2deg(turn):.0f} deg"
        for (asset, grasp), (slip, turn) in zip(cases, lift(cases), strict=True)
        if slip > 0.025 or turn > np.deg2rad(20)
    ]
    assert not bad, "\n".join(bad)


def put(pairs: list[tuple[tuple[str, int], str, tuple[str, int], str]], above: float, seconds: float):
    """Release object A with its point ``above`` the point of a static B; returns drift (m), turn (rad) per pair."""
    spec = base_spec()
    start = []
    for k, (a, point_a, b, point_b) in enumerate(pairs):
        moving, target = library.load(*a), library.load(*b)
        place = pose((1.5 * (k % 8), 1.5 * (k // 8), 0))
        add_object(spec, target, f"target{k}", tuple(place[:3, 3]), mode="static")
        T = place @ target.point(point_b).T_object_point @ np.linalg.inv(moving.point(point_a).T_object_point)
        T[2, 3] += above
        add_object(spec, moving, f"object{k}", tuple(T[:3, 3]), quat_of(T[:3, :3]))
        start.append(T)
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(round(seconds / STEP)):
        mujoco.mj_step(model, data)
    result = []
    for k, T in enumerate(start):
        body = data.body(f"object{k}")
        turn = np.arccos(np.clip((np.trace(T[:3, :3].T @ rotation(body.xquat)) - 1) / 2, -1, 1))
        result.append((float(np.linalg.norm(body.xpos - T[:3, 3] + (0, 0, above))), float(turn)))
    return result


def every(name: str) -> list[tuple[str, int]]:
    return [(name, k) for k in range(library.instances(name))]


PLACEMENTS = {
    "mug hangs on the rack": [(m, "handle", r, "peg") for m in every("mug") for r in every("mug_rack")],
    "phone leans on the stand": [(p, "edge", s, "tray") for p in every("phone") for s in every("phone_stand")],
    "cup on coaster": [(c, "bottom", ("coaster", k % 6), "inside") for k, c in enumerate(every("cup"))],
    "bowl and cup on plate": [(c, "bottom", ("plate", c[1] % 5), "inside") for c in every("bowl") + every("cup")],
    "cans in the box": [
        (("can", k % 6), "bottom", b, side) for k, b in enumerate(every("plastic_box")) for side in ("left", "right")
    ],
    "can and car in the basket": [
        (a, "bottom", b, side)
        for b in every("basket")
        for a, side in ((("can", b[1]), "left"), (("toy_car", b[1]), "right"))
    ],
    "shoes in the box": [
        (s, "sole", ("shoe_box", s[1] % 3), side) for s in every("shoe") for side in ("left", "right")
    ],
    "bread in basket and skillet": [
        (b, "bottom", ("bread_basket", b[1] % 5), "inside") for b in every("bread") if b[1] != 2
    ]
    + [(b, "bottom", ("skillet", b[1] % 4), "pan") for b in every("bread")],
    "burger and fries on the tray": [
        (a, "bottom", ("tray", a[1] % 4), side)
        for name, side in (("hamburger", "left"), ("french_fries", "right"))
        for a in every(name)
    ],
    "things on scale and stand": [
        (a, "bottom", (b, a[1] % 5), top)
        for name in ("mouse", "stapler", "bell", "rubiks_cube", "toy_car", "remote_control")
        for a in every(name)
        for b, top in (("electronic_scale", "top"), ("display_stand", "top"))
    ],
}


@pytest.mark.parametrize("what", PLACEMENTS)
def test_points_meet(what: str) -> None:
    """Released 3 mm above its goal an object comes to rest there."""
    pairs = PLACEMENTS[what]
    loose = what in ("mug hangs on the rack", "phone leans on the stand")  # these find their own balance
    bad = []
    for start in range(0, len(pairs), 40):
        chunk = pairs[start : start + 40]
        for (a, _, b, _), (drift, turn) in zip(chunk, put(chunk, 0.003, 1.5), strict=True):
            if drift > (0.02 if loose else 0.006) or turn > np.deg2rad(12 if loose else 4):
                bad.append(f"{a} on {b}: {1000 * drift:.1f} mm, {np.rad2deg(turn):.1f} deg")
    assert not bad, "\n".join(bad)


def test_equal_bowls_nest() -> None:
    """A bowl dropped into another ends upright, between 5 and 25 mm higher."""
    spec = base_spec()
    count = library.instances("bowl")
    for k in range(count):
        bowl = library.load("bowl", k)
        add_object(spec, bowl, f"low{k}", (k, 0, 0), mode="free")
        add_object(spec, bowl, f"high{k}", (k + 0.003, 0.002, 0.03), (0.98, 0, 0, 0.2), mode="free")
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(400):
        mujoco.mj_step(model, data)
    for k in range(count):
        low, high = data.body(f"low{k}"), data.body(f"high{k}")
        assert 0.005 < high.xpos[2] - low.xpos[2] < 0.025, k
        assert np.linalg.norm(high.xpos[:2] - low.xpos[:2]) < 0.01, k
        assert high.xmat.reshape(3, 3)[2, 2] > 0.99, k


def test_containers_are_hollow() -> None:
    """Containers are hollow: a ball dropped over the middle lies inside near the floor."""
    spec = base_spec()
    names = [
        *every("table_trash_bin"),
        *every("cup"),
        *every("mug"),
        *every("bowl"),
        *every("bread_basket"),
        ("dustbin", 0),
    ]
    for k, key in enumerate(names):
        asset = library.load(*key)
        add_object(spec, asset, f"bin{k}", (k, 0, 0), mode="static")
        body = spec.worldbody.add_body(name=f"ball{k}", pos=[k + 0.004, 0.003, asset.extents[2] + 0.02])
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.008, 0, 0], mass=0.002, condim=4)
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(500):
        mujoco.mj_step(model, data)
    for k, key in enumerate(names):
        x, y, z = data.body(f"ball{k}").xpos - (k, 0, 0)
        size = library.load(*key).extents
        z -= library.load(*key).point("inside").T_object_point[2, 3]
        assert 0.004 < z < 0.02, f"{key}: ball {z:.3f} m over the floor"
        assert max(abs(x), abs(y)) < max(size[0], size[1]) / 2, key

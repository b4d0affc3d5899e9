"""Every instance of every category: compiles, rests, can be grasped where it says, and is called by its name."""

from __future__ import annotations

import functools

import mujoco
import numpy as np
import pytest

from assets.objects import library, meshes
from assets.objects.build import add_object
from assets.objects.describe import MAX_WORDS
from assets.objects.frames import multiply, quat_about, rotation
from assets.objects.model import ObjectAsset
from assets.objects.shapes import bounds, part_poses
from tests.assets.closed import is_closed
from twinloom.errors import TwinloomError

ALL = [(name, k) for name in library.categories() for k in range(library.instances(name))]
ASSETS = [library.load(*key) for key in ALL]
SPACING = 1.2  # metres between objects of a batch
DROP = 0.001


def make_spec() -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.004
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    spec.worldbody.add_geom(name="table", type=mujoco.mjtGeom.mjGEOM_BOX, size=[50, 50, 0.05], pos=[0, 0, -0.05])
    return spec


def settle(batch: list[tuple[ObjectAsset, tuple[float, ...]]], seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Drop every object from 1 mm; return how far (m) and how much (rad) each has moved sideways and turned."""
    spec = make_spec()
    start = []
    for k, (asset, quat) in enumerate(batch):
        pos = (SPACING * (k % 8), SPACING * (k // 8), library.resting_height(asset, quat) + DROP)
        add_object(spec, asset, str(k), pos, quat, "free")  # type: ignore[arg-type]
        start.append((pos, quat))
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(round(seconds / 0.004)):
        mujoco.mj_step(model, data)
    moved, turned = [], []
    for k, (pos, quat) in enumerate(start):
        body = data.body(str(k))
        moved.append(np.linalg.norm(body.xpos - pos + (0, 0, DROP)))
        moved[-1] = max(moved[-1] - DROP, 0.0)
        cosine = abs(float(np.dot(body.xquat, np.asarray(quat) / np.linalg.norm(quat))))
        turned.append(2 * np.arccos(min(cosine, 1.0)))
    return np.array(moved), np.array(turned)


@pytest.mark.parametrize("chunk", range(-(-len(ASSETS) // 40)))
def test_every_object_rests_where_it_is_put(chunk: int) -> None:
    batch = [(a, q) for a in ASSETS[40 * chunk : 40 * (chunk + 1)] for q in a.stable_quats]
    moved, turned = settle(batch, 1.0)
    bad = [
        f"{a.key} {np.round(q, 2)}: {1000 * m:.1f} mm, {np.rad2deg(t):.1f} deg"
        for (a, q), m, t in zip(batch, moved, turned, strict=True)
        if m > 0.005 or t > np.deg2rad(3)
    ]
    assert not bad, "\n".join(bad)


def test_identity_stands_on_the_table_with_the_origin_below() -> None:
    bad = []
    for asset in ASSETS:
        height = library.resting_height(asset, asset.stable_quats[0])
        if asset.stable_quats[0] == (1, 0, 0, 0) and abs(height) > 1e-4:
            bad.append(f"{asset.key} bottom at {-1000 * height:.2f} mm")
    assert not bad, "\n".join(bad)


def test_extents_are_the_bounding_box() -> None:
    for asset in ASSETS:
        low, high = bounds(asset, rotation(asset.stable_quats[0]))
        assert np.allclose(high - low, asset.extents, atol=1e-6), asset.key
        assert np.all(high - low > 0), asset.key


def test_mass_and_shapes() -> None:
    for asset in ASSETS:
        for part in asset.parts:
            assert part.mass > 0, asset.key
            assert any(s.role != "visual" for s in part.shapes), f"{asset.key} {part.name} has nothing to feel"
        solid = sum(s.role != "visual" for p in asset.parts for s in p.shapes)
        triangles = sum(len(s.mesh.faces) for p in asset.parts for s in p.shapes if s.mesh and s.role != "collision")
        assert solid <= 36, f"{asset.key} has {solid} collision shapes"
        assert triangles <= 1600, f"{asset.key} has {triangles} triangles"


def test_closed_meshes_face_outwards() -> None:
    for asset in ASSETS:
        for part in asset.parts:
            for k, shape in enumerate(part.shapes):
                if shape.mesh is None:
                    continue
                where = f"{asset.key} {part.name} shape {k}"
                assert np.isfinite(shape.mesh.vertices).all(), where
                assert shape.mesh.faces.min() >= 0, where
                assert shape.mesh.faces.max() < len(shape.mesh.vertices), where
                if is_closed(shape.mesh):
                    assert meshes.volume(shape.mesh) > 0, f"{where} is inside out"
                else:
                    assert shape.role == "visual", f"{where} collides but is open"


@functools.lru_cache(maxsize=1)
def _felt_scene() -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = make_spec()
    for k, asset in enumerate(ASSETS):
        add_object(spec, asset, str(k), (SPACING * (k % 16), SPACING * (k // 16), 1.0), mode="static")
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def _hit(model: mujoco.MjModel, data: mujoco.MjData, start: np.ndarray, direction: np.ndarray) -> float:
    """Distance to the first collision surface along a ray, or infinity."""
    group = np.array([1, 0, 0, 1, 0, 0], np.uint8)
    geom = np.zeros(1, np.int32)
    distance = mujoco.mj_ray(model, data, start, direction, group, 1, -1, geom)
    return float(distance) if distance >= 0 else np.inf


def test_fingers_close_on_material() -> None:
    """From the fingertips of the open gripper, rays along the opening axis meet the object at the stated width."""
    model, data = _felt_scene()
    bad = []
    for k, asset in enumerate(ASSETS):
        origin = np.array([SPACING * (k % 16), SPACING * (k // 16), 1.0])
        poses = part_poses(asset)
        for g in asset.grasps:
            T = poses[g.part] @ g.T_object_hand
            R, p = T[:3, :3], T[:3, 3] + origin
            assert np.allclose(R.T @ R, np.eye(3), atol=1e-6), asset.key
            assert np.linalg.det(R) > 0, asset.key
            if g.group in ("button", "press"):  # the fingertips touch a surface
                gap = _hit(model, data, p - 0.03 * R[:, 0], R[:, 0]) - 0.03
                if abs(gap) > 0.004:
                    bad.append(f"{asset.key} {g.group}: surface {1000 * gap:.1f} mm from the press point")
            if g.width == 0:
                continue
            assert g.width <= 0.0645, f"{asset.key} {g.group} is {g.width} wide"
            reach = g.width / 2 + 0.004
            # three rays a millimetre apart, since one may slip through the seam of two triangles
            rays = [p + 0.001 * j * R[:, 2] - 0.0003 * j * R[:, 0] for j in (-1, 0.1, 1)]
            left = reach - min(_hit(model, data, r + reach * R[:, 1], -R[:, 1]) for r in rays)
            right = reach - min(_hit(model, data, r - reach * R[:, 1], R[:, 1]) for r in rays)
            between = left + right
            if not np.isfinite(between) or abs(between - g.width) > 0.006:
                bad.append(f"{asset.key} {g.group}: {1000 * between:.1f} mm measured, {1000 * g.width:.1f} said")
    assert not bad, f"{len(bad)} grasps\n" + "\n".join(bad[:40])


def test_hands_stay_above_the_table() -> None:
    for asset in ASSETS:
        if asset.stable_quats[0] != (1, 0, 0, 0):
            continue
        poses = part_poses(asset)
        low = [g.group for g in asset.grasps if (poses[g.part] @ g.T_object_hand)[2, 3] < 0.0119 and g.width > 0]
        assert not low, f"{asset.key}: {low}"


def test_points_are_frames_and_standard_ones_exist() -> None:
    for asset in ASSETS:
        assert {"bottom", "top", "center"} <= {p.name for p in asset.points}, asset.key
        for p in asset.points:
            R = p.T_object_point[:3, :3]
            assert np.allclose(R.T @ R, np.eye(3), atol=1e-6), f"{asset.key} {p.name}"
            assert np.linalg.det(R) > 0, f"{asset.key} {p.name}"


def test_words() -> None:
    for asset in ASSETS:
        assert len(asset.seen) == 12, asset.key
        assert len(asset.unseen) == 3, asset.key
        every = [*asset.seen, *asset.unseen]
        assert len(set(every)) == 15, asset.key
        for phrase in every:
            assert 1 < len(phrase.split()) <= MAX_WORDS, phrase
            assert phrase == phrase.strip(), phrase
            assert not phrase.startswith(("a ", "the ")), phrase


def test_instances_of_a_category_differ() -> None:
    for name in library.categories():
        looks = {
            (a.extents, tuple((s.kind, s.material.rgba) for p in a.parts for s in p.shapes))
            for a in ASSETS
            if a.category == name
        }
        assert len(looks) == library.instances(name), name


def test_a_pair_names_one_object() -> None:
    for name in library.categories():
        first = library.load(name, 0)
        library.load.cache_clear()
        again = library.load(name, 0)
        assert again is not first
        assert again.seen == first.seen
        assert again.extents == first.extents
        for p, q in zip(first.parts, again.parts, strict=True):
            for s, t in zip(p.shapes, q.shapes, strict=True):
                assert (s.kind, s.size, s.pos, s.quat, s.role) == (t.kind, t.size, t.pos, t.quat, t.role)
                if s.mesh is not None and t.mesh is not None:
                    assert np.array_equal(s.mesh.vertices, t.mesh.vertices)
                if s.material.texture is not None and t.material.texture is not None:
                    assert np.array_equal(s.material.texture, t.material.texture)


def test_synonyms_are_categories_or_known_words() -> None:
    for name in library.categories():
        assert name not in library.synonyms(name)


def test_unknown_names_are_explained() -> None:
    with pytest.raises(TwinloomError, match="Did you mean bottle"):
        library.load("botle", 0)
    with pytest.raises(TwinloomError, match="0 to"):
        library.load("bottle", 999)


def test_same_object_twice_shares_meshes_and_textures() -> None:
    spec = make_spec()
    asset = library.load("bottle", 0)
    add_object(spec, asset, "one", (0, 0, 0))
    meshes_before, textures_before = len(spec.meshes), len(spec.textures)
    add_object(spec, asset, "two", (1, 0, 0))
    assert (len(spec.meshes), len(spec.textures)) == (meshes_before, textures_before)
    model = spec.compile()
    assert model.joint("two").type == mujoco.mjtJoint.mjJNT_FREE
    assert model.body("one").mass == pytest.approx(asset.mass)


def test_static_objects_have_no_freedom() -> None:
    spec = make_spec()
    for k, asset in enumerate(ASSETS[:60]):
        add_object(spec, asset, str(k), (SPACING * k, 0, 0), mode="static")
    assert spec.compile().nv == 0


def test_resting_height_of_a_lying_bottle_is_its_radius() -> None:
    asset = library.load("bottle", 0)
    lying = multiply(quat_about((0, 0, 1), 0.7), asset.stable_quats[1])
    assert library.resting_height(asset, lying) == pytest.approx(asset.extents[1] / 2, abs=2e-3)

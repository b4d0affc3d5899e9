"""Put an object into a MuJoCo spec.

Meshes, textures and materials are named after their content, so objects that look the same share them.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Literal

import mujoco
import numpy as np

from assets.objects.frames import quat_of
from assets.objects.model import IDENTITY, Joint, Material, Mesh, ObjectAsset, Part, Quat, Shape, Vec3
from assets.objects.shading import split_creases
from assets.objects.shapes import rest_pose

Mode = Literal["free", "static", "fixed"]

SEEN_GROUP, COLLISION_GROUP, BOTH_GROUP = 2, 3, 0
TORSION, ROLLING = 0.005, 0.0001  # metres: torsional and rolling friction of every collision shape

_KINDS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "mesh": mujoco.mjtGeom.mjGEOM_MESH,
}


def add_object(
    spec: mujoco.MjSpec,
    asset: ObjectAsset,
    name: str,
    pos: Vec3,
    quat: Quat = IDENTITY,
    mode: Mode = "free",
) -> mujoco.MjsBody:
    """Add an object to the world of ``spec``.

    Body and free joint are called ``name``, further parts and their joints ``name/<part>``, geoms ``name/<part>/<k>``.

    Args:
        pos: of the object's origin in the world, metres.
        quat: orientation, wxyz.
        mode: "free" moves freely; "fixed" has its base welded to the world and its inner joints movable; "static" is
            welded with its inner joints frozen at their initial positions.

    Returns:
        The body of the base part.
    """
    bodies: dict[str, mujoco.MjsBody] = {}
    for k, part in enumerate(asset.parts):
        if k == 0:
            body = spec.worldbody.add_body(name=name, pos=pos, quat=quat)
            if mode == "free":
                body.add_freejoint(name=name)
        else:
            parent = bodies[part.parent or asset.parts[0].name]
            T = rest_pose(part)
            body = parent.add_body(name=f"{name}/{part.name}", pos=T[:3, 3].tolist(), quat=quat_of(T[:3, :3]))
            if part.joint is not None and mode != "static":
                _add_joint(body, part.joint, f"{name}/{part.name}", degrees=bool(spec.compiler.degree))
        bodies[part.name] = body
        _add_shapes(spec, body, part, name)
    return bodies[asset.parts[0].name]


def _add_joint(body: mujoco.MjsBody, joint: Joint, name: str, degrees: bool) -> None:
    # the body is placed with the joint at its initial position; ref makes the coordinate read that position there,
    # so a plain reset of the data gives the start of the episode
    hinge = joint.kind == "hinge"
    unit = float(np.degrees(1.0)) if hinge and degrees else 1.0  # what the spec's compiler reads angles in
    body.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_HINGE if hinge else mujoco.mjtJoint.mjJNT_SLIDE,
        axis=joint.axis,
        pos=joint.pos,
        ref=joint.initial * unit,
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        range=[limit * unit for limit in joint.limits],
        damping=[joint.damping, 0, 0],
        frictionloss=joint.frictionloss,
        solimp_friction=[0.998, 0.999, 0.001, 0.5, 2],  # with the default 0.9 a lid creeps shut at 3 degrees a second
        # a hand must not push a light part past its end: the default limit gives way by tens of degrees
        solref_limit=[0.008, 1.0],
        solimp_limit=[0.99, 0.999, 0.001, 0.5, 2],
        stiffness=[joint.stiffness, 0, 0],
        springref=joint.springref * unit,
        armature=1e-4 if hinge else 1e-2,
    )


def _add_shapes(spec: mujoco.MjSpec, body: mujoco.MjsBody, part: Part, name: str) -> None:
    volumes = [shape_volume(s) if s.role != "visual" else 0.0 for s in part.shapes]
    total = sum(volumes)
    for k, (shape, share) in enumerate(zip(part.shapes, volumes, strict=True)):
        geom = body.add_geom(
            name=f"{name}/{part.name}/{k}", type=_KINDS[shape.kind], pos=shape.pos, quat=shape.quat, condim=4
        )
        if shape.kind == "mesh":
            geom.meshname = _mesh(spec, shape)
        else:
            geom.size[:] = [*shape.size, 0, 0, 0][:3]
        if shape.role == "visual":
            geom.contype, geom.conaffinity, geom.mass, geom.group = 0, 0, 0.0, SEEN_GROUP
        else:
            geom.contype, geom.conaffinity, geom.mass = 1, 1, part.mass * share / total
            geom.friction[:] = [shape.friction, TORSION, ROLLING]
            if shape.kind == "sphere":  # touches in a point, and so turns on the spot freely, whatever it lies on
                geom.friction[1:] = [TORSION * shape.size[0], ROLLING * shape.size[0]]
                geom.priority = 1
            geom.group = COLLISION_GROUP if shape.role == "collision" else BOTH_GROUP
        if shape.role != "collision":
            geom.material = _material(spec, shape.material)


def shape_volume(shape: Shape) -> float:
    """Volume of a shape in m³; of the convex hull for a mesh, since that is what collides."""
    s = shape.size
    match shape.kind:
        case "box":
            return 8 * s[0] * s[1] * s[2]
        case "sphere":
            return 4 / 3 * np.pi * s[0] ** 3
        case "ellipsoid":
            return 4 / 3 * np.pi * s[0] * s[1] * s[2]
        case "cylinder":
            return 2 * np.pi * s[0] ** 2 * s[1]
        case "capsule":
            return np.pi * s[0] ** 2 * (2 * s[1] + 4 / 3 * s[0])
        case _:
            return _hull_volume(shape.mesh)


def _hull_volume(mesh: Mesh | None) -> float:
    if mesh is None:
        raise ValueError("a shape of kind mesh needs a mesh")
    return _volume_of(mesh.vertices.tobytes())


@lru_cache(maxsize=1024)
def _volume_of(vertices: bytes) -> float:
    from scipy.spatial import ConvexHull

    return float(ConvexHull(np.frombuffer(vertices).reshape(-1, 3)).volume)


def _digest(*arrays: np.ndarray | tuple | None) -> str:
    h = hashlib.sha1(usedforsecurity=False)
    for a in arrays:
        array = np.zeros(0) if a is None else np.ascontiguousarray(a)
        h.update(str((array.shape, array.dtype.str)).encode())
        h.update(array.tobytes())
    return h.hexdigest()[:16]


def _mesh(spec: mujoco.MjSpec, shape: Shape) -> str:
    mesh = shape.mesh
    if mesh is None:
        raise ValueError("a shape of kind mesh needs a mesh")
    collides = shape.role != "visual"
    name = f"object/mesh/{_digest(mesh.vertices, mesh.faces, mesh.uv, (collides,))}"
    if spec.mesh(name) is None:
        m = spec.add_mesh(name=name)
        if collides:
            m.uservert, m.userface = mesh.vertices.astype(np.float32).ravel(), mesh.faces.astype(np.int32).ravel()
            m.inertia, m.maxhullvert = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX, 48
        else:
            # MuJoCo reads one normal per vertex only, so vertices on sharp edges are doubled
            source, normals, faces = _split(mesh.vertices.tobytes(), mesh.faces.astype(np.int64).tobytes())
            m.uservert = mesh.vertices[source].astype(np.float32).ravel()
            m.usernormal, m.userface = normals, faces
            if mesh.uv is not None:
                m.usertexcoord = mesh.uv[source].astype(np.float32).ravel()
            m.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # labels enclose no volume
    return name


@lru_cache(maxsize=1024)
def _split(vertices: bytes, faces: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    source, normals, split = split_creases(
        np.frombuffer(vertices).reshape(-1, 3), np.frombuffer(faces, dtype=np.int64).reshape(-1, 3)
    )
    return source, normals.astype(np.float32).ravel(), split.astype(np.int32).ravel()


def _material(spec: mujoco.MjSpec, material: Material) -> str:
    look = (*material.rgba, material.specular, material.shininess)
    name = f"object/material/{_digest(look, material.texture)}"
    if spec.material(name) is None:
        m = spec.add_material(
            name=name, rgba=material.rgba, specular=material.specular, shininess=material.shininess, reflectance=0
        )
        if material.texture is not None:
            m.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = _texture(spec, material.texture)
    return name


def _texture(spec: mujoco.MjSpec, image: np.ndarray) -> str:
    name = f"object/texture/{_digest(image)}"
    if spec.texture(name) is None:
        height, width, channels = image.shape
        t = spec.add_texture(
            name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=channels
        )
        t.data = np.ascontiguousarray(image[::-1], np.uint8).tobytes()  # MuJoCo's first row is v = 0, ours is the top
    return name

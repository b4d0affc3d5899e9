"""From robot record to MuJoCo: one arm as an MjSpec, and both arms with their stand put into a scene."""

from __future__ import annotations

from collections.abc import Callable

import mujoco

from assets.robots.meshes import Triangles, load_meshes
from assets.robots.record import SIDES, RobotRecord, ShapePart, Side, Visuals
from assets.robots.shapes import join, loft, rounded_box, tube
from twinloom.errors import TwinloomError

COLLISION_GROUP, VISUAL_GROUP = 3, 2

_GEOMS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
}


def arm_spec(record: RobotRecord, side: Side, visuals: Visuals = "mesh") -> mujoco.MjSpec:
    """One arm with its gripper and wrist camera, root body ``base``, ready to be attached to a scene.

    Bodies, joints, actuators and collision geoms do not depend on ``visuals``.

    Args:
        record: the robot.
        side: which arm; both are the same model, so this matters only for errors and future asymmetric robots.
        visuals: "mesh" adds the visual shapes (from the cache where they are pulled), "simple" shows the
            collision shapes instead.

    Raises:
        MissingAssetError: ``visuals="mesh"`` and the meshes were not pulled.
        TwinloomError: unknown side or visuals.
    """
    if side not in SIDES:
        raise TwinloomError(f'side "{side}" does not exist; choose left or right')
    if visuals not in ("mesh", "simple"):
        raise TwinloomError(f'visuals "{visuals}" does not exist; choose mesh or simple')
    spec = mujoco.MjSpec.from_file(str(record.model_path))
    for key in list(spec.keys):
        spec.delete(key)
    camera = record.wrist_camera
    spec.body(camera.body).add_camera(
        name="wrist", pos=camera.pos, quat=camera.quat, fovy=camera.fovy, resolution=camera.size
    )
    if visuals == "mesh":
        for name, colour in record.colours.items():
            spec.material(name).rgba[:] = colour
        meshes = load_meshes(record)
        for part in record.meshes:
            add_visual_mesh(spec, part.body, part.name, part.material, meshes[part.name])
        for (body, material), mesh in drawn_shapes(record.shapes).items():
            add_visual_mesh(spec, body, f"{body}-{material}-shape", material, mesh)
    else:
        for geom in list(spec.geoms):
            if geom.group == VISUAL_GROUP:
                spec.delete(geom)
            elif geom.group == COLLISION_GROUP:
                geom.group = VISUAL_GROUP
    return spec


def drawn_shapes(parts: tuple[ShapePart, ...]) -> dict[tuple[str, str], Triangles]:
    """The shapes of our own, joined per (body, material), because each geom costs a draw call."""
    groups: dict[tuple[str, str], list[Triangles]] = {}
    for part in parts:
        groups.setdefault((part.body, part.material), []).append(draw(part))
    return {key: join(meshes) for key, meshes in groups.items()}


def draw(part: ShapePart) -> Triangles:
    """Triangles of one shape in the frame of its body; which fields each kind needs was checked with the record."""
    if part.kind == "box":
        return rounded_box(part.half or (), part.radius, part.pos, part.quat)
    if part.kind == "tube":
        return tube(part.start or (), part.end or (), part.radius, part.end_radius, part.bevel)
    return loft(part.sections, part.square, part.up)


def add_visual_mesh(spec: mujoco.MjSpec, body: str, name: str, material: str, mesh: Triangles) -> None:
    """Add a mesh that is only seen."""
    vertices, faces = mesh
    asset = spec.add_mesh(name=name, uservert=vertices.ravel().tolist(), userface=faces.ravel().tolist())
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # unused, but an open mesh has no volume to measure
    spec.body(body).add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        material=material,
        group=VISUAL_GROUP,
        contype=0,
        conaffinity=0,
        mass=0,
    )


def add_robot(
    scene: mujoco.MjSpec,
    record: RobotRecord,
    visuals: Visuals = "mesh",
    alter: Callable[[mujoco.MjSpec], None] | None = None,
) -> None:
    """Attach both arms (prefixes ``left_`` and ``right_``) at their base poses, and the stand, to a scene.

    Args:
        alter: changes each arm before it is attached.

    Raises:
        MissingAssetError: as in ``arm_spec``.
    """
    for side in SIDES:
        pose = record.base[side]
        frame = scene.worldbody.add_frame(pos=pose.pos, quat=pose.quat)
        arm = arm_spec(record, side, visuals)
        if alter is not None:
            alter(arm)
        frame.attach_body(arm.body("base"), f"{side}_", "")
    for i, shape in enumerate(record.stand):
        scene.worldbody.add_geom(
            name=f"stand{i}",
            type=_GEOMS[shape.kind],
            size=[*shape.size, 0.0, 0.0][:3],
            pos=shape.pos,
            quat=shape.quat,
            rgba=shape.rgba,
            contype=int(shape.collide),
            conaffinity=int(shape.collide),
        )

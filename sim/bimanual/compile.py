"""From a SceneSpec to a compiled MuJoCo model: table, walls, lights, cameras, robot, objects."""

from __future__ import annotations

import dataclasses
from dataclasses import replace

import mujoco
import numpy as np

from assets.objects import library
from assets.objects.blocks import block
from assets.objects.build import add_object
from assets.objects.model import Joint, ObjectAsset, Part
from assets.robots.build import add_robot
from assets.robots.load import load_robot
from assets.textures.procedural import load_background
from sim.bimanual.rate import TIMESTEP
from sim.bimanual.spec import (
    TABLE_HALF,
    TABLE_THICKNESS,
    CameraSpec,
    Placement,
    SceneSpec,
)
from sim.bimanual.views import camera_frame
from twinloom.transforms import matrix_to_quat, pose, rotation_about, yaw_quat


def compile_scene(spec: SceneSpec, visuals: str = "mesh") -> mujoco.MjModel:
    """Build and compile the model of a scene.

    Args:
        spec: the scene.
        visuals: "mesh" draws the robots' real meshes; "simple" their collision shapes. Physics is the same.

    Raises:
        UnknownNameError: unknown robot, object or texture.
        MissingAssetError: the robot's meshes were not pulled.
    """
    world = mujoco.MjSpec()
    world.modelname = "bimanual"
    _options(world)
    record = load_robot(spec.robot)
    _surroundings(world, spec)
    add_robot(world, record, visuals, lambda arm: _vary_arm(arm, spec))  # type: ignore[arg-type]
    for placement in spec.placements:
        _object(world, spec, placement)
    model = world.compile()
    # of two surfaces MuJoCo takes the rougher one, or the finger's: only a factor on all of them has an effect
    model.geom_friction[:, 0] *= spec.dynamics.friction
    # as stiff as the physics step allows, for which MuJoCo raises the time constant to two steps: the default lets a
    # hand press a light thing a centimetre into a wall, since stiffness goes with the mass
    hard = np.ones(model.ngeom, bool)  # all but the pads of the fingers, which are rubber and grip without chattering
    hard[[model.geom(f"{side}_pad{i}").id for side in ("left", "right") for i in (1, 2)]] = False
    model.geom_solref[hard] = (0.001, 1.0)
    model.geom_solimp[hard, :3] = (0.95, 0.99, 0.001)
    _let_clutter_sleep(model, spec)
    return model


def _let_clutter_sleep(model: mujoco.MjModel, spec: SceneSpec) -> None:
    """Resting clutter costs nothing until something touches it. Contacts of sleepers are not reported, so the task's
    own objects stay awake."""
    model.tree_sleep_policy[:] = mujoco.mjtSleepPolicy.mjSLEEP_NEVER
    for placement in spec.placements:
        if placement.clutter and placement.mode == "free":
            tree = model.body_treeid[model.body(placement.name).id]
            model.tree_sleep_policy[tree] = mujoco.mjtSleepPolicy.mjSLEEP_ALLOWED


def asset_of(placement: Placement) -> ObjectAsset:
    """The asset behind a placement, from the library or made to measure."""
    if placement.block is not None:
        return block(**dataclasses.asdict(placement.block))
    return library.load(placement.category, placement.index)


def _options(world: mujoco.MjSpec) -> None:
    option = world.option
    option.timestep = TIMESTEP
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 1000.0  # how stiff friction is to the normal force: at 10 a held skillet slides 5 mm a second
    option.iterations = 50
    option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    option.tolerance = 1e-12  # relative to the mean inertia, which the arms dominate: light objects need it this small
    world.visual.quality.offsamples = 0
    world.visual.quality.shadowsize = 512
    world.visual.map.shadowclip = 1.7  # the shadow map reaches beyond the head camera's image: its edge is speckled
    world.visual.map.znear = 0.005
    world.visual.map.zfar = 30.0
    world.visual.global_.offwidth = 1920
    world.visual.global_.offheight = 1440
    world.stat.extent = 1.2
    world.stat.center[:] = (0.0, 0.0, 0.8)


def _surface(world: mujoco.MjSpec, name: str, look: str, repeat: tuple[float, float]) -> str:
    """A material from "#rrggbb" or from a texture name."""
    material = world.add_material(name=f"surface/{name}")
    material.specular = 0.15
    material.shininess = 0.2
    if look.startswith("#"):
        material.rgba[:] = [*(int(look[i : i + 2], 16) / 255 for i in (1, 3, 5)), 1.0]
    else:
        image = np.ascontiguousarray(load_background(look))
        texture = world.add_texture(
            name=f"surface/{name}",
            type=mujoco.mjtTexture.mjTEXTURE_2D,
            width=image.shape[1],
            height=image.shape[0],
            nchannel=3,
        )
        texture.data = image.tobytes()
        textures = [""] * mujoco.mjtTextureRole.mjNTEXROLE
        textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture.name
        material.textures = textures
        material.texrepeat[:] = repeat
    return material.name


def _surroundings(world: mujoco.MjSpec, spec: SceneSpec) -> None:
    """Floor, wall, table, lights and fixed cameras."""
    body = world.worldbody
    look = spec.surfaces
    body.add_geom(
        name="floor",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[4, 4, 0.1],
        material=_surface(world, "floor", look["floor"], (4, 4)),
    )
    wallpaper = _surface(world, "wall", look["wall"], (3, 1.5))
    walls = {"wall": ([0, 1.1, 1.5], 0.0), "wall_back": ([0, -3.0, 1.5], np.pi)}
    walls |= {"wall_left": ([-3.0, -0.95, 1.5], np.pi / 2), "wall_right": ([3.0, -0.95, 1.5], -np.pi / 2)}
    for name, (pos, yaw) in walls.items():
        body.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[3.1, 0.05, 1.5],
            pos=pos,
            quat=list(yaw_quat(yaw)),
            material=wallpaper,
            contype=int(name == "wall"),
            conaffinity=int(name == "wall"),
            castshadow=False,  # pyright: ignore[reportCallIssue]  # newer than the stubs
        )
    table = body.add_body(name="table", pos=[*spec.table_offset, spec.table_z])
    wood = _surface(world, "table", look["table"], (1, 1))
    table.add_geom(
        name="table",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[*TABLE_HALF, TABLE_THICKNESS / 2],
        pos=[0, 0, -TABLE_THICKNESS / 2],
        material=wood,
        condim=4,
        friction=[1.0, 0.005, 0.0001],
    )
    leg = (spec.table_z - TABLE_THICKNESS) / 2
    for x in (-1, 1):
        for y in (-1, 1):
            table.add_geom(
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=[0.025, 0.025, leg],
                pos=[x * (TABLE_HALF[0] - 0.05), y * (TABLE_HALF[1] - 0.05), -TABLE_THICKNESS - leg],
                rgba=[0.35, 0.35, 0.36, 1],
                contype=0,
                conaffinity=0,
                mass=0,
            )
    world.visual.headlight.ambient[:] = spec.ambient
    world.visual.headlight.diffuse[:] = 0
    world.visual.headlight.specular[:] = 0
    for i, light in enumerate(spec.lights):
        body.add_light(
            name=f"light{i}",
            pos=list(light.pos),
            dir=list(light.direction),
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL if light.directional else mujoco.mjtLightType.mjLIGHT_SPOT,
            diffuse=list(light.diffuse),
            specular=[0.25 * c for c in light.diffuse],
            castshadow=light.shadow,
            cutoff=75,
            attenuation=[1, 0, 0],
        )
    for name, camera in spec.cameras.items():
        body.add_camera(name=name, pos=list(camera.pos), quat=list(_camera_quat(camera)), fovy=camera.fovy)


def _camera_quat(camera: CameraSpec) -> tuple[float, float, float, float]:
    """Orientation of an OpenGL camera, which looks along -z."""
    return matrix_to_quat(camera_frame(camera))


def _vary_arm(arm: mujoco.MjSpec, spec: SceneSpec) -> None:
    """Apply the randomised servo gains, joint damping and wrist camera pose."""
    dynamics = spec.dynamics
    if dynamics.servo_stiffness != 1.0:
        for actuator in arm.actuators:
            if actuator.name.startswith("joint"):
                gain, bias = np.array(actuator.gainprm), np.array(actuator.biasprm)
                gain[0] *= dynamics.servo_stiffness
                bias[1] *= dynamics.servo_stiffness
                if bias[2] < 0:  # an explicit damping gain follows the stiffness so that the servo stays well damped
                    bias[2] *= np.sqrt(dynamics.servo_stiffness)
                actuator.gainprm, actuator.biasprm = gain, bias
    if dynamics.joint_damping != 1.0:
        for joint in arm.joints:
            joint.damping = np.asarray(joint.damping) * dynamics.joint_damping
    if any(spec.wrist_offset):
        camera = arm.camera("wrist")
        dx, dy, dz, roll, pitch, yaw = spec.wrist_offset
        R = rotation_about([0, 0, 1], yaw) @ rotation_about([0, 1, 0], pitch) @ rotation_about([1, 0, 0], roll)
        T = pose(camera.pos, camera.quat) @ pose([dx, dy, dz], R)
        camera.pos[:] = T[:3, 3]
        camera.quat[:] = matrix_to_quat(T[:3, :3])


def _object(world: mujoco.MjSpec, spec: SceneSpec, placement: Placement) -> None:
    asset = _varied(asset_of(placement), placement, spec)
    add_object(world, asset, placement.name, placement.pos, placement.quat, placement.mode)  # type: ignore[arg-type]


def _varied(asset: ObjectAsset, placement: Placement, spec: SceneSpec) -> ObjectAsset:
    """The asset with this placement's mass and joint positions and the scene's factor on masses."""
    scale = spec.dynamics.mass * (placement.mass / asset.mass if placement.mass is not None else 1.0)

    def joint(part: Part) -> Joint | None:
        if part.joint is None or part.name not in placement.joints:
            return part.joint
        return replace(part.joint, initial=placement.joints[part.name])

    if scale == 1.0 and not placement.joints:
        return asset
    return replace(asset, parts=tuple(replace(p, mass=p.mass * scale, joint=joint(p)) for p in asset.parts))

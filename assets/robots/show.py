"""Images of robots: both arms at home behind the table, and what a wrist camera sees."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "egl")  # read once, when MuJoCo is first imported

import mujoco
import numpy as np

from assets.robots.build import add_robot
from assets.robots.load import load_robot, robots
from assets.robots.record import SIDES, RobotRecord, Visuals
from twinloom.atomic import atomic_file
from twinloom.command import run_command
from twinloom.machine import REPOSITORY

TABLE_HEIGHT = 0.74
_WOOD = (0.72, 0.58, 0.44, 1.0)


def table_scene(record: RobotRecord, visuals: Visuals = "mesh", props: bool = True) -> mujoco.MjSpec:
    """The robot behind the standard table (1.2 x 0.7 m, surface at 0.74 m), with a few props to give scale."""
    scene = mujoco.MjSpec()
    scene.option.timestep = 0.004
    scene.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    scene.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    scene.option.impratio = 10
    scene.visual.quality.shadowsize = 2048
    scene.visual.quality.offsamples = 8
    scene.visual.headlight.ambient[:] = [0.42] * 3
    scene.visual.headlight.diffuse[:] = [0.28] * 3
    scene.visual.headlight.specular[:] = [0.1] * 3
    world = scene.worldbody
    sky = scene.add_texture(name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, width=256, height=256)
    sky.builtin = mujoco.mjtBuiltin.mjBUILTIN_GRADIENT
    sky.rgb1[:], sky.rgb2[:] = [0.93, 0.95, 0.97], [0.72, 0.77, 0.82]
    world.add_light(
        pos=[0.6, -0.4, 2.6], dir=[-0.22, 0.1, -0.95], diffuse=[0.5] * 3, specular=[0.25] * 3, castshadow=True
    )
    world.add_light(pos=[-1.5, 1.5, 2.2], dir=[0.6, -0.6, -0.6], diffuse=[0.18] * 3, castshadow=False)
    scene.add_material(name="matt", rgba=[0.86, 0.87, 0.88, 1], specular=0)
    world.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[4, 4, 0.1], material="matt")
    world.add_geom(name="table", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.6, 0.35, 0.025], pos=[0, 0, 0.715], rgba=_WOOD)
    for x in (-0.55, 0.55):
        for y in (-0.3, 0.3):
            world.add_geom(
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=[0.025, 0.025, 0.345],
                pos=[x, y, 0.345],
                rgba=(0.45, 0.46, 0.48, 1),
            )
    if props:
        for x, y, half, rgba in (
            (-0.12, 0.0, 0.025, (0.80, 0.22, 0.18, 1)),
            (0.05, 0.1, 0.025, (0.2, 0.55, 0.3, 1)),
            (0.16, -0.06, 0.025, (0.18, 0.36, 0.72, 1)),
        ):
            world.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[half] * 3, pos=[x, y, TABLE_HEIGHT + half], rgba=rgba)
    add_robot(scene, record, visuals)
    return scene


def at_home(model: mujoco.MjModel, record: RobotRecord, opening: float = 1.0) -> mujoco.MjData:
    """State with both arms at home, servos holding them there, grippers at ``opening`` in [0, 1]."""
    data = mujoco.MjData(model)
    half = opening * record.gripper.max_opening / 2
    for side in SIDES:
        for joint, angle in zip(record.joints, record.home[side], strict=True):
            data.joint(f"{side}_{joint}").qpos = angle
            data.actuator(f"{side}_{joint}").ctrl = angle
        for finger in ("finger1", "finger2"):
            data.joint(f"{side}_{finger}").qpos = half
        data.actuator(f"{side}_gripper").ctrl = half
    mujoco.mj_forward(model, data)
    return data


def render(model: mujoco.MjModel, data: mujoco.MjData, size: tuple[int, int], camera: str | None) -> np.ndarray:
    """(height, width, 3) uint8 image; ``camera=None`` is a three-quarter view of the whole robot."""
    view: str | mujoco.MjvCamera
    if camera is None:
        view = mujoco.MjvCamera()
        view.lookat[:] = [0.0, -0.28, 0.87]
        view.distance, view.azimuth, view.elevation = 1.85, 236, -18
    else:
        view = camera
    width, height = size
    model.vis.global_.offwidth, model.vis.global_.offheight = width, height
    with mujoco.Renderer(model, height, width) as renderer:
        renderer.update_scene(data, view)
        return renderer.render().copy()


def portrait(record: RobotRecord, visuals: Visuals = "mesh") -> np.ndarray:
    """(480, 1040, 3) uint8 image: the robot at home from outside, and what its wrist cameras see.

    Raises:
        MissingAssetError: meshes were not pulled.
    """
    model = table_scene(record, visuals).compile()
    data = at_home(model, record)
    outside = render(model, data, (720, 480), None)
    wrists = [render(model, data, (320, 240), f"{side}_wrist") for side in SIDES]
    return np.hstack([outside, np.vstack(wrists)])


def portraits(names: Sequence[str], out: Path, visuals: Visuals = "mesh") -> int:
    """Write the portraits of robots below one another into one PNG; returns how many.

    Raises:
        UnknownNameError: no such robot.
        MissingAssetError: meshes were not pulled.
        TwinloomError: the image cannot be written.
    """
    from PIL import Image

    images = [portrait(load_robot(name), visuals) for name in names]
    image = Image.fromarray(np.vstack(images)).quantize(256, kmeans=2, dither=Image.Dither.NONE)
    with atomic_file(out) as temporary:
        image.save(temporary, format="PNG", optimize=True)
    return len(images)


def main() -> None:
    """Draw the images of docs/bimanual/robots.md again: ``python -m assets.robots.show``."""
    for name in robots():
        out = REPOSITORY / "docs" / "img" / "robots" / f"{name}.png"
        portraits([name], out)
        print(out)


if __name__ == "__main__":
    run_command(main)

"""Images of humanoids: the canonical pose in the colours of the slots, the joints' axes, and the table of slots."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "egl")  # read once, when MuJoCo is first imported

import mujoco
import numpy as np

from assets.robots.humanoid.appearance import add_axes, add_visuals, slot_colour, slot_order
from assets.robots.humanoid.humanoid import Humanoid
from assets.robots.humanoid.record import load_record
from assets.robots.humanoid.store import load_humanoid, load_surfaces
from assets.robots.meshes import Triangles
from twinloom.atomic import atomic_file

SIZE = (420, 560)  # width, height of one view
_VIEWS = (("front", 180.0), ("side", 90.0))


def scene(humanoid: Humanoid, surfaces: dict[str, Triangles] | None, axes: bool) -> mujoco.MjModel:
    """The humanoid on a floor, lit, with what can be seen of it."""
    spec = humanoid.spec()
    add_visuals(spec, humanoid.tree, surfaces)
    if axes:
        add_axes(spec, humanoid.tree, 0.16 * humanoid.leg_length)
    spec.add_material(name="matt", rgba=[0.9, 0.9, 0.9, 1], specular=0)
    spec.geom("floor").material = "matt"
    sky = spec.add_texture(name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, width=64, height=64)
    sky.builtin = mujoco.mjtBuiltin.mjBUILTIN_GRADIENT
    sky.rgb1[:], sky.rgb2[:] = [0.95, 0.96, 0.97], [0.80, 0.84, 0.88]
    spec.worldbody.add_light(pos=[2, -1, 4], dir=[-0.4, 0.2, -0.9], diffuse=[0.5] * 3, castshadow=True)
    spec.visual.headlight.ambient[:], spec.visual.headlight.diffuse[:] = 0.45, 0.35
    spec.visual.quality.offsamples = 8
    return spec.compile()


def views(humanoid: Humanoid, surfaces: dict[str, Triangles] | None, positions: np.ndarray, axes: bool) -> np.ndarray:
    """(height, width, 3) uint8: front and side for joint positions (joints,); axes are drawn through the surfaces."""
    model = scene(humanoid, surfaces, axes)
    data = mujoco.MjData(model)
    data.qpos[:7], data.qpos[7:] = (0, 0, 1, 1, 0, 0, 0), positions
    mujoco.mj_forward(model, data)
    sole = min(float(data.geom(f"{side}_sole").xpos[2]) for side in ("left", "right")) - humanoid.recipe.sole
    data.qpos[2] -= sole
    mujoco.mj_forward(model, data)
    top = _top(model, data)
    width, height = SIZE
    model.vis.global_.offwidth, model.vis.global_.offheight = width, height
    camera = mujoco.MjvCamera()
    camera.lookat[:] = [*data.subtree_com[1][:2], top / 2]
    camera.distance, camera.elevation = 1.65 * top, -6
    images = []
    with mujoco.Renderer(model, height, width) as renderer:
        for _, azimuth in _VIEWS:
            camera.azimuth = azimuth
            renderer.update_scene(data, camera)
            images.append(renderer.render().copy())
    return np.hstack(images)


def _top(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Height of the highest point, m, by the boxes around the geoms."""
    rows = data.geom_xmat.reshape(-1, 3, 3)[1:, 2]  # without the floor
    middle = data.geom_xpos[1:, 2] + (rows * model.geom_aabb[1:, :3]).sum(axis=1)
    return float((middle + (np.abs(rows) * model.geom_aabb[1:, 3:]).sum(axis=1)).max())


def portrait(humanoid: Humanoid, surfaces: dict[str, Triangles] | None) -> np.ndarray:
    """(height, width, 3) uint8: canonical pose, front and side; joint axes; names."""
    canonical = humanoid.tree.positions()
    plain = views(humanoid, surfaces, canonical, axes=False)
    blocks = views(humanoid, {}, canonical, axes=True)
    return np.hstack([plain, blocks[:, : SIZE[0]], _legend(humanoid)])


def _legend(humanoid: Humanoid) -> np.ndarray:
    """Slot, joint, cosine of the axis and limits in the slot's convention, one line a joint."""
    from PIL import Image, ImageDraw, ImageFont

    width, height = 560, SIZE[1]
    image = Image.new("RGB", (width, height), (250, 250, 250))
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(11)
    title = f"{humanoid.name}: {humanoid.mass:.1f} kg, L {humanoid.leg_length:.2f} m, {humanoid.num_joints} joints"
    draw.text((8, 6), title, fill=(0, 0, 0), font=ImageFont.load_default(14))
    for row, j in enumerate(slot_order(humanoid.tree)):
        hinge = humanoid.tree.hinges[j]
        y = 28 + 16 * row
        colour = tuple(int(255 * part) for part in slot_colour(hinge.slot)[:3])
        draw.rectangle((8, y + 2, 20, y + 12), fill=colour)
        low, high = sorted(hinge.sign * (limit - hinge.offset) for limit in hinge.range)
        columns = ((26, hinge.slot), (140, hinge.name), (370, f"cos {humanoid.cosine[j]:.2f}"))
        for x, text in (*columns, (430, f"{low:+.2f} … {high:+.2f}"), (520, f"{hinge.effort:.0f}")):
            draw.text((x, y), text, fill=(20, 20, 20), font=font)
    return np.asarray(image)


def portraits(names: Sequence[str], out: Path) -> int:
    """Write the portraits of humanoids below one another into one PNG; returns how many.

    Raises:
        UnknownNameError: no such humanoid.
        MissingAssetError: one was not pulled.
        TwinloomError: the image cannot be written.
    """
    from PIL import Image

    images = [portrait(load_humanoid(name), load_surfaces(load_record(name))) for name in names]
    image = Image.fromarray(np.vstack(images)).quantize(256, kmeans=2, dither=Image.Dither.NONE)
    with atomic_file(out) as temporary:
        image.save(temporary, format="PNG", optimize=True)
    return len(images)

"""Look at the object library: a table of its categories, and contact sheets of rendered instances."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from assets.objects import library
from assets.objects.frames import rotation
from assets.objects.model import ObjectAsset
from assets.objects.shapes import bounds, part_poses
from twinloom.atomic import atomic_file
from twinloom.errors import TwinloomError

if TYPE_CHECKING:
    import mujoco
    from PIL import Image
    from rich.table import Table

CELL = (256, 224)  # width and height of one image unless told otherwise, pixels
LABEL = 18  # height of the line of text under an image
SPACING = 2.0  # metres between objects in the scene; far enough that neighbours do not show
_VIEW = np.array([0.42, -0.80, 0.52])  # from the object to the camera: the robot's side, a little from the right


def list_objects(names: Iterable[str] = ()) -> Table:
    """Table of categories, all if none is named. Size, mass, grasps, points and joints are the first instance's."""
    from rich.table import Table

    table = Table(title="objects", title_justify="left")
    for heading in ("category", "n", "size (cm)", "mass (g)", "grasps", "points", "joints", "clutter"):
        table.add_column(heading, justify="right" if heading in ("n", "size (cm)", "mass (g)") else "left")
    standard = {"bottom", "top", "center"}
    total = 0
    chosen = list(names) or library.categories()
    for name in chosen:
        first = library.load(name, 0)
        groups = dict.fromkeys(g.group for g in first.grasps)
        table.add_row(
            name,
            str(library.instances(name)),
            " × ".join(f"{100 * s:.0f}" for s in first.extents),
            f"{1000 * first.mass:.0f}",
            ", ".join(groups),
            ", ".join(p.name for p in first.points if p.name not in standard),
            ", ".join(p.name for p in first.parts if p.joint),
            "yes" if first.clutter else "",
        )
        total += library.instances(name)
    table.caption = f"{len(chosen)} categories, {total} instances; standard points: bottom, top, center"
    return table


def parse_names(names: Iterable[str], per_category: int | None = None) -> list[ObjectAsset]:
    """Objects by name: ``bottle`` is every instance (or the first few), ``bottle/3`` is one.

    Raises:
        TwinloomError: an unknown category or instance, or nothing is named.
    """
    assets: list[ObjectAsset] = []
    for name in names:
        category, _, index = name.partition("/")
        if index:
            if not index.isdigit():
                raise TwinloomError(f'"{name}" is not an object name; write bottle or bottle/3')
            assets.append(library.load(category, int(index)))
        else:
            count = library.instances(category)
            assets += [library.load(category, k) for k in range(min(count, per_category or count))]
    if not assets:
        raise TwinloomError("no objects are named; name some, all categories: assets list objects")
    return assets


def contact_sheet(
    names: Sequence[str],
    out: Path,
    per_category: int | None = None,
    columns: int = 4,
    grasps: bool = False,
    colors: int | None = None,
    cell: tuple[int, int] = CELL,
) -> int:
    """Render objects into one labelled PNG.

    Args:
        names: categories or instances (``bottle``, ``bottle/3``).
        out: PNG to write.
        per_category: at most this many instances of a category.
        columns: images in a row.
        grasps: draw grasp frames (red: approach, green: finger opening) and functional points (blue: up).
        colors: reduce the image to a palette of this many colours, which makes the file small.
        cell: width and height of one image, pixels; below 200 the labels name the category only.

    Returns:
        Number of objects shown.

    Raises:
        TwinloomError: unknown names, or the file cannot be written.
    """
    from PIL import Image, ImageDraw, ImageFont

    assets = parse_names(names, per_category)
    width, height = cell
    rows = math.ceil(len(assets) / columns)
    sheet = Image.new("RGB", (columns * width, rows * (height + LABEL)), (255, 255, 255))
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(12 if width >= 100 else 10)
    for k, (asset, image) in enumerate(zip(assets, render(assets, grasps, cell), strict=True)):
        x, y = k % columns * width, k // columns * (height + LABEL)
        sheet.paste(Image.fromarray(image), (x, y))
        size = " x ".join(f"{100 * e:.1f}" for e in asset.extents)
        label = f"{asset.key}   {size} cm" if width >= 200 else asset.category
        draw.text((x + 4, y + height + 2), label, fill=(20, 20, 20), font=font)
    if colors is not None:
        sheet = _reduce(sheet, colors)
    with atomic_file(out) as temporary:
        sheet.save(temporary, format="png", optimize=True)
    return len(assets)


def _reduce(image: Image.Image, colors: int) -> Image.Image:
    """The image with a palette: a third of it greys for floor and shadows, the rest for what is colourful."""
    from PIL import Image

    greys = [v for level in np.linspace(0, 255, colors // 3) for v in 3 * [round(level)]]
    rest = colors - colors // 3
    vivid = image.quantize(rest, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette(greys + vivid[: 3 * rest])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


def render(assets: Sequence[ObjectAsset], grasps: bool = False, cell: tuple[int, int] = CELL) -> Iterator[np.ndarray]:
    """Picture of each object in its likeliest resting pose, (height, width, 3) uint8, one after the other."""
    os.environ.setdefault("MUJOCO_GL", "egl")
    import mujoco

    model = _scene(assets)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    width, height = cell
    with mujoco.Renderer(model, height, width) as renderer:
        for k, asset in enumerate(assets):
            low, high = bounds(asset, rotation(asset.stable_quats[0]))
            middle = np.array([k * SPACING, 0, 0]) + (low + high) / 2 - [0, 0, low[2]]
            radius = float(np.linalg.norm(high - low)) / 2
            camera.lookat, camera.distance = middle, 2.7 * radius
            camera.azimuth = float(np.degrees(np.arctan2(-_VIEW[1], -_VIEW[0])))
            camera.elevation = -float(np.degrees(np.arcsin(_VIEW[2] / np.linalg.norm(_VIEW))))
            data.light_xpos[0] = middle + radius * np.array([-2.5, -3.5, 7.0])
            data.light_xdir[0] = (middle - data.light_xpos[0]) / np.linalg.norm(middle - data.light_xpos[0])
            renderer.update_scene(data, camera)
            if grasps:
                renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 0  # the frames' shadows would only confuse
                _draw_frames(renderer.scene, asset, np.array([k * SPACING, 0, -low[2]]))
            yield renderer.render().copy()


def _scene(assets: Sequence[ObjectAsset]) -> mujoco.MjModel:
    """All objects in a row on a white floor, lit by one spot light that follows the camera."""
    import mujoco

    from assets.objects.build import add_object

    spec = mujoco.MjSpec()
    spec.visual.quality.offsamples, spec.visual.quality.shadowsize = 4, 2048
    spec.visual.headlight.ambient[:] = spec.visual.headlight.diffuse[:] = [0.36, 0.36, 0.36]
    spec.visual.map.znear, spec.stat.extent = 0.005, 1.0
    spec.visual.map.shadowscale = 0.27  # the shadow map covers one object only
    spec.visual.map.shadowscale = 0.27  # the shadow map covers one object only
    white = spec.add_material(name="floor", rgba=[0.93, 0.93, 0.92, 1], specular=0)
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], material=white.name, contype=0, conaffinity=0
    )
    spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_SPOT, pos=[0, 0, 1], dir=[0, 0, -1], diffuse=[0.6, 0.6, 0.6],
        specular=[0.3, 0.3, 0.3], cutoff=60, exponent=0, attenuation=[1, 0, 0], castshadow=True,
    )  # fmt: skip
    for k, asset in enumerate(assets):
        quat = asset.stable_quats[0]
        height = library.resting_height(asset, quat)
        add_object(spec, asset, f"{k}", (k * SPACING, 0, height), quat, mode="static")
    return spec.compile()


def _draw_frames(scene: mujoco.MjvScene, asset: ObjectAsset, origin: np.ndarray) -> None:
    """Add grasp and functional frames to a scene that is about to be drawn."""
    R = rotation(asset.stable_quats[0])
    poses = part_poses(asset)

    def at(T: np.ndarray, part: str, p: Sequence[float]) -> np.ndarray:
        return origin + R @ (poses[part] @ T @ np.array([*p, 1.0]))[:3]

    for g in asset.grasps:
        tip = at(g.T_object_hand, g.part, (0, 0, 0))
        _line(scene, at(g.T_object_hand, g.part, (-0.04, 0, 0)), tip, (0.9, 0.1, 0.1, 0.6))
        half = max(g.width, 0.006) / 2
        left, right = (at(g.T_object_hand, g.part, (0, s * half, 0)) for s in (-1, 1))
        _line(scene, left, right, (0.1, 0.7, 0.1, 0.8))
    for p in asset.points:
        foot = at(p.T_object_point, p.part, (0, 0, 0))
        _line(scene, foot, at(p.T_object_point, p.part, (0, 0, 0.03)), (0.1, 0.2, 0.9, 0.8))


def _line(scene: mujoco.MjvScene, start: np.ndarray, end: np.ndarray, rgba: tuple[float, ...]) -> None:
    import mujoco

    if scene.ngeom >= scene.maxgeom:
        return
    geom = scene.geoms[scene.ngeom]
    mujoco.mjv_initGeom(
        geom, mujoco.mjtGeom.mjGEOM_CAPSULE, np.zeros(3), np.zeros(3), np.eye(3).ravel(), np.array(rgba, np.float32)
    )
    mujoco.mjv_connector(geom, mujoco.mjtGeom.mjGEOM_CAPSULE, 0.0008, start, end)
    scene.ngeom += 1

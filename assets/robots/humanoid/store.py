"""What ``assets pull`` keeps of a humanoid: its LinkTree as JSON and its thinned surfaces, never the source's files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from assets.robots.humanoid.humanoid import Humanoid, build_humanoid
from assets.robots.humanoid.record import HumanoidRecord, load_record, user_folder
from assets.robots.humanoid.tree import FootBox, Hinge, Link, LinkTree
from assets.robots.meshes import Triangles, cache_folder
from twinloom.atomic import atomic_folder
from twinloom.errors import MissingAssetError

VERSION = 4  # of everything that turns a source into a tree; raise it when the outcome changes


def folder(record: HumanoidRecord) -> Path:
    """Where a humanoid is kept; the name changes with its record and with VERSION, so nothing goes stale."""
    changed = record.file.stat().st_mtime_ns if record.file and record.file.is_file() else 0
    recipe = repr((VERSION, record.source, record.file, changed, record.slots, record.fixes))
    return cache_folder() / "humanoids" / record.name / hashlib.sha256(recipe.encode()).hexdigest()[:12]


def how_to_get(record: HumanoidRecord) -> str:
    """The command that brings a humanoid here."""
    if record.file is None:
        return f"assets pull {record.name}"
    return f"assets import {record.file} --name {record.name} --map {user_folder() / f'{record.name}.toml'}"


def save(record: HumanoidRecord, tree: LinkTree, meshes: dict[str, Triangles], licences: dict[str, str]) -> Path:
    """Write a humanoid, all or nothing; returns its folder."""
    path = folder(record)
    with atomic_folder(path) as temporary:
        (temporary / "tree.json").write_text(json.dumps(_to_json(tree), indent=1) + "\n", encoding="utf-8")
        arrays = {f"{name}/v": v.astype(np.float32) for name, (v, _) in meshes.items()}
        arrays |= {f"{name}/f": f.astype(np.int32) for name, (_, f) in meshes.items()}
        with (temporary / "meshes.npz").open("wb") as handle:
            np.savez_compressed(handle, **arrays)  # type: ignore[arg-type]
        for name, text in licences.items():
            (temporary / name).write_text(text, encoding="utf-8")
    return path


def load_tree(record: HumanoidRecord) -> LinkTree:
    """Read a pulled humanoid. Raises MissingAssetError when it was not pulled or is damaged."""
    path = folder(record) / "tree.json"
    if not path.is_file():
        raise MissingAssetError(f"the model of {record.name} is not here; run: {how_to_get(record)}")
    try:
        return _from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MissingAssetError(f"{path} is damaged ({error}); delete it and run: {how_to_get(record)}") from error


def load_surfaces(record: HumanoidRecord) -> dict[str, Triangles]:
    """Thinned surfaces of each link in its frame, by the link's name. Raises MissingAssetError."""
    path = folder(record) / "meshes.npz"
    if not path.is_file():
        raise MissingAssetError(f"the meshes of {record.name} are not here; run: {how_to_get(record)}")
    with np.load(path) as arrays:
        names = [name.removesuffix("/v") for name in arrays if name.endswith("/v")]
        return {name: (arrays[f"{name}/v"], arrays[f"{name}/f"]) for name in names}


@cache
def load_humanoid(name: str = "g1") -> Humanoid:
    """A real humanoid by name, clean and ready to simulate; built once in a process.

    Raises:
        UnknownNameError: no such humanoid.
        MissingAssetError: it was not pulled yet.
    """
    return build_humanoid(load_tree(load_record(name)))


def _to_json(tree: LinkTree) -> dict[str, Any]:
    table = asdict(tree)
    for link in table["links"]:
        link["inertia"] = np.asarray(link["inertia"]).tolist()
    return table


def _from_json(table: dict[str, Any]) -> LinkTree:
    def tuples(values: dict[str, Any]) -> dict[str, Any]:
        return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}

    links = tuple(
        replace(
            Link(**tuples({**link, "hinge": None})),
            inertia=np.array(link["inertia"]),
            hinge=Hinge(**tuples(link["hinge"])) if link["hinge"] else None,
        )
        for link in table["links"]
    )
    left, right = (FootBox(**tuples(box)) for box in table["feet"])
    return LinkTree(table["name"], links, (left, right))

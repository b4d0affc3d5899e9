"""Visual meshes of robots: reading OBJ and STL, thinning them out, and the per-robot cache file."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

import numpy as np

from assets.robots.record import MeshPart, RobotRecord
from twinloom.atomic import atomic_folder
from twinloom.errors import MissingAssetError, TwinloomError
from twinloom.transforms import quat_to_matrix

Triangles = tuple[np.ndarray, np.ndarray]  # (V, 3) float64 metres, (F, 3) int32


def cache_folder() -> Path:
    """Folder of everything that ``assets pull`` fetches: $TWINLOOM_CACHE, by default ~/.cache/twinloom/assets.

    Raises:
        TwinloomError: neither is known, as in containers whose user has no entry and no HOME.
    """
    chosen = os.environ.get("TWINLOOM_CACHE")
    try:
        return Path(chosen) if chosen else Path.home() / ".cache" / "twinloom" / "assets"
    except RuntimeError as error:
        raise TwinloomError("no home folder is known; set TWINLOOM_CACHE to the folder of the assets") from error


def mesh_file(record: RobotRecord) -> Path:
    """Where the meshes of a robot are kept once pulled; the name changes with the recipe, so none goes stale.

    The leading digit is the version of ``build_part``.
    """
    recipe = "3" + repr([asdict(source) for source in record.sources] + [asdict(part) for part in record.meshes])
    return cache_folder() / "robots" / record.name / hashlib.sha256(recipe.encode()).hexdigest()[:12] / "meshes.npz"


def load_meshes(record: RobotRecord) -> dict[str, Triangles]:
    """Pulled meshes by part name; empty for a robot that has only shapes of our own.

    Raises:
        MissingAssetError: they were not pulled yet, or the file is damaged.
    """
    if not record.meshes:
        return {}
    path = mesh_file(record)
    if not path.is_file():
        raise MissingAssetError(f"the meshes of {record.name} are not here; run: assets pull {record.name}")
    try:
        arrays = _read(path, path.stat().st_mtime_ns)
        return {part.name: (arrays[f"{part.name}/v"], arrays[f"{part.name}/f"]) for part in record.meshes}
    except (OSError, ValueError, KeyError) as error:
        raise MissingAssetError(f"{path} is damaged ({error}); delete it and run: assets pull {record.name}") from error


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int) -> dict[str, np.ndarray]:
    """Arrays of a mesh file, kept because every scene needs them."""
    with np.load(path) as arrays:
        return dict(arrays)


def save_meshes(record: RobotRecord, meshes: dict[str, Triangles], licences: dict[str, str]) -> Path:
    """Write meshes (float32 vertices) and the licence texts beside them, all or nothing; returns the mesh file."""
    path = mesh_file(record)
    with atomic_folder(path.parent) as folder:
        arrays = {f"{name}/v": v.astype(np.float32) for name, (v, _) in meshes.items()}
        arrays |= {f"{name}/f": f.astype(np.int32) for name, (_, f) in meshes.items()}
        with (folder / path.name).open("wb") as handle:
            np.savez_compressed(handle, **arrays)  # type: ignore[arg-type]
        for name, text in licences.items():
            (folder / name).write_text(text, encoding="utf-8")
    return path


def build_part(part: MeshPart, folder: Path) -> Triangles:
    """Read, merge, thin out and place the files of one part.

    The budget of triangles is shared by surface area, because CAD parts put most triangles into their smallest screws;
    pieces with less than 0.3 % of the area (screws, engravings) are dropped, since thinned out they turn into spikes.

    Raises:
        TwinloomError: a file is missing or malformed.
    """
    pieces = [piece for name in part.files for piece in components(*merge_vertices(*read_mesh(folder / name)))]
    areas = np.array([surface(v, f) for v, f in pieces])
    share = areas / areas.sum()
    thin = [
        decimate(v, f, max(12, int(part.triangles * s)), 0.001 / part.scale)
        for (v, f), s in zip(pieces, share, strict=True)
        if s > 0.003
    ]
    offsets = np.cumsum([0] + [len(v) for v, _ in thin[:-1]])
    vertices = np.concatenate([v for v, _ in thin]) * part.scale
    faces = np.concatenate([f + offset for (_, f), offset in zip(thin, offsets, strict=True)])
    return vertices @ quat_to_matrix(part.quat).T + np.array(part.pos), faces


def components(vertices: np.ndarray, faces: np.ndarray) -> list[Triangles]:
    """Split a mesh into its connected pieces, in order of their first vertex."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    a, b = faces[:, [0, 1]].ravel(), faces[:, [1, 2]].ravel()
    graph = coo_matrix((np.ones(len(a)), (a, b)), shape=(len(vertices), len(vertices)))
    count, label = connected_components(graph, directed=False)
    pieces = []
    for k in range(count):
        mine = faces[label[faces[:, 0]] == k]
        if len(mine):
            used, renumbered = np.unique(mine, return_inverse=True)
            pieces.append((vertices[used], renumbered.reshape(-1, 3).astype(np.int32)))
    return pieces


def surface(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Area of a triangle mesh, m^2."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def merge_vertices(vertices: np.ndarray, faces: np.ndarray) -> Triangles:
    """Join vertices within a micrometre and drop triangles that thereby lose their area."""
    _, first, inverse = np.unique(np.round(vertices, 6), axis=0, return_index=True, return_inverse=True)
    faces = inverse.reshape(-1)[faces]
    proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return vertices[first], faces[proper].astype(np.int32)


def decimate(vertices: np.ndarray, faces: np.ndarray, target: int, cell: float = 0.001) -> Triangles:
    """Thin a mesh to about ``target`` triangles.

    Edge collapse leaves open borders alone, so a mesh full of them stays too fine; its vertices are then first gathered
    in cells of ``cell`` metres, doubled until that suffices. Vertices that stick out of the bounds are pulled back.
    The collapse goes gently (``agg``): at 5 thin parts of housings disappear, at 3 the distance stays below 4 mm.
    """
    import fast_simplification

    lower, upper = vertices.min(axis=0), vertices.max(axis=0)
    gathered = (vertices, faces)
    for attempt in range(6):
        v, f = gathered
        if len(f) > target:
            v, f = fast_simplification.simplify(v, f, target_count=target, agg=3)[:2]
        if len(f) <= 1.25 * target or attempt == 5:
            break
        gathered = gather(vertices, faces, cell * 2**attempt)
    return np.clip(v.astype(float), lower, upper), f.astype(np.int32)


def gather(vertices: np.ndarray, faces: np.ndarray, cell: float) -> Triangles:
    """Replace all vertices within one cell of a cubic grid by their mean; collapsed and repeated triangles go."""
    _, inverse = np.unique(np.floor(vertices / cell), axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    count = np.bincount(inverse)
    means = np.stack([np.bincount(inverse, weights=vertices[:, i]) / count for i in range(3)], axis=1)
    faces = inverse[faces]
    proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    faces = faces[proper]
    _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    return means, faces[np.sort(first)].astype(np.int32)


def read_mesh(path: Path) -> Triangles:
    """Read an OBJ or binary STL file.

    Raises:
        TwinloomError: the file is missing, malformed or of another kind.
    """
    try:
        if path.suffix.lower() == ".obj":
            return _read_obj(path.read_text(encoding="utf-8", errors="replace"))
        if path.suffix.lower() == ".stl":
            return _read_stl(path.read_bytes())
    except FileNotFoundError as error:
        raise TwinloomError(f"mesh {path} does not exist; is this the right folder?") from error
    except (ValueError, IndexError) as error:
        raise TwinloomError(f"mesh {path} is malformed: {error}") from error
    raise TwinloomError(f"mesh {path}: only .obj and .stl are read")


def _read_obj(text: str) -> Triangles:
    vertices, faces = [], []
    for line in text.splitlines():
        if line.startswith("v "):
            vertices.append([float(x) for x in line.split()[1:4]])
        elif line.startswith("f "):
            corner = [int(word.split("/")[0]) for word in line.split()[1:]]
            corner = [c - 1 if c > 0 else len(vertices) + c for c in corner]
            faces += [[corner[0], corner[i], corner[i + 1]] for i in range(1, len(corner) - 1)]
    if not faces:
        raise ValueError("it has no faces")
    result = np.array(vertices), np.array(faces, dtype=np.int32)
    if result[1].min() < 0 or result[1].max() >= len(vertices):
        raise ValueError("a face refers to a vertex that does not exist")
    return result


def _read_stl(data: bytes) -> Triangles:
    count = int(np.frombuffer(data, "<u4", 1, 80)[0])
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    if count == 0 or len(data) < 84 + count * record.itemsize:
        raise ValueError("it is not a complete binary STL")
    corners = np.frombuffer(data, record, count, 84)["corners"].reshape(-1, 3).astype(float)
    return corners, np.arange(3 * count, dtype=np.int32).reshape(-1, 3)

"""Triangles of a COLLADA (.dae) file: geometry and node transforms, nothing of its materials."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

from assets.robots.meshes import Triangles
from twinloom.errors import TwinloomError
from twinloom.transforms import pose, rotation_about

_AXES = {  # the file's up axis becomes z
    "Z_UP": np.eye(3),
    "Y_UP": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "X_UP": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]).T,
}


def read_collada(path: Path) -> Triangles:
    """All triangles of a file's scene, metres, z up.

    Raises:
        TwinloomError: the file is malformed or has no triangles.
    """
    try:
        root = ET.parse(path).getroot()
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        unit = root.find("asset/unit")
        scale = float(unit.get("meter", 1)) if unit is not None else 1.0
        up = (root.findtext("asset/up_axis") or "Y_UP").strip()
        geometries = {element.get("id"): _geometry(element) for element in root.iter("geometry")}
        pieces: list[Triangles] = []
        for scene in root.iter("visual_scene"):
            for node in scene.findall("node"):
                _visit(node, np.eye(4), geometries, pieces)
    except (ET.ParseError, ValueError, KeyError, IndexError) as error:
        raise TwinloomError(f"mesh {path} is malformed: {error}") from error
    if not pieces:
        raise TwinloomError(f"mesh {path} has no triangles")
    offsets = np.cumsum([0] + [len(v) for v, _ in pieces[:-1]])
    vertices = np.concatenate([v for v, _ in pieces]) @ _AXES[up].T * scale
    return vertices, np.concatenate([f + offset for (_, f), offset in zip(pieces, offsets, strict=True)])


def _visit(node: ET.Element, T: np.ndarray, geometries: dict, pieces: list[Triangles]) -> None:
    for child in node:
        values = [float(word) for word in (child.text or "").split()]
        if child.tag == "matrix":
            T = T @ np.array(values).reshape(4, 4)
        elif child.tag == "translate":
            T = T @ pose(values)
        elif child.tag == "rotate":
            T = T @ pose(rotation=rotation_about(values[:3], np.deg2rad(values[3])))
        elif child.tag == "scale":
            T = T @ np.diag([*values, 1.0])
    for instance in node.findall("instance_geometry"):
        for vertices, faces in geometries[instance.attrib["url"].removeprefix("#")]:
            pieces.append((vertices @ T[:3, :3].T + T[:3, 3], faces))
    for child in node.findall("node"):
        _visit(child, T, geometries, pieces)


def _geometry(geometry: ET.Element) -> list[Triangles]:
    """Triangles of every primitive; polygons become fans."""
    arrays = {}
    for source in geometry.iter("source"):
        floats = source.find("float_array")
        if floats is not None:
            accessor = source.find("technique_common/accessor")
            stride = int(accessor.get("stride", 3)) if accessor is not None else 3
            arrays[source.get("id")] = np.array((floats.text or "").split(), float).reshape(-1, stride)
    positions = {}
    for vertices in geometry.iter("vertices"):
        for entry in vertices.findall("input"):
            if entry.get("semantic") == "POSITION":
                positions[vertices.get("id")] = arrays[entry.attrib["source"].removeprefix("#")][:, :3]
    found = []
    for kind in ("triangles", "polylist"):
        for primitive in geometry.iter(kind):
            inputs = primitive.findall("input")
            stride = 1 + max(int(entry.get("offset", 0)) for entry in inputs)
            vertex = next(entry for entry in inputs if entry.get("semantic") == "VERTEX")
            index = np.array((primitive.findtext("p") or "").split(), int).reshape(-1, stride)
            corners = index[:, int(vertex.get("offset", 0))]
            counts = np.array((primitive.findtext("vcount") or "").split(), int)
            if not len(counts):
                counts = np.full(len(corners) // 3, 3)
            starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
            faces = [
                (corners[start], corners[start + k], corners[start + k + 1])
                for start, count in zip(starts.tolist(), counts.tolist(), strict=True)
                for k in range(1, count - 1)
            ]
            if faces:
                found.append((positions[vertex.attrib["source"].removeprefix("#")], np.array(faces)))
    return found

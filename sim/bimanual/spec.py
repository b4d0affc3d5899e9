"""A scene as plain data: everything that was decided or drawn, and nothing that can be derived from it.

A SceneSpec turns into JSON and back without loss; compiling equal specs gives equal models. It is the randomisation
record of an episode.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]

TABLE_HEIGHT = 0.74
TABLE_HALF = (0.6, 0.35)
TABLE_THICKNESS = 0.05


@dataclass(frozen=True)
class BlockSpec:
    """Arguments of assets.objects.blocks.block."""

    half: Vec3
    rgba: Quat
    noun: str = "block"
    density: float = 400.0
    grasp_heights: tuple[float, ...] = ()
    friction: float = 1.0
    ball: bool = False


@dataclass(frozen=True)
class Placement:
    """One object in the scene.

    Attributes:
        name: unique in the scene.
        category, index: an instance of the object library, or category "block" with ``block`` given.
        pos, quat: pose of the object's origin in the world.
        mode: "free", "static" or "fixed" (base held, inner joints free).
        mass: kg, overrides the asset's own.
        joints: part name to joint position at the start.
        clutter: a distractor, not part of the task.
    """

    name: str
    category: str
    index: int
    pos: Vec3
    quat: Quat
    mode: str = "free"
    mass: float | None = None
    joints: dict[str, float] = field(default_factory=dict)
    clutter: bool = False
    block: BlockSpec | None = None


@dataclass(frozen=True)
class LightSpec:
    """One lamp; ``directional`` ones shine along ``direction`` from far away. Colours are RGB in [0, 1]."""

    pos: Vec3
    direction: Vec3
    diffuse: Vec3
    directional: bool = False
    shadow: bool = False


@dataclass(frozen=True)
class CameraSpec:
    """A fixed camera: position, viewing direction (not normalised), vertical field of view in degrees."""

    pos: Vec3
    forward: Vec3
    fovy: float = 37.0


@dataclass(frozen=True)
class DynamicsSpec:
    """Factors on the nominal physics: sliding friction of everything, mass of objects, stiffness and damping of the
    arm servos."""

    friction: float = 1.0
    mass: float = 1.0
    servo_stiffness: float = 1.0
    joint_damping: float = 1.0


DEFAULT_CAMERAS: dict[str, CameraSpec] = {
    # names of RoboTwin 2.0. Its head camera, 1.35 m up between the arms, misses what stands at the sides and sees
    # mostly arm when these reach forward; this one, nearly straight above the middle of the table, sees every task's
    # objects, and an arm that reaches forward lies below it instead of before it
    "head": CameraSpec((0.0, -0.05, 1.65), (0.0, 0.09, -0.91), 45.0),
    "front": CameraSpec((0.2, -0.45, 0.85), (0.0, 1.0, -0.1)),
    "third": CameraSpec((0.0, 0.95, 1.6), (0.0, -1.0, -0.45), 60.0),
}
WRIST_CAMERAS = ("left_wrist", "right_wrist")

DEFAULT_LIGHTS: tuple[LightSpec, ...] = (
    # a window to the left throws the shadows towards the robot, where they hide no objects; the rest fills in
    LightSpec((-0.9, 0.9, 2.6), (0.35, -0.45, -1.0), (0.42, 0.42, 0.41), directional=True, shadow=True),
    LightSpec((0.0, -1.5, 2.2), (0.0, 0.85, -0.5), (0.31, 0.31, 0.32), directional=True),
    LightSpec((1.0, 0.0, 1.9), (-0.5, 0.0, -1.0), (0.15, 0.15, 0.15)),
)


@dataclass(frozen=True)
class SceneSpec:
    """A whole scene.

    Attributes:
        robot: registry name.
        table_bias: metres added to the table height of 0.74.
        table_offset: (x, y) shift of the table.
        placements: every object.
        surfaces: "table", "wall", "floor" to a texture name of assets.textures, or "#rrggbb".
        ambient: RGB of the ambient light.
        wrist_offset: small (x, y, z) shift and (roll, pitch, yaw) turn of the wrist cameras, m and rad.
        latency: physics steps by which commands reach the servos late.
    """

    robot: str
    table_bias: float = 0.0
    table_offset: tuple[float, float] = (0.0, 0.0)
    placements: tuple[Placement, ...] = ()
    surfaces: dict[str, str] = field(
        default_factory=lambda: {"table": "#cbc3b6", "wall": "#f3f0ed", "floor": "#c2beb8"}
    )
    ambient: Vec3 = (0.42, 0.42, 0.42)
    lights: tuple[LightSpec, ...] = DEFAULT_LIGHTS
    cameras: dict[str, CameraSpec] = field(default_factory=lambda: dict(DEFAULT_CAMERAS))
    wrist_offset: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    dynamics: DynamicsSpec = DynamicsSpec()
    latency: int = 0

    @property
    def table_z(self) -> float:
        """Height of the table surface in metres."""
        return TABLE_HEIGHT + self.table_bias

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries and lists of finite numbers and strings."""
        return _lists(dataclasses.asdict(self))

    @staticmethod
    def from_json(value: dict[str, Any]) -> SceneSpec:
        """Inverse of to_json. Raises KeyError for a record of another layout."""
        return _read(
            SceneSpec,
            value,
            placements=tuple(_placement(p) for p in value["placements"]),
            lights=tuple(_read(LightSpec, light) for light in value["lights"]),
            cameras={name: _read(CameraSpec, camera) for name, camera in value["cameras"].items()},
            dynamics=_read(DynamicsSpec, value["dynamics"]),
        )


def _placement(value: dict[str, Any]) -> Placement:
    block = value["block"]
    return _read(Placement, value, block=_read(BlockSpec, block) if block else None)


def _read(kind: type[T], value: dict[str, Any], **parts: Any) -> T:
    """A dataclass from its record and what was made of its nested parts; a default must never fill a gap."""
    names = {f.name for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if names != value.keys():
        raise KeyError(f"{kind.__name__} with other fields: {', '.join(sorted(names ^ value.keys()))}")
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in (value | parts).items()})


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _lists(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_lists(v) for v in value]
    if isinstance(value, (str, bool)) or value is None:
        return value
    return int(value) if isinstance(value, int) else float(value)

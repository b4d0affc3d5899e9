"""Handles to the objects of a scene, and to the simulation state behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assets.objects.model import GraspPoint, ObjectAsset
from assets.objects.shapes import bounds
from twinloom.transforms import pose

if TYPE_CHECKING:
    import mujoco


class _JointHandle(NamedTuple):
    id: int
    address: int
    lower: float
    upper: float
    hinge: bool


@dataclass(eq=False)
class Actor:
    """One object of the scene. Poses can be asked for as soon as the scene is compiled and bound.

    Attributes:
        name: unique in the scene.
        asset: what it is.
        mode: "free", "static" or "fixed".
        start: (4, 4) pose at placement, world.
    """

    name: str
    asset: ObjectAsset
    mode: str
    start: np.ndarray
    _data: mujoco.MjData | None = field(default=None, repr=False)
    _body: dict[str, int] = field(default_factory=dict, repr=False)
    _joint: dict[str, _JointHandle] = field(default_factory=dict, repr=False)

    def bind(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Connect the handle to a compiled model and its state."""
        self._data = data
        for part in self.asset.parts:
            body_name = self.name if part.name == "base" else f"{self.name}/{part.name}"
            self._body[part.name] = model.body(body_name).id
            if part.joint is not None and self.mode == "fixed":
                joint = model.joint(body_name)
                lower, upper = (float(v) for v in joint.range)
                hinge = part.joint.kind == "hinge"
                self._joint[part.name] = _JointHandle(joint.id, int(joint.qposadr[0]), lower, upper, hinge)

    def become(self, placed: Actor) -> None:
        """Stand for another placement of the same name; a record may hold another one than the code draws now."""
        self.asset, self.mode, self.start = placed.asset, placed.mode, placed.start
        self.__dict__.pop("box", None)

    @property
    def bodies(self) -> dict[str, int]:
        """Part name to MuJoCo body id."""
        return self._body

    def pose(self, part: str = "base") -> np.ndarray:
        """(4, 4) measured pose of a part in the world; before the scene is bound, the pose it was placed at."""
        if self._data is None:
            return self.start.copy()
        body = self._body[part]
        return pose(self._data.xpos[body], self._data.xmat[body].reshape(3, 3))

    @property
    def position(self) -> np.ndarray:
        """(3,) measured origin in the world."""
        return self.pose()[:3, 3]

    @cached_property
    def box(self) -> np.ndarray:
        """(2, 3) lower and upper corner of the bounding box in the object's own frame, joints as at the start."""
        return bounds(self.asset)

    @property
    def center(self) -> np.ndarray:
        """(3,) measured middle of the bounding box in the world."""
        T = self.pose()
        return T[:3, 3] + T[:3, :3] @ self.box.mean(0)

    @property
    def up(self) -> np.ndarray:
        """(3,) direction of the object's own z axis in the world."""
        return self.pose()[:3, 2]

    def point(self, name: str) -> np.ndarray:
        """(4, 4) pose of a functional point in the world."""
        p = self.asset.point(name)
        return self.pose(p.part) @ p.T_object_point

    def grasp_pose(self, grasp: GraspPoint) -> np.ndarray:
        """(4, 4) hand pose of a grasp point in the world."""
        return self.pose(grasp.part) @ grasp.T_object_hand

    def joint(self, part: str) -> float:
        """Measured joint position (rad or m) of a part of a "fixed" object."""
        assert self._data is not None
        return float(self._data.qpos[self._joint[part].address])

    def joint_limits(self, part: str) -> tuple[float, float]:
        """(lower, upper) joint limits (rad or m) of a part of a "fixed" object."""
        return self._joint[part].lower, self._joint[part].upper

    def joint_fraction(self, part: str) -> float:
        """Joint position as a fraction of its range: 0 at the lower limit, 1 at the upper."""
        lower, upper = self.joint_limits(part)
        return (self.joint(part) - lower) / (upper - lower)

    def joint_axis(self, part: str) -> tuple[np.ndarray, np.ndarray]:
        """(3,) direction of a part's joint axis and (3,) a point on it, in the world."""
        assert self._data is not None
        i = self._joint[part].id
        return self._data.xaxis[i].copy(), self._data.xanchor[i].copy()

    def joint_address(self, part: str) -> int:
        """Where the part's joint position is in ``qpos``."""
        return self._joint[part].address

    def is_hinge(self, part: str) -> bool:
        """Whether a part turns on its joint; else it slides."""
        return self._joint[part].hinge

"""Where the hands of a robot are, from its joints alone."""

from __future__ import annotations

import numpy as np

from real.contract import RobotContract
from twinloom.errors import TwinloomError
from twinloom.transforms import matrix_to_quat


class Hands:
    """Forward kinematics of both hands of a robot that has a model.

    Raises:
        TwinloomError: the robot file names no model.
    """

    def __init__(self, contract: RobotContract) -> None:
        if not contract.has_hands:
            raise TwinloomError(f"robot {contract.name} has no model with hands, so its hands cannot be placed")
        from real.safety.shadow import Shadow

        self.contract, self.shadow = contract, Shadow(contract)

    def poses(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """Side to (T, 4, 4) poses ``T_world_tcp`` for joints (T, J) in the order of the robot file."""
        q = np.atleast_2d(q)
        return {side: chain.forward(np.ascontiguousarray(q[:, w])) for side, (chain, w) in self.shadow.arms.items()}

    def flat(self, q: np.ndarray) -> np.ndarray:
        """(T, 16) float32, laid out as ``observation.ee_pose`` of the simulator: x y z, wxyz, opening, left first."""
        q = np.atleast_2d(q)
        parts = []
        for side, poses in self.poses(q).items():
            turns = np.array([matrix_to_quat(T[:3, :3]) for T in poses])
            opening = q[:, self.contract.where([f"{side}_gripper"])]
            parts += [poses[:, :3, 3], turns, opening]
        return np.concatenate(parts, axis=1).astype(np.float32)

    def apart(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """(T,) metres between the hands of two joint sequences (T, J), the larger of both sides."""
        first, second = self.poses(one), self.poses(other)
        return np.max([np.linalg.norm(first[s][:, :3, 3] - second[s][:, :3, 3], axis=1) for s in first], axis=0)


HAND_NAMES = tuple(
    f"{side}_{n}" for side in ("left", "right") for n in ("x", "y", "z", "qw", "qx", "qy", "qz", "gripper")
)
HAND_UNIT = "m; unit quaternion wxyz; opening in [0, 1]"

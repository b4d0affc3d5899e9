"""Whether a robot on legs has fallen, from what it measures itself: its IMU and its joints."""

from __future__ import annotations

import numpy as np

from real.contract import RobotContract
from twinloom.transforms import quat_to_matrix


class Balance:
    """Looks at the tilt of the base and at its height over the lower sole, as the robot file asks for.

    Args:
        contract: robot file with ``fall``; with a height, its model must be a humanoid (assets list robots).

    Attributes:
        tilt: rad, height: m; as of the last look, nan before it or where it is not looked at.
    """

    def __init__(self, contract: RobotContract) -> None:
        assert contract.fall is not None
        self._limits = contract.fall
        self.tilt = self.height = float("nan")
        if self._limits.height:
            import mujoco

            from assets.robots.humanoid import load_humanoid

            humanoid = load_humanoid(contract.model or "")
            self._kinematics, self._model = mujoco.mj_kinematics, humanoid.model
            self._data = mujoco.MjData(humanoid.model)
            self._where = 7 + np.array([humanoid.joints.index(name) for name in contract.names])
            self._soles = [humanoid.model.geom(f"{side}_sole").id for side in ("left", "right")]

    def look(self, quat: np.ndarray, q: np.ndarray) -> str:
        """Why it has fallen, "" if it has not.

        Args:
            quat: (4,) orientation of the base, wxyz.
            q: (J,) measured joints, in the order of the robot file.
        """
        size = float(np.linalg.norm(quat))
        if not np.isfinite(size) or abs(size - 1.0) > 0.1:
            return "the IMU gives no orientation"
        rotation = quat_to_matrix(quat / size)
        self.tilt = float(np.arccos(np.clip(rotation[2, 2], -1.0, 1.0)))
        if self.tilt > self._limits.tilt:
            return f"the base is tilted by {self.tilt:.2f} rad, allowed {self._limits.tilt:g}"
        if self._limits.height:
            self.height = self._over_the_sole(quat / size, q)
            if self.height < self._limits.height:
                return f"the base is {self.height:.2f} m over the soles, allowed {self._limits.height:g}"
        return ""

    def _over_the_sole(self, quat: np.ndarray, q: np.ndarray) -> float:
        data = self._data
        data.qpos[:3], data.qpos[3:7], data.qpos[self._where] = 0.0, quat, q
        self._kinematics(self._model, data)
        return -float(data.geom_xpos[self._soles, 2].min())

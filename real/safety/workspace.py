"""The hands stay in a box: forward kinematics of the contract's model."""

from __future__ import annotations

import mujoco
import numpy as np

from assets.robots.build import add_robot
from assets.robots.chain import SerialChain
from assets.robots.record import SIDES, load_robot
from real.contract import RobotContract
from real.safety.guards import PoseGuard


class WorkspaceGuard(PoseGuard):
    """Tool centre points of both hands inside the contract's box."""

    kind = "workspace"
    RATE_HZ = 50.0

    def __init__(self, contract: RobotContract) -> None:
        super().__init__(self.RATE_HZ)
        assert contract.workspace is not None and contract.model is not None
        self.lower, self.upper = np.array(contract.workspace.lower), np.array(contract.workspace.upper)
        record = load_robot(contract.model)
        spec = mujoco.MjSpec()
        add_robot(spec, record, "simple")
        model = spec.compile()
        self._arms = [
            (side, SerialChain(model, f"{side}_"), contract.where([f"{side}_{joint}" for joint in record.joints]))
            for side in SIDES
        ]

    def excess(self, q: np.ndarray) -> tuple[float, str]:
        """See :class:`PoseGuard`."""
        worst, line = 0.0, ""
        for side, chain, where in self._arms:
            tip = chain.frames(q[where][:, None])[-1, 3, :, 0]
            out = np.maximum(self.lower - tip, tip - self.upper)
            amount = float(out.max())
            if amount > worst:
                axis = "xyz"[int(np.argmax(out))]
                worst = amount
                line = f"the {side} hand would leave the workspace by {100 * amount:.1f} cm along {axis}"
        return worst, line

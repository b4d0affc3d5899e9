"""The hands stay in a box: forward kinematics of the contract's model."""

from __future__ import annotations

import numpy as np

from real.contract import RobotContract
from real.safety.pose import PoseGuard
from real.safety.shadow import Shadow


class WorkspaceGuard(PoseGuard):
    """Tool centre points of both hands inside the contract's box."""

    kind = "workspace"
    RATE_HZ = 50.0

    def __init__(self, contract: RobotContract) -> None:
        assert contract.workspace is not None
        shadow = Shadow(contract)
        super().__init__(self.RATE_HZ, shadow.reach)
        self.lower, self.upper = np.array(contract.workspace.lower), np.array(contract.workspace.upper)
        self._arms = shadow.arms

    def excess(self, q: np.ndarray) -> tuple[float, str]:
        """See :class:`PoseGuard`."""
        worst, line = -np.inf, ""
        for side, (chain, where) in self._arms.items():
            tip = chain.frames(q[where][:, None])[-1, 3, :, 0]
            out = np.maximum(self.lower - tip, tip - self.upper)
            amount = float(out.max())
            if amount > worst:
                worst, axis = amount, "xyz"[int(np.argmax(out))]
                line = f"the {side} hand would leave the workspace by {100 * amount:.1f} cm along {axis}"
        return worst, line

"""The guards that a robot file asks for."""

from __future__ import annotations

from real.contract import RobotContract
from real.safety.pose import Guard


def guards_of(contract: RobotContract) -> list[Guard]:
    """What the contract asks for; only then kinematics are loaded."""
    found: list[Guard] = []
    if contract.workspace is not None:
        from real.safety.workspace import WorkspaceGuard

        found.append(WorkspaceGuard(contract))
    if contract.self_collision is not None:
        from real.safety.collision import CollisionGuard

        found.append(CollisionGuard(contract))
    return found

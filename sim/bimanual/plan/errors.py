"""Why no motion was found: an outcome of an episode, not a mistake of the user."""

from __future__ import annotations

from typing import Literal, get_args

Reason = Literal["no feasible grasp", "unreachable", "in collision", "no path"]
REASONS: tuple[str, ...] = get_args(Reason)


class PlanningError(Exception):
    """A motion does not exist or was not found within the planner's bounds.

    Deliberately no ``TwinloomError``: nobody has to cure anything, the attempt is counted under ``reason``.

    Args:
        reason: one of ``REASONS``, the key under which attempts are counted.
        detail: what exactly failed ("left tcp, waypoint 3 of 8: 41 mm off").
    """

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason: Reason = reason
        self.detail = detail

"""Why no motion was found: an outcome of an episode, not a mistake of the user."""

from __future__ import annotations

REASONS = ("no feasible grasp", "unreachable", "in collision", "no path")  # those the planner itself gives


class PlanningError(Exception):
    """A motion does not exist or was not found within the planner's bounds.

    Deliberately no ``TwinloomError``: nobody has to cure anything, the attempt is counted under ``reason``.

    Args:
        reason: the few words under which attempts are counted, one of ``REASONS`` or a skill's own.
        detail: what exactly failed ("left tcp, waypoint 3 of 8: 41 mm off").
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail

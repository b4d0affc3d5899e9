"""From keys and sticks to the velocity of a walking robot. Loads no ROS."""

from __future__ import annotations

STEP, TURN_STEP = 0.1, 0.1  # m/s and rad/s of one key press
MOST = (0.5, 0.15, 0.4)  # m/s forward and sideways, rad/s
KEYS = {
    "w": (STEP, 0.0, 0.0),
    "s": (-STEP, 0.0, 0.0),
    "a": (0.0, 0.0, TURN_STEP),
    "d": (0.0, 0.0, -TURN_STEP),
    "q": (0.0, STEP / 2, 0.0),
    "e": (0.0, -STEP / 2, 0.0),
    "up": (STEP, 0.0, 0.0),
    "down": (-STEP, 0.0, 0.0),
    "left": (0.0, 0.0, TURN_STEP),
    "right": (0.0, 0.0, -TURN_STEP),
}
HELP = "w/s: faster, slower   a/d: turn left, right   q/e: step left, right   space: stand   m: arm   !: stop   x: end"


class Drive:
    """A velocity that a person sets step by step.

    Attributes:
        velocity: m/s forward and to the left, rad/s to the left.
    """

    def __init__(self) -> None:
        self.velocity = (0.0, 0.0, 0.0)

    def key(self, key: str) -> str:
        """Act on one key. Returns what holds now, for the screen; "" if the key means nothing."""
        if key == " ":
            self.velocity = (0.0, 0.0, 0.0)
        elif key in KEYS:
            self._set(*(now + change for now, change in zip(self.velocity, KEYS[key], strict=True)))
        else:
            return ""
        return "{:+.2f} m/s forward, {:+.2f} m/s left, {:+.2f} rad/s".format(*self.velocity)

    def sticks(self, forward: float, sideways: float, turn: float) -> None:
        """Positions of sticks in [-1, 1]."""
        self._set(*(most * share for most, share in zip(MOST, (forward, sideways, turn), strict=True)))

    def _set(self, *wanted: float) -> None:
        cut = (round(min(max(value, -most), most), 3) for value, most in zip(wanted, MOST, strict=True))
        self.velocity = tuple(cut)  # type: ignore[assignment]

"""How control steps divide physics time; loads no simulator, so that a wrong rate is refused before work begins."""

from __future__ import annotations

from twinloom.errors import TwinloomError

TIMESTEP = 0.004  # seconds; 250 Hz as in RoboTwin, and every grasp setting was tested at it
PHYSICS_HZ = round(1 / TIMESTEP)


def substeps(fps: float) -> int:
    """Physics steps of one control step.

    Raises:
        TwinloomError: ``fps`` does not divide the physics rate.
    """
    if fps < 1 or fps != int(fps) or PHYSICS_HZ % fps:
        allowed = ", ".join(str(rate) for rate in range(1, PHYSICS_HZ + 1) if PHYSICS_HZ % rate == 0)
        raise TwinloomError(f"fps {fps} does not divide the physics rate of {PHYSICS_HZ} Hz; allowed: {allowed}")
    return PHYSICS_HZ // int(fps)

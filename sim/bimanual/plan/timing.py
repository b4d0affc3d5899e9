"""From where to when: joint paths sampled at the control period within velocity and acceleration limits.

The path becomes a smooth curve q(u). The fastest u(t) within the limits is found by one backward and one forward sweep
over a grid (reachability analysis: how fast may one be here and still brake in time). A moving average of q(t) then
lets accelerations build up and fade instead of jumping; averaging cannot break a limit. What the grid missed is cured
by stretching time until the *samples* obey the limits.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.plan.spline import CORNER, Spline
from twinloom.errors import TwinloomError
from twinloom.transforms import Array

GRID_PER_SPAN = 3


def parameterise(
    waypoints: Array,
    velocity_limits: Array,
    acceleration_limits: Array,
    dt: float,
    speed: float = 1.0,
    smoothing: float = 0.1,
    corner: float = CORNER,
) -> Array:
    """Samples of a motion along a path that starts and ends at rest.

    Args:
        waypoints: (K, N) joints, the first is where the arm is. Interior corners are rounded, not stopped at: to stop,
            make two motions. Several arms that must keep step are one path of their joints side by side.
        velocity_limits: (N,) rad/s.
        acceleration_limits: (N,) rad/s².
        dt: control period, seconds.
        speed: 1 goes as fast as the limits allow; 0.5 takes twice the time.
        smoothing: seconds over which an acceleration builds up or fades; the motion lasts that much longer.
        corner: radians, distance from a corner at which its rounding begins.

    Returns:
        (T, N), T >= 1, at the times dt, 2 dt, .. T dt. The last sample is exactly the last waypoint. Differences of
        neighbouring samples, with rest before and after, obey the limits.

    Raises:
        TwinloomError: wrong shapes, limits that are not positive, or non-finite waypoints.
    """
    points = np.atleast_2d(np.asarray(waypoints, float))
    v_max = np.broadcast_to(np.asarray(velocity_limits, float), points.shape[1:]) * speed
    a_max = np.broadcast_to(np.asarray(acceleration_limits, float), points.shape[1:]) * speed**2
    _check(points, v_max, a_max, dt)
    curve = Spline(points, corner)
    if not curve.spans:
        return points[-1:].copy()
    motion = _fastest(curve, v_max, a_max)
    stretch = 1.0
    while True:
        q, stretch = _sampled(curve, *motion, dt, smoothing, stretch)
        q[-1] = points[-1]
        excess = _excess(np.concatenate([points[:1], q]), v_max, a_max, dt)
        if excess <= 1.0:
            return q
        stretch *= min(excess, 2.0) * 1.002


def parameterise_pair(
    first: Array,
    second: Array,
    velocity_limits: tuple[Array, Array],
    acceleration_limits: tuple[Array, Array],
    dt: float,
    speed: float = 1.0,
) -> tuple[Array, Array]:
    """Two arms in step: at every moment both have covered the same share of their path.

    Args:
        first, second: (K, N) and (L, M) waypoints of the two arms.
        velocity_limits, acceleration_limits: one array per arm.
        dt, speed: as for :func:`parameterise`.

    Returns:
        (T, N) and (T, M) samples.
    """
    a, b = np.atleast_2d(np.asarray(first, float)), np.atleast_2d(np.asarray(second, float))
    if len(a) != len(b):
        a, b = _same_count(a, b)
    q = parameterise(
        np.concatenate([a, b], 1),
        np.concatenate([np.broadcast_to(v, p.shape[1:]) for v, p in zip(velocity_limits, (a, b), strict=True)]),
        np.concatenate([np.broadcast_to(v, p.shape[1:]) for v, p in zip(acceleration_limits, (a, b), strict=True)]),
        dt,
        speed,
    )
    return q[:, : a.shape[1]], q[:, a.shape[1] :]


def _fastest(curve: Spline, v_max: Array, a_max: Array) -> tuple[Array, Array, Array]:
    """The fastest motion: times (G,), curve parameters (G,) and their rates (G,); between them the rate is linear."""
    u = np.linspace(0.0, curve.spans, GRID_PER_SPAN * curve.spans + 1)
    _, dq, ddq = curve(u)
    twice = 2.0 * (u[1] - u[0])
    last = len(u) - 1
    # With x = (du/dt)² and y = d²u/dt², constant within a step, each joint demands |dq y + ddq x| <= a_max at both ends
    # of the step, where x differs by twice * y. Written as |y + slope x| <= room with x at the beginning:
    weight, curvature = np.concatenate([dq[:-1], dq[1:] + twice * ddq[1:]], 1), np.concatenate([ddq[:-1], ddq[1:]], 1)
    weight = np.where(np.abs(weight) < 1e-9, 1e-9, weight)
    slope, room = curvature / weight, np.concatenate([a_max, a_max]) / np.abs(weight)
    gap = slope[:, None, :] - slope[:, :, None]
    ceiling = _upper(room[:, None, :] + room[:, :, None], gap).min((1, 2))  # above it two joints contradict each other
    ceiling = np.minimum(ceiling, _upper(room * twice, slope * twice - 1.0).min(1))  # the next x is not negative
    ceiling = np.minimum(ceiling, ((v_max / np.maximum(np.abs(dq[:-1]), 1e-9)) ** 2).min(1))
    take, per = room * twice, _upper(np.ones_like(slope), 1.0 - slope * twice)
    reach = [0.0] * (last + 1)
    for i in range(last - 1, -1, -1):
        reach[i] = min(float(ceiling[i]), float(((reach[i + 1] + take[i]) * per[i]).min()))
    x = [0.0] * (last + 1)
    for i in range(last):
        push = float((take[i] - slope[i] * (twice * x[i])).min())
        x[i + 1] = max(0.0, min(reach[i + 1], x[i] + push))
    rate = np.sqrt(np.array(x))
    steps = twice / np.maximum(rate[1:] + rate[:-1], 1e-6)
    return np.concatenate([[0.0], np.cumsum(steps)]), u, rate


def _upper(numerator: Array, denominator: Array) -> Array:
    """numerator / denominator where that is an upper bound (positive denominator), else infinity."""
    return np.where(denominator > 1e-12, numerator / np.maximum(denominator, 1e-12), np.inf)


def _sampled(
    curve: Spline, time: Array, u: Array, rate: Array, dt: float, window: float, stretch: float
) -> tuple[Array, float]:
    """Samples (T, N) of q(t) slowed down by ``stretch``, or a little more to fill the last period, and averaged.

    The average is taken twice over half the window, on a grid that contains the sample times.
    """
    per_period = max(1, int(np.ceil(16.0 * dt / window))) if window > 0.0 else 1
    step = dt / per_period
    half = round(0.5 * window / step)
    count = max(1, int(np.ceil((time[-1] * stretch + 2 * half * step) / dt - 1e-9)))
    stretch = max((count * dt - 2 * half * step) / time[-1], stretch)
    fine = np.arange(-2 * half, per_period * count + 1) * step  # the motion begins half a window after the clock
    at = np.clip(fine / stretch, 0.0, time[-1])
    i = np.clip(np.searchsorted(time, at, "right") - 1, 0, len(time) - 2)
    since, gain = at - time[i], (rate[i + 1] - rate[i]) / (time[i + 1] - time[i])
    q = curve(u[i] + since * (rate[i] + 0.5 * gain * since))[0]
    for _ in range(2):
        total = np.concatenate([np.zeros_like(q[:1]), np.cumsum(q, axis=0)])
        q = (total[half + 1 :] - total[: -half - 1]) / (half + 1)
    return q[per_period::per_period], stretch


def _excess(q: Array, v_max: Array, a_max: Array, dt: float) -> float:
    """Factor by which time must be stretched for the samples (T, N) to obey the limits."""
    v = np.diff(q, axis=0) / dt
    a = np.diff(np.concatenate([np.zeros_like(v[:1]), v, np.zeros_like(v[:1])]), axis=0) / dt
    return max(float((np.abs(v) / v_max).max()), float(np.sqrt((np.abs(a) / a_max).max())))


def _same_count(a: Array, b: Array) -> tuple[Array, Array]:
    """Both polylines with corners at the union of their corners' shares of the length."""

    def shares(path: Array) -> Array:
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
        return along / along[-1] if along[-1] > 0.0 else np.linspace(0.0, 1.0, len(path))

    at_a, at_b = shares(a), shares(b)
    union = np.unique(np.concatenate([at_a, at_b]))
    return tuple(  # type: ignore[return-value]
        np.stack([np.interp(union, at, column) for column in path.T], 1) for at, path in ((at_a, a), (at_b, b))
    )


def _check(points: Array, v_max: Array, a_max: Array, dt: float) -> None:
    if points.ndim != 2 or not np.isfinite(points).all():
        raise TwinloomError(f"waypoints of shape {points.shape} must be finite (K, N) joint vectors")
    if not (np.all(v_max > 0.0) and np.all(a_max > 0.0) and dt > 0.0):
        raise TwinloomError("velocity limits, acceleration limits, speed and dt must be positive")

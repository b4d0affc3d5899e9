"""No sequence of anything gets an output out of its limits: hypothesis looks for one."""

from __future__ import annotations

import math
import os

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from real.contract import JointLimits, RobotContract
from real.safety.filter import SafetyFilter
from real.safety.limiter import Limiter
from real.safety.modes import Mode, Output, Verdict

ROUNDING = 1e-9
EXAMPLES = int(os.environ.get("SAFETY_EXAMPLES", "60"))  # nightly: thousands
positive = st.floats(0.05, 50.0)
wild = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 0.0]),
    st.floats(-2.0, 2.0),
)


@st.composite
def contracts(draw) -> RobotContract:
    joints = []
    for k in range(draw(st.integers(1, 3))):
        lower = draw(st.floats(-3.0, 2.0))
        upper = lower + draw(st.floats(0.05, 4.0))
        home = lower + 0.01 + draw(st.floats(0.0, 1.0)) * (upper - lower - 0.02)
        velocity, acceleration, step = draw(positive), draw(positive), draw(st.floats(0.01, 10.0))
        joints.append(JointLimits(f"j{k}", lower, upper, velocity, acceleration, step, home))
    return RobotContract(
        "drawn",
        "drawn by hypothesis",
        tuple(joints),
        on_limit=draw(st.sampled_from(["clip", "refuse"])),
        damp=draw(st.sampled_from(["hold", "damping"])),
        confirm=draw(st.booleans()),
        start_s=draw(st.sampled_from([0.0, 0.05, 2.0])),
        tracking_error=draw(st.sampled_from([0.1, 100.0])),
        margin=draw(st.sampled_from([0.0, 0.01])),
    )


class Judge:
    """Watches outputs and knows the limits on its own: from the contract, the times and what was sent before."""

    def __init__(self, contract: RobotContract, tick: float, lockstep: bool) -> None:
        self.lower, self.upper = contract.column("lower"), contract.column("upper")
        self.velocity, self.acceleration = contract.column("velocity"), contract.column("acceleration")
        self.longest, self.lockstep = 4 * tick, lockstep
        self.last: tuple[float, Output] | None = None

    def sees(self, now: float, out: Output) -> None:
        for array in (out.q, out.qd):
            assert array.dtype == np.float64
            assert np.isfinite(array).all()
        assert (out.q >= self.lower).all()
        assert (out.q <= self.upper).all()
        assert (np.abs(out.qd) <= self.velocity * (1 + ROUNDING)).all()
        assert out.send or not out.damping
        if self.last and self.lockstep and 0.0 <= now - self.last[0] < 0.999 * self.longest / 4:
            assert (out.q == self.last[1].q).all() or not (self.last[1].send and out.send)
            return  # time that does not count yet
        # a damped robot is not held at any position, so the next one starts where it is
        if self.last is not None and self.last[1].send and not self.last[1].damping and out.send and math.isfinite(now):
            before, old = self.last
            gap = now - before
            moved = out.q - old.q
            assert (np.abs(moved) <= self.velocity * max(gap, 0.0) + ROUNDING).all()
            if 0.0 <= gap <= self.longest:
                assert np.allclose(moved, out.qd * gap, atol=1e-9)
                change = np.abs(out.qd - old.qd)
                assert (change <= self.acceleration * gap * (1 + 1e-9) + 1e-9).all()
            else:  # the device stood in the meantime
                assert (np.abs(out.qd) <= self.acceleration * self.longest * (1 + 1e-9) + 1e-9).all()
        # from here the joint can stop in time
        room = np.where(out.qd > 0, self.upper - out.q, out.q - self.lower)
        in_one_tick = np.abs(out.qd) <= self.acceleration * self.longest / 4 if self.lockstep else False
        assert ((out.qd**2 / (2 * self.acceleration) <= room + ROUNDING) | in_one_tick).all()
        if math.isfinite(now):
            self.last = (now, out)


ACTIONS = (
    ["step"] * 8
    + ["near"] * 6
    + ["wild", "far", "shape", "dtype", "names", "partial", "stamp", "none"]
    + ["arm", "arm", "disarm", "estop", "reset", "lost", "bad state", "jump state", "clock", "gap"]
)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(contracts(), st.booleans(), st.data())
def test_nothing_out_of_limits_leaves_whatever_comes(contract, lockstep, data):
    tick = 1.0 / contract.rate_hz
    safety, judge = SafetyFilter(contract, guards=(), lockstep=lockstep), Judge(contract, tick, lockstep)
    size, now = len(contract.names), 100.0
    real = contract.home.copy()  # where the robot is
    out = safety.step(now, real)
    judge.sees(now, out)
    some = st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=4)  # between two ticks
    for actions in [["arm"], *data.draw(st.lists(some, min_size=10, max_size=60))]:
        measured, action = real, actions[-1]
        for asked in actions:
            answer = _offer(asked, safety, contract, now, real, size, data)
            if isinstance(answer, Verdict):
                assert answer.accepted == (answer.reason == "")
                assert "\n" not in answer.reason
        if action == "lost":
            measured = None
        elif action == "bad state":
            measured = data.draw(
                st.sampled_from([np.full(size, np.nan), np.zeros(size + 1), "state", np.full(size, 1e308)])
            )
        elif action == "jump state":
            measured = real + 1.0
        late = {"clock": st.sampled_from([-5.0, -1e-3, 0.0, math.nan, math.inf]), "gap": st.floats(0.0, 3.0)}
        now_given = now + data.draw(late.get(action, st.floats(1e-6, 5 * tick)))
        stopped = safety.mode is Mode.ESTOP
        out = safety.step(now_given, measured)
        judge.sees(now_given, out)
        assert out.mode is safety.mode
        if stopped:
            assert out.mode is Mode.ESTOP
        assert out.send or out.mode in (Mode.IDLE, Mode.DISCONNECTED, Mode.ESTOP, Mode.DAMP)
        assert ((out.goal >= judge.lower) & (out.goal <= judge.upper)).all()
        now = now_given if math.isfinite(now_given) else now
        if out.send and not out.damping:
            # a real arm sags behind, or was pushed
            real = out.q + data.draw(st.sampled_from([0.0, 0.0, 0.0, 0.05])) * contract.column("step")
    assert all(isinstance(line, str) and "\n" not in line for line in safety.journal.take())


def _offer(action, safety: SafetyFilter, contract: RobotContract, now: float, real, size: int, data) -> Verdict | None:
    near = real + data.draw(st.floats(-1.0, 1.0)) * contract.column("step")
    if action in ("near", "gap"):
        return safety.command(near, now, source=data.draw(st.sampled_from(["a", "a", "a", "b", None])))
    if action == "far":
        return safety.command(real + data.draw(st.floats(-100, 100)), now)
    if action == "wild":
        verdict = safety.command(np.array(data.draw(st.lists(wild, min_size=size, max_size=size))), now)
        return verdict
    if action == "shape":
        return safety.command(data.draw(st.sampled_from([[], 0.0, near[None], [*near, 0.0], [[0], [0, 1]], {}])), now)
    if action == "dtype":
        texts = ["0"] * size
        return safety.command(
            data.draw(st.sampled_from([texts, near > 0, near + 0j, near.astype(np.float16), 10**400])), now
        )
    if action == "names":
        some = st.sampled_from([*contract.names, "j9", 3, None, "left/j0"])
        return safety.command(near, now, names=data.draw(st.lists(some, max_size=4)))
    if action == "partial":
        return safety.command(near[:1], now, names=contract.names[:1])
    if action == "stamp":
        return safety.command(
            near, now, stamp=data.draw(st.sampled_from([now, now - 9, now + 9, math.nan, "now", -1e300]))
        )
    if action == "none":
        return safety.command(None, now)
    if action == "arm":
        return safety.arm(now, data.draw(st.sampled_from([None, near, contract.home])))
    if action == "estop":
        return safety.estop("hypothesis")
    if action in ("disarm",):
        return safety.disarm()
    return safety.reset(now) if action == "reset" else None


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.data())
def test_limiter_keeps_three_limits_at_once_with_uneven_ticks(data):
    lower, upper = -data.draw(st.floats(0.01, 3.0)), data.draw(st.floats(0.01, 3.0))
    velocity, acceleration = data.draw(positive), data.draw(positive)
    limiter = Limiter(*(np.array([x]) for x in (lower, upper, velocity, acceleration)))
    for _ in range(data.draw(st.integers(1, 80))):
        q, v = limiter.q[0], limiter.v[0]
        dt = data.draw(st.floats(1e-5, 0.1))
        if data.draw(st.booleans()):
            start = data.draw(st.floats(-10, 10))
            limiter.follow(np.array([start]), np.array([start + dt * data.draw(st.floats(-100, 100))]), dt)
        else:
            limiter.brake(dt)
        assert lower <= limiter.q[0] <= upper
        assert abs(limiter.v[0]) <= velocity + 1e-12
        assert abs(limiter.v[0] - v) <= acceleration * dt + 1e-9
        assert abs(limiter.q[0] - q - limiter.v[0] * dt) < 1e-9


@settings(max_examples=EXAMPLES // 4, deadline=None)
@given(st.floats(0.2, 3.0), st.floats(1.0, 20.0), st.floats(-0.9, 0.9), st.floats(4e-3, 0.02))
def test_a_still_target_is_reached_without_overshoot(velocity, acceleration, goal, dt):
    limiter = Limiter(*(np.array([x]) for x in (-1.0, 1.0, velocity, acceleration)))
    target = np.array([goal])
    for _ in range(round((2.5 / velocity + 2 * velocity / acceleration + 2) / dt)):
        limiter.follow(target, target, dt)
        assert abs(limiter.q[0]) <= abs(goal) + 1e-9
    assert limiter.q[0] == goal
    assert limiter.at_rest


def test_a_motion_inside_the_limits_is_followed_to_the_last_bit():
    limiter = Limiter(*(np.array([x]) for x in (-1.0, 1.0, 2.0, 10.0)))
    dt, q = 0.005, np.zeros(1)
    for k in range(400):
        goal = np.array([0.5 * math.sin(2.0 * (k + 1) * dt) ** 2])
        limiter.follow(q, goal, dt)
        assert limiter.q[0] == goal[0]
        q = goal

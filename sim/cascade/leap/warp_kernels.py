# type: ignore
"""Kernels of the leap engine in Warp: one source for the CPU and for CUDA, one thread for each (replica, node).

A step is two launches: `decide` looks at the old state and notes what each node will do, `carry_out` does it. Counters
and neighbour counts change by atomic additions of integers, whose sums do not depend on the order.
"""

# Kernels are in warp's own language, which type checkers of Python do not know; it reads annotations as types, so there
# is no `from __future__ import annotations`, and a variable must be declared by a call such as int(0).

from sim.cascade.leap.kernels import POWER, THRESHOLD
from sim.cascade.leap.state import LONGEST, NEVER
from sim.cascade.process.laws import LEVELS
from sim.cascade.process.residence_times import CELLS, LINEAR, LOW, STEP
from sim.cascade.process.rng import LEAP, MULTIPLIER_0, MULTIPLIER_1, ROUNDS, TRAIT, WEYL_0, WEYL_1
from twinloom.errors import require

require("warp", "gpu")

import warp as wp  # noqa: E402  (after the check that it is installed)

wp.config.log_level = wp.LOG_ERROR  # a missing CUDA driver is nothing to report on a machine without a GPU
# no fused multiply-add: sums round as they do in the other backends
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

STAY = wp.constant(-1)
PURPOSE_LEAP, PURPOSE_TRAIT = wp.constant(wp.uint32(LEAP)), wp.constant(wp.uint32(TRAIT))
M0, M1 = wp.constant(wp.uint64(MULTIPLIER_0)), wp.constant(wp.uint64(MULTIPLIER_1))
W0, W1 = wp.constant(wp.uint32(WEYL_0)), wp.constant(wp.uint32(WEYL_1))
ROUNDS_ = wp.constant(ROUNDS)
LINEAR_, THRESHOLD_, POWER_ = wp.constant(LINEAR), wp.constant(THRESHOLD), wp.constant(POWER)
TOP = wp.constant(wp.float64(LEVELS - 1))
LAST_LEVEL, LAST_CELL = wp.constant(LEVELS - 2), wp.constant(CELLS - 1)
LOW_, STEP_ = wp.constant(wp.float64(LOW)), wp.constant(wp.float64(STEP))
NEVER_, LONGEST_ = wp.constant(NEVER), wp.constant(wp.float64(LONGEST))


@wp.struct
class Process:
    """`Net` and `Rules` of `sim.cascade.leap.state` on the device."""

    indptr: wp.array(dtype=wp.int64)
    indices: wp.array(dtype=wp.int32)
    weights: wp.array(dtype=wp.int32)
    tier: wp.array(dtype=wp.int8)
    strength: wp.array(dtype=wp.float64)
    following: wp.array(dtype=wp.int64)
    mode: wp.array(dtype=wp.int64)
    table: wp.array2d(dtype=wp.float64)
    compartments: wp.int32
    entry: wp.int32
    infectious: wp.int32
    contact: wp.int32
    ticks: wp.float64
    beta: wp.float64
    unit: wp.float64
    theta: wp.float64
    theta_span: wp.float64
    eps: wp.float64
    power: wp.float64


@wp.struct
class Frame:
    """What is the same for all steps of an interval: clocks before and after each step, step lengths, controls."""

    clocks: wp.array3d(dtype=wp.int32)
    spans: wp.array2d(dtype=wp.float64)
    steps: wp.array(dtype=wp.int64)
    incoming: wp.array2d(dtype=wp.float64)
    outgoing: wp.array2d(dtype=wp.float64)
    contact: wp.array(dtype=wp.float64)


@wp.struct
class State:
    """`Batch` of `sim.cascade.leap.state` on the device."""

    cell: wp.array2d(dtype=wp.int16)
    due: wp.array2d(dtype=wp.int32)
    entered: wp.array2d(dtype=wp.int32)
    exposure: wp.array3d(dtype=wp.int32)
    ever: wp.array2d(dtype=wp.uint8)
    counts: wp.array3d(dtype=wp.int64)
    flows: wp.array4d(dtype=wp.int64)
    reached: wp.array2d(dtype=wp.int64)
    key: wp.array2d(dtype=wp.uint32)


@wp.struct
class Plan:
    """What each node does in this step: its next compartment or STAY, and when it enters and leaves it."""

    into: wp.array2d(dtype=wp.int8)
    start: wp.array2d(dtype=wp.int32)
    due: wp.array2d(dtype=wp.int32)


@wp.func
def philox(node: wp.uint32, index: wp.uint32, purpose: wp.uint32, key0: wp.uint32, key1: wp.uint32):
    """Four random words."""
    a = wp.uint32(node)
    b = wp.uint32(index)
    c = wp.uint32(purpose)
    d = wp.uint32(0)
    k0 = wp.uint32(key0)
    k1 = wp.uint32(key1)
    for _ in range(ROUNDS_):
        p0 = M0 * wp.uint64(a)
        p1 = M1 * wp.uint64(c)
        a = wp.uint32(p1 >> wp.uint64(32)) ^ b ^ k0
        b = wp.uint32(p1)
        c = wp.uint32(p0 >> wp.uint64(32)) ^ d ^ k1
        d = wp.uint32(p0)
        k0 = k0 + W0
        k1 = k1 + W1
    return a, b, c, d


@wp.func
def uniform(word: wp.uint32):
    """float64 in (0, 1)."""
    return (wp.float64(word) + wp.float64(0.5)) / wp.float64(4294967296.0)


@wp.func
def lifetime(p: Process, compartment: int, word: wp.uint32):
    """Residence time in ticks; the two ways of `sim.cascade.process.residence_times.lookup`."""
    u = uniform(word)
    time = wp.float64(0.0)
    if p.mode[compartment] == wp.int64(LINEAR_):
        x = u * TOP
        j = wp.min(int(x), LAST_LEVEL)
        low = p.table[compartment, j]
        time = low + (x - wp.float64(j)) * (p.table[compartment, j + 1] - low)
    else:
        # u has 33 bits, so 1 - u is exact and its logarithm needs no log1p
        y = (wp.log(-wp.log(wp.float64(1.0) - u)) - LOW_) / STEP_
        j = wp.min(wp.max(int(y), 0), LAST_CELL)
        t = y - wp.float64(j)
        v0 = p.table[compartment, 2 * j]
        d0 = p.table[compartment, 2 * j + 1]
        rise = p.table[compartment, 2 * j + 2] - v0
        d1 = p.table[compartment, 2 * j + 3]
        two = wp.float64(2.0)
        cubic = wp.float64(3.0) * rise - two * d0 - d1 + t * (d0 + d1 - two * rise)
        time = wp.exp(v0 + t * (d0 + t * cubic))
    return wp.int64(wp.min(time * p.ticks + wp.float64(0.5), LONGEST_))


@wp.func
def contact_rate(r: int, i: int, p: Process, s: State, f: Frame):
    """Rate at which a susceptible node takes the contact step."""
    j = wp.float64(0.0)
    for k in range(s.exposure.shape[2]):
        j += f.outgoing[r, k] * wp.float64(s.exposure[r, i, k])
    j = j * p.unit
    rate = p.beta * j
    if p.contact == THRESHOLD_:
        w0, _w1, _w2, _w3 = philox(wp.uint32(i), wp.uint32(0), PURPOSE_TRAIT, s.key[r, 0], s.key[r, 1])
        theta = p.theta + p.theta_span * uniform(w0)
        rate = rate / (wp.float64(1.0) + wp.exp((theta - j / p.strength[i]) / p.eps))
    elif p.contact == POWER_:
        rate = p.beta * wp.pow(j, p.power)
    return rate * f.incoming[r, int(p.tier[i])] * f.contact[r]


@wp.kernel
def decide(p: Process, f: Frame, s: State, t: int, plan: Plan):
    """Note what each node does in step ``t`` of the interval."""
    r, i = wp.tid()
    plan.into[r, i] = wp.int8(STAY)
    span = f.spans[t, r]
    if span <= wp.float64(0.0):
        return
    cell = int(s.cell[r, i])
    old = cell % p.compartments
    home = cell - old
    new = int(p.entry)
    ago = wp.int64(0)
    w2 = wp.uint32(0)
    index = wp.uint32(f.steps[r] + wp.int64(t))
    if old == 0:
        chance = wp.float64(1.0) - wp.exp(-contact_rate(r, i, p, s, f) * span)
        if chance <= wp.float64(0.0):
            return
        a0, a1, a2, _a3 = philox(wp.uint32(i), index, PURPOSE_LEAP, s.key[r, 0], s.key[r, 1])
        if uniform(a0) >= chance:
            return
        lapse = f.clocks[t + 1, r, home + new] - f.clocks[t, r, home + new]
        ago = (wp.int64(lapse) * wp.int64(a1)) >> wp.int64(32)
        w2 = a2
    else:
        if s.due[r, i] >= f.clocks[t + 1, r, cell]:
            return
        _b0, _b1, b2, _b3 = philox(wp.uint32(i), index, PURPOSE_LEAP, s.key[r, 0], s.key[r, 1])
        new = int(p.following[old])
        ago = wp.int64(f.clocks[t + 1, r, cell]) - wp.int64(s.due[r, i])
        ran = wp.int64(f.clocks[t + 1, r, cell] - f.clocks[t, r, cell])
        if ran > wp.int64(0):
            ago = ago * wp.int64(f.clocks[t + 1, r, home + new] - f.clocks[t, r, home + new]) / ran
        w2 = b2
    start = wp.int64(f.clocks[t + 1, r, home + new]) - ago
    due = wp.int64(NEVER_)
    if p.following[new] >= wp.int64(0):
        due = start + lifetime(p, new, w2)
    plan.into[r, i] = wp.int8(new)
    plan.start[r, i] = wp.int32(start)
    plan.due[r, i] = wp.int32(due)


@wp.kernel
def carry_out(p: Process, s: State, plan: Plan):
    """Put nodes into their next compartments and tell counters and neighbours."""
    r, i = wp.tid()
    new = int(plan.into[r, i])
    if new == STAY:
        return
    tier = int(p.tier[i])
    old = int(s.cell[r, i]) - tier * p.compartments
    s.cell[r, i] = wp.int16(tier * p.compartments + new)
    s.entered[r, i] = plan.start[r, i]
    s.due[r, i] = plan.due[r, i]
    wp.atomic_add(s.counts, r, tier, old, wp.int64(-1))
    wp.atomic_add(s.counts, r, tier, new, wp.int64(1))
    wp.atomic_add(s.flows, r, tier, old, new, wp.int64(1))
    sign = int(0)  # noqa: RUF046, UP018
    if new == p.infectious:
        sign = 1
        if s.ever[r, i] == wp.uint8(0):
            s.ever[r, i] = wp.uint8(1)
            wp.atomic_add(s.reached, r, tier, wp.int64(1))
    if old == p.infectious:
        sign = -1
    if sign != 0:
        for e in range(int(p.indptr[i]), int(p.indptr[i + 1])):
            change = sign
            if p.weights.shape[0] > 0:
                change = sign * p.weights[e]
            wp.atomic_add(s.exposure, r, p.indices[e], tier, change)

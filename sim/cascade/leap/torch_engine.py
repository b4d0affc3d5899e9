"""Leap engine in PyTorch, on any device: the readable reference of one step.

It draws the same random words and follows the same rules as the compiled loops, so it finds the same epidemic.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.cascade.leap.device import DeviceLeap
from sim.cascade.leap.kernels import POWER, THRESHOLD
from sim.cascade.leap.state import LONGEST, NEVER
from sim.cascade.process.laws import LEVELS
from sim.cascade.process.residence_times import CELLS as TABLE_CELLS
from sim.cascade.process.residence_times import LINEAR, LOW, STEP, WIDTH
from sim.cascade.process.rng import LEAP, MULTIPLIER_0, MULTIPLIER_1, ROUNDS, TRAIT, WEYL_0, WEYL_1
from twinloom.errors import TwinloomError, require

require("torch", "rl")

import torch  # noqa: E402  (after the check that it is installed)
from torch import Tensor  # noqa: E402

MASK = 0xFFFFFFFF


def philox(c0: Tensor, c1: Tensor, purpose: int, k0: Tensor, k1: Tensor) -> list[Tensor]:
    """Four words, int64 holding 32 bits each. Products wrap at 64 bits; the mask takes the sign off the high half."""
    c2, c3 = torch.full_like(c0, purpose), torch.zeros_like(c0)
    for _ in range(ROUNDS):
        p0, p1 = c0 * MULTIPLIER_0, c2 * MULTIPLIER_1
        c0, c1, c2, c3 = ((p1 >> 32) & MASK) ^ c1 ^ k0, p1 & MASK, ((p0 >> 32) & MASK) ^ c3 ^ k1, p0 & MASK
        k0, k1 = (k0 + WEYL_0) & MASK, (k1 + WEYL_1) & MASK
    return [c0, c1, c2, c3]


def uniform(word: Tensor) -> Tensor:
    """float64 in (0, 1)."""
    return (word.double() + 0.5) * 2.0**-32


class LeapTorch(DeviceLeap):
    """See `DeviceLeap`; ``device`` is "cpu", "cuda", "cuda:1", …"""

    def _open(self, device: str) -> None:
        try:
            self._torch = torch.device(device)
            torch.zeros(1, device=self._torch)
        except (RuntimeError, AssertionError) as error:  # torch raises either, depending on how it was built
            raise TwinloomError(f'torch has no device "{device}" here; use "cpu"') from error
        net, rules = self.net, self.rules
        self._graph = {name: self._upload(getattr(net, name)) for name in ("indptr", "indices", "weights", "strength")}
        self._tier = self._upload(net.tier).long()
        self._following = self._upload(rules.following)
        self._linear = self._upload(rules.mode) == LINEAR
        self._table = self._upload(rules.table).flatten()

    def _upload(self, array: np.ndarray) -> Tensor:
        if array.dtype == np.uint32:
            array = array.view(np.int32)  # torch computes little with unsigned integers; the bits are the same
        return torch.from_numpy(array).to(self._torch)

    def _copy(self, source: Any, target: Any, up: bool) -> None:
        if up:
            target.copy_(self._upload(source))
        else:
            target[...] = source.cpu().numpy().view(target.dtype)

    def _take_steps(self, clocks: np.ndarray, spans: np.ndarray) -> None:
        clock, span, steps = self._upload(clocks).long(), self._upload(spans), self._upload(self._steps)
        for t in range(len(spans)):
            self._step(clock[t], clock[t + 1], span[t], steps + t)

    def _step(self, before: Tensor, now: Tensor, span: Tensor, step: Tensor) -> None:
        """One step of every replica: decide on the old state, then change it."""
        state, m = self.device, self.rules.compartments
        cells = state.cell.long()
        susceptible = cells % m == 0
        asked = torch.where(susceptible, state.exposure.sum(dim=2) > 0, state.due < now.gather(1, cells))
        r, i = torch.nonzero(asked & (span > 0)[:, None], as_tuple=True)
        words = self._words(r, i, step[r], LEAP)
        chance = 1.0 - torch.exp(-self._rate(r, i) * span[r])
        happens = ~susceptible[r, i] | (uniform(words[0]) < chance)
        r, i, words = r[happens], i[happens], [word[happens] for word in words]

        cell = cells[r, i]
        old, home = cell % m, cell - cell % m
        new = torch.where(old == 0, self.rules.entry, self._following[old])
        lapse = now[r, home + new] - before[r, home + new]
        ran = now[r, cell] - before[r, cell]
        late = now[r, cell] - state.due[r, i]
        left = torch.where(ran > 0, late * lapse // ran.clamp(min=1), late)
        start = now[r, home + new] - torch.where(old == 0, (lapse * words[1]) >> 32, left)
        due = torch.where(self._following[new] >= 0, start + self._lifetime(new, words[2]), NEVER)
        self._enter(r, i, old, new, start, due)

    def _words(self, r: Tensor, i: Tensor, index: Tensor, purpose: int) -> list[Tensor]:
        key = self.device.key[r].long() & MASK
        return philox(i, index & MASK, purpose, key[:, 0], key[:, 1])

    def _rate(self, r: Tensor, i: Tensor) -> Tensor:
        """Rate of the contact step of each node."""
        rules = self.rules
        incoming, outgoing, contact = (self._upload(lever) for lever in self.levers)
        exposure = self.device.exposure[r, i]
        j = torch.zeros(len(r), dtype=torch.float64, device=self._torch)
        for k in range(exposure.shape[1]):
            j = j + outgoing[r, k] * exposure[:, k]
        j = j * rules.unit
        rate = rules.beta * j
        if rules.contact == THRESHOLD:
            theta = rules.theta + rules.theta_span * uniform(self._words(r, i, torch.zeros_like(i), TRAIT)[0])
            rate = rate / (1.0 + torch.exp((theta - j / self._graph["strength"][i]) / rules.eps))
        elif rules.contact == POWER:
            rate = rules.beta * j**rules.power
        return rate * incoming[r, self._tier[i]] * contact[r]

    def _lifetime(self, compartment: Tensor, word: Tensor) -> Tensor:
        """Residence times in ticks; the two ways of `sim.cascade.process.residence_times.lookup`."""
        u, table, row = uniform(word), self._table, compartment * WIDTH
        x = u * (LEVELS - 1)
        j = x.long().clamp(max=LEVELS - 2)
        linear = table[row + j] + (x - j) * (table[row + j + 1] - table[row + j])
        y = (torch.log(-torch.log1p(-u)) - LOW) / STEP
        j = y.long().clamp(0, TABLE_CELLS - 1)
        t = y - j
        v0, d0, v1, d1 = (table[row + 2 * j + offset] for offset in range(4))
        rise = v1 - v0
        hermite = torch.exp(v0 + t * (d0 + t * (3 * rise - 2 * d0 - d1 + t * (d0 + d1 - 2 * rise))))
        time = torch.where(self._linear[compartment], linear, hermite)
        return (time * self.rules.ticks + 0.5).clamp(max=LONGEST).long()

    def _enter(self, r: Tensor, i: Tensor, old: Tensor, new: Tensor, start: Tensor, due: Tensor) -> None:
        """Put nodes into their new compartments and tell counters and neighbours. No node occurs twice."""
        state, m = self.device, self.rules.compartments
        tier = self._tier[i]
        state.cell[r, i] = (tier * m + new).to(state.cell.dtype)
        state.entered[r, i] = start.to(torch.int32)
        state.due[r, i] = due.to(torch.int32)
        one = torch.ones_like(r)
        state.counts.index_put_((r, tier, old), -one, accumulate=True)
        state.counts.index_put_((r, tier, new), one, accumulate=True)
        state.flows.index_put_((r, tier, old, new), one, accumulate=True)
        came, went = new == self.rules.infectious, old == self.rules.infectious
        first = came & (state.ever[r, i] == 0)
        state.ever[r[first], i[first]] = 1
        state.reached.index_put_((r[first], tier[first]), one[first], accumulate=True)

        sign = came.long() - went.long()
        turned = sign != 0
        r, i, tier, sign = r[turned], i[turned], tier[turned], sign[turned]
        begin, degree = self._graph["indptr"][i], self._graph["indptr"][i + 1] - self._graph["indptr"][i]
        source = torch.repeat_interleave(torch.arange(len(i), device=self._torch), degree)
        edge = torch.arange(len(source), device=self._torch) - (degree.cumsum(0) - degree)[source] + begin[source]
        change = sign[source]
        if len(self._graph["weights"]):
            change = change * self._graph["weights"][edge]
        where = (r[source], self._graph["indices"][edge].long(), tier[source])
        state.exposure.index_put_(where, change.to(state.exposure.dtype), accumulate=True)

"""Spreading models: compartments, one step driven by contacts, and steps that a node takes by itself.

A node of compartment 0 (susceptible, unaware) takes the contact step at a rate that grows with its infectious
in-neighbours. Every other step is nodal: it comes after a residence time that its law draws on entry.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from sim.cascade.process.laws import Law, exponential, gamma, lognormal
from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError

Contact = Literal["linear", "threshold", "power"]
Matching = Literal["rate", "transmissibility"]
CONTACTS: tuple[Contact, ...] = ("linear", "threshold", "power")
_QUADRATURE = 20_000


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


@dataclass(frozen=True)
class Step:
    """A nodal step.

    Attributes:
        source, target: indices of compartments.
        law: of the residence time in ``source``.
        channel: control channel that acts on the clock of ``source``, if any.
        speed: speed of that clock as long as nothing sets another; 0: the step waits for a control.
    """

    source: int
    target: int
    law: Law
    channel: str | None = None
    speed: float = 1.0


@dataclass(frozen=True)
class Shedding:
    """Infectivity that depends on the age of the source: ``values`` at ages 0, step, 2 step, …, linear between
    them and constant after the last. Multiplies the contact rate."""

    step: float
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not all(_is_number(value) for value in (self.step, *self.values)):
            raise TwinloomError(f"shedding needs numbers, not step {self.step!r} and values {self.values!r}")
        if not (self.step > 0 and math.isfinite(self.step) and self.values):
            raise TwinloomError(f"shedding needs a positive step and at least one value, not step {self.step}")
        if not all(v >= 0 and math.isfinite(v) for v in self.values):
            raise TwinloomError("shedding values must be finite and not negative")

    def __call__(self, age: np.ndarray) -> np.ndarray:
        """Infectivity at each age, same shape."""
        return np.interp(age, self.step * np.arange(len(self.values)), self.values)


@dataclass(frozen=True)
class Model:
    """A spreading model.

    Attributes:
        name: short name.
        compartments: names; compartment 0 is the susceptible one.
        beta: contact rate of one edge of weight 1, per unit of time.
        entry: compartment that the contact step leads to.
        infectious: compartment whose nodes pass the contagion on.
        steps: nodal steps, at most one out of each compartment.
        contact: how the rate depends on the pressure J (sum of beta's factors over infectious in-neighbours):
            "linear" beta J; "threshold" beta J sigma((J/k - theta)/eps); "power" beta J**power.
        theta: the threshold of each node is uniform between these two.
        eps: softness of the threshold.
        power: exponent.
        shedding: infectivity by age, None for a constant 1.
    """

    name: str
    compartments: tuple[str, ...]
    beta: float
    entry: int
    infectious: int
    steps: tuple[Step, ...] = ()
    contact: Contact = "linear"
    theta: tuple[float, float] = (0.1, 0.4)
    eps: float = 0.02
    power: float = 2.0
    shedding: Shedding | None = field(default=None)

    def __post_init__(self) -> None:
        problems = list(self._problems())
        if problems:
            raise InvalidSettingsError(f"model {self.name}", problems)

    def _problems(self):
        numbers = {"beta": self.beta, "eps": self.eps, "power": self.power}
        numbers |= {f"theta[{i}]": bound for i, bound in enumerate(self.theta)}
        numbers |= {f"speed of step {step.source} to {step.target}": step.speed for step in self.steps}
        wrong = [f"{name} is {value!r}, not a number" for name, value in numbers.items() if not _is_number(value)]
        wrong += [
            f"the law of step {step.source} to {step.target} is {step.law!r}; make one with sim.cascade.laws"
            for step in self.steps
            if not isinstance(step.law, Law)
        ]
        if wrong:
            yield from wrong
            return
        size = range(len(self.compartments))
        if not (self.beta >= 0 and math.isfinite(self.beta)):
            yield f"beta is {self.beta}; a contact rate is finite and not negative"
        if self.contact not in CONTACTS:
            yield f'contact is "{self.contact}", not one of {", ".join(CONTACTS)}'
        if len(set(self.compartments)) != len(self.compartments):
            yield "two compartments have the same name"
        if self.entry not in size or self.infectious not in size or 0 in (self.entry, self.infectious):
            yield "entry and infectious must be compartments other than 0, the susceptible one"
        sources = [step.source for step in self.steps]
        if len(set(sources)) != len(sources):
            yield "a compartment has two nodal steps; one is allowed"
        for step in self.steps:
            if step.source not in size or step.target not in size or step.source == 0 or step.source == step.target:
                yield f"step {step.source} to {step.target} must join two compartments and not start in 0"
            if not (step.speed >= 0 and math.isfinite(step.speed)):
                yield f"speed of step {step.source} to {step.target} is {step.speed}, not a finite number >= 0"
        if len(self.theta) != 2 or not 0 <= self.theta[0] <= self.theta[1] < math.inf:
            yield f"theta is {self.theta}; two numbers, the first not above the second, are allowed"
        if not (0 < self.eps < math.inf and 0 < self.power < math.inf):
            yield f"eps ({self.eps}) and power ({self.power}) must be positive and finite"

    @property
    def size(self) -> int:
        """Number of compartments M."""
        return len(self.compartments)

    @property
    def susceptible(self) -> int:
        """Index of the susceptible compartment, always 0."""
        return 0

    @property
    def contact_step(self) -> tuple[int, int]:
        """(source, target) of the step that contacts drive."""
        return 0, self.entry

    def index(self, compartment: str) -> int:
        """Index of a compartment by name.

        Raises:
            UnknownNameError: there is none of that name.
        """
        if compartment not in self.compartments:
            raise UnknownNameError(
                "compartment", compartment, self.compartments, f"model {self.name} has {', '.join(self.compartments)}"
            )
        return self.compartments.index(compartment)

    def step_from(self, compartment: int) -> Step | None:
        """The nodal step out of a compartment, or None."""
        return next((step for step in self.steps if step.source == compartment), None)

    def carriers(self) -> tuple[int, ...]:
        """Compartments that are infectious or become so by themselves: without a node there, nothing spreads."""
        found = {self.infectious}
        for _ in self.compartments:
            found |= {step.source for step in self.steps if step.target in found and step.speed > 0}
        return tuple(sorted(found))

    def returns(self) -> bool:
        """Whether some nodal step makes nodes susceptible again."""
        return any(step.target == 0 for step in self.steps)

    def with_beta(self, beta: float) -> Model:
        """The same model with another contact rate."""
        return replace(self, beta=float(beta))

    def with_law(self, compartment: str, law: Law) -> Model:
        """The same model with another law of residence in one compartment.

        Raises:
            TwinloomError: no nodal step leaves it.
        """
        source = self.index(compartment)
        if self.step_from(source) is None:
            raise TwinloomError(f"no nodal step of {self.name} leaves {compartment}")
        return replace(self, steps=tuple(replace(s, law=law) if s.source == source else s for s in self.steps))

    def with_shedding(self, shedding: Shedding | None) -> Model:
        """The same model with infectivity by age."""
        return replace(self, shedding=shedding)

    def _contagion(self) -> tuple[float, float]:
        """(probability that one edge of weight 1 transmits, mean age of the source when it does)."""
        step = self.step_from(self.infectious)
        if step is None or self.beta == 0:
            return (float(self.beta > 0), 1.0 / self.beta if self.beta > 0 else float("nan"))
        u = (np.arange(_QUADRATURE) + 0.5) / _QUADRATURE
        times = np.sort(np.asarray(step.law.quantile(u), np.float64))
        if self.shedding is None:
            # E[1 - exp(-b D)] and E[integral of a b exp(-b a) up to D]
            x = self.beta * times
            passed, moment = -np.expm1(-x), (-np.expm1(-x) - x * np.exp(-x)) / self.beta
        else:
            # to the age at which infectivity is constant in small steps, then in closed form at its last level
            grid = np.unique(np.concatenate((np.linspace(0, times[-1], _QUADRATURE), times)))
            rate = self.beta * self.shedding(grid)
            dose = np.concatenate(([0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(grid))))
            density = rate * np.exp(-dose) * grid
            first = np.concatenate(([0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(grid))))
            place = np.searchsorted(grid, times)
            passed, moment = -np.expm1(-dose[place]), first[place]
        total = float(passed.mean())
        return total, float(moment.mean()) / total if total > 0 else float("nan")

    def transmissibility(self) -> float:
        """Probability T that an infectious node ever passes the contagion to one given neighbour (linear contact)."""
        return self._contagion()[0]

    def generation_time(self) -> float:
        """Mean time from infection to a transmission: stages before the infectious one, and the age in it."""
        wait, compartment = 0.0, self.entry
        for _ in self.compartments:
            step = self.step_from(compartment)
            if compartment == self.infectious or step is None:
                break
            wait, compartment = wait + step.law.mean, step.target
        return wait + self._contagion()[1]

    def markov(self, matching: Matching = "rate") -> Model:
        """The model with exponential residence times.

        Args:
            matching: "rate" keeps beta and every mean residence time; "transmissibility" keeps T and the mean
                generation time, by another beta and another mean infectious time.
        """
        if matching not in ("rate", "transmissibility"):
            raise TwinloomError(f'matching is "{matching}", not rate or transmissibility')
        steps = tuple(replace(step, law=step.law.as_exponential()) for step in self.steps)
        twin = replace(self, steps=steps, shedding=None)
        step = self.step_from(self.infectious)
        if matching == "rate" or step is None or self.beta == 0:
            return twin
        passed, age = self._contagion()
        if not 0 < passed < 1:
            raise TwinloomError(
                f"beta {self.beta:g} transmits with probability {passed:g}: no Markovian twin has it; match by rate"
            )
        twin = twin.with_law(self.compartments[self.infectious], exponential(age / (1.0 - passed)))
        return twin.with_beta(passed / age)


def _law(law: Law | None, default: Law) -> Law:
    return default if law is None else law


def _latency(law: Law | None) -> Law:
    return _law(law, lognormal(mean=5.0, median=4.0))


def _infectious(law: Law | None) -> Law:
    return _law(law, lognormal(mean=7.5, median=5.0))


def si(beta: float = 0.25) -> Model:
    """S-I: nobody recovers; reachability and percolation checks."""
    return Model("si", ("S", "I"), beta, entry=1, infectious=1)


def sis(beta: float = 0.25, recovery: Law | None = None) -> Model:
    """S-I-S: recovery without immunity."""
    return Model("sis", ("S", "I"), beta, 1, 1, (Step(1, 0, _infectious(recovery), "treat"),))


def sir(beta: float = 0.25, recovery: Law | None = None) -> Model:
    """S-I-R: recovery with immunity."""
    return Model("sir", ("S", "I", "R"), beta, 1, 1, (Step(1, 2, _infectious(recovery), "treat"),))


def seir(beta: float = 0.25, latent: Law | None = None, recovery: Law | None = None) -> Model:
    """S-E-I-R: a latent stage before the infectious one."""
    steps = (Step(1, 2, _latency(latent)), Step(2, 3, _infectious(recovery), "treat"))
    return Model("seir", ("S", "E", "I", "R"), beta, 1, 2, steps)


def seirs(
    beta: float = 0.25, latent: Law | None = None, recovery: Law | None = None, waning: Law | None = None
) -> Model:
    """S-E-I-R-S: immunity wanes."""
    base = seir(beta, latent, recovery)
    return replace(base, name="seirs", steps=(*base.steps, Step(3, 0, _law(waning, gamma(mean=30.0, cv=0.5)))))


def adopt(beta: float = 0.25, decision: Law | None = None, churn: Law | None = None) -> Model:
    """U-C-A-X: unaware, considering, active adopter, churned; active adopters persuade their neighbours."""
    steps = (Step(1, 2, _latency(decision)), Step(2, 3, _infectious(churn), "retain"))
    return Model("adopt", ("U", "C", "A", "X"), beta, 1, 2, steps)


def adopt_r(
    beta: float = 0.25, decision: Law | None = None, churn: Law | None = None, winback: Law | None = None
) -> Model:
    """ADOPT with re-activation: churned nodes consider again, at a clock that stands until spend moves it."""
    base = adopt(beta, decision, churn)
    back = Step(3, 1, _law(winback, exponential(mean=5.0)), "winback", speed=0.0)
    return replace(base, name="adopt_r", steps=(*base.steps, back))


def thresh(
    beta: float = 1.0,
    churn: Law | None = None,
    theta: tuple[float, float] = (0.1, 0.4),
    eps: float = 0.02,
    power: float | None = None,
) -> Model:
    """U-A(-X): complex contagion. The hazard turns on when the adopting share of neighbours passes a threshold;
    with ``power`` it is beta J**power instead. With a ``churn`` law adopters leave to X."""
    kind: Contact = "threshold" if power is None else "power"
    steps = () if churn is None else (Step(1, 2, churn, "retain"),)
    names = ("U", "A") if churn is None else ("U", "A", "X")
    return Model("thresh", names, beta, 1, 1, steps, kind, theta, eps, 2.0 if power is None else power)


FACTORIES = {f.__name__: f for f in (si, sis, sir, seir, seirs, adopt, adopt_r, thresh)}

"""Spreading models: their steps, their checks, and their Markovian twins."""

from __future__ import annotations

import numpy as np
import pytest

from sim.cascade.process import laws
from sim.cascade.process.models import FACTORIES, Model, Shedding, Step, adopt_r, seir, seirs, si, sir, sis, thresh
from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError


def test_every_model_starts_susceptible_and_has_at_most_one_step_out_of_a_compartment():
    for make in FACTORIES.values():
        model = make()
        assert model.contact_step == (0, model.entry)
        assert model.step_from(0) is None
        assert len({step.source for step in model.steps}) == len(model.steps)


def test_the_default_infectious_law_transmits_as_computed_by_quadrature():
    assert sir(0.25).transmissibility() == pytest.approx(0.680798, abs=2e-6)


def test_gamma_and_exponential_times_of_one_mean_transmit_differently():
    model = sir(1.0, laws.gamma(1.0, cv=3**-0.5))
    assert model.transmissibility() == pytest.approx(0.578125, abs=1e-6)
    assert model.markov("rate").transmissibility() == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("law", [laws.gamma(3.0, cv=0.5), laws.deterministic(2.0), laws.lognormal(7.5, median=5.0)])
def test_the_other_matching_keeps_transmissibility_and_generation_time(law):
    model = seir(0.4, recovery=law)
    twin = model.markov("transmissibility")
    assert twin.transmissibility() == pytest.approx(model.transmissibility(), rel=1e-4)
    assert twin.generation_time() == pytest.approx(model.generation_time(), rel=1e-4)
    assert all(step.law.cv == 1 for step in twin.steps)


def test_a_constant_shedding_profile_is_the_same_as_none():
    model = sir(0.3, laws.gamma(4.0, cv=0.7))
    shed = model.with_shedding(Shedding(0.5, (1.0, 1.0, 1.0)))
    assert shed.transmissibility() == pytest.approx(model.transmissibility(), rel=1e-4)
    assert shed.generation_time() == pytest.approx(model.generation_time(), rel=1e-3)


def test_shedding_only_late_delays_transmission():
    model = sir(0.3, laws.deterministic(4.0))
    late = model.with_shedding(Shedding(2.0, (0.0, 1.0, 1.0)))
    dose = 0.3 * (1.0 + 2.0)  # a ramp over two units, then level one
    assert late.transmissibility() == pytest.approx(-np.expm1(-dose), rel=1e-4)
    assert late.generation_time() > model.generation_time()


def test_carriers_are_the_compartments_that_lead_to_infection():
    assert seir().carriers() == (1, 2)
    assert sis().carriers() == (1,)
    assert seirs().carriers() == (1, 2)
    assert adopt_r().carriers() == (1, 2)  # those who left come back only by spend


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sir(-0.1), "beta"),
        (lambda: sir(float("nan")), "beta"),
        (lambda: sir(float("inf")), "beta"),
        (lambda: thresh(theta=(0.5, 0.2)), "theta"),
        (lambda: thresh(eps=0.0), "eps"),
        (lambda: sir("a"), "beta is 'a', not a number"),
        (lambda: sir(recovery=5.0), "the law of step 1 to 2 is 5.0; make one with sim.cascade.laws"),
        (lambda: Model("m", ("S", "I"), 1.0, 0, 1), "other than 0"),
        (lambda: Model("m", ("S", "I"), 1.0, 1, 1, (Step(0, 1, laws.exponential(1.0)),)), "not start in 0"),
        (lambda: Model("m", ("S", "S"), 1.0, 1, 1), "same name"),
        (lambda: Model("m", ("S", "I"), 1.0, 1, 1, contact="cubic"), "cubic"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_a_model_that_makes_no_sense_is_refused(make, said):
    with pytest.raises(InvalidSettingsError, match=said):
        make()


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(UnknownNameError, match="S, E, I, R"):
        seir().index("Q")
    with pytest.raises(TwinloomError, match="no nodal step"):
        si().with_law("I", laws.exponential(1.0))
    with pytest.raises(TwinloomError, match="matching"):
        sir().markov("mean")  # pyright: ignore[reportArgumentType]
    with pytest.raises(TwinloomError, match="shedding"):
        Shedding(1.0, (1.0, -1.0))


@pytest.mark.parametrize("mean", [0.0, -1.0, float("inf"), float("nan")])
def test_a_law_without_a_finite_positive_mean_is_refused(mean):
    with pytest.raises(TwinloomError, match="positive and finite"):
        laws.exponential(mean)

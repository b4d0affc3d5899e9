"""Residence-time laws: constructors, consistency of hazard, survival and quantile, and the compiled draws."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from sim.cascade.compile import kernel
from sim.cascade.process import laws
from sim.cascade.process.residence_times import draw, lookup, pack, tables
from sim.cascade.process.rng import philox_numpy, uniform_numpy
from twinloom.errors import TwinloomError

OBSERVED = np.random.default_rng(1).gamma(2.0, 1.5, 300)
LAWS = {
    "exponential": laws.exponential(2.5),
    "gamma": laws.gamma(1.0, 3**-0.5),
    "gamma-wide": laws.gamma(4.0, 1.6),
    "gamma-narrow": laws.gamma(4.0, 0.05),
    "weibull": laws.weibull(3.0, 0.5),
    "weibull-wide": laws.weibull(3.0, 1.7),
    "lognormal": laws.lognormal(7.5, 5.0),
    "lognormal-narrow": laws.lognormal(2.0, cv=0.1),
    "empirical": laws.empirical(OBSERVED),
}
SMOOTH = [name for name in LAWS if name != "empirical"]
named = pytest.mark.parametrize("name", LAWS)


@kernel
def draw_all(kind, p0, p1, table, levels, out):
    for i in range(len(levels)):
        out[i] = draw(kind, p0, p1, table, levels[i])


@kernel
def lookup_all(mode, table, levels, out):
    for i in range(len(levels)):
        out[i] = lookup(mode, table, levels[i])


def drawn(law, levels):
    kind, p0, p1, table = pack([law])
    out = np.empty(len(levels))
    draw_all(kind[0], p0[0], p1[0], table[0], levels, out)
    return out


def looked_up(law, levels):
    mode, table = tables([law])
    out = np.empty(len(levels))
    lookup_all(mode[0], table[0], levels, out)
    return out


def test_published_defaults():
    latent, infectious = laws.lognormal(5.0, 4.0), laws.lognormal(7.5, 5.0)
    assert (latent.p0, latent.p1) == pytest.approx((1.386294, 0.668047), abs=1e-6)
    assert (infectious.p0, infectious.p1) == pytest.approx((1.609438, 0.900517), abs=1e-6)
    assert infectious.transmissibility(0.25) == pytest.approx(0.680798, abs=1e-6)
    assert laws.erlang(1.0, 3).transmissibility(1.0) == pytest.approx(0.578125, abs=1e-12)
    assert laws.exponential(1.0).transmissibility(1.0) == 0.5


@named
def test_transmissibility_is_an_expectation(name):
    law = LAWS[name]
    u = (np.arange(200_000) + 0.5) / 200_000
    assert law.transmissibility(0.3) == pytest.approx(np.mean(-np.expm1(-0.3 * law.quantile(u))), abs=2e-5)


@pytest.mark.parametrize("name", SMOOTH)
def test_hazard_survival_and_cumulative_hazard_agree(name):
    law = LAWS[name]
    a = law.quantile(np.array([1e-4, 0.01, 0.2, 0.5, 0.9, 0.999, 1 - 1e-9]))
    assert -np.log(law.survival(a)) == pytest.approx(law.cumulative_hazard(a), rel=1e-9)
    assert law.inverse_cumulative_hazard(law.cumulative_hazard(a)) == pytest.approx(a, rel=1e-6)
    eps = 1e-5 * a
    slope = (law.cumulative_hazard(a + eps) - law.cumulative_hazard(a - eps)) / (2 * eps)
    assert law.hazard(a) == pytest.approx(slope, rel=1e-5)
    area = [integrate.quad(law.hazard, x, y, limit=200)[0] for x, y in itertools.pairwise(a[1:5])]
    assert area == pytest.approx(np.diff(law.cumulative_hazard(a))[1:4], rel=1e-6)


@pytest.mark.parametrize("name", SMOOTH)
def test_far_tail_stays_finite(name):
    """Where density and survival are both below the smallest float."""
    law = LAWS[name]
    h = np.array([50.0, 300.0, 800.0, 5000.0])
    a = law.inverse_cumulative_hazard(h)
    assert law.cumulative_hazard(a) == pytest.approx(h, rel=1e-8)
    assert np.all(np.isfinite(law.hazard(a)))
    assert np.all(law.hazard(a) > 0)


def test_peers():
    """scipy's own distributions."""
    a = np.array([0.1, 1.0, 4.0, 20.0])
    for law, peer in [
        (LAWS["gamma-wide"], stats.gamma(LAWS["gamma-wide"].p0, scale=LAWS["gamma-wide"].p1)),
        (LAWS["weibull"], stats.weibull_min(LAWS["weibull"].p0, scale=LAWS["weibull"].p1)),
        (LAWS["lognormal"], stats.lognorm(LAWS["lognormal"].p1, scale=math.exp(LAWS["lognormal"].p0))),
    ]:
        assert law.survival(a) == pytest.approx(peer.sf(a), rel=1e-9)
        assert law.mean == pytest.approx(peer.mean(), rel=1e-9)
        assert law.cv == pytest.approx(peer.std() / peer.mean(), rel=1e-9)
        assert law.median == pytest.approx(peer.median(), rel=1e-9)


@named
def test_compiled_draws_are_quantiles(name):
    law = LAWS[name]
    u = np.concatenate([np.logspace(-9.6, -0.4, 300), 1 - np.logspace(-9.6, -0.4, 300)])
    assert drawn(law, u) == pytest.approx(law.quantile(u), rel=3e-7)
    assert looked_up(law, u) == pytest.approx(law.quantile(u), rel=3e-7)


@named
def test_sample_mean_within_four_standard_errors(name):
    law = LAWS[name]
    times = drawn(law, uniform_numpy(philox_numpy(np.arange(100_000), 0, 0, 0, 1, 2)[:, 0]))
    assert abs(times.mean() - law.mean) < 4 * times.std() / len(times) ** 0.5
    assert abs(times.std() / times.mean() - law.cv) < 0.05 * law.cv
    assert law.sample(np.random.default_rng(0), (2, 3)).shape == (2, 3)


@named
def test_rescaled(name):
    law = LAWS[name].with_mean(11.0)
    assert law.mean == pytest.approx(11.0, rel=1e-9)
    assert law.cv == pytest.approx(LAWS[name].cv, rel=1e-9)
    assert law.as_exponential() == laws.exponential(law.mean)


def test_deterministic():
    law = laws.deterministic(2.0)
    assert drawn(law, np.array([0.1, 0.9])).tolist() == looked_up(law, np.array([0.1, 0.9])).tolist() == [2.0, 2.0]
    assert law.survival(np.array([1.9, 2.0])).tolist() == [1.0, 0.0]
    assert law.cumulative_hazard(np.array([1.9, 2.0])).tolist() == [0.0, math.inf]
    assert law.hazard(np.array([1.9, 2.0])).tolist() == [0.0, math.inf]
    assert (law.mean, law.median, law.cv) == (2.0, 2.0, 0.0)


def test_empirical():
    law = LAWS["empirical"]
    a = np.linspace(0.5, 6, 12)
    assert law.survival(a) == pytest.approx(1 - np.searchsorted(np.sort(OBSERVED), a) / len(OBSERVED), abs=0.004)
    assert law.mean == pytest.approx(OBSERVED.mean(), rel=0.01)
    ages = np.linspace(1.0, 2.5, 200_001)
    area = law.hazard(ages)[:-1].sum() * (ages[1] - ages[0])
    assert area == pytest.approx(law.cumulative_hazard(2.5) - law.cumulative_hazard(1.0), rel=1e-3)
    tied = laws.empirical([1.0, 1.0, 1.0, 3.0])
    assert tied.survival([0.5, 1.0, 2.0, 3.0]) == pytest.approx([1.0, 1 / 3, 1 / 6, 0.0], abs=1e-3)


def test_laws_are_values():
    assert laws.gamma(2.0, 0.5) == laws.gamma(2.0, 0.5)
    assert laws.erlang(2.0, 4) == laws.gamma(2.0, 0.5)
    assert len({laws.exponential(1.0), laws.exponential(1.0)}) == 1
    assert dataclasses.is_dataclass(laws.Law)
    assert str(laws.exponential(2.0)) == "exponential (mean 2, median 1.386, CV 1)"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: laws.exponential(0.0),
        lambda: laws.exponential(math.inf),
        lambda: laws.gamma(1.0, -1.0),
        lambda: laws.erlang(1.0, 0),
        lambda: laws.weibull(1.0, 1000.0),
        lambda: laws.lognormal(5.0, 6.0),
        lambda: laws.lognormal(5.0),
        lambda: laws.deterministic(math.nan),
        lambda: laws.empirical([]),
        lambda: laws.empirical([1.0, -2.0]),
        lambda: laws.exponential(1.0).with_mean(0.0),
        lambda: laws.exponential("a"),
        lambda: laws.exponential([1.0]),
        lambda: laws.lognormal(1.0, cv=1e200),
        lambda: laws.lognormal(1.0, cv=1e-200),
        lambda: laws.lognormal(1.0, 1e-300),
        lambda: laws.lognormal(1.0, 1.0 - 1e-12),
        lambda: laws.empirical([[1, 2], [3, 4]]),
        lambda: laws.empirical(["a"]),
        lambda: laws.empirical(5.0),
    ],
)
def test_impossible_laws(wrong):
    with pytest.raises(TwinloomError) as error:
        wrong()
    assert "\n" not in str(error.value)

"""Which samples a mixture draws: exact shares, every sample once a pass, and any step from its number alone."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datagen.mixture.permutation import permuted
from datagen.mixture.ratio import natural_ratio, ratio_range
from datagen.mixture.sampler import MixtureSampler, source_shares
from twinloom.errors import InvalidSettingsError, TwinloomError


@given(length=st.integers(1, 3000), key=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_permutation_takes_every_place_once(length, key):
    places = permuted(np.arange(length), length, (key, 1))
    assert np.array_equal(np.sort(places), np.arange(length))


def test_a_permutation_shuffles():
    places = permuted(np.arange(10_000), 10_000, (0,))
    assert abs(np.corrcoef(places, np.arange(10_000))[0, 1]) < 0.05
    assert not np.array_equal(places, permuted(np.arange(10_000), 10_000, (1,)))


@given(share=st.floats(0.001, 0.999), batch=st.sampled_from([1, 7, 64]), step=st.integers(0, 4000))
@settings(max_examples=100, deadline=None)
def test_the_share_is_exact_to_half_a_sample(share, batch, step):
    sampler = MixtureSampler([30, 3000], [share, 1 - share], batch)
    seen = batch * step
    assert abs(sampler.counts(seen)[0] - share * seen) <= 0.5 + 1e-6
    assert (sampler.counts(seen + batch) - sampler.counts(seen) >= 0).all()
    assert sampler.counts(seen).sum() == seen


@given(shares=st.lists(st.floats(0.01, 1.0), min_size=1, max_size=7), step=st.integers(0, 500))
@settings(max_examples=60, deadline=None)
def test_many_sources_stay_near_their_shares(shares, step):
    whole = [share / sum(shares) for share in shares]
    sampler = MixtureSampler([100] * len(whole), whole, 32)
    assert np.abs(sampler.counts(32 * step) - np.array(whole) * 32 * step).max() < 1.5
    assert (sampler.counts(32 * (step + 1)) >= sampler.counts(32 * step)).all()


def test_each_pass_takes_every_sample_of_a_source_once():
    sampler = MixtureSampler([10, 40], [0.25, 0.75], 8, seed=3)
    drawn = np.concatenate([sampler.batch(step) for step in range(40)])
    target = drawn[drawn < 10]
    assert len(target) == 80
    for begin in range(0, 80, 10):
        assert sorted(target[begin : begin + 10]) == list(range(10))  # 2 of each batch of 8: a pass is 5 batches
    assert (np.bincount(target, minlength=10) == 8).all()
    assert np.ptp(np.bincount(drawn[drawn >= 10] - 10, minlength=40)) <= 1


def test_processes_share_the_same_batch():
    whole = MixtureSampler([5, 50], [0.1, 0.9], 12, seed=1)
    parts = [MixtureSampler([5, 50], [0.1, 0.9], 12, seed=1, rank=rank, world_size=4) for rank in range(4)]
    for step, batches in zip(range(6), zip(*parts, strict=False), strict=False):
        assert sorted(index for batch in batches for index in batch) == sorted(whole.batch(step).tolist())


def test_a_sampler_goes_on_where_it_stopped():
    through = MixtureSampler([7, 90], [0.3, 0.7], 16, seed=2, steps=9)
    every = list(through)
    again = MixtureSampler([7, 90], [0.3, 0.7], 16, seed=2, steps=9)
    again.load_state_dict({**through.state_dict(), "step": 4})
    assert list(again) == every[4:]
    assert len(again) == 9
    with pytest.raises(TwinloomError, match=r"seed 2 \(now 3\)"):
        MixtureSampler([7, 90], [0.3, 0.7], 16, seed=3).load_state_dict(through.state_dict())


@pytest.mark.parametrize(
    ("lengths", "shares", "options", "text"),
    [
        ([3], [0.5], {}, "sum to 1"),
        ([3, 0], [0.5, 0.5], {}, "source 1 is empty"),
        ([3, 4], [1.0], {}, "2 sources with 1 shares"),
        ([3], [1.0], {"world_size": 3}, "cannot be shared"),
        ([3], [1.0], {"rank": 2}, "rank 2 of 1"),
    ],
)
def test_wrong_mixtures_are_refused(lengths, shares, options, text):
    with pytest.raises(InvalidSettingsError, match=text):
        MixtureSampler(lengths, shares, 8, **options)


def test_shares_of_groups():
    target, many = [True, False, False], [50, 1000, 3000]
    assert source_shares(many, target) == pytest.approx([50 / 4050, 1000 / 4050, 3000 / 4050])
    assert source_shares(many, target, 0.2) == pytest.approx([0.2, 0.2, 0.6])
    assert source_shares(many, target, 0.2, temperature=float("inf")) == pytest.approx([0.2, 0.4, 0.4])
    assert source_shares(many, target, 0.2, weights=[None, 3.0, 1.0]) == pytest.approx([0.2, 0.6, 0.2])
    with pytest.raises(TwinloomError, match="needs target data"):
        source_shares([5], [False], 0.2)
    with pytest.raises(TwinloomError, match="from 0 to 1"):
        source_shares([5, 5], [True, False], 1.2)


def test_the_rule_for_the_ratio():
    low, high = ratio_range(50, 3000)
    assert (low, high) == pytest.approx((50 / 3050, sqrt(50 / 3000)))
    assert ratio_range(100, 500)[1] == pytest.approx(0.444, abs=1e-3)  # the branches meet at five to one
    assert ratio_range(100, 501)[1] == pytest.approx(0.447, abs=1e-3)
    assert ratio_range(100, 110)[1] == pytest.approx(0.5)
    assert natural_ratio(30, 3000) == pytest.approx(0.0099, abs=1e-4)
    for wrong in ((0, 5, 0.8), (5, 5, 1.0), (50, 5, 0.8)):
        with pytest.raises(TwinloomError):
            ratio_range(*wrong)

"""The toy model shows what the theory says: three regimes, what a label does, and the weights of a mixed score."""

from functools import lru_cache

import numpy as np
import pytest
import torch

from policies.cotraining.toy.diffusion import ALPHA_BAR, STEPS, Denoiser, loss
from policies.cotraining.toy.spirals import SHIFT, SOURCE, TARGET, sample, spiral
from policies.cotraining.toy.train import ToyConfig, ToyModel


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@lru_cache
def inside(gap: float, p_target: float, label: bool = False) -> float:
    """Error where there are target samples."""
    return ToyModel(ToyConfig(gap, p_target, label)).measure().inside


def test_overlapping_domains_are_confused():
    assert inside(0.01, 0.1) > 6.0  # 9 is what copying the source costs


def test_aligned_domains_are_told_apart():
    assert inside(1.0, 0.1) < 0.6


def test_aligned_beats_disjoint_and_target_alone():
    assert inside(1.0, 0.1) < inside(3.0, 0.99)
    assert inside(1.0, 0.1) < inside(10.0, 0.1)


def test_a_label_turns_overlapping_into_aligned():
    assert inside(0.01, 0.1, label=True) < inside(0.01, 0.1) / 8


def test_the_data():
    rng = np.random.default_rng(0)
    target, source = sample(TARGET, 400, 2.0, rng, 0.8), sample(SOURCE, 400, 2.0, rng)
    assert target.u.max() <= 0.8 < source.u.max()
    assert set(target.inputs[:, 2]) == {3.0}
    assert set(source.inputs[:, 2]) == {1.0}
    assert (target.outputs - spiral(target.u)).mean() == pytest.approx(SHIFT, abs=0.05)
    assert np.linalg.norm(spiral(np.array([0.0, 1.0])), axis=1) == pytest.approx([4.712, 14.137], abs=1e-3)


def test_a_mixed_score_weighs_its_samples_as_the_formula_says():
    """One target sample at +1 and one source sample at -1: g_T = w N(+1) / (w N(+1) + (1 - w) N(-1))."""
    share, generator = 0.3, torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    network = Denoiser(1, 1, 64)
    optimizer = torch.optim.Adam(network.parameters(), 3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 1500)
    nothing = torch.zeros((512, 1))
    for _ in range(1500):
        clean = torch.where(torch.rand((512, 1), generator=generator) < share, 1.0, -1.0)
        optimizer.zero_grad()
        loss(network, clean, nothing, generator).backward()
        optimizer.step()
        schedule.step()
    step = torch.full((81,), int(0.6 * STEPS))
    alpha = ALPHA_BAR[step[0]]
    places = torch.linspace(-2.0, 2.0, 81)[:, None]
    with torch.inference_mode():
        noise = network(places, step, nothing[:81])
    mean = (places - (1 - alpha).sqrt() * noise) / alpha.sqrt()  # E[clean | noised] = g_T - g_S
    mine = ((1 + mean) / 2)[:, 0]
    distance = [((places[:, 0] - alpha.sqrt() * sign) ** 2) / (2 * (1 - alpha)) for sign in (1.0, -1.0)]
    wanted = torch.sigmoid(torch.log(torch.tensor(share / (1 - share))) - distance[0] + distance[1])
    assert float((mine - wanted).abs().max()) < 0.05

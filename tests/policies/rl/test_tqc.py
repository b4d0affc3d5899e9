"""The cheaper update is the update of sb3-contrib; actors can look at a tail."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sb3_contrib import TQC
from sb3_contrib.common.utils import quantile_huber_loss

from policies.rl.replay import Replay
from policies.rl.tqc import FastTQC, distort, quantile_huber
from policies.rl.vecenv import GymnasiumVecEnv, Normalise
from tests.policies.rl.toys import Clock, vector


def test_loss_and_gradient_are_those_of_sb3_contrib():
    rng = torch.Generator().manual_seed(0)
    atoms = (3 * torch.randn(16, 3, 25, generator=rng, dtype=torch.float64)).requires_grad_()
    targets = 3 * torch.randn(16, 69, generator=rng, dtype=torch.float64)
    reference = quantile_huber_loss(atoms, targets[:, None, :], sum_over_quantiles=False)
    (expected,) = torch.autograd.grad(reference, atoms)
    loss = quantile_huber(atoms, targets)
    (gradient,) = torch.autograd.grad(loss, atoms)
    torch.testing.assert_close(loss, reference, rtol=1e-7, atol=0)  # its fractions are 32-bit
    torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-9)


def test_a_narrow_loss_settles_atoms_on_the_outcomes():
    targets = torch.tensor([[0.0, 2.0]])
    spread = []
    for width in 1.0, 0.05:
        atoms = torch.ones(1, 1, 10, requires_grad=True)
        optimizer = torch.optim.SGD([atoms], lr=0.2)
        for _ in range(3000):
            optimizer.zero_grad()
            quantile_huber(atoms, targets, width).backward()
            optimizer.step()
        spread.append(int(((atoms > 0.3) & (atoms < 1.7)).sum()))
    assert spread[0] >= 4
    assert spread[1] == 0


def learner(kind: type[TQC], drop: int) -> TQC:
    torch.manual_seed(0)
    env = Normalise(GymnasiumVecEnv(vector([Clock] * 4), seed=0), 0.9)
    return kind(
        "MlpPolicy",
        env,
        seed=1,
        learning_starts=100,
        replay_buffer_class=Replay,
        top_quantiles_to_drop_per_net=drop,
        policy_kwargs={"net_arch": [32, 32], "n_critics": 3, "n_quantiles": 7},
        device="cpu",
    )


@pytest.mark.parametrize("drop", [0, 2])
def test_training_with_it_is_training_with_sb3_contrib(drop):
    models = [learner(kind, drop).learn(160) for kind in (TQC, FastTQC)]
    slow, fast = (model.policy.state_dict() for model in models)
    start = learner(TQC, drop).policy.state_dict()
    assert any(not torch.equal(start[name], slow[name]) for name in start)
    for name, value in slow.items():
        torch.testing.assert_close(fast[name], value, rtol=1e-3, atol=2e-5, msg=name)


def test_actors_can_maximise_the_mean_or_a_tail():
    atoms = torch.arange(10.0).reshape(1, 10)
    assert [distort(atoms, risk).item() for risk in (1.0, 0.2, -0.2, 0.01)] == [4.5, 0.5, 8.5, 0.0]


def test_a_pessimistic_actor_is_another_actor():
    mean, tail = learner(FastTQC, 0), learner(FastTQC, 0)
    tail.risk = 0.1
    for model in mean, tail:
        model.learn(160)
    assert not np.allclose(mean.predict(np.zeros(1))[0], tail.predict(np.zeros(1))[0], atol=1e-6)

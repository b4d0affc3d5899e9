"""From a learner of Stable-Baselines3 to the tensors and the description of a `GaussianActor`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO, TD3
from stable_baselines3.common.base_class import BaseAlgorithm
from torch import nn

from policies.base import PolicySpec
from policies.rl.vecenv import CLIP, GymnasiumVecEnv, Normalise
from policies.rl.weight_average import Average
from twinloom.features import STATE, Feature

WIDE = 1e30  # no bound


def actor_layers(model: BaseAlgorithm) -> list[nn.Module]:
    """Modules from the observation to the mean action, before squashing."""
    policy: Any = model.policy
    if isinstance(model, PPO):
        return [*policy.mlp_extractor.policy_net, policy.action_net]
    return list(policy.actor.mu) if isinstance(model, TD3) else [*policy.actor.latent_pi, policy.actor.mu]


def tensors(model: BaseAlgorithm, env: Normalise, actor: Average) -> dict[str, np.ndarray]:
    """Weights of the averaged actor and of the critics, and the normalisation of observations."""
    policy: Any = model.policy
    if isinstance(model, PPO):
        critics = [[*policy.mlp_extractor.value_net, policy.value_net]]
    else:
        critics = [list(net) for net in policy.critic.q_networks]
    found = _named("actor", actor.pairs())
    for number, critic in enumerate(critics):
        found |= _named(f"critic.{number}", [(one.weight, one.bias) for one in critic if isinstance(one, nn.Linear)])
    size = int(np.prod(model.observation_space.shape or (1,)))
    facts = {"mean": np.zeros(size), "scale": np.ones(size), "low": np.full(size, -WIDE), "high": np.full(size, WIDE)}
    if env.norm_obs:
        rms: Any = env.obs_rms
        facts = {"mean": rms.mean, "scale": env.scale(rms), "low": env.low, "high": env.high}
    return found | {f"observation.{name}": np.asarray(value, np.float32) for name, value in facts.items()}


def _named(prefix: str, layers: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> dict[str, np.ndarray]:
    return {
        f"{prefix}.{number}.{name}": value.detach().cpu().numpy().copy()
        for number, pair in enumerate(layers)
        for name, value in zip(("weight", "bias"), pair, strict=True)
    }


def describe(
    model: BaseAlgorithm,
    env: Normalise,
    adapter: GymnasiumVecEnv,
    *,
    observation_names: Iterable[str],
    action_names: Iterable[str],
    fps: float,
    task: str,
    extra: dict[str, Any],
) -> PolicySpec:
    """The policy.json of the learner as it stands."""
    observations, actions = tuple(observation_names), tuple(action_names)
    facts = {
        "squash": "clip" if isinstance(model, PPO) else "tanh",
        "critics": 1 if isinstance(model, PPO) else int(model.policy.critic.n_critics),  # type: ignore[union-attr]
        "critic_sees_action": not isinstance(model, PPO),
        "low": np.asarray(adapter.low, float).ravel().tolist(),
        "high": np.asarray(adapter.high, float).ravel().tolist(),
        "clip": CLIP if env.norm_obs else WIDE,
        "return_std": env.return_std,
        "steps": model.num_timesteps,
    }
    return PolicySpec(
        kind="gaussian_actor",
        observation={STATE: Feature("float32", (len(observations),), observations)},
        action=Feature("float32", (len(actions),), actions, "share of full effort"),
        fps=fps,
        horizon=1,
        task=task,
        extra=extra | facts,
    )

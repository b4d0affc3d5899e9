"""Truncated quantile critics (Kuznetsov et al. 2020) of sb3-contrib with a cheaper update and risk-aware actors.

The mathematics of the update is that of sb3-contrib; three changes halve its cost on a CPU: value and gradient of the
quantile Huber loss come from one pass without autograd, the actor's step does not compute gradients of the critics, and
atoms are selected, not sorted. Two choices are new: which atoms the actor maximises (`distort`), and the width of the
quadratic part of the loss. At the usual width 1, that of the spread of the returns, atoms of a two-outcome return lie
strewn between the outcomes; a narrow one lets them settle on the outcomes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sb3_contrib import TQC
from stable_baselines3.common.utils import polyak_update


class _QuantileHuber(torch.autograd.Function):
    """Mean over batch, critics, atoms and targets of |tau - 1{delta < 0}| huber(delta) / width."""

    @staticmethod
    def forward(ctx: Any, atoms: torch.Tensor, targets: torch.Tensor, width: float) -> torch.Tensor:
        """Atoms [B, N, M], targets [B, T]; scalar. delta is target minus atom."""
        m = atoms.shape[2]
        tau = ((torch.arange(m, dtype=atoms.dtype, device=atoms.device) + 0.5) / m).view(1, m, 1)
        gradient, loss = torch.empty_like(atoms), atoms.new_zeros(())
        for n in range(atoms.shape[1]):  # one critic at a time: the pairs [B, M, T] then fit into the cache
            delta = targets[:, None, :] - atoms[:, n, :, None]
            clipped = delta.clamp(-width, width)
            pull = torch.where(delta < 0, 1.0 - tau, tau).mul_(clipped)
            gradient[:, n] = pull.sum(2)
            loss += torch.dot(pull.view(-1), delta.sub_(clipped, alpha=0.5).view(-1))
        count = atoms.numel() * targets.shape[1] * width
        ctx.save_for_backward(gradient.div_(-count))
        return loss / count

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        """Gradient with respect to the atoms."""
        return ctx.saved_tensors[0] * grad_outputs[0], None, None


def quantile_huber(atoms: torch.Tensor, targets: torch.Tensor, width: float = 1.0) -> torch.Tensor:
    """Quantile Huber loss of atoms [B, critics, M] against target samples [B, T], a scalar; gradient for atoms only.

    ``width`` is where the quadratic part ends; with width to 0 it becomes the quantile loss.
    """
    loss = _QuantileHuber.apply(atoms, targets, width)
    assert isinstance(loss, torch.Tensor)
    return loss


def distort(atoms: torch.Tensor, risk: float) -> torch.Tensor:
    """What an actor maximises, of pooled atoms [B, n]: [B, 1].

    Args:
        atoms: atoms of all critics.
        risk: 1 the mean; alpha in (0, 1) the mean of the lowest share alpha (CVaR); -alpha the mean of the highest.
    """
    if risk == 1.0:
        return atoms.mean(1, keepdim=True)
    count = max(1, int(np.ceil(abs(risk) * atoms.shape[1])))
    return torch.topk(atoms, count, dim=1, largest=risk < 0).values.mean(1, keepdim=True)


class FastTQC(TQC):
    """TQC with the cheaper update.

    Args:
        risk: see `distort`.
        huber: width of the quadratic part of the loss, in normalised returns.
        args, kwargs: as `sb3_contrib.TQC`.
    """

    def __init__(self, *args: Any, risk: float = 1.0, huber: float = 1.0, **kwargs: Any) -> None:
        self.risk, self.huber = risk, huber
        super().__init__(*args, **kwargs)

    def train(self, gradient_steps: int, batch_size: int = 64) -> None:
        """``gradient_steps`` updates of critics, actor and temperature."""
        self.policy.set_training_mode(True)
        optimizers = [self.actor.optimizer, self.critic.optimizer]
        self._update_learning_rate(optimizers + ([self.ent_coef_optimizer] if self.ent_coef_optimizer else []))
        sums = np.zeros(4)
        for _ in range(gradient_steps):
            sums += self._update(batch_size)
            polyak_update(self.critic.parameters(), self.critic_target.parameters(), self.tau)
        self._n_updates += gradient_steps
        names = ("ent_coef", "ent_coef_loss", "critic_loss", "actor_loss")
        for name, value in zip(names, sums / gradient_steps, strict=True):
            self.logger.record(f"train/{name}", float(value))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")

    def _update(self, batch_size: int) -> np.ndarray:
        assert self.replay_buffer is not None
        data = self.replay_buffer.sample(batch_size, env=self._vec_normalize_env)
        actions, log_prob = self.actor.action_log_prob(data.observations)
        log_prob = log_prob.reshape(-1, 1)
        alpha, alpha_loss = self._temperature(log_prob)
        with torch.no_grad():
            next_actions, next_log_prob = self.actor.action_log_prob(data.next_observations)
            pooled = self.critic_target(data.next_observations, next_actions).reshape(batch_size, -1)
            if (drop := self.top_quantiles_to_drop_per_net * self.critic.n_critics) > 0:
                pooled = torch.topk(pooled, pooled.shape[1] - drop, dim=1, largest=False, sorted=False).values
            future = pooled - alpha * next_log_prob.reshape(-1, 1)
            targets = data.rewards + (1.0 - data.dones) * self.gamma * future
        critic_loss = quantile_huber(self.critic(data.observations, data.actions), targets, self.huber)
        self.critic.optimizer.zero_grad()
        critic_loss.backward()
        self.critic.optimizer.step()

        self.critic.requires_grad_(False)
        value = distort(self.critic(data.observations, actions).reshape(batch_size, -1), self.risk)
        actor_loss = (alpha * log_prob - value).mean()
        self.actor.optimizer.zero_grad()
        actor_loss.backward()
        self.actor.optimizer.step()
        self.critic.requires_grad_(True)
        return np.array([float(alpha), alpha_loss, float(critic_loss.detach()), float(actor_loss.detach())])

    def _temperature(self, log_prob: torch.Tensor) -> tuple[torch.Tensor, float]:
        """One step of the entropy coefficient; returns its value before the step, and the loss."""
        if self.log_ent_coef is None or self.ent_coef_optimizer is None:
            return self.ent_coef_tensor, 0.0
        alpha = torch.exp(self.log_ent_coef.detach())
        loss = -(self.log_ent_coef * (log_prob + float(self.target_entropy)).detach()).mean()
        self.ent_coef_optimizer.zero_grad()
        loss.backward()
        self.ent_coef_optimizer.step()
        return alpha, float(loss.detach())

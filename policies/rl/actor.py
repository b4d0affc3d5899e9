"""A trained actor with its critics as a policy that needs NumPy alone: kind "gaussian_actor"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from policies.base import Observation, PolicySpec, check_observation
from twinloom.features import STATE

SQUASHES = ("tanh", "clip")
Layers = list[tuple[np.ndarray, np.ndarray]]


class GaussianActor:
    """Mean action of the actor of TQC, SAC, TD3 or PPO, and the return that its critics expect.

    Args:
        spec: ``extra`` holds ``squash`` ("tanh" or "clip"), ``low`` and ``high`` of the actions, ``clip`` of normalised
            observations, ``return_std`` (worth of one unit of a value), ``critic_sees_action``.
        tensors: ``actor.L.weight|bias``, ``critic.N.L.weight|bias``, ``observation.mean|scale|low|high``.

    Raises:
        KeyError: a tensor or an entry is missing.
        ValueError: one does not fit the others.
    """

    def __init__(self, spec: PolicySpec, tensors: Mapping[str, np.ndarray]) -> None:
        self._spec = spec
        self._actor = _layers(tensors, "actor")
        self._critics = [_layers(tensors, f"critic.{n}") for n in range(int(spec.extra["critics"]))]
        self._mean, self._scale = tensors["observation.mean"], tensors["observation.scale"]
        self._seen = tensors["observation.low"], tensors["observation.high"]
        self._low, self._high = (np.array(spec.extra[name], np.float32) for name in ("low", "high"))
        self._clip, self._squash = float(spec.extra["clip"]), str(spec.extra["squash"])
        self._sees_action = bool(spec.extra["critic_sees_action"])
        self.return_std = float(spec.extra["return_std"])
        self._check(len({name.split(".")[1] for name in tensors if name.startswith("critic.")}))

    @property
    def spec(self) -> PolicySpec:
        """What it needs and gives."""
        return self._spec

    @property
    def judges(self) -> bool:
        """Whether its critics see actions, so that they can compare them."""
        return self._sees_action and bool(self._critics)

    def reset(self) -> None:
        """Nothing is remembered between decisions."""

    def act(self, observation: Observation) -> np.ndarray:
        """One action, (1, A), for the array "observation.state" (D,)."""
        check_observation(self._spec, observation)
        return self.act_batch(np.asarray(observation[STATE])[None])

    def act_batch(self, observations: np.ndarray, sim: object = None) -> np.ndarray:
        """Actions [R, A] within their bounds for raw observations [R, D]."""
        unit = self._unit(self._normal(observations))
        return self._low + (unit + 1.0) / 2.0 * (self._high - self._low)

    def atoms(self, observations: np.ndarray, actions: np.ndarray | None = None) -> np.ndarray:
        """Learned distribution of the discounted return, in units of the reward: pooled atoms of all critics [R, n].

        Args:
            observations: raw, [R, D].
            actions: [R, A] within their bounds; those of the actor if None.
        """
        x = self._normal(observations)
        if self._sees_action:
            unit = self._unit(x) if actions is None else 2.0 * (actions - self._low) / (self._high - self._low) - 1.0
            x = np.concatenate([x, np.asarray(unit, np.float32)], axis=1)
        pooled = np.concatenate([_forward(critic, x) for critic in self._critics], axis=1)
        return pooled.astype(np.float64) * self.return_std

    def _normal(self, observations: np.ndarray) -> np.ndarray:
        known = np.clip(np.asarray(observations, np.float32), *self._seen)
        scaled = (known - self._mean) / self._scale
        return np.clip(scaled, -self._clip, self._clip)

    def _unit(self, x: np.ndarray) -> np.ndarray:
        raw = _forward(self._actor, x)
        return np.tanh(raw) if self._squash == "tanh" else np.clip(raw, -1.0, 1.0)

    def _check(self, critics: int) -> None:
        """Refuse what would act wrongly or not at all. Raises ValueError with everything that is wrong."""
        seen, actions = self._spec.observation[STATE].shape, self._spec.action_dim
        problems = []
        if len(self._critics) != critics:
            problems.append(f"critics {len(self._critics)} is not the number of critics with weights, {critics}")
        if self._squash not in SQUASHES:
            problems.append(f"squash {self._squash!r} is not one of {', '.join(SQUASHES)}")
        for name, value in (("return_std", self.return_std), ("clip", self._clip)):
            if not 0 < value < np.inf:
                problems.append(f"{name} {value} is not a positive number")
        for name, array, shape in (
            ("low", self._low, (actions,)),
            ("high", self._high, (actions,)),
            ("observation.mean", self._mean, seen),
            ("observation.scale", self._scale, seen),
            ("observation.low", self._seen[0], seen),
            ("observation.high", self._seen[1], seen),
        ):
            if array.shape != shape or not np.isfinite(array).all():
                problems.append(f"{name} is not {shape} finite numbers")
        if not problems and not ((self._low < self._high).all() and (self._scale > 0).all()):
            problems.append("low is not below high, or a scale is not positive")
        size = int(np.prod(seen))
        problems += _misfits("actor", self._actor, size, actions)
        for number, critic in enumerate(self._critics):
            problems += _misfits(f"critic.{number}", critic, size + actions * self._sees_action, None)
        if problems:
            raise ValueError("; ".join(problems))


def load(spec: PolicySpec, tensors: Mapping[str, np.ndarray], **options: Any) -> GaussianActor:
    """Make the policy of a checkpoint."""
    return GaussianActor(spec, tensors, **options)


def _layers(tensors: Mapping[str, np.ndarray], prefix: str) -> Layers:
    count = sum(name.startswith(f"{prefix}.") and name.endswith(".weight") for name in tensors)
    if count == 0:
        raise KeyError(f"{prefix}.0.weight")
    return [(tensors[f"{prefix}.{n}.weight"], tensors[f"{prefix}.{n}.bias"]) for n in range(count)]


def _misfits(name: str, layers: Layers, inputs: int, outputs: int | None) -> list[str]:
    """What does not fit together in a network of so many inputs and outputs (None: any number)."""
    width, found = inputs, []
    for number, (weight, bias) in enumerate(layers):
        if weight.ndim != 2 or weight.shape[1] != width or bias.shape != weight.shape[:1]:
            return [f"{name}.{number} is {weight.shape} for {width} inputs"]
        width = len(weight)
    if outputs not in (None, width):
        found.append(f"{name} has {width} outputs for {outputs} actions")
    return found


def _forward(layers: Layers, x: np.ndarray) -> np.ndarray:
    for number, (weight, bias) in enumerate(layers):
        x = x @ weight.T + bias
        if number < len(layers) - 1:
            x = np.maximum(x, 0.0)
    return x

"""Configuration of a learner. All that changes what is learned is here, and a run refuses to go on with another one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from twinloom.errors import InvalidSettingsError

Algorithm = Literal["tqc", "sac", "ppo", "td3"]
ALGORITHMS = ("tqc", "sac", "ppo", "td3")
OLD_NAMES = {
    "replicas": "num_envs",
    "batch": "batch_size",
    "polyak": "tau",
    "replay": "buffer_size",
    "warm_up": "learning_starts",
    "drop": "top_quantiles_to_drop_per_net",
}
SEEDS = 2**32  # NumPy's global generator, from which Stable-Baselines3 draws, takes no larger seed


@dataclass(frozen=True)
class LearnerConfig:
    """Settings of TQC, SAC, PPO or TD3.

    Attributes:
        algo: the algorithm.
        steps: environment steps in all, counted over all environments.
        seed: of networks, exploration, minibatches and training episodes.
        num_envs: environments stepped together (R).
        steps_per_update: environment steps for each gradient update, a divisor or multiple of ``num_envs``.
        batch_size, buffer_size: transitions of an update, and of the replay memory.
        tau: share of the critics that goes into their target networks with each update.
        learning_starts: environment steps with random actions before the first update.
        critics, atoms, top_quantiles_to_drop_per_net: critics of TQC, atoms of each, highest atoms of each that targets
            leave out.
        risk: what the actor of TQC maximises: 1 the mean, alpha the mean of the lowest share alpha of the atoms,
            -alpha the mean of the highest share.
        huber: width of the quadratic part of TQC's loss, in standard deviations of the return. Small keeps outcomes
            apart, at the price of noisier gradients.
        actor, critic: widths of the hidden layers.
        horizon_ends: whether values stop at the time limit, as the score does, instead of going on behind it, into
            states that no update starts from.
        entropy: "auto_X" learns the temperature starting from X; "X" fixes it. Rewards are divided by the spread of
            whole returns, so one decision is worth little, and the usual start at 1 would drown it all training long.
        noise: standard deviation of the exploration of TD3, in units of half the action range.
        normalise: whether observations and rewards are normalised.
        start: action in (-1, 1), of the whole range, that the untrained actor takes everywhere; None: as networks are
            initialised, near the middle.
        start_spread: standard deviation of its exploration at first, before squashing.
        critic_first: updates in which only the critics learn, from what the untrained actor does. An actor that follows
            untrained critics leaves its start in an arbitrary direction.
    """

    algo: Algorithm = "tqc"
    steps: int = 150_000
    seed: int = 0
    num_envs: int = 16
    steps_per_update: int = 8
    gamma: float = 0.99
    learning_rate: float = 3e-4
    batch_size: int = 256
    tau: float = 0.005
    buffer_size: int = 200_000
    learning_starts: int = 2_000
    critics: int = 3
    atoms: int = 25
    top_quantiles_to_drop_per_net: int = 2
    risk: float = 1.0
    huber: float = 1.0
    actor: tuple[int, ...] = (128, 128)
    critic: tuple[int, ...] = (256, 256)
    horizon_ends: bool = True
    entropy: str = "auto_0.02"
    noise: float = 0.2
    normalise: bool = True
    start: float | None = None
    start_spread: float = 0.5
    critic_first: int = 0

    def __post_init__(self) -> None:
        """Raises InvalidSettingsError with everything that is wrong."""
        problems = []
        if self.algo not in ALGORITHMS:
            problems.append(f"algo {self.algo!r} is not one of {', '.join(ALGORITHMS)}")
        positive = ("steps", "num_envs", "steps_per_update", "batch_size", "buffer_size", "critics", "atoms")
        problems += [f"{name} {getattr(self, name)} must be at least 1" for name in positive if getattr(self, name) < 1]
        if not 0 <= self.seed < SEEDS:
            problems.append(f"seed {self.seed} must lie between 0 and {SEEDS - 1}")
        if not 0 <= self.top_quantiles_to_drop_per_net < self.atoms:
            drop = f"top_quantiles_to_drop_per_net {self.top_quantiles_to_drop_per_net}"
            problems.append(f"{drop} must be at least 0 and below atoms ({self.atoms})")
        if not 0 < abs(self.risk) <= 1:
            problems.append(f"risk {self.risk} must be in (0, 1], or in [-1, 0) for the optimistic side")
        for name in ("huber", "learning_rate", "start_spread"):
            if not 0 < getattr(self, name) < math.inf:
                problems.append(f"{name} {getattr(self, name)} must be positive")
        for name in ("learning_starts", "critic_first", "noise"):
            if not 0 <= getattr(self, name) < math.inf:
                problems.append(f"{name} {getattr(self, name)} must not be negative")
        if not 0 < self.tau <= 1:
            problems.append(f"tau {self.tau} must be in (0, 1]")
        if not all(width >= 1 for width in (*self.actor, *self.critic)):
            problems.append(f"actor {self.actor} and critic {self.critic} must be widths of at least 1")
        if not _is_entropy(self.entropy):
            problems.append(f'entropy {self.entropy!r} must be "auto", "auto_X" with X above 0, or "X" with X from 0')
        if (self.start is not None or self.critic_first) and self.algo == "ppo":
            problems.append("start and critic_first are not available for ppo")
        if self.start is not None and not -1 < self.start < 1:
            problems.append(f"start {self.start} must lie between -1 and 1")
        if not 0 < self.gamma <= 1:
            problems.append(f"gamma {self.gamma} must be in (0, 1]")
        if min(self.num_envs, self.steps_per_update) >= 1 and (
            self.num_envs % self.steps_per_update and self.steps_per_update % self.num_envs
        ):
            problems.append(f"steps_per_update {self.steps_per_update} does not divide num_envs ({self.num_envs})")
        if problems:
            raise InvalidSettingsError("learner configuration", problems)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> LearnerConfig:
        """Inverse of `to_json`; also reads the names of earlier versions."""
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in renamed(value).items()}
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self) | {"actor": list(self.actor), "critic": list(self.critic)}


def renamed(value: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of a configuration under today's names."""
    return {OLD_NAMES.get(name, name): one for name, one in value.items()}


def _is_entropy(text: str) -> bool:
    """Whether a learner understands it."""
    if text == "auto":
        return True
    try:
        number = float(text.removeprefix("auto_"))
    except ValueError:
        return False
    return 0 < number < math.inf or (number == 0 and not text.startswith("auto_"))

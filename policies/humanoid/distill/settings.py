"""What a distillation is: bodies, episodes, who drives, how the network learns."""

from __future__ import annotations

from dataclasses import dataclass, field

from policies.humanoid.networks import NetworkConfig


@dataclass(frozen=True)
class DistillConfig:
    """Settings of a run; a run is continued with the same ones.

    Attributes:
        network: the student.
        seed: of bodies, episodes and batches.
        robot: a specialist's only body, by name; random bodies if empty.
        init: a checkpoint folder to begin with, for fine-tuning; the teacher then drives ``beta_floor`` of the time.
        samples: a run folder whose newest samples are learned from first, so that a second network of another
            kind need not collect them again.
        bodies: new random bodies in each iteration.
        episodes: of each body.
        seconds: length of an episode.
        beta_decay, beta_floor: the teacher drives max(floor, decay^k) of the time in iteration k.
        hardship_step: the worlds' greatest hardship grows by this per iteration, from it to 1.
        warm_up: optimizer steps after the first iteration; ``steps``: after each later one.
        batch: rows of a step, half of them mirrored.
        learning_rate, last_rate: at the beginning and from iteration ``anneal`` on; geometric between.
        anneal: iterations until the last rate.
        description_noise: standard deviation of the noise on descriptions, in deviations: a body between those that
            were trained on should walk like them.
        velocity_weight: of the estimate of the own velocity in the loss.
        average: decay of the running mean of the weights that acts, per optimizer step.
        keep: iterations whose samples are kept in memory; older ones are forgotten.
    """

    network: NetworkConfig = field(default_factory=NetworkConfig)
    seed: int = 0
    robot: str = ""
    init: str = ""
    samples: str = ""
    bodies: int = 32
    episodes: int = 1
    seconds: float = 8.0
    beta_decay: float = 0.93
    beta_floor: float = 0.1
    hardship_step: float = 0.1
    warm_up: int = 1500
    steps: int = 400
    batch: int = 1024
    learning_rate: float = 1e-3
    last_rate: float = 5e-5
    anneal: int = 50
    description_noise: float = 0.2
    velocity_weight: float = 0.1
    average: float = 0.995
    keep: int = 160

    def beta(self, iteration: int) -> float:
        """Part of the time that the teacher drives."""
        return self.beta_floor if self.init else max(self.beta_floor, self.beta_decay**iteration)

    def hardship(self, iteration: int) -> float:
        """Greatest one of the worlds, 0 to 1; an episode's is uniform below it."""
        return 1.0 if self.init or self.samples else min(1.0, self.hardship_step * (iteration + 1))

    def rate(self, iteration: int) -> float:
        """Learning rate."""
        return self.learning_rate * (self.last_rate / self.learning_rate) ** min(1.0, iteration / self.anneal)

"""Everything that decides how a policy is cloned, checked once and kept in its checkpoint."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from twinloom.errors import InvalidSettingsError


@dataclass(frozen=True)
class TrainingConfig:
    """Two trainings with equal settings on equal data give equal weights on the same machine with the same threads.

    Attributes:
        task: "family/task", whose episodes are used.
        cameras: camera names, sorted; none for a policy that sees only its joints.
        image_size: (width, height) to which images are shrunk before the network sees them.
        horizon: actions in a chunk.
        n_action_steps: actions of a chunk that are carried out before the policy is asked again.
        width: units of the hidden layers.
        channels: of each of the three convolutions; the last has as many keypoints.
        steps, batch_size: gradient steps, and frames in each.
        learning_rate: peak learning rate of AdamW; 200 steps of warm-up, then a cosine to zero.
        weight_decay: of AdamW.
        ema_decay: of the exponential moving average of the weights, which is what acts.
        noise: standard deviation of the noise on the state, in units of its normalised range of 2. Without it the
            policy reads the next action off the present state and does not look.
        jitter: largest relative change of brightness and contrast of the images.
        holdout: share of the episodes that is kept for validation.
        seed: of initial weights, order and noise.
    """

    task: str
    cameras: tuple[str, ...] = ()
    image_size: tuple[int, int] = (80, 60)
    horizon: int = 24
    n_action_steps: int = 8
    width: int = 256
    channels: int = 32
    steps: int = 4000
    batch_size: int = 64
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    ema_decay: float = 0.999
    noise: float = 0.03
    jitter: float = 0.2
    holdout: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises InvalidSettingsError with everything that is wrong."""
        least = {"horizon": 1, "n_action_steps": 1, "width": 1, "channels": 1, "steps": 1, "batch_size": 1, "seed": 0}
        problems = [f"{name} {getattr(self, name)} must be at least {low}" for name, low in least.items()]
        problems = [
            text for text, (name, low) in zip(problems, least.items(), strict=True) if getattr(self, name) < low
        ]
        if self.n_action_steps > self.horizon:
            problems.append(f"n_action_steps {self.n_action_steps} is more than the horizon of {self.horizon}")
        if min(self.image_size) < 8:
            problems.append(f"image_size {self.image_size[0]}x{self.image_size[1]}: at least 8x8")
        for name, low, high in (("learning_rate", 0, 1), ("ema_decay", 0, 1), ("holdout", 0, 1)):
            if not low <= getattr(self, name) < high:
                problems.append(f"{name} {getattr(self, name)} must be in [{low}, {high})")
        for name in ("weight_decay", "noise", "jitter"):
            if not 0 <= getattr(self, name) < float("inf"):
                problems.append(f"{name} {getattr(self, name)} must be a number from 0")
        if problems:
            raise InvalidSettingsError("training settings", problems)

    def to_json(self) -> dict[str, Any]:
        """As JSON; tuples become lists."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def differences(self, earlier: dict[str, Any]) -> list[str]:
        """What an earlier training was begun with and this one is not; the number of steps may change."""
        own = self.to_json()
        names = [field.name for field in fields(self) if field.name != "steps"]
        return [f"{n} {earlier.get(n)}, not {own[n]}" for n in names if earlier.get(n) != own[n]]

"""Everything that decides how a policy is cloned, checked once and kept in its checkpoint."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from twinloom.errors import InvalidSettingsError


@dataclass(frozen=True)
class Settings:
    """Two trainings with equal settings on equal data give equal weights on the same machine with the same threads.

    Attributes:
        task: task whose episodes are used.
        cameras: camera names, sorted; none for a policy that feels only its joints.
        pixels: (width, height) to which pictures are shrunk before the network sees them.
        horizon: actions in a chunk.
        execute: actions of a chunk that are carried out before the policy is asked again.
        width: units of the hidden layers.
        channels: of each of the three convolutions; the last has as many keypoints.
        steps, batch: gradient steps, and frames in each.
        rate: peak learning rate of AdamW; 200 steps of warm-up, then a cosine to zero.
        decay: weight decay.
        average: of the exponential moving average of the weights, which is what acts.
        noise: standard deviation of the noise on the state, in units of its normalised range of 2. Without it the
            policy reads the next action off the present state and does not look.
        jitter: largest relative change of brightness and contrast of the pictures.
        holdout: share of the episodes that is kept for validation.
        seed: of initial weights, order and noise.
    """

    task: str
    cameras: tuple[str, ...] = ()
    pixels: tuple[int, int] = (80, 60)
    horizon: int = 24
    execute: int = 8
    width: int = 256
    channels: int = 32
    steps: int = 4000
    batch: int = 64
    rate: float = 1e-3
    decay: float = 1e-4
    average: float = 0.999
    noise: float = 0.03
    jitter: float = 0.2
    holdout: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises InvalidSettingsError with everything that is wrong."""
        least = {"horizon": 1, "execute": 1, "width": 1, "channels": 1, "steps": 1, "batch": 1, "seed": 0}
        problems = [f"{name} {getattr(self, name)} must be at least {low}" for name, low in least.items()]
        problems = [
            text for text, (name, low) in zip(problems, least.items(), strict=True) if getattr(self, name) < low
        ]
        if self.execute > self.horizon:
            problems.append(f"execute {self.execute} is more than the horizon of {self.horizon}")
        if min(self.pixels) < 8:
            problems.append(f"pixels {self.pixels[0]}x{self.pixels[1]}: at least 8x8")
        for name, low, high in (("rate", 0, 1), ("average", 0, 1), ("holdout", 0, 1)):
            if not low <= getattr(self, name) < high:
                problems.append(f"{name} {getattr(self, name)} must be in [{low}, {high})")
        for name in ("decay", "noise", "jitter"):
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

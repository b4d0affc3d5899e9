"""What a family of simulated worlds offers so that its experts can be rolled out and recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from twinloom.features import Feature


@dataclass(frozen=True)
class Attempt:
    """One try of an expert: the bare name of the task, and the seed that decides the scene."""

    task: str
    seed: np.random.SeedSequence


class Rollout(Protocol):
    """One attempt of an expert (or one replay), simulated but not rendered yet.

    Attributes:
        success: measured success.
        reason: why it failed, in a few words that can be counted; "" on success. ``detail``: the same in more words.
        arrays: feature name to (T, ...) array, ``observation.state`` and ``action`` among them.
        features: feature name to Feature, for every array.
        instruction: the sentence of this episode.
        instructions: {"seen": [...], "unseen": [...]}, further sentences.
        record: JSON-able randomisation record.
        timing: seconds by stage ("plan", "simulate").
    """

    success: bool
    reason: str
    detail: str
    arrays: dict[str, np.ndarray]
    features: dict[str, Feature]
    instruction: str
    instructions: dict[str, list[str]]
    record: dict[str, Any]
    timing: dict[str, float]

    @property
    def length(self) -> int:
        """Number of frames T."""
        ...

    def facts(self) -> dict[str, Any]:
        """Further JSON-able facts for the episode's row of the dataset, worked out when asked for; {} if none.

        "views" (docs/data.md) stands in the report of a dataset.
        """
        ...

    def render(self, cameras: Sequence[str], size: tuple[int, int], mode: str) -> Iterator[Mapping[str, np.ndarray]]:
        """Draw frame after frame: camera name to an array of the shape and type of its feature (`Source.images`)."""
        ...


class Source(Protocol):
    """A simulator with experts. Importing and making it is cheap; its methods may load heavy modules.

    Attributes:
        name: the episodes' ``source``, for example "sim/mujoco"; no two families share one.
        action_space: what is commanded, in words.
        batch: how many attempts it likes to be given at once: 1 where every scene is a simulator of its own.
    """

    name: str
    action_space: str
    batch: int

    def engine(self) -> str:
        """Engine with its version; episodes of different versions are not mixed."""
        ...

    def check(self, robot: str, fps: int) -> None:
        """Find out before any work, and without loading the engine, that a run cannot succeed.

        Raises:
            TwinloomError: the rate is not possible, or files of the robot are not here.
        """
        ...

    def images(self, cameras: Sequence[str], size: tuple[int, int]) -> Mapping[str, Feature]:
        """Camera name to the feature of its frames, by `twinloom.features.image_feature`.

        Args:
            size: (width, height) that was asked for; a camera with a size of its own may keep it.
        """
        ...

    def open(self, render: str) -> dict[str, str]:
        """Get ready in this process. Returns at least {"render": resolved render mode, "renderer": ...}.

        Args:
            render: render mode, or "none" where nothing will be drawn.

        Raises:
            TwinloomError: this machine cannot render.
        """
        ...

    def rollouts(
        self, attempts: Sequence[Attempt], robot: str, randomize: frozenset[str], fps: int
    ) -> Iterator[Rollout]:
        """Let the expert try each attempt; one rollout for each, in their order, as soon as it is there.

        An attempt's rollout depends on that attempt alone, not on those beside it. One that failed is a rollout without
        success, not an exception.
        """
        ...

    def replay(self, record: dict[str, Any], actions: np.ndarray, fps: int) -> Rollout:
        """Rebuild the scene of a record and step the recorded (T, A) actions."""
        ...

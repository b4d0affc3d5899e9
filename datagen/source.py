"""Where episodes come from: what a simulator must offer so that datagen can record its experts."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from datagen.episode import Feature

BIMANUAL = "datagen.source:Bimanual"


class Rollout(Protocol):
    """One attempt of an expert (or one replay), simulated but not rendered yet.

    Attributes:
        success: measured success.
        reason: why it failed, in a few words that can be counted; "" on success.
        arrays: feature name to (T, ...) array, ``observation.state`` and ``action`` among them.
        features: feature name to Feature, for every array.
        instruction: the sentence of this episode.
        instructions: {"seen": [...], "unseen": [...]}, further sentences.
        record: JSON-able randomisation record.
        timing: seconds by stage ("plan", "simulate").
    """

    success: bool
    reason: str
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

    def render(self, cameras: Sequence[str], size: tuple[int, int], mode: str) -> Iterator[dict[str, np.ndarray]]:
        """Draw frame after frame: camera name to (H, W, 3) uint8. ``size`` is (width, height)."""
        ...


class Source(Protocol):
    """A simulator with experts. Names are cheap to ask for; the rest may load heavy modules.

    Attributes:
        name: the episodes' ``source``, for example "sim/mujoco".
        action_space: what is commanded, in words.
    """

    name: str
    action_space: str

    def names(self, kind: str) -> Sequence[str]:
        """Known names; ``kind`` is "task", "robot", "camera" or "axis"."""
        ...

    def engine(self) -> str:
        """Engine with its version; episodes of different versions are not mixed."""
        ...

    def check(self, robot: str, fps: int) -> None:
        """Find out before any work, and without loading the engine, that a run cannot succeed.

        Raises:
            TwinloomError: the rate is not possible, or files of the robot are not here.
        """
        ...

    def open(self, render: str) -> dict[str, str]:
        """Get ready in this process. Returns at least {"render": resolved render mode, "renderer": ...}.

        Raises:
            TwinloomError: this machine cannot render.
        """
        ...

    def rollout(
        self, task: str, robot: str, seed: np.random.SeedSequence, randomize: frozenset[str], fps: int
    ) -> Rollout:
        """One attempt of the expert. A failed attempt is a Rollout without success, not an exception."""
        ...

    def replay(self, record: dict[str, Any], actions: np.ndarray, fps: int) -> Rollout:
        """Rebuild the scene of a record and step the recorded (T, A) actions."""
        ...


def load_source(reference: str) -> Source:
    """Source from "module:attribute", the form in which worker processes receive it."""
    module, _, attribute = reference.partition(":")
    return getattr(importlib.import_module(module), attribute)()


class Bimanual:
    """The dual-arm tasks of sim.bimanual."""

    name = "sim/mujoco"
    action_space = "joint position targets (rad) and gripper opening in [0, 1]"

    def names(self, kind: str) -> Sequence[str]:
        """See Source.names."""
        from sim import catalogue

        lists = {
            "task": catalogue.tasks,
            "robot": catalogue.robots,
            "camera": catalogue.cameras,
            "axis": catalogue.axes,
        }
        return lists[kind]()

    def engine(self) -> str:
        """See Source.engine."""
        return f"mujoco {importlib.metadata.version('mujoco')}"

    def check(self, robot: str, fps: int) -> None:
        """See Source.check."""
        from assets.robots import load_robot
        from assets.robots.meshes import load_meshes
        from sim.bimanual.rate import substeps

        substeps(fps)
        load_meshes(load_robot(robot))

    def open(self, render: str) -> dict[str, str]:
        """See Source.open."""
        from sim.engine import gl

        mode = gl.render_mode(render)
        return {"render": mode.name, "renderer": gl.renderer_name()}

    def rollout(
        self, task: str, robot: str, seed: np.random.SeedSequence, randomize: frozenset[str], fps: int
    ) -> Rollout:
        """See Source.rollout."""
        from sim.bimanual.rollout import expert_rollout

        return expert_rollout(task, robot, seed, randomize, fps, "seen")

    def replay(self, record: dict[str, Any], actions: np.ndarray, fps: int) -> Rollout:
        """See Source.replay."""
        from sim.bimanual.rollout import replay_rollout

        return replay_rollout(record, actions, fps)

"""The dual-arm experts as a `sim.source.Source`."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sim.source import Attempt, Rollout
from twinloom.features import Feature, image_feature


class Bimanual:
    """See `sim.source.Source`."""

    name = "sim/mujoco"
    action_space = "joint position targets (rad) and gripper opening in [0, 1]"
    batch = 1
    _visuals = "mesh"

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

    def images(self, cameras: Sequence[str], size: tuple[int, int]) -> dict[str, Feature]:
        """See Source.images."""
        width, height = size
        return {camera: image_feature(height, width) for camera in cameras}

    def open(self, render: str) -> dict[str, str]:
        """See Source.open."""
        if render == "none":
            self._visuals = "simple"
            return {"render": "none", "renderer": "none"}
        from sim.engine import gl

        mode = gl.render_mode(render)
        return {"render": mode.name, "renderer": gl.renderer_name()}

    def rollouts(
        self, attempts: Sequence[Attempt], robot: str, randomize: frozenset[str], fps: int
    ) -> Iterator[Rollout]:
        """See Source.rollouts."""
        from sim.bimanual.rollout import expert_rollout

        for attempt in attempts:
            yield expert_rollout(attempt.task, robot, attempt.seed, randomize, fps, "seen", self._visuals)

    def replay(self, record: dict[str, Any], actions: np.ndarray, fps: int) -> Rollout:
        """See Source.replay."""
        from sim.bimanual.rollout import replay_rollout

        return replay_rollout(record, actions, fps)

"""Gymnasium environments ``bimanual/<task>-v0``: one task, one robot, observations and actions by the usual words."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from assets.robots.record import load_robot
from sim.bimanual.episode import Prepared, prepare
from sim.bimanual.pointcloud import point_cloud
from sim.bimanual.randomize import parse_axes
from sim.bimanual.rate import substeps
from sim.bimanual.spec import DEFAULT_CAMERAS, WRIST_CAMERAS
from sim.bimanual.task import task_class
from sim.engine.base import DivergedError
from sim.engine.render import StateRenderer
from twinloom.errors import TwinloomError
from twinloom.seeding import episode_seed

OBSERVATION_MODES = ("state", "rgb", "rgbd", "segmentation", "pointcloud")
ACTION_MODES = ("qpos", "ee")
CAMERAS = (*DEFAULT_CAMERAS, *WRIST_CAMERAS)
CLOUD_POINTS = 1024
SLACK = 0.3  # rad or opening by which a measured joint may exceed its range while something pushes it
ROOM = 4.0  # metres; everything is within the room
FAR = 30.0  # metres; far plane of the cameras


class BimanualEnv(gymnasium.Env):
    """One bimanual task.

    Observations are dictionaries. Every mode has "state" (S,) float32: left joints (rad), left gripper opening, right
    joints, right opening; and "ee_pose" (16,): for each hand x y z (m), wxyz, opening. Mode "rgb" adds per camera
    (H, W, 3) uint8; "rgbd" also "<camera>_depth" (H, W) float32 metres; "segmentation" "<camera>_segmentation" (H, W)
    int32 body ids; "pointcloud" "pointcloud" (1024, 6) float32 xyz (m, world) and rgb in [0, 1] from the head camera.

    Actions. "qpos": absolute joint targets and openings, laid out as the state. "ee": absolute hand poses laid out as
    ee_pose, solved by inverse kinematics; a pose out of reach is approached as far as possible and reported in
    ``info["ee_reached"]``.

    The reward is 1 in the step that completes the task, else 0; the episode then terminates. It is truncated at the
    task's step limit, or with ``info["diverged"]`` where an action broke the physics. ``info`` has "is_success" and
    "task_description".

    Args:
        task: task name.
        robot: robot name.
        obs_mode: one of OBSERVATION_MODES.
        control_mode: one of ACTION_MODES.
        randomize: axes as for ``datagen --randomize``.
        split: "seen" or "unseen" textures and language.
        cameras: names of cameras, for the picture modes.
        size: (width, height) of pictures.
        fps: control rate in Hz, a divisor of 250.
        render_mode: "rgb_array" or None.

    Raises:
        TwinloomError: unknown task, robot, mode, camera or axis; a size or rate that cannot be.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 25}  # noqa: RUF012 (Gymnasium's convention)

    def __init__(
        self,
        task: str,
        robot: str = "franka-panda",
        obs_mode: str = "state",
        control_mode: str = "qpos",
        randomize: str = "none",
        split: str = "seen",
        cameras: tuple[str, ...] = ("head", "left_wrist", "right_wrist"),
        size: tuple[int, int] = (320, 240),
        fps: int = 25,
        render_mode: str | None = None,
    ) -> None:
        for what, value, allowed in (
            ("obs_mode", obs_mode, OBSERVATION_MODES),
            ("control_mode", control_mode, ACTION_MODES),
            ("split", split, ("seen", "unseen")),
        ):
            if value not in allowed:
                raise TwinloomError(f'unknown {what} "{value}"; allowed: {", ".join(allowed)}')
        for camera in cameras:
            if camera not in CAMERAS:
                raise TwinloomError(f'unknown camera "{camera}"; allowed: {", ".join(CAMERAS)}')
        if len(size) != 2 or not all(isinstance(side, int) and side > 0 for side in size):
            raise TwinloomError(f"size {size} must be (width, height) in pixels, for example (320, 240)")
        substeps(fps)
        self.task_name, self.robot = task, robot
        self.kind, self.record = task_class(task), load_robot(robot)
        self.obs_mode, self.control_mode = obs_mode, control_mode
        self.axes, self.split = parse_axes(randomize), split
        self.cameras, self.size, self.fps = tuple(cameras), size, fps
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_fps": fps}
        self._prepared: Prepared | None = None
        self._renderer: StateRenderer | None = None
        self._episode = 0
        self._seed = 0
        self._steps = 0
        self._limits = self._action_limits()
        self.action_space = self._action_space()
        self.observation_space = self._observation_space()

    # --------------------------------------------------------------- spaces

    def _action_space(self) -> spaces.Box:
        if self.control_mode == "ee":
            low = np.array(([-2.0, -2.0, 0.0] + [-1.0] * 4 + [0.0]) * 2, np.float32)
            high = np.array(([2.0, 2.0, 3.0] + [1.0] * 4 + [1.0]) * 2, np.float32)
            return spaces.Box(low, high)
        low, high = self._limits
        return spaces.Box(low.astype(np.float32), high.astype(np.float32))

    def _observation_space(self) -> spaces.Dict:
        width, height = self.size
        low, high = self._limits
        hands = np.tile([ROOM, ROOM, ROOM, 1.0, 1.0, 1.0, 1.0, 1.0 + SLACK], 2).astype(np.float32)
        parts: dict[str, spaces.Space] = {
            "state": spaces.Box((low - SLACK).astype(np.float32), (high + SLACK).astype(np.float32)),
            "ee_pose": spaces.Box(-hands, hands),
        }
        for camera in self.cameras if self.obs_mode in ("rgb", "rgbd", "segmentation") else ():
            parts[camera] = spaces.Box(0, 255, (height, width, 3), np.uint8)
            if self.obs_mode == "rgbd":
                parts[f"{camera}_depth"] = spaces.Box(0.0, FAR, (height, width), np.float32)
            if self.obs_mode == "segmentation":
                parts[f"{camera}_segmentation"] = spaces.Box(-1, 10_000, (height, width), np.int32)
        if self.obs_mode == "pointcloud":
            parts["pointcloud"] = spaces.Box(-ROOM, ROOM, (CLOUD_POINTS, 6), np.float32)
        return spaces.Dict(parts)

    # ------------------------------------------------------------------ API

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Draw a new scene. With a seed, episode 0 of that run seed; without, the next episode.

        Raises:
            SceneRejectedError: no usable scene was found (never seen with the shipped tasks).
        """
        super().reset(seed=seed)
        if seed is not None:
            self._seed, self._episode = seed, 0
        else:
            self._episode += self._prepared is not None
        self._close_renderer()
        episode = episode_seed(self._seed, self.task_name, self._episode)
        visuals = "mesh" if self.obs_mode != "state" or self.render_mode else "simple"
        self._prepared = prepare(self.task_name, self.robot, episode, self.axes, self.fps, self.split, visuals)
        self._steps = 0
        self._description = self._prepared.instructions()[self.split][0]
        return self._observe(), self._info()

    def step(self, action):
        """One control step towards an action of ``action_space``; joint targets are clipped to it."""
        if self._prepared is None:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        action = np.asarray(action, float)
        if action.shape != self.action_space.shape:
            raise ValueError(f"an action has shape {self.action_space.shape}, got {action.shape}")
        info: dict[str, Any] = {}
        if self.control_mode == "ee":
            action, info["ee_reached"] = self._solve(action)
        try:
            self._prepared.sim.step(np.clip(action, *self._limits))
        except DivergedError:
            info["diverged"] = True
        self._steps += 1
        success = self._prepared.monitor.success
        over = self._steps >= self._prepared.task.limit_steps(self.fps) or "diverged" in info
        truncated = over and not success
        return self._observe(), float(success), success, truncated, {**self._info(), **info}

    def render(self):
        """(H, W, 3) uint8 of the "third" camera in render mode "rgb_array"."""
        if self.render_mode is None or self._prepared is None:
            return None
        return self._draw().rgb("third")

    def close(self) -> None:
        """Free the OpenGL context."""
        self._close_renderer()

    # -------------------------------------------------------------- helpers

    def _info(self) -> dict[str, Any]:
        assert self._prepared is not None
        return {"is_success": self._prepared.monitor.success, "task_description": self._description}

    def _action_limits(self) -> tuple[np.ndarray, np.ndarray]:
        """(A,) lower and upper bounds of a joint-space action."""
        arm = self.record.arm_spec("left", "simple").compile()
        joints = np.array([arm.joint(name).range for name in self.record.joints])
        return np.array([*joints[:, 0], 0.0] * 2), np.array([*joints[:, 1], 1.0] * 2)

    def _solve(self, action: np.ndarray) -> tuple[np.ndarray, bool]:
        """Joint targets for both hand poses, and whether both are reachable."""
        from sim.bimanual.hands import solve_hands

        assert self._prepared is not None
        return solve_hands(self._prepared.sim, action)

    def _draw(self) -> StateRenderer:
        assert self._prepared is not None
        if self._renderer is None:
            self._renderer = StateRenderer(self._prepared.sim.model, self.size)
        self._renderer.set_state(self._prepared.sim.data.qpos)
        return self._renderer

    def _observe(self) -> dict[str, np.ndarray]:
        from sim.bimanual.hands import ee_pose

        assert self._prepared is not None
        sim = self._prepared.sim
        found = {"state": sim.state().astype(np.float32), "ee_pose": ee_pose(sim)}
        if self.obs_mode == "state":
            return found
        draw = self._draw()
        if self.obs_mode == "pointcloud":
            found["pointcloud"] = point_cloud(draw, "head", sim.spec, CLOUD_POINTS)
            return found
        for camera in self.cameras:
            found[camera] = draw.rgb(camera)
            if self.obs_mode == "rgbd":
                found[f"{camera}_depth"] = draw.depth(camera)
            if self.obs_mode == "segmentation":
                found[f"{camera}_segmentation"] = draw.segmentation(camera)
        return found

    def _close_renderer(self) -> None:
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

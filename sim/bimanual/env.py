"""Gymnasium environments ``bimanual/<task>-v0``: one task, one robot, observations and actions by the usual words."""

from __future__ import annotations

import copy
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from assets.robots.build import arm_spec
from assets.robots.load import load_robot
from sim.bimanual.control import CONTROL_MODES, Bounds, Control
from sim.bimanual.episode import Prepared, prepare
from sim.bimanual.hand_poses import ee_pose
from sim.bimanual.pointcloud import point_cloud
from sim.bimanual.randomize import parse_axes
from sim.bimanual.rate import substeps
from sim.bimanual.simulation import joint_names
from sim.bimanual.spec import DEFAULT_CAMERAS, WRIST_CAMERAS
from sim.bimanual.task import task_class
from sim.engine.base import DivergedError
from sim.engine.render import StateRenderer
from twinloom.errors import TwinloomError
from twinloom.features import TIMESTAMP
from twinloom.seeding import episode_seed

OBSERVATION_MODES = ("state", "rgb", "rgbd", "segmentation", "pointcloud")
REWARDS = ("sparse", "dense")
CAMERAS = (*DEFAULT_CAMERAS, *WRIST_CAMERAS)
CLOUD_POINTS = 1024
SLACK = 0.3  # rad or opening by which a measured joint may exceed its range while something pushes it
ROOM = 4.0  # metres; everything is within the room
FAR = 30.0  # metres; far plane of the cameras
Size = int | tuple[int, int]


class BimanualEnv(gymnasium.Env):
    """One bimanual task; also an environment of sim.loop, where observations are made only when asked for.

    Observations are dictionaries, named as in datasets without ``observation.``. Every mode has "state" (S,) float32:
    left joints (rad), left gripper opening, right joints, right opening; and "ee_pose" (16,): for each hand x y z (m),
    wxyz, opening. Mode "rgb" adds per camera "images.<camera>" (H, W, 3) uint8; "rgbd" also "images.<camera>_depth"
    (H, W) float32 metres; "segmentation" "images.<camera>_segmentation" (H, W) int32 body ids; "pointcloud"
    "pointcloud" (1024, 6) float32 xyz (m, world) and rgb in [0, 1] from the head camera.

    Actions: see sim.bimanual.control. They are clipped to ``action_space``. A hand that is sent out of reach goes as
    far as possible, which ``info["ee_reached"]`` tells.

    The reward "sparse" is 1 in the step that completes the task, else 0. "dense" is in [0, 1] in every step: the share
    of the task's milestones that have been reached, and how near the next one is (sim.bimanual.milestones); 1 in the
    step that completes the task. The episode then terminates. It is truncated at the task's step limit, or with
    ``info["diverged"]`` where an action broke the physics. ``info`` has "is_success" and "task_description".

    Args:
        task: task name.
        robot: robot name.
        obs_mode: one of OBSERVATION_MODES.
        control_mode: one of sim.bimanual.control.CONTROL_MODES.
        normalized: actions are in [-1, 1] instead of their own units.
        reward: one of REWARDS.
        randomize: axes as for ``datagen --randomize``.
        split: "seen" or "unseen" textures and language.
        cameras: names of cameras, for the image modes.
        size: of images: (width, height), one number for both, or a mapping of cameras to either.
        fps: control rate in Hz, a divisor of 250.
        render_mode: "rgb_array"; "human" shows every step in the browser; or None.
        quality: of images: auto, fast, nice or best.
        port: of the page of render mode "human".

    Raises:
        TwinloomError: unknown task, robot, mode, camera or axis; a size or rate that cannot be; no viewer.
    """

    metadata = {"render_modes": ["rgb_array", "human"], "render_fps": 25}  # noqa: RUF012 (Gymnasium's convention)
    observation_space: spaces.Dict

    def __init__(
        self,
        task: str,
        robot: str = "franka-panda",
        obs_mode: str = "state",
        control_mode: str = "joint_pos",
        normalized: bool = False,
        reward: str = "sparse",
        randomize: str = "none",
        split: str = "seen",
        cameras: Sequence[str] = ("head", "left_wrist", "right_wrist"),
        size: Size | Mapping[str, Size] = (320, 240),
        fps: int = 25,
        render_mode: str | None = None,
        quality: str = "auto",
        port: int = 8080,
    ) -> None:
        for what, value, allowed in (
            ("obs_mode", obs_mode, OBSERVATION_MODES),
            ("control_mode", control_mode, CONTROL_MODES),
            ("reward", reward, REWARDS),
            ("split", split, ("seen", "unseen")),
            ("render_mode", render_mode, (None, *self.metadata["render_modes"])),
            *(("camera", camera, CAMERAS) for camera in cameras),
        ):
            if value not in allowed:
                raise TwinloomError(f'unknown {what} "{value}"; allowed: {", ".join(map(str, allowed))}')
        substeps(fps)
        self.task_name, self.robot = task, robot
        self.kind, self.robot_record = task_class(task), load_robot(robot)
        self.obs_mode, self.control_mode, self.reward = obs_mode, control_mode, reward
        self.axes, self.split = parse_axes(randomize), split
        self.cameras, self.fps = tuple(cameras), int(fps)
        self.sizes = {camera: _size(size, camera) for camera in (*self.cameras, "head", "third")}
        self.render_mode, self.quality = render_mode, quality
        self.metadata = {**self.metadata, "render_fps": self.fps}
        self.max_episode_steps = self.kind.limit_steps(self.fps)
        self._page = None
        if render_mode == "human":
            from sim.bimanual.viewer import require_viewer

            require_viewer(port)
        self._port = port
        self._prepared: Prepared | None = None
        self._renderers: dict[tuple[int, int], StateRenderer] = {}
        self._episode, self._seed = 0, -1
        self._limits = self._joint_limits()
        self._control = Control(control_mode, self._limits, self.fps, normalized)
        self.action_space = self._control.space
        self.observation_space = self._observation_space()

    @property
    def spec(self):  # type: ignore[override]
        """The registered spec, completed by the step limit, which depends on the rate."""
        return self._spec

    @spec.setter
    def spec(self, value) -> None:
        self._spec = copy.copy(value)
        if value is not None and value.max_episode_steps is None:
            self._spec.max_episode_steps = self.max_episode_steps

    _spec = None

    # ------------------------------------------------------------------ API

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Draw a new scene.

        With a seed, episode 0 of that run seed, as datagen draws it; ``options={"episode": k}`` chooses another one.
        Without, the next episode; without any seed so far, one of a run seed that nobody can predict.

        Raises:
            SceneRejectedError: no usable scene was found (never seen with the shipped tasks).
        """
        seed = seed if seed is None else operator.index(seed)
        super().reset(seed=seed)
        if seed is not None:
            self._seed, self._episode = seed, 0
        elif self._seed < 0:
            self._seed = int(self.np_random.integers(2**31))
        else:
            self._episode += 1
        self._episode = int((options or {}).get("episode", self._episode))
        self._close_renderers()
        self._prepared = None
        episode = episode_seed(self._seed, self.task_name, self._episode)
        visuals = "mesh" if self.obs_mode != "state" or self.render_mode else "simple"
        self._prepared = prepare(self.task_name, self.robot, episode, self.axes, self.fps, self.split, visuals)
        self._steps, self._diverged = 0, False
        self._description = self._prepared.instructions()[self.split][0]
        self._control.reset(self._prepared.sim)
        if self.reward == "dense":
            from sim.bimanual.milestones import Progress

            self._progress = Progress(self._prepared)
        self._show()
        return self._observation(), self._info()

    def step(self, action):
        """One control step. See the class for what is returned.

        Raises:
            InvalidActionError: another shape, not finite, or a quaternion of zeros.
        """
        info = self.apply(action)
        self._show()
        success = self.prepared.over
        truncated = self.over and not success
        reward = self._progress() if self.reward == "dense" else float(success)
        return self._observation(), reward, success, truncated, {**self._info(), **info}

    def render(self):
        """(H, W, 3) uint8 of the "third" camera in render mode "rgb_array"."""
        if self.render_mode != "rgb_array" or self._prepared is None:
            return None
        return self._draw("third").rgb("third")

    def close(self) -> None:
        """Free the OpenGL contexts and end the page."""
        self._close_renderers()
        if self._page is not None:
            self._page.close()
            self._page = None

    # -------------------------------------------------- an environment of sim.loop

    @property
    def prepared(self) -> Prepared:
        """The episode in progress. Raises ResetNeeded before the first one."""
        if self._prepared is None:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        return self._prepared

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the numbers of a state, and of an action of "joint_pos"."""
        return joint_names(self.robot)

    def observe(self) -> dict[str, np.ndarray]:
        """The observation of now, named as in datasets, and the time (s)."""
        found = {f"observation.{name}": value for name, value in self._observation().items()}
        return {**found, TIMESTAMP: np.array(self.prepared.sim.time)}

    def apply(self, action: np.ndarray) -> dict[str, Any]:
        """As step, but nothing is observed; returns what is special: "ee_reached", "diverged"."""
        sim, info = self.prepared.sim, {}
        targets, reached = self._control.targets(sim, action)
        if self.control_mode.startswith("ee"):
            info["ee_reached"] = reached
        try:
            sim.step(targets)
        except DivergedError:
            self._diverged = info["diverged"] = True
        self._steps += 1
        return info

    @property
    def over(self) -> bool:
        """Whether the episode has terminated or was truncated."""
        return self.prepared.over or self._diverged or self._steps >= self.max_episode_steps

    @property
    def diverged(self) -> bool:
        """Whether an action broke the physics."""
        return self._diverged

    def record(self) -> dict[str, Any]:
        """The randomisation record: enough to rebuild the scene."""
        return self.prepared.record()

    # -------------------------------------------------------------- helpers

    def _info(self) -> dict[str, Any]:
        return {"is_success": self.prepared.over, "task_description": self._description}

    def _joint_limits(self) -> Bounds:
        arm = arm_spec(self.robot_record, "left", "simple").compile()
        joints = np.array([arm.joint(name).range for name in self.robot_record.joints])
        return Bounds(np.array([*joints[:, 0], 0.0] * 2), np.array([*joints[:, 1], 1.0] * 2))

    def _observation_space(self) -> spaces.Dict:
        low, high = self._limits.low, self._limits.high
        hands = np.tile([ROOM, ROOM, ROOM, 1.0, 1.0, 1.0, 1.0, 1.0 + SLACK], 2).astype(np.float32)
        parts: dict[str, spaces.Space] = {
            "state": spaces.Box((low - SLACK).astype(np.float32), (high + SLACK).astype(np.float32)),
            "ee_pose": spaces.Box(-hands, hands),
        }
        for camera in self.cameras if self.obs_mode in ("rgb", "rgbd", "segmentation") else ():
            width, height = self.sizes[camera]
            parts[f"images.{camera}"] = spaces.Box(0, 255, (height, width, 3), np.uint8)
            if self.obs_mode == "rgbd":
                parts[f"images.{camera}_depth"] = spaces.Box(0.0, FAR, (height, width), np.float32)
            if self.obs_mode == "segmentation":
                parts[f"images.{camera}_segmentation"] = spaces.Box(-1, 10_000, (height, width), np.int32)
        if self.obs_mode == "pointcloud":
            parts["pointcloud"] = spaces.Box(-ROOM, ROOM, (CLOUD_POINTS, 6), np.float32)
        return spaces.Dict(parts)

    def _observation(self) -> dict[str, np.ndarray]:
        sim = self.prepared.sim
        found = {"state": sim.state().astype(np.float32), "ee_pose": ee_pose(sim)}
        if self.obs_mode == "state":
            return found
        if self.obs_mode == "pointcloud":
            found["pointcloud"] = point_cloud(self._draw("head"), "head", sim.spec, CLOUD_POINTS)
            return found
        for camera in self.cameras:
            draw = self._draw(camera)
            found[f"images.{camera}"] = draw.rgb(camera)
            if self.obs_mode == "rgbd":
                found[f"images.{camera}_depth"] = draw.depth(camera)
            if self.obs_mode == "segmentation":
                found[f"images.{camera}_segmentation"] = draw.segmentation(camera)
        return found

    def _draw(self, camera: str) -> StateRenderer:
        """The renderer for a camera's size, in the present state."""
        size, sim = self.sizes[camera], self.prepared.sim
        if size not in self._renderers:
            self._renderers[size] = StateRenderer(sim.model, size, self.quality)
        self._renderers[size].set_state(sim.data.qpos)
        return self._renderers[size]

    def _show(self) -> None:
        """Render mode "human": bring the page up to date."""
        if self.render_mode != "human":
            return
        from sim.bimanual.viewer import Page

        sim = self.prepared.sim
        if self._page is not None and self._page.model is not sim.model:
            self._page.close()
            self._page = None
        if self._page is None:
            self._page = Page(sim.model, self._port, f"**{self.task_name}**: {self._description}")
        self._page.show(sim.data)

    def _close_renderers(self) -> None:
        for renderer in self._renderers.values():
            renderer.close()
        self._renderers.clear()


def _size(size: Any, camera: str) -> tuple[int, int]:
    """(width, height) of a camera's images. Raises TwinloomError."""
    given = size.get(camera, (320, 240)) if isinstance(size, Mapping) else size
    try:
        width, height = given if isinstance(given, (tuple, list, np.ndarray)) else (given, given)
        width, height = operator.index(width), operator.index(height)
        if min(width, height) < 1:
            raise ValueError
    except (TypeError, ValueError):
        example = "(width, height) in pixels, for example (320, 240), or one number"
        raise TwinloomError(f"size {given!r} must be {example}") from None
    return width, height

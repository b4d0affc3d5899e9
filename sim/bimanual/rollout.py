"""One expert episode: prepared, acted, judged; rendered afterwards and only if it is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import mujoco
import numpy as np

from sim.bimanual.episode import Prepared, prepare, restore
from sim.bimanual.hand_poses import ee_pose
from sim.bimanual.plan import PlanningError
from sim.bimanual.scene import SceneRejectedError
from sim.bimanual.simulation import Simulation, joint_names
from sim.bimanual.skills import Skills
from sim.bimanual.task import DWELL_S
from sim.bimanual.views import episode_views, seen_at_start
from sim.engine.base import DivergedError
from sim.engine.render import StateRenderer
from sim.loop import playback, run
from twinloom.features import Feature
from twinloom.seeding import stream

PATIENCE_S = 1.0  # after the expert is done, the scene may take this long to come to rest


class StepLimitError(Exception):
    """The expert used more control steps than the task allows."""


class Recorder:
    """Keeps what a control step starts from: measured state, hand poses, positions of everything, and the command."""

    def __init__(self, sim: Simulation, limit: int) -> None:
        self.limit = limit
        self.state: list[np.ndarray] = []
        self.ee_pose: list[np.ndarray] = []
        self.qpos: list[np.ndarray] = []
        self.action: list[np.ndarray] = []
        self._next = self._snapshot(sim)

    def __call__(self, sim: Simulation) -> None:
        state, hands, qpos = self._next
        self.state.append(state)
        self.ee_pose.append(hands)
        self.qpos.append(qpos)
        self.action.append(sim.action.astype(np.float32))
        self._next = self._snapshot(sim)
        if len(self.action) > self.limit:
            raise StepLimitError

    @staticmethod
    def _snapshot(sim: Simulation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return sim.state().astype(np.float32), ee_pose(sim), sim.data.qpos.copy()

    def arrays(self) -> dict[str, np.ndarray]:
        """Dataset feature name to (T, ...) float32."""
        return {
            "observation.state": np.array(self.state),
            "observation.ee_pose": np.array(self.ee_pose),
            "action": np.array(self.action),
        }


@dataclass
class Rollout:
    """What an expert did.

    Attributes:
        success: measured; ``reason``: why not, "" on success; ``detail``: the same in more words.
        arrays: "observation.state" (T, S), "action" (T, A), "observation.ee_pose" (T, 16), all float32.
        features: what the numbers of each array are.
        qpos: (T, nq) positions of everything at each frame, for rendering.
        instruction: the sentence of this episode; ``instructions``: {"seen": [...], "unseen": [...]}.
        record: the randomisation record.
        timing: wall-clock seconds spent on "build" (draw, compile and settle the scene), "plan" (everything the expert
            thinks) and "simulate" (control steps).
        seen: name of each task object to whether it began in the head camera's image.
    """

    success: bool
    reason: str
    detail: str
    arrays: dict[str, np.ndarray]
    features: dict[str, Feature]
    qpos: np.ndarray
    instruction: str
    instructions: dict[str, list[str]]
    record: dict[str, Any]
    timing: dict[str, float]
    model: mujoco.MjModel | None
    seen: Mapping[str, bool] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """Number of frames T."""
        return len(self.qpos)

    def facts(self) -> dict[str, Any]:
        """{"views": what the head camera sees}: see `sim.bimanual.views.episode_views`; 40 ms."""
        assert self.model is not None
        return {"views": episode_views(self.model, self.qpos, self.seen)}

    def render(
        self, cameras: Sequence[str], size: tuple[int, int], mode: str = "auto"
    ) -> Iterator[dict[str, np.ndarray]]:
        """Images of every frame: camera name to (H, W, 3) uint8.

        Args:
            cameras: names of the scene's cameras.
            size: (width, height).
            mode: "fast", "nice", "best" or "auto".
        """
        assert self.model is not None
        with StateRenderer(self.model, size, mode) as renderer:
            for qpos in self.qpos:
                yield renderer.images(qpos, cameras)


def expert_rollout(
    task: str,
    robot: str,
    seed: np.random.SeedSequence,
    randomize: frozenset[str] = frozenset(),
    fps: int = 25,
    split: str = "seen",
    visuals: str = "mesh",
) -> Rollout:
    """Let the scripted expert try a task once.

    Args:
        task, robot: registry names.
        seed: the episode's seed, from twinloom.seeding.
        randomize: axes of sim.bimanual.randomize.AXES.
        fps: control and recording rate, a divisor of 250.
        split: "seen" or "unseen" textures and language.
        visuals: "mesh", or "simple" where nothing is rendered.

    Raises:
        UnknownNameError, MissingAssetError: the request is wrong. A failing expert is a result, not an error.
    """
    started = perf_counter()
    try:
        prepared = prepare(task, robot, seed, randomize, fps, split, visuals)
    except SceneRejectedError as error:
        timing = {"build": perf_counter() - started, "plan": 0.0, "simulate": 0.0}
        return Rollout(False, error.reason, error.reason, {}, {}, np.zeros((0, 0)), "", {}, {}, timing, None)
    return try_expert(prepared, perf_counter() - started)


def try_expert(prepared: Prepared, build: float = 0.0) -> Rollout:
    """Let the scripted expert act in a scene that has just been prepared.

    Args:
        build: seconds that preparing it took.
    """
    began = perf_counter()
    recorder = Recorder(prepared.sim, prepared.task.limit_steps(prepared.sim.fps))
    prepared.sim.observers.append(recorder)
    skills = Skills(prepared.sim, prepared.world, stream(prepared.seed, "planner"))
    reason, detail = _act(prepared, skills)
    simulated = prepared.sim.step_seconds
    timing = {"build": build, "plan": perf_counter() - began - simulated, "simulate": simulated}
    return _result(prepared, recorder, reason, detail, timing)


def replay_rollout(record: dict[str, Any], actions: np.ndarray, fps: int | None = None) -> Rollout:
    """Rebuild the scene of a record and step recorded actions, which repeats the episode bit for bit.

    Args:
        record: randomisation record of an episode.
        actions: (T, A) float32.
        fps: control rate; the recorded one if omitted.

    Raises:
        TwinloomError: the record is of another layout or version.
        ValueError: the actions do not fit the robot.
    """
    started = perf_counter()
    prepared = restore(record if fps is None else {**record, "fps": fps})
    built = perf_counter()
    recorder = Recorder(prepared.sim, len(actions))
    prepared.sim.observers.append(recorder)
    run(prepared.sim, playback(actions))
    reason = "" if prepared.monitor.success else "goal not reached"
    timing = {"build": built - started, "plan": 0.0, "simulate": perf_counter() - built}
    return _result(prepared, recorder, reason, reason, timing)


def _result(prepared: Prepared, recorder: Recorder, reason: str, detail: str, timing: dict[str, float]) -> Rollout:
    sentences = prepared.instructions()
    own = {p.name: prepared.sim.actors[p.name] for p in prepared.spec.placements if not p.clutter}
    return Rollout(
        success=reason == "",
        reason=reason,
        detail=detail,
        arrays=recorder.arrays(),
        features=features(prepared.sim),
        qpos=np.array(recorder.qpos),
        instruction=sentences[prepared.split][0],
        instructions=sentences,
        record=prepared.record(),
        timing=timing,
        model=prepared.sim.model,
        seen=seen_at_start(prepared.spec.cameras["head"], own),
    )


def features(sim: Simulation) -> dict[str, Feature]:
    """Names and units of the arrays of a rollout with this robot."""
    joints = joint_names(sim.spec.robot)
    hand = ("x", "y", "z", "qw", "qx", "qy", "qz", "gripper")
    hands = tuple(f"{side}_{name}" for side in sim.arms for name in hand)
    unit = "rad; gripper opening in [0, 1]"
    return {
        "observation.state": Feature("float32", (len(joints),), joints, unit),
        "observation.ee_pose": Feature("float32", (len(hands),), hands, "m; unit quaternion wxyz; opening in [0, 1]"),
        "action": Feature("float32", (len(joints),), joints, unit),
    }


def _act(prepared: Prepared, skills: Skills) -> tuple[str, str]:
    """Run the expert and wait for the verdict; returns (reason, detail), both empty on success."""
    sim = prepared.sim
    try:
        prepared.task.expert(skills)
        run(prepared, lambda observe: sim.action, limit=round(PATIENCE_S * sim.fps))
    except PlanningError as error:
        return error.reason, str(error)
    except StepLimitError:
        return "step limit", f"more than {prepared.task.limit_steps(sim.fps)} control steps"
    except DivergedError as error:
        return "simulation diverged", str(error)
    if not prepared.over:
        return "goal not reached", f"the success check did not hold for {DWELL_S} s"
    return "", ""

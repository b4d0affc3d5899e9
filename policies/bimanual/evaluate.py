"""Success rate of a policy at a dual-arm task, in process: the simulation waits while the policy thinks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from policies.base import Policy, PolicySpec, check_actions, check_observation
from policies.bimanual.spaces import joint_feature
from sim.bimanual.episode import Prepared, prepare
from sim.bimanual.rate import substeps
from sim.bimanual.scene import SceneRejectedError
from sim.engine.base import DivergedError
from sim.engine.render import StateRenderer
from twinloom.errors import TwinloomError
from twinloom.features import IMAGES, STATE, TIMESTAMP
from twinloom.seeding import episode_seed

Watch = Callable[[Prepared], None]


@dataclass(frozen=True)
class Trial:
    """One episode. ``reason`` is why it failed, "" if it did not; ``steps``: control steps taken."""

    episode: int
    success: bool
    reason: str
    steps: int


def joint_order(spec: PolicySpec, robot: str) -> np.ndarray:
    """Index into a policy's action for each joint of a robot, matched by name.

    Raises:
        TwinloomError: the policy was made for other joints.
    """
    wanted, given = joint_feature(robot).names, spec.action.names
    missing, unknown = set(wanted) - set(given), set(given) - set(wanted)
    if missing or unknown:
        own = f" (it was made for {spec.robot})" if spec.robot else ""
        differ = ", ".join(sorted(missing)[:3]) or ", ".join(sorted(unknown)[:3])
        raise TwinloomError(f"this policy does not command the joints of {robot}{own}: they differ in {differ}")
    return np.array([given.index(name) for name in wanted])


class Senses:
    """What a policy is told about a simulation: the arrays of its description, pictures drawn only when asked.

    Args:
        prepared: the scene.
        spec: of the policy.
        render: mode of the renderer, which should be that of the training data.

    Raises:
        TwinloomError: the policy asks for something that a simulated robot does not sense.
    """

    def __init__(self, prepared: Prepared, spec: PolicySpec, render: str = "auto") -> None:
        self._prepared, self._order = prepared, None
        self._cameras = {name: name.removeprefix(IMAGES) for name in spec.observation if name.startswith(IMAGES)}
        foreign = [name for name in spec.observation if name not in (STATE, TIMESTAMP, *self._cameras)]
        if foreign:
            raise TwinloomError(f"the policy observes {', '.join(foreign)}, which a simulated robot does not sense")
        if STATE in spec.observation:
            own, given = spec.observation[STATE].names, joint_feature(prepared.spec.robot).names
            self._order = [given.index(name) for name in own]
        self._renderers: dict[tuple[int, int], StateRenderer] = {}
        self._sizes = {name: _size(spec, name) for name in self._cameras}
        self._mode = render

    def __call__(self) -> dict[str, np.ndarray]:
        """The observation of now."""
        sim = self._prepared.sim
        found: dict[str, np.ndarray] = {TIMESTAMP: np.float64(sim.time)}  # type: ignore[dict-item]
        if self._order is not None:
            found[STATE] = sim.state()[self._order].astype(np.float32)
        for name, camera in self._cameras.items():
            size = self._sizes[name]
            if size not in self._renderers:
                self._renderers[size] = StateRenderer(sim.model, size, self._mode)
            self._renderers[size].set_state(sim.data.qpos)
            found[name] = self._renderers[size].rgb(camera)
        return found

    def close(self) -> None:
        """Free the OpenGL contexts."""
        for renderer in self._renderers.values():
            renderer.close()
        self._renderers.clear()


def _size(spec: PolicySpec, image: str) -> tuple[int, int]:
    """(width, height) of a picture of an observation."""
    height, width, *_ = spec.observation[image].shape
    return width, height


def run_episode(policy: Policy, prepared: Prepared, execute: int, render: str = "auto") -> tuple[str, int]:
    """Let a policy act in a scene until it succeeds or its time is up.

    Args:
        policy: freshly reset.
        execute: actions of each chunk that are carried out before the policy is asked again.
        render: mode of the renderer.

    Returns:
        Why it failed, "" if it did not, and the number of control steps.

    Raises:
        TwinloomError: the policy does not fit the robot, or returned something that is no chunk of actions.
    """
    sim, limit = prepared.sim, prepared.task.limit_steps(prepared.sim.fps)
    order = joint_order(policy.spec, prepared.spec.robot)
    senses, steps = Senses(prepared, policy.spec, render), 0
    try:
        while steps < limit:
            observation = senses()
            check_observation(policy.spec, observation)
            for action in check_actions(policy.spec, policy.act(observation))[:execute, order]:
                sim.step(action)
                steps += 1
                if prepared.monitor.success:
                    return "", steps
                if steps >= limit:
                    break
    except DivergedError:
        return "simulation diverged", steps
    finally:
        senses.close()
    return "goal not reached", steps


def trials(
    policy: Policy,
    task: str,
    robot: str,
    *,
    episodes: int,
    seed: int,
    axes: frozenset[str] = frozenset(),
    split: str = "seen",
    execute: int = 0,
    render: str = "auto",
    watch: Watch | None = None,
) -> Iterator[Trial]:
    """Episodes 0, 1, ... of a run seed, those that datagen would record with it (first attempts).

    Args:
        policy: reset before every episode.
        execute: see run_episode; 0 is what the policy was made with, or half a chunk.
        watch: called with every scene before it begins, for videos.

    Raises:
        TwinloomError: see run_episode; also a rate that the simulation cannot have.
    """
    from policies.bimanual.expert import ExpertPolicy

    substeps(policy.spec.fps)
    chosen = execute or int(policy.spec.extra.get("execute", max(1, policy.spec.horizon // 2)))
    if not 1 <= chosen <= policy.spec.horizon:
        raise TwinloomError(f"execute {chosen}: a chunk of this policy has {policy.spec.horizon} actions")
    seen = watch is not None or any(name.startswith(IMAGES) for name in policy.spec.observation)
    visuals = "mesh" if seen else "simple"
    for episode in range(episodes):
        try:
            scene = episode_seed(seed, task, episode)
            prepared = prepare(task, robot, scene, axes, int(policy.spec.fps), split, visuals)
        except SceneRejectedError as error:
            yield Trial(episode, False, error.reason, 0)
            continue
        if watch is not None:
            watch(prepared)
        if isinstance(policy, ExpertPolicy):
            policy.reset(prepared.record())
        else:
            policy.reset()
        reason, steps = run_episode(policy, prepared, chosen, render)
        if reason and isinstance(policy, ExpertPolicy):
            reason = policy.failure or reason
        yield Trial(episode, not reason, reason, steps)

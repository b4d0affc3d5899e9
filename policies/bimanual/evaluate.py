"""Success rate of a policy at a dual-arm task, in process: the simulation waits while the policy thinks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from policies.agent import PolicyAgent
from policies.base import Policy, PolicySpec
from policies.bimanual.spaces import joint_feature
from sim.bimanual.episode import Prepared, prepare
from sim.bimanual.rate import substeps
from sim.bimanual.scene import SceneRejectedError
from sim.engine.base import DivergedError
from sim.engine.render import StateRenderer
from sim.loop import run
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
        self._prepared = prepared
        self._cameras = {name: name.removeprefix(IMAGES) for name in spec.observation if name.startswith(IMAGES)}
        foreign = [name for name in spec.observation if name not in (STATE, TIMESTAMP, *self._cameras)]
        if foreign:
            raise TwinloomError(f"the policy observes {', '.join(foreign)}, which a simulated robot does not sense")
        self._renderers: dict[tuple[int, int], StateRenderer] = {}
        self._sizes = {name: _size(spec, name) for name in self._cameras}
        self._mode = render

    @property
    def over(self) -> bool:
        """Whether the task has succeeded."""
        return self._prepared.over

    def apply(self, action: np.ndarray) -> None:
        """One control step."""
        self._prepared.apply(action)

    def observe(self) -> dict[str, np.ndarray]:
        """The observation of now."""
        sim = self._prepared.sim
        found = sim.observe()
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


def run_episode(policy: Policy, prepared: Prepared, n_action_steps: int = 0, render: str = "auto") -> tuple[str, int]:
    """Let a policy act in a scene until it succeeds or its time is up.

    Args:
        policy: freshly reset.
        n_action_steps: see PolicyAgent.
        render: mode of the renderer.

    Returns:
        Why it failed, "" if it did not, and the number of control steps.

    Raises:
        TwinloomError: the policy does not fit the robot, or returned something that is no chunk of actions.
    """
    agent = PolicyAgent(policy, joint_feature(prepared.spec.robot).names, n_action_steps)
    senses, limit = Senses(prepared, policy.spec, render), prepared.task.limit_steps(prepared.sim.fps)
    try:
        steps = run(senses, agent, limit=limit)
    except DivergedError:
        return "simulation diverged", round(prepared.sim.time * prepared.sim.fps)
    finally:
        senses.close()
    return "" if prepared.over else "goal not reached", steps


def trials(
    policy: Policy,
    task: str,
    robot: str,
    *,
    episodes: int,
    seed: int,
    axes: frozenset[str] = frozenset(),
    split: str = "seen",
    n_action_steps: int = 0,
    render: str = "auto",
    watch: Watch | None = None,
) -> Iterator[Trial]:
    """Episodes 0, 1, ... of a run seed, those that datagen would record with it (first attempts).

    Args:
        policy: reset before every episode.
        n_action_steps: see run_episode; 0 is what the policy was made with.
        watch: called with every scene before it begins, for videos.

    Raises:
        TwinloomError: see run_episode; also a rate that the simulation cannot have.
    """
    from policies.bimanual.expert import ExpertPolicy

    substeps(policy.spec.fps)
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
        reason, steps = run_episode(policy, prepared, n_action_steps, render)
        if reason and isinstance(policy, ExpertPolicy):
            reason = policy.failure or reason
        yield Trial(episode, not reason, reason, steps)

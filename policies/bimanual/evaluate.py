"""Success rate of a policy at a dual-arm task, in process: the environment waits while the policy thinks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from policies.agent import PolicyAgent
from policies.base import Policy, PolicySpec
from sim.bimanual.env import BimanualEnv
from sim.bimanual.scene import SceneRejectedError
from sim.loop import run
from twinloom.errors import TwinloomError
from twinloom.features import IMAGES, TIMESTAMP, cameras

Observer = Callable[[BimanualEnv], None]


@dataclass(frozen=True)
class Trial:
    """One episode. ``reason`` is why it failed, "" if it did not; ``steps``: control steps taken."""

    episode: int
    success: bool
    reason: str
    steps: int


def environment(
    spec: PolicySpec, task: str, robot: str, axes: Sequence[str] = (), split: str = "seen", render: str = "auto", **more
) -> BimanualEnv:
    """The environment that shows a policy what its description asks for, at its rate.

    Args:
        axes: of randomisation.
        render: quality of the images, which should be that of the training data.
        more: further arguments of BimanualEnv.

    Raises:
        TwinloomError: an unknown name, a rate that the simulation cannot have, or the policy asks for something that a
            simulated robot does not sense.
    """
    seen = cameras(list(spec.observation))
    env = BimanualEnv(
        task,
        robot,
        obs_mode="rgb" if seen else "state",
        cameras=seen,
        size={name: _size(spec, name) for name in seen},
        randomize=",".join(axes) or "none",
        split=split,
        fps=int(spec.fps),
        quality=render,
        **more,
    )
    sensed = {TIMESTAMP, *(f"observation.{name}" for name in env.observation_space)}
    if foreign := [name for name in spec.observation if name not in sensed]:
        raise TwinloomError(f"the policy observes {', '.join(foreign)}, which a simulated robot does not sense")
    return env


def _size(spec: PolicySpec, camera: str) -> tuple[int, int]:
    """(width, height) of a camera of an observation."""
    height, width, *_ = spec.observation[IMAGES + camera].shape
    return width, height


def run_episode(
    policy: Policy, env: BimanualEnv, n_action_steps: int = 0, observers: Sequence[Observer] = ()
) -> tuple[str, int]:
    """Let a policy act in an environment that was just reset until the episode is over.

    Args:
        policy: freshly reset.
        n_action_steps: see PolicyAgent.
        observers: called with the environment after every control step.

    Returns:
        Why it failed, "" if it did not, and the number of control steps.

    Raises:
        TwinloomError: the policy does not fit the robot, or returned something that is no chunk of actions.
    """
    steps = run(env, PolicyAgent(policy, env.joints, n_action_steps), observers)
    if env.prepared.over:
        return "", steps
    return "simulation diverged" if env.diverged else "goal not reached", steps


def trials(
    policy: Policy,
    task: str,
    robot: str,
    *,
    episodes: int,
    seed: int,
    axes: Sequence[str] | frozenset[str] = (),
    split: str = "seen",
    n_action_steps: int = 0,
    render: str = "auto",
    watch: Callable[[BimanualEnv], Observer] | None = None,
) -> Iterator[Trial]:
    """Episodes 0, 1, ... of a run seed, those that datagen would record with it (first attempts).

    Args:
        policy: reset before every episode.
        n_action_steps: see PolicyAgent; 0 is what the policy was made with.
        watch: called with the environment before each episode; what it returns is called after every control step.

    Raises:
        TwinloomError: see environment and run_episode.
    """
    from policies.bimanual.expert import ExpertPolicy

    more = {} if watch is None else {"render_mode": "rgb_array"}
    env = environment(policy.spec, task, robot, sorted(axes), split, render, **more)
    PolicyAgent(policy, env.joints, n_action_steps)  # complains before a scene is made
    try:
        for episode in range(episodes):
            try:
                env.reset(seed=seed, options={"episode": episode})
            except SceneRejectedError as error:
                yield Trial(episode, False, error.reason, 0)
                continue
            observers = [] if watch is None else [watch(env)]
            if isinstance(policy, ExpertPolicy):
                policy.reset(env.record())
            else:
                policy.reset()
            reason, steps = run_episode(policy, env, n_action_steps, observers)
            if reason and isinstance(policy, ExpertPolicy):
                reason = policy.failure or reason
            yield Trial(episode, not reason, reason, steps)
    finally:
        env.close()

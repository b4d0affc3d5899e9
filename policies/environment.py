"""``policies eval`` of a family without an evaluation of its own: through its Gymnasium environments."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import tyro

from twinloom.command import refuse
from twinloom.errors import TwinloomError
from twinloom.features import IMAGES, TIMESTAMP

if TYPE_CHECKING:
    import gymnasium

    from policies.base import Policy
    from sim.families import Family

NAME, NAMES, FILE, POLICIES = (tyro.conf.arg(metavar=text) for text in ("NAME", "NAME ...", "FILE", "POLICY ..."))


def evaluate(
    policy: Annotated[tuple[str, ...], tyro.conf.Positional, POLICIES],
    task: Annotated[str, NAME] = "",
    robot: Annotated[str, NAME] = "",
    episodes: int = 20,
    seed: int = 1,
    randomize: Annotated[tuple[str, ...], NAMES] = ("none",),
    n_action_steps: int = 0,
    json: Annotated[Path | None, FILE] = None,
) -> int:
    """Let policies act in the environment of their task and count the successes; all in the same episodes.

    Args:
        policy: folders made by policies train, or names (policies list policies).
        task: family/task, where it is not the one a policy was made for.
        robot: robot name, where it is not the family's first.
        episodes: how many.
        seed: of the first episode; the environment draws the others from it.
        randomize: axes (sim list axes), all or none.
        n_action_steps: actions of each chunk carried out before the policy is asked again; 0 is as it was made.
        json: write the rows to this file and their table beside it.
    """
    from policies import load
    from sim.families import find
    from twinloom.results import document, markdown, save

    refuse({f"--episodes {episodes} must be at least 1": episodes < 1, f"--seed {seed} must not be negative": seed < 0})
    rows = []
    for name in policy:
        actor = load(name)
        family, bare = find(task or actor.spec.task)
        options: dict[str, Any] = {"robot": family.pick("robots", robot)} if robot else {}
        if axes := family.select("axes", randomize, optional=True):
            options["randomize"] = ",".join(axes)
        env = environment(family, bare, options)
        returns, successes = episodes_of(env, actor, episodes, seed, n_action_steps)
        env.close()
        row = {"policy": name, "task": f"{family.name}/{bare}", "k": sum(successes), "n": episodes}
        rows.append({**row, "return": round(sum(returns) / episodes, 4)})
    results = document(
        "Policies in their Gymnasium environments",
        rows,
        command="policies " + shlex.join(sys.argv[1:]),
        seeds={"run": seed, "episodes": [0, episodes - 1]},
    )
    if json:
        save(json, results)
    print(markdown(results, generated=False))
    return 0


def environment(family: Family, task: str, options: Mapping[str, Any]) -> gymnasium.Env:
    """The Gymnasium environment of a task.

    Raises:
        TwinloomError: the family has only vector environments.
    """
    import sim

    if not family.get("environment")(task).get("entry_point"):
        raise TwinloomError(f"{family.name} has only vector environments, so it needs an evaluation of its own")
    return sim.make(f"{family.name}/{task}-v0", **options)


def episodes_of(
    env: gymnasium.Env, policy: Policy, episodes: int, seed: int, n_action_steps: int = 0
) -> tuple[list[float], list[bool]]:
    """Return, and success as the last ``info["is_success"]`` says, of each episode."""
    from policies.agent import PolicyAgent
    from sim.loop import run

    returns, successes = [], []
    for episode in range(episodes):
        policy.reset()
        scene = _Scene(env, policy.spec.fps, seed if episode == 0 else None)
        run(scene, PolicyAgent(policy, None, n_action_steps))
        returns.append(scene.total)
        successes.append(scene.success)
    return returns, successes


class _Scene:
    """A Gymnasium environment as one of `sim.loop`: arrays get the names that they have in datasets."""

    def __init__(self, env: gymnasium.Env, fps: float, seed: int | None) -> None:
        self._env, self._fps, self._steps = env, fps, 0
        self._seen, _ = env.reset(seed=seed)
        self.over, self.success, self.total = False, False, 0.0

    def observe(self) -> dict[str, np.ndarray]:
        """The last observation, and the time since the start in seconds."""
        seen = self._seen if isinstance(self._seen, Mapping) else {"state": self._seen}
        found = {name if name.startswith("observation.") else f"observation.{name}": seen[name] for name in seen}
        cameras = {IMAGES + name: image for name, image in seen.items() if np.ndim(image) >= 3 and "." not in name}
        return {**found, **cameras, TIMESTAMP: np.float64(self._steps / self._fps)}  # type: ignore[dict-item]

    def apply(self, action: np.ndarray) -> None:
        """One step."""
        space: Any = self._env.action_space
        action = np.clip(action, space.low, space.high).astype(space.dtype)  # networks exceed what they learned
        self._seen, reward, terminated, truncated, info = self._env.step(action)
        self._steps += 1
        self.total += float(reward)
        self.over, self.success = terminated or truncated, bool(info.get("is_success", False))

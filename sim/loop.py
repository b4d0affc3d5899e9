"""The one loop of all episodes: an agent acts in an environment until one of them is done, and observers are told.

Scripted experts, replays, policies under evaluation and simulated robots all go through :func:`run`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np

Observation = Mapping[str, np.ndarray]

#: asked for the next action, or None at its end; it observes by calling what it is given, so that nothing is drawn that
#: nobody looks at
Agent = Callable[[Callable[[], Observation]], np.ndarray | None]


class Environment(Protocol):
    """What an agent acts in: a scene, a Gymnasium environment of ours, a robot."""

    def observe(self) -> Observation:
        """The observation of now."""
        ...

    def apply(self, action: np.ndarray) -> Any:
        """Act for one control step."""
        ...

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        ...


def run(
    environment: Environment,
    agent: Agent,
    observers: Iterable[Callable[[Any], None]] = (),
    limit: int | None = None,
) -> int:
    """Let an agent act until the episode is over, the agent is done, or ``limit`` control steps have passed.

    Args:
        observers: called with the environment after every control step.

    Returns:
        The number of control steps taken.
    """
    steps = 0
    while not environment.over and steps != limit:
        action = agent(environment.observe)
        if action is None:
            break
        environment.apply(action)
        steps += 1
        for observer in observers:
            observer(environment)
    return steps


def playback(actions: Iterable[np.ndarray]) -> Agent:
    """The agent that does these actions one after the other and looks at nothing."""
    remaining = iter(actions)
    return lambda observe: next(remaining, None)

"""Gymnasium environments ``cascade/<problem>-v0``: control a spreading process on a network, one decision at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces

from sim.cascade.env.episodes import Episodes
from sim.cascade.env.options import parse
from sim.cascade.problems import Problem
from twinloom.errors import TwinloomError

if TYPE_CHECKING:
    from sim.cascade.view.style import Moment


class CascadeEnv(gymnasium.Env):
    """One cascade.

    Observation: float32 (D,), see ``observation_names`` and `sim.cascade.observe.tiers.Observer`; D depends on tiers
    and features, never on the graph. Action: float32 (A,) in [0, 1], see ``action_names``; ``rest`` is the action that
    does nothing. Decisions are ``delta`` apart, and hold until the next one.

    The reward is money, per node unless ``normalise=False``. An episode is *terminated* when nothing can happen any
    more (no node carries the cascade on, and no seed may start it again) and *truncated* at the horizon.

    ``info``: "counts" [K, M]; "spend" and "profit", money since the start, not per node; "is_success": profit above
    0, or for mitigation never above capacity; after a step "action_applied", the action after budget and commitment,
    with the seeds that were really placed; after the last one "hub_retention", active hubs divided by hubs ever active,
    NaN if none ever was, or if the world does not know (the mean field, where nodes become active again).

    Args:
        problem: a name (sim list tasks cascade) or a Problem.
        render_mode: "rgb_array" or None.
        options: see `sim.cascade.env.options.EnvConfig`.

    Raises:
        TwinloomError: unknown problem, option or value.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012 (Gymnasium's convention)

    def __init__(self, problem: str | Problem, render_mode: str | None = None, **options: Any) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise TwinloomError(f'unknown render_mode "{render_mode}"; allowed: rgb_array')
        self.problem, self.options = parse(problem, options)
        self.render_mode = render_mode
        self.episodes = Episodes(self.problem, self.options, 1)
        self.action_names = self.episodes.actions.names
        self.observation_names = self.episodes.observer.names()  # of observer "graph": of its "globals"
        self.rest = self.episodes.actions.rest.astype(np.float32)
        self.observation_space: spaces.Space = self.episodes.observer.space
        self.action_space = spaces.Box(0.0, 1.0, (len(self.action_names),), np.float32)
        self._all = np.ones(1, bool)
        self._running = False
        self._figure: Any = None
        self._recording: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Start an episode. With a seed episode 0 of that seed, without one the next episode.

        Args:
            seed: from 0.
            options: "graph", as the option of the constructor, and "params", {"r0": …} or {"beta": …}, hold from now
                on; "scenario_seed": seed of random graphs, if not that of the episodes.

        Raises:
            TwinloomError: a negative seed, an unknown option, or a graph on which actions or observations are others;
                then the environment stays as it was.
        """
        self.episodes.begin(seed, options)
        super().reset(seed=None if seed is None else int(seed))  # Gymnasium takes no integers of NumPy
        self.episodes.restart(self._all)
        self._running, self._figure = True, None
        if self.render_mode is not None and self.options.world != "ode":  # a mean field has no nodes to record
            from sim.cascade.view.recording import Recording

            self._recording = Recording(self.episodes)
        return _first(self.episodes.observe()), _facts(self.episodes.info(), last=False)

    def step(self, action):
        """Apply an action for ``delta``. Raises TwinloomError if it has another shape or is not finite."""
        if not self._running:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        outcome = self.episodes.step(np.asarray(action)[None])
        terminated, truncated = bool(outcome.terminated[0]), bool(outcome.truncated[0])
        self._running = not (terminated or truncated)
        info = _facts(outcome.info, last=not self._running)
        if self._recording is not None:
            self._recording.note(info["action_applied"])
        return _first(self.episodes.observe()), float(outcome.reward[0]), terminated, truncated, info

    def render(self):
        """(H, W, 3) uint8 image of the network and its course so far in render mode "rgb_array".

        Raises:
            TwinloomError: world "ode", too large a graph, or the extra "viz" is missing.
            ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            return None
        if self.episodes.ledger.episode[0] < 0:
            raise gymnasium.error.ResetNeeded("call reset() before render()")
        moments = self.moments
        if self._figure is None:
            from sim.cascade.view.frames import EpisodeFigure

            self._figure = EpisodeFigure(self.episodes.arena())
        return self._figure.draw(moments)

    @property
    def moments(self) -> list[Moment]:
        """This episode so far: its start and the state after each decision. Recorded if there is a render mode.

        Raises:
            TwinloomError: there is none, or the world is "ode".
        """
        if self._recording is None:
            if self.options.world == "ode":
                raise TwinloomError('world "ode" is a mean field without nodes; draw "exact", "renewal" or "markov"')
            raise TwinloomError('nothing was recorded: make the environment with render_mode="rgb_array" and reset it')
        return self._recording.moments


def _facts(info: dict[str, np.ndarray], last: bool) -> dict[str, Any]:
    """``info`` of the only replica. Retention is a fact about the end; before, NaN would make equal infos differ."""
    return {key: _first(values) for key, values in info.items() if last or key != "hub_retention"}


def _first(batch: Any) -> Any:
    """The only replica of arrays [1, ...]; scalars become Python numbers."""
    if isinstance(batch, dict):
        return {key: _first(values) for key, values in batch.items()}
    return batch[0] if batch.ndim > 1 else batch[0].item()

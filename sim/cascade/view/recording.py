"""What an image of an episode needs of it: the state after every decision, what was decided, and the money."""

from __future__ import annotations

import numpy as np

from sim.cascade.env.episodes import Episodes
from sim.cascade.view.style import Moment


class Recording:
    """The moments of one episode, which begins now.

    Args:
        episodes: just restarted; its world must have nodes (not "ode").
        replica: which one.

    Attributes:
        moments: the start, and one for each decision noted.
    """

    def __init__(self, episodes: Episodes, replica: int = 0) -> None:
        self._episodes, self._replica = episodes, replica
        self.moments: list[Moment] = []
        self.note()

    def note(self, action: np.ndarray | None = None) -> None:
        """Record the present.

        Args:
            action: [A] that was applied up to now.
        """
        episodes, r = self._episodes, self._replica
        arena, ledger = episodes.arena(r), episodes.ledger
        sim, profit = arena.sim, float(ledger.profit[r]) / arena.nodes
        moment = Moment(float(sim.time[r]), np.array(sim.state[r]), np.array(sim.counts[r]), profit, action)
        self.moments.append(moment)

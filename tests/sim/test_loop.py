"""The loop: who ends it, who is told, and that nobody looks for nothing."""

from __future__ import annotations

import numpy as np

from sim.loop import playback, run


class Counter:
    """An environment that counts, and ends at ``end``."""

    def __init__(self, end: int = 99) -> None:
        self.end, self.at, self.looks = end, 0, 0

    def observe(self):
        self.looks += 1
        return {"state": np.array([self.at])}

    def apply(self, action):
        self.at += int(np.asarray(action).item())

    @property
    def over(self):
        return self.at >= self.end


def test_it_ends_with_the_episode_the_agent_or_the_limit():
    one = np.array(1)
    assert run(Counter(3), lambda observe: one) == 3
    assert run(Counter(), playback([one] * 5)) == 5
    assert run(Counter(), lambda observe: one, limit=7) == 7
    assert run(Counter(0), lambda observe: one) == 0
    assert run(Counter(), lambda observe: one, limit=0) == 0


def test_observers_see_the_environment_after_each_step():
    seen, environment = [], Counter()
    run(environment, playback(np.array([1, 2, 3])), [lambda e: seen.append(e.at)])
    assert seen == [1, 3, 6]


def test_the_agent_decides_when_to_look():
    environment = Counter()

    def agent(observe):
        return observe()["state"] + 1 if environment.at < 4 else np.array(1)

    assert run(environment, agent, limit=10) == 10
    assert environment.looks == 3
    blind = Counter()
    run(blind, playback([np.array(1)] * 3))
    assert blind.looks == 0

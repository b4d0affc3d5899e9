"""What a decision earned, in money: functions of what happened between it and the next one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim.cascade.problems import Prices


@dataclass(slots=True)
class Window:
    """What happened between two decisions in R replicas; all float64.

    Attributes:
        contacts: [R, K] contact steps of nodes of each tier; seeds do not count.
        infectious: [R] nodes infectious (adopting) at the end.
        adoptions: [R] nodes that became infectious by themselves.
        nodes: number of nodes.
        delta: length of the window.
        price: [R] or [], price that was asked.
        spend: [R] money spent on control.
    """

    contacts: np.ndarray
    infectious: np.ndarray
    adoptions: np.ndarray
    nodes: int
    delta: float
    price: np.ndarray
    spend: np.ndarray


def profit(prices: Prices, window: Window) -> np.ndarray:
    """price x new adoptions + margin x time x active nodes - spend - fixed, [R]."""
    money = window.price * window.adoptions + (prices.margin * window.delta) * window.infectious - window.spend
    return money - prices.fixed * (window.spend > 0) if prices.fixed else money


def mitigation(prices: Prices, window: Window) -> np.ndarray:
    """-(new infections + peak x time x infectious nodes above capacity + spend + fixed), [R]."""
    above = np.maximum(0.0, window.infectious - prices.cap * window.nodes)
    money = -(window.contacts.sum(axis=1) + (prices.peak * window.delta) * above + window.spend)
    return money - prices.fixed * (window.spend > 0) if prices.fixed else money


REWARDS: dict[str, Callable[[Prices, Window], np.ndarray]] = {"profit": profit, "mitigation": mitigation}

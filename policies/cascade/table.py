"""What ``policies eval`` prints of cascades."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

INTERVAL = ("profit_low", "profit_high")
OF_PROFIT = ("loss_share", "hub_retention")  # say nothing about a problem that can only cost
WIDEST = 30  # characters of a policy's name


def own_graph(problem: str) -> str:
    """The graph that a problem brings, in words."""
    from sim.cascade.env.scenarios import Scenarios
    from sim.cascade.problems import PROBLEMS

    graph = Scenarios(PROBLEMS[problem]).draw(0, 0).graph
    return graph.name or f"a graph of {graph.n:,} nodes"


def lines(problem: str, found: Mapping[str, Mapping[str, float]]) -> list[str]:
    """A column for each policy, a row for each number.

    Args:
        found: metrics by policy, see `policies.cascade.evaluate.Outcomes.metrics`.
    """
    from sim.cascade.problems import PROBLEMS

    earns = PROBLEMS[problem].reward == "profit"
    names = {"profit": "profit" if earns else "return"}
    kept = [name for name in next(iter(found.values())) if name not in INTERVAL and (earns or name not in OF_PROFIT)]
    heads = [name if len(name) <= WIDEST else "…" + name[1 - WIDEST :] for name in found]
    columns = [
        [head, *(_number(metrics[name]) for name in kept)] for head, metrics in zip(heads, found.values(), strict=True)
    ]
    for column, metrics in zip(columns, found.values(), strict=True):
        column.insert(kept.index("profit") + 2, f"{metrics['profit_low']:.4g} to {metrics['profit_high']:.4g}")
    labels = ["", *(names.get(name, name.replace("_", " ")) for name in kept)]
    labels.insert(kept.index("profit") + 2, "  95 % interval")
    widths = [max(map(len, column)) for column in columns]
    return [
        f"  {label:<16}" + "".join(f"  {cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        for label, *row in zip(labels, *columns, strict=True)
    ]


def _number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.4g}"


def finite(metrics: Mapping[str, float]) -> dict[str, Any]:
    """JSON knows no NaN."""
    return {name: None if np.isnan(value) else value for name, value in metrics.items()}

"""Tables of docs/cascade/control.md, made from the code; ``python -m sim.docs`` writes them."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from sim.cascade.env.worlds import WORLDS
from sim.cascade.problems import PROBLEMS, Prices, Problem
from sim.cascade.process.control import CHANNELS
from twinloom.generated import filled, table
from twinloom.machine import REPOSITORY

PAGE = REPOSITORY / "docs" / "cascade" / "control.md"
_MOVES = {"seed": "share of the tier that may be seeded in one decision", "vaccinate": "doses per node and time"}
_PRICED = {
    "seed": "a seed",
    "vaccinate": "a dose",
    "shield": "a susceptible node and time",
    "isolate": "an infectious node and time",
    "treat": "an infectious node and time",
    "boost": "an active node and time",
    "retain": "an active node and time",
    "winback": "a churned node and time",
}


def problem_table() -> str:
    """What each problem is."""
    rows = []
    for name in PROBLEMS:
        problem = PROBLEMS[name]
        model = problem.model()
        steps = [f"{model.compartments[s.source]} {s.law}" for s in model.steps]
        shared = [f"{c} (one for all tiers)" if c in problem.shared else c for c in problem.channels]
        start = "nobody" if not problem.initial else f"{problem.initial:g}" + " of all nodes" * (problem.initial < 1)
        rows.append(
            [
                f"`cascade/{name}-v0`",
                f"{'-'.join(model.compartments)}: {'; '.join(steps)}",
                f"{problem.r0:g}",
                ", ".join(shared),
                start,
                f"{problem.seed_limit:g} of all nodes",
                f"{problem.horizon} × {problem.delta:g}",
            ]
        )
    columns = ["id", "process, residence times", "R0", "channels", "active at the start", "`seed_limit`"]
    return table([*columns, "decisions × time"], rows)


def channel_table() -> str:
    """What each channel does and costs by default, and in the problems that differ."""
    default = Problem("", "", "profit", PROBLEMS["escape"].model, PROBLEMS["escape"].graph, 1.0, ())
    rows = []
    for name in CHANNELS:
        users = [default, *(PROBLEMS[p] for p in PROBLEMS if name in PROBLEMS[p].channels)]
        strength = _differing([(p.name, f"{p.strength(name):g}") for p in users])
        costs = _differing([(p.name, _cost(p.prices, name)) for p in users])
        each = f"{_PRICED[name]}: " if name in _PRICED else ""
        what = f"{CHANNELS[name].summary}" + (f" ({_MOVES[name]})" if name in _MOVES else "")
        rows.append([f"`{name}`", what, "–" if name == "price" else strength, "–" if name == "price" else each + costs])
    return table(["channel", "at full strength", "strength", "cost"], rows)


def _differing(values: list[tuple[str, str]]) -> str:
    """The default, which comes first, and the problems that have something else."""
    default = values[0][1]
    return "; ".join([default, *(f"{value} in `{name}`" for name, value in values[1:] if value != default)])


def _cost(prices: Prices, name: str) -> str:
    if name == "price":
        return ""
    if name == "seed":
        return f"{prices.seed:g} + {prices.seed_log:g} ln(1 + mean degree of the tier)"
    relative = (
        f" × (mean degree of the tier / of the graph)^{prices.by_degree:g}"
        if prices.by_degree and name in ("boost", "retain")
        else ""
    )
    return f"{getattr(prices, name):g}{relative}"


def price_table() -> str:
    """Prices that are no channel's."""
    names = ("price", "margin", "peak", "cap", "fixed", "elasticity", "price_range")
    defaults = {f.name: f.default for f in fields(Prices)}
    rows = [
        [f"`{name}`", str(defaults[name]), *(str(getattr(PROBLEMS[p].prices, name)) for p in PROBLEMS)]
        for name in names
    ]
    return table(["of `Prices`", "default", *(f"`{p}`" for p in PROBLEMS)], rows)


def world_table() -> str:
    """The worlds."""
    return table(["world", "is"], [[f"`{name}`", what] for name, what in WORLDS.items()])


def observation_table() -> str:
    """Names of the numbers of one tier and of the rest, for SEIR and three tiers."""
    from assets.networks.generate import barabasi_albert
    from assets.networks.tiers import cut
    from sim.cascade.observe.tiers import BLOCKS, Observer
    from sim.cascade.process import models

    graph = barabasi_albert(50, 2, np.random.default_rng(0))
    meaning = {
        "shares": "share of its nodes in each compartment",
        "events": "contact steps and nodal steps since the last decision, divided by its nodes",
        "ages": "mean age of its infectious nodes / mean residence time; share of them older than the median",
        "pressure": "mean number of infectious neighbours of its susceptible nodes / its mean degree",
        "counts": "log10(1 + infectious) / log10(1 + nodes)",
        "static": "share of nodes, of edge ends, log10 of mean degree, shares of its edges to each tier",
    }
    rows, rest = [], []
    for block in BLOCKS:
        names = Observer(graph, cut(graph), models.seir(), (block,)).names()
        own = [name.partition("/")[2] for name in names if name.startswith("tier0/")]
        rest = [name for name in names if "/" not in name]
        rows.append([block, ", ".join(f"`{name}`" for name in own), meaning[block], str(3 * len(own))])
    rows.append(
        ["once", ", ".join(f"`{n}`" for n in rest), "time / horizon, spent share, size and kappa of the graph", "4"]
    )
    total = str(sum(int(row[-1]) for row in rows))
    rows.append(["full", "", "", total])
    return table(["block", "of each tier", "is", "numbers"], rows, right=1)


def with_tables(page: str) -> str:
    """The text of the page with fresh tables. Raises ValueError if it has no markers."""
    parts = {
        "problems": problem_table,
        "channels": channel_table,
        "prices": price_table,
        "worlds": world_table,
        "observation": observation_table,
    }
    for name, make in parts.items():
        page = filled(page, make(), "python -m sim.docs", name)
    return page


PAGES = {PAGE: with_tables}

"""Policies by name or folder, with what they are evaluated with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from policies.cascade import tune
from policies.cascade.baselines import BangBang, Constant, DegreeTargeted, Random
from policies.cascade.config import BASELINES, WorldConfig, trained_view
from policies.cascade.evaluate import BatchPolicy
from policies.cascade.tuned_cache import remembered
from policies.checkpoint import exists
from twinloom.errors import TwinloomError, UnknownNameError

JOINED = "+"  # between the folders of a committee
GRAPHS, EPISODES = 8, 8  # random training graphs, and episodes on each, that baselines are tuned on


@dataclass(frozen=True)
class Chosen:
    """A policy and where it acts.

    Attributes:
        policy: it.
        problem: name of the problem.
        options: of the evaluation environment, with the view that the policy was trained with.
    """

    policy: BatchPolicy
    problem: str
    options: dict[str, Any]


def resolve(name: str, problem: str, options: dict[str, Any]) -> Chosen:
    """The policy called ``name``, or in the folder of that name.

    Args:
        name: baseline, folder, or folders joined by "+", which act as a `Committee`.
        problem: of a baseline.
        options: of the evaluation environment.

    Raises:
        UnknownNameError: neither.
    """
    if name in BASELINES:
        return Chosen(baseline(name, problem, options.get("r0")), problem, options)
    if JOINED in name:
        return _committee(name, options)
    if not exists(name) and "/" not in name:
        raise UnknownNameError("baseline", name, BASELINES, f"{', '.join(BASELINES)}; or the folder of a policy")
    import policies

    task, view = trained_view(Path(name))
    return Chosen(policies.load(name), task, options | view)  # type: ignore[arg-type]


def _committee(name: str, options: dict[str, Any]) -> Chosen:
    """Policies that act together; all must have been trained on one problem with one view."""
    import policies
    from policies.cascade.committee import Committee

    folders = [Path(part) for part in name.split(JOINED)]
    trained = [trained_view(folder) for folder in folders]
    for folder, one in zip(folders, trained, strict=True):
        if one != trained[0]:
            raise TwinloomError(f"{folder} was trained on another problem, or with another observer, than {folders[0]}")
    task, view = trained[0]
    return Chosen(Committee([policies.load(folder) for folder in folders]), task, options | view)  # type: ignore[misc]


def problem_of(names: Sequence[str], given: str | None) -> str:
    """The problem that policies are evaluated on: the one their checkpoints were trained on, else ``given``.

    Raises:
        TwinloomError: checkpoints of several problems, or of another one than ``given``.
    """
    given = given and given.removeprefix("cascade/")
    parts = [part for name in names for part in name.split(JOINED)]
    folders = [name for name in parts if name not in BASELINES and exists(name)]
    trained = {name: trained_view(Path(name))[0] for name in folders}
    for name, task in trained.items():
        if task != (given or next(iter(trained.values()))):
            other = f"not on {given}" if given else f"{folders[0]} on {trained[folders[0]]}; evaluate them one by one"
            raise TwinloomError(f"{name} was trained on {task}, {other}")
    return given or next(iter(trained.values()), "adopt_profit")


def training_ground(problem: Any, r0: float | None = None) -> tune.Ground:
    """Where baselines are tuned: random graphs and processes like those that learners train on."""
    options = WorldConfig(problem, r0=r0).options()
    return tune.Ground(problem, [options | {"scenario_seed": 7_000 + g} for g in range(GRAPHS)], EPISODES)


def baseline(name: str, problem: Any, r0: float | None = None) -> BatchPolicy:
    """A baseline, tuned on training graphs if it has anything to tune; the search is done once."""
    return from_json(remembered(name, problem, r0, lambda: tuned(name, problem, training_ground(problem, r0))))


def tuned(name: str, problem: Any, ground: tune.Ground) -> dict[str, Any]:
    """Parameters of a baseline as JSON: its kind, what was found, and the score it had there."""
    names, rest = tune.layout(ground)
    if name == "null":
        return {"kind": "constant", "action": rest.tolist()}
    if name == "random":
        return {"kind": "random", "size": len(names)}
    if name == "mpc":
        return {"kind": "mpc"}
    if name == "constant":
        policy, score = tune.constant(ground)
        return {"kind": "constant", "action": policy.action.tolist(), "score": score}
    if name == "degree_targeted":
        target, score = tune.degree_targeted(ground)
        found = {"action": target.action.tolist(), "rest": rest.tolist(), "share": target.share}
        return {"kind": "degree_targeted", **found, "score": score}
    from sim.cascade.problems import PROBLEMS

    below = (PROBLEMS[problem] if isinstance(problem, str) else problem).reward == "profit"
    bang, score = tune.bang_bang(ground, below)
    found = {"action": bang.action.tolist(), "rest": rest.tolist(), "threshold": bang.threshold, "below": below}
    return {"kind": "bang_bang", **found, "score": score}


def from_json(value: dict[str, Any]) -> BatchPolicy:
    """The policy that `tuned` described."""
    kind = value["kind"]
    if kind == "constant":
        return Constant(np.array(value["action"]))
    if kind == "random":
        return Random(value["size"])
    if kind == "mpc":
        from policies.cascade.mpc import MeanFieldPlanner

        return MeanFieldPlanner()
    action, rest = np.array(value["action"]), np.array(value["rest"])
    if kind == "degree_targeted":
        return DegreeTargeted(action, rest, value["share"])
    return BangBang(action, rest, value["threshold"], value["below"])

"""``policies train bimanual/TASK`` and ``policies eval`` of dual-arm policies. Parses, calls one function, prints."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import tyro

from assets.errors import TwinloomError

NAME, NAMES, FILE, FOLDER, POLICY = (
    tyro.conf.arg(metavar=text) for text in ("NAME", "NAME ...", "FILE", "FOLDER", "POLICY")
)


def evaluate(
    policy: Annotated[str, tyro.conf.Positional, POLICY],
    task: Annotated[str, NAME] = "",
    robot: Annotated[str, NAME] = "",
    episodes: int = 20,
    seed: int = 1,
    randomize: Annotated[tuple[str, ...], NAMES] = ("none",),
    execute: int = 0,
    render: str = "auto",
    json: Annotated[Path | None, FILE] = None,
) -> int:
    """Let a policy try episodes it was not trained on, in process, and count its successes.

    Args:
        policy: folder made by policies train, or expert:bimanual/TASK.
        task: task name, where it is not the one the policy was made for.
        robot: robot name, likewise.
        episodes: how many.
        seed: run seed; episode k is the one that datagen would record with it, so choose another than for the data.
        randomize: axes (sim list axes), all or none.
        execute: actions of each chunk that are carried out before the policy is asked again; 0 is as it was made.
        render: image quality: auto, fast, nice or best; auto is that of the training data.
        json: write the row to this file and its table beside it. For a folder of policies train the default is in it.
    """
    from policies import load
    from policies.bimanual.report import evaluate as run
    from policies.bimanual.spaces import task_name
    from sim import catalogue
    from sim.select import select, select_one

    if episodes < 1 or seed < 0:
        raise TwinloomError(f"--episodes {episodes} must be at least 1 and --seed {seed} not negative")
    axes = select("axis", randomize, catalogue.axes(), "sim list axes", optional=True)
    options = {"robot": select_one("robot", robot, catalogue.robots(), "sim list robots")} if robot else {}
    actor = load(policy, **(options if policy.startswith("expert:") else {}))
    name = task_name(task or str(actor.spec.extra.get("task", "")))
    command = "policies " + shlex.join(sys.argv[1:])
    return run(
        actor,
        policy,
        name,
        robot or actor.spec.robot or "",
        episodes=episodes,
        seed=seed,
        axes=axes,
        execute=execute,
        render=render,
        json=json,
        command=command,
    )

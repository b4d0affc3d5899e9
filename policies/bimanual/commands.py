"""``policies eval`` of dual-arm policies. Parses, calls one function, prints."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import tyro

from twinloom.errors import TwinloomError

NAME, NAMES, FILE, FOLDER, POLICIES = (
    tyro.conf.arg(metavar=text) for text in ("NAME", "NAME ...", "FILE", "FOLDER", "POLICY ...")
)


def evaluate(
    policy: Annotated[tuple[str, ...], tyro.conf.Positional, POLICIES],
    task: Annotated[str, NAME] = "",
    robot: Annotated[str, NAME] = "",
    episodes: int = 20,
    seed: int = 1,
    randomize: Annotated[tuple[str, ...], NAMES] = ("none",),
    n_action_steps: int = 0,
    render: str = "auto",
    json: Annotated[Path | None, FILE] = None,
    video: Annotated[Path | None, FOLDER] = None,
) -> int:
    """Let policies try episodes they were not trained on, in process, and count the successes; all in the same scenes.

    Args:
        policy: folders made by policies train, or expert:bimanual/TASK.
        task: task name, where it is not the one a policy was made for.
        robot: robot name, likewise.
        episodes: how many.
        seed: run seed; episode k is the one that datagen would record with it, so choose another than for the data.
        randomize: axes (sim list axes), all or none.
        n_action_steps: actions of each chunk carried out before the policy is asked again; 0 is as it was made.
        render: image quality: auto, fast, nice or best; auto is that of the training data.
        json: write the rows to this file and their table beside it. For a run folder the default is in it.
        video: write a video of every episode into this folder.
    """
    from policies import load
    from policies.bimanual.report import EvaluatedPolicy
    from policies.bimanual.report import evaluate as run
    from policies.bimanual.spaces import task_name
    from policies.experts import EXPERT
    from sim.bimanual.family import FAMILY

    if episodes < 1 or seed < 0:
        raise TwinloomError(f"--episodes {episodes} must be at least 1 and --seed {seed} not negative")
    axes = FAMILY.select("axes", randomize, optional=True)
    options = {"robot": FAMILY.pick("robots", robot)} if robot else {}
    actors = []
    for name in policy:
        actor = load(name, **(options if name.startswith(EXPERT) else {}))
        chosen = task_name(task or actor.spec.task)
        actors.append(EvaluatedPolicy(name, actor, chosen, robot or actor.spec.robot or ""))
    return run(
        actors,
        episodes=episodes,
        seed=seed,
        axes=axes,
        n_action_steps=n_action_steps,
        render=render,
        json=json,
        video=video,
        command="policies " + shlex.join(sys.argv[1:]),
    )

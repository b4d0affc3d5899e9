"""An evaluation with everything a reader asks for: progress, n/N with its interval, reasons, JSON, videos."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policies.base import Policy
from policies.bimanual.evaluate import Trial, trials
from policies.bimanual.video import Video, check_folder
from policies.checkpoint import LAST, find
from policies.experts import EXPERT
from sim.bimanual.env import BimanualEnv
from twinloom.errors import TwinloomError
from twinloom.progress import Progress
from twinloom.results import document, markdown, save


@dataclass(frozen=True)
class EvaluatedPolicy:
    """One policy to be evaluated: as the user called it, the object, and the task and robot it acts with."""

    name: str
    policy: Policy
    task: str
    robot: str


def evaluate(
    actors: Sequence[EvaluatedPolicy],
    *,
    episodes: int,
    seed: int,
    axes: Sequence[str],
    n_action_steps: int,
    render: str,
    json: Path | None,
    video: Path | None,
    command: str,
) -> int:
    """Run the trials of all actors in the same scenes, print the table, write JSON. A policy that fails is a result.

    Args:
        json: where to write; None is ``eval/`` in the run folder of a single checkpoint, else nowhere.
        video: folder for a video of every episode, or None.

    Returns:
        The exit code, 0.

    Raises:
        TwinloomError: see policies.bimanual.evaluate.trials.
    """
    check_folder(video)
    if video is not None and len(actors) > 1:
        raise TwinloomError(f"--video {video}: shows one policy at a time, there are {len(actors)}")
    drawn = "+".join(axes) or "none"
    rows, details = [], {}
    with Progress(episodes * len(actors), "episode") as progress:
        for actor in actors:
            mode = actor.policy.spec.render if render == "auto" else render
            settings = {
                "episodes": episodes,
                "seed": seed,
                "axes": frozenset(axes),
                "n_action_steps": n_action_steps,
                "render": mode,
            }
            found = _run(actor, settings, video, progress)
            rows.append(row(actor, drawn, found))
            details[actor.name] = [vars(trial) for trial in found]
    results = document(
        f"Policies at {', '.join(sorted({actor.task for actor in actors}))}, in process",
        rows,
        command=command,
        seeds={"run": seed, "episodes": [0, episodes - 1]},
        note=" ".join(filter(None, (note(actor, seed) for actor in actors))),
    )
    results["trials"] = details
    path = json or default_path(actors, f"{drawn}_seed{seed}")
    if path is not None:
        save(path, results)  # before anything is printed: a closed pipe must not lose it
    print(markdown(results, generated=False))
    if path is not None:
        print(f"json  {path}")
    if video is not None:
        print(f"videos  {video}")
    return 0


def _run(actor: EvaluatedPolicy, settings: Mapping[str, Any], video: Path | None, progress: Progress) -> list[Trial]:
    """The trials of one actor, a video of each if there is a folder for the videos."""
    found: list[Trial] = []
    videos: list[Video] = []

    def keep(env: BimanualEnv) -> Video:
        videos.append(Video(env))
        return videos[-1]

    watch = None if video is None else keep
    for trial in trials(actor.policy, actor.task, actor.robot, **settings, watch=watch):
        found.append(trial)
        progress.advance()
        if not trial.success:
            progress.log(f"{actor.name}, episode {trial.episode}: {trial.reason}")
        if video is not None and videos:
            videos.pop().write(video, trial.episode, trial.success, int(actor.policy.spec.fps))
    return found


def row(actor: EvaluatedPolicy, drawn: str, found: Sequence[Trial]) -> dict[str, Any]:
    """One row of results: k successes of n, mean seconds of the successes, reasons of the failures."""
    lengths = [trial.steps / actor.policy.spec.fps for trial in found if trial.success]
    return {
        "policy": actor.name,
        "task": actor.task,
        "robot": actor.robot,
        "randomisation": drawn,
        "k": len(lengths),
        "n": len(found),
        "seconds": round(sum(lengths) / len(lengths), 2) if lengths else None,
        "reasons": dict(sorted(Counter(trial.reason for trial in found if trial.reason).items())),
    }


def note(actor: EvaluatedPolicy, seed: int) -> str:
    """A warning where a policy was trained on these very episodes, "" elsewhere."""
    spec = actor.policy.spec
    if spec.task == f"bimanual/{actor.task}" and seed in spec.extra.get("data", {}).get("seeds", []):
        return f"**{actor.name} was trained on these episodes, run seed {seed}.** Choose another --seed."
    return ""


def default_path(actors: Sequence[EvaluatedPolicy], stem: str) -> Path | None:
    """``runs/x/eval/TASK_ROBOT_STEM.json`` for runs/x/last or for a folder x that no run made; else None."""
    if len(actors) > 1 or actors[0].name.startswith(EXPERT):
        return None
    place = find(actors[0].name)
    run = place.parent if place.name == LAST else Path("runs") / place.name
    return run / "eval" / f"{actors[0].task}_{actors[0].robot}_{stem}.json"

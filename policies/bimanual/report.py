"""An evaluation with everything a reader asks for: progress, n/N with its interval, reasons, JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from assets.progress import Progress
from assets.results import document, markdown, save
from policies.base import Policy
from policies.bimanual.evaluate import Trial, trials
from policies.bimanual.film import Film, check_folder
from policies.checkpoint import LAST, find


def evaluate(
    policy: Policy,
    name: str,
    task: str,
    robot: str,
    *,
    episodes: int,
    seed: int,
    axes: Sequence[str],
    execute: int,
    render: str,
    json: Path | None,
    video: Path | None,
    command: str,
) -> int:
    """Run the trials, print the table, write JSON. Returns the exit code, 0: a policy that fails is a result.

    Args:
        name: as the policy was called by the user: folder or "expert:...".
        json: where to write; None is ``eval/`` in the run folder, nowhere for an expert.
        video: folder for a video of every episode, or None.

    Raises:
        TwinloomError: see policies.bimanual.evaluate.trials.
    """
    extra = policy.spec.extra
    mode = str(extra.get("render", "auto")) if render == "auto" else render
    found: list[Trial] = []
    films: list[Film] = []
    check_folder(video)
    watch = None if video is None else lambda prepared: films.append(Film(prepared))
    with Progress(episodes, "episode") as progress:
        settings = {"episodes": episodes, "seed": seed, "axes": frozenset(axes), "execute": execute, "render": mode}
        for trial in trials(policy, task, robot, **settings, watch=watch):
            found.append(trial)
            if video is not None and films:
                films.pop().write(video, trial.episode, trial.success, int(policy.spec.fps))
            progress.advance()
            if not trial.success:
                progress.log(f"episode {trial.episode}: {trial.reason}")
    drawn = "+".join(axes) or "none"
    results = document(
        f"{policy.spec.kind} policy at {task}, in process",
        [row(name, task, robot, drawn, found, policy.spec.fps)],
        command=command,
        seeds={"run": seed, "episodes": [0, episodes - 1]},
        note=note(extra, task, seed),
    )
    results["trials"] = [vars(trial) for trial in found]
    print(markdown(results, generated=False))
    path = json or default_path(name, f"{task}_{robot}_{drawn}_seed{seed}")
    if path is not None:
        save(path, results)
        print(f"json  {path}")
    if video is not None:
        print(f"videos  {video}")
    return 0


def row(name: str, task: str, robot: str, drawn: str, found: Sequence[Trial], fps: float) -> dict:
    """One row of results: k successes of n, mean seconds of the successes, reasons of the failures."""
    lengths = [trial.steps / fps for trial in found if trial.success]
    return {
        "policy": name,
        "task": task,
        "robot": robot,
        "randomisation": drawn,
        "k": len(lengths),
        "n": len(found),
        "seconds": round(sum(lengths) / len(lengths), 2) if lengths else None,
        "reasons": dict(sorted(Counter(trial.reason for trial in found if trial.reason).items())),
    }


def note(extra: dict, task: str, seed: int) -> str:
    """A warning where the policy was trained on these very episodes, "" elsewhere."""
    data = extra.get("data", {})
    if extra.get("task") == f"bimanual/{task}" and seed in data.get("seeds", []):
        return f"**These are episodes of run seed {seed}, on which the policy was trained.** Choose another --seed."
    return ""


def default_path(name: str, stem: str) -> Path | None:
    """``runs/x/eval/STEM.json`` for the checkpoint runs/x/last; None where the policy is no folder."""
    if name.startswith("expert:"):
        return None
    place = find(name)
    return (place.parent if place.name == LAST else place.with_name(f"{place.name}_eval")) / "eval" / f"{stem}.json"

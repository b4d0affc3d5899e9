"""A run of datagen with the fake source in a process of its own.

``python -m tests.datagen.run_fake OUT EPISODES WORKERS COMMIT_SLOTS [TASK ...]``
"""

from __future__ import annotations

import sys
from pathlib import Path

from twinloom.command import run_command


def main() -> int:
    from datagen.collect import collect
    from tests.datagen.conftest import make_run
    from twinloom.progress import Progress

    out, episodes, workers, commit_slots, *tasks = sys.argv[1:]
    run = make_run(
        Path(out),
        int(episodes),
        int(workers),
        run={"commit_slots": int(commit_slots)},
        **({"tasks": tuple(tasks)} if tasks else {}),
    )
    outcome = collect(run, Progress(run.episodes * len(run.settings.tasks), "episode"))
    print(f"kept {outcome.account.made} of {outcome.account.asked}", flush=True)
    if outcome.signal:
        return 128 + outcome.signal
    return 0 if outcome.account.made >= outcome.account.asked else 1


if __name__ == "__main__":
    run_command(main)

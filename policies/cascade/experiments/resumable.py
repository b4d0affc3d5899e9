"""An experiment as cells: each is one process that writes one JSON file. Finished cells are never computed again.

Cells are named after their settings, so a file found under a name is the result of exactly these settings. An
interruption reaches the running cells too; trainings among them save their state and go on when the command
is repeated.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from twinloom.atomic import write_json
from twinloom.errors import TwinloomError
from twinloom.interrupt import Interrupt
from twinloom.progress import duration

FOLDER = Path("runs") / "experiments"
POLL_S = 0.2


@dataclass(frozen=True, eq=False)
class ExperimentCell:
    """One piece of work.

    Attributes:
        name: readable, unique in its experiment.
        function: "module:function" of (arguments: dict, folder: Path) -> JSON value; folder is for what it keeps.
        arguments: JSON.
        minutes: rough processor time, for the estimate.
        after: names of cells whose results it reads.
    """

    name: str
    function: str
    arguments: dict[str, Any]
    minutes: float
    after: tuple[str, ...] = field(default=())

    def stem(self) -> str:
        """Name of its file: readable part and digest of the settings."""
        text = json.dumps([self.function, self.arguments], sort_keys=True)
        return f"{self.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def result(cell: ExperimentCell, folder: Path) -> Any:
    """What a finished cell found. Raises TwinloomError if it is not finished."""
    path = folder / f"{cell.stem()}.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))["result"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise TwinloomError(f"{path} is missing or damaged: {error}; repeat the experiment's command") from error


def finished(cell: ExperimentCell, folder: Path) -> bool:
    """Whether its result is there and can be read; a damaged one is computed again."""
    try:
        result(cell, folder)
    except TwinloomError:
        return False
    return True


def check_counts(options: Any, *names: str) -> None:
    """Raise TwinloomError unless all these options are at least 1."""
    wrong = [f"--{name} {getattr(options, name)}" for name in names if getattr(options, name) < 1]
    if wrong:
        raise TwinloomError(f"{', '.join(wrong)} must be at least 1")


def run(cells: Sequence[ExperimentCell], folder: Path, jobs: int = 1, dry: bool = False) -> None:
    """Compute all cells that are not finished, ``jobs`` at a time, each after those it needs.

    Args:
        cells: unique names.
        folder: where results lie; <folder>/<cell> is what a cell keeps for itself.
        jobs: processes, at least 1.
        dry: only print what would be done and how long it may take.

    Raises:
        TwinloomError: no job at all, or a cell failed; the others were finished first.
        KeyboardInterrupt: interrupted.
    """
    if jobs < 1:
        raise TwinloomError(f"--jobs {jobs} must be at least 1")
    waiting = [cell for cell in cells if not finished(cell, folder)]
    total = sum(cell.minutes for cell in waiting)
    done = len(cells) - len(waiting)
    print(
        f"{len(cells)} cells, {done} of them finished; about {duration(60 * total)} of processor time left, "
        f"{duration(60 * total / jobs)} with {jobs} jobs; results in {folder}",
        flush=True,
    )
    if dry:
        print("\n".join(f"  {cell.name}: about {duration(60 * cell.minutes)}" for cell in waiting))
        return
    folder.mkdir(parents=True, exist_ok=True)
    running: dict[ExperimentCell, subprocess.Popen[bytes]] = {}
    failed: list[str] = []
    start, worked = time.monotonic(), 0.0
    names = {cell.name for cell in waiting}
    with Interrupt() as interrupt:
        try:
            while (waiting and not interrupt.wanted) or running:
                for cell in [] if interrupt.wanted else list(waiting):
                    if len(running) < jobs and not names.intersection(cell.after):
                        waiting.remove(cell)
                        running[cell] = _start(cell, folder)
                if not running:
                    break  # what is left waits for cells that failed
                time.sleep(POLL_S)
                for cell in [c for c, process in running.items() if process.poll() is not None]:
                    code = running.pop(cell).returncode
                    if code == 0:
                        names.discard(cell.name)
                        worked += cell.minutes
                        speed = (time.monotonic() - start) / worked if worked else 0.0
                        left = duration(speed * max(0.0, total - worked))
                        print(f"{cell.name}: done; {len(names)} to go, about {left}", flush=True)
                    elif not interrupt.wanted:
                        failed.append(cell.name)
                        log = folder / f"{cell.stem()}.log"
                        print(f"{cell.name}: FAILED with code {code}; see {log}", file=sys.stderr, flush=True)
                if interrupt.wanted:
                    _tell(running)
        finally:
            _tell(running)
    if interrupt.wanted:
        raise KeyboardInterrupt
    if failed:
        raise TwinloomError(f"{len(failed)} cells failed ({', '.join(failed[:3])}); their logs are in {folder}")


def _start(cell: ExperimentCell, folder: Path) -> subprocess.Popen[bytes]:
    """The cell as a process of its own group, single-threaded, so that ``jobs`` of them fill as many cores."""
    task = json.dumps({"name": cell.name, "function": cell.function, "arguments": cell.arguments})
    out = folder / f"{cell.stem()}.json"
    alone = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    with (folder / f"{cell.stem()}.log").open("ab") as log:
        command = [sys.executable, "-m", "policies.cascade.experiments.resumable", task, str(out)]
        return subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, env=os.environ | alone, start_new_session=True
        )


def _tell(running: dict[ExperimentCell, subprocess.Popen[bytes]]) -> None:
    """Ask running cells to save and stop. They are told once; a training answers between two updates."""
    for process in running.values():
        if process.poll() is None and not getattr(process, "told", False):
            process.send_signal(signal.SIGTERM)
            process.told = True  # type: ignore[attr-defined]


def main() -> None:
    """Body of one cell's process."""
    task, out = json.loads(sys.argv[1]), Path(sys.argv[2])
    module, _, name = task["function"].partition(":")
    lock = out.with_suffix(".lock").open("w")  # held until the process ends, however it ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"error: another process is computing {task['name']}; wait for it or end it")
    began, clock = time.monotonic(), time.process_time()
    try:
        value = getattr(importlib.import_module(module), name)(task["arguments"], out.with_suffix(""))
    except TwinloomError as error:
        sys.exit(f"error: {error}")
    seconds = {"processor_s": round(time.process_time() - clock, 1), "wall_s": round(time.monotonic() - began, 1)}
    write_json(out, task | seconds | {"result": value})


if __name__ == "__main__":
    main()

"""``make bench``: every benchmark beside its peer, one row each, and the same numbers as a result file.

Exit code 0 if all selected benchmarks ran or were skipped with a reason, 1 if one failed, 2 if none is selected.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from sim.engine.probe import probe
from tests.bench import harness
from twinloom.atomic import write_json
from twinloom.command import run_command
from twinloom.errors import UnknownNameError
from twinloom.machine import commit, machine
from twinloom.results import describe_machine, document


@dataclass
class Arguments:
    """Measure our code beside a peer or a bound, both in the same run. A ratio above 1 means that ours is better."""

    only: str = ""
    """Run the benchmarks whose names begin with this."""
    json: Path | None = None
    """Write the numbers to this file (layout: docs/results/README.md)."""
    list: bool = False
    """Print the names and leave."""


def number(value: float | None) -> str:
    """Three significant digits with thousands separators, or a dash."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def line(outcome: harness.Outcome, width: int) -> str:
    """One aligned row."""
    if outcome.failed or outcome.skipped:
        return f"{outcome.name:<{width}}  " + (
            f"FAILED   {outcome.failed}" if outcome.failed else f"skipped  {outcome.skipped}"
        )
    spread = outcome.spread or (0.0, 0.0)
    return (
        f"{outcome.name:<{width}}  {number(outcome.ours):>10}  {number(outcome.peer):>10}  {outcome.ratio:>6.2f}  "
        f"{f'{spread[0]:.2f}-{spread[1]:.2f}':>11}  {outcome.repetitions:>4}  {outcome.unit:<14}  {outcome.peer_name}"
    )


def row(outcome: harness.Outcome) -> dict[str, Any]:
    """One row of the result file."""
    low, high = outcome.spread or (None, None)
    return {
        "benchmark": outcome.name,
        "ours": outcome.ours,
        "peer": outcome.peer,
        "unit": outcome.unit,
        "ratio": outcome.ratio,
        "ratio_lowest": low,
        "ratio_highest": high,
        "repetitions": outcome.repetitions,
        "compared_with": outcome.peer_name,
        "remark": outcome.failed or outcome.skipped,
    }


def bench(arguments: Arguments) -> int:
    """Run the selected benchmarks; returns the exit code."""
    harness.discover()
    names = [name for name in harness.REGISTRY.names() if name.startswith(arguments.only)]
    if not names:
        raise UnknownNameError("benchmark", arguments.only, harness.REGISTRY.names(), harness.REGISTRY.list_command)
    if arguments.list:
        print("\n".join(names))
        return 0
    width = max(map(len, names))
    renderer = probe().renderer or "none"
    print(f"{describe_machine(machine() | {'renderer': renderer})}, commit {commit()}")
    print(f"{'benchmark':<{width}}  {'ours':>10}  {'peer':>10}  {'ratio':>6}  {'spread':>11}  reps  {'unit':<14}  peer")
    outcomes = []
    for name in names:
        outcomes.append(harness.run(harness.REGISTRY[name]))
        print(line(outcomes[-1], width), flush=True)
    if arguments.json:
        command = "python -m tests.bench " + shlex.join(sys.argv[1:])
        title = f"Benchmarks {arguments.only}".strip()
        write_json(arguments.json, document(title, map(row, outcomes), command=command, renderer=renderer))
    return int(any(outcome.failed for outcome in outcomes))


if __name__ == "__main__":
    run_command(lambda: bench(tyro.cli(Arguments, prog="python -m tests.bench")))

"""What a benchmark is, and how one is registered, repeated and summarised.

A benchmark is a function in ``tests/bench/bench_*.py`` that returns samples of ours and of a peer (or a bound)
measured alternately in the same run, so that a busy machine slows both:

    @benchmark("datagen/encode_vs_bare_x264", unit="frames/s", peer="libx264 through PyAV, nothing else")
    def encode() -> Samples:
        return rates(ours=..., peer=..., work=240)
"""

from __future__ import annotations

import importlib
import importlib.util
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from twinloom.extras import install_line
from twinloom.registry import Registry

FOLDER = Path(__file__).parent


class Skip(Exception):  # noqa: N818 (not an error)
    """A benchmark that cannot run here; the message says why and what would change that."""


@dataclass(frozen=True)
class Samples:
    """Repetitions of both sides, in the benchmark's unit and in the order they were measured."""

    ours: Sequence[float]
    peer: Sequence[float]


@dataclass(frozen=True)
class Benchmark:
    """One registered benchmark.

    Attributes:
        name: "area/what_vs_peer".
        unit: of the samples.
        peer: what ours is compared with, a few words.
        better: whether high or low samples are good; the ratio is above 1 when ours is better.
        needs: modules without which it is skipped, brought by ``pip install -e '.[bench]'``.
        measure: returns the samples, or raises Skip.
    """

    name: str
    unit: str
    peer: str
    better: Literal["higher", "lower"]
    needs: tuple[str, ...]
    measure: Callable[[], Samples]


@dataclass(frozen=True)
class Outcome:
    """Medians of one benchmark, or why there are none.

    Attributes:
        ratio: ours/peer where higher is better, peer/ours where lower is: above 1 ours wins.
        spread: the same ratio of each repetition, lowest and highest.
        skipped: reason; empty if it ran.
        failed: the error; empty if it ran.
    """

    name: str
    unit: str
    peer_name: str
    ours: float | None = None
    peer: float | None = None
    ratio: float | None = None
    spread: tuple[float, float] | None = None
    repetitions: int = 0
    skipped: str = ""
    failed: str = ""


REGISTRY: Registry[Benchmark] = Registry("benchmark", "python -m tests.bench --list")


def benchmark(
    name: str, *, unit: str, peer: str, better: Literal["higher", "lower"] = "higher", needs: tuple[str, ...] = ()
) -> Callable[[Callable[[], Samples]], Callable[[], Samples]]:
    """Register the decorated function; see `Benchmark` for the arguments."""

    def register(measure: Callable[[], Samples]) -> Callable[[], Samples]:
        REGISTRY.register(name, Benchmark(name, unit, peer, better, needs, measure))
        return measure

    return register


def discover() -> None:
    """Import every ``bench_*.py`` beside this file, which registers what they hold."""
    for file in sorted(FOLDER.glob("bench_*.py")):
        importlib.import_module(f"tests.bench.{file.stem}")


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of one call in seconds: all threads of this process, and child processes that end during the call.

    Robust against other load, unlike wall time; both sides of a benchmark must use the same clock.
    """
    return _clocked(work, _cpu_clock)


def wall_seconds(work: Callable[[], object]) -> float:
    """Wall time of one call in seconds; only for work that waits (disks, several processes)."""
    return _clocked(work, time.perf_counter)


def _cpu_clock() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _clocked(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


def durations(
    ours: Callable[[], object],
    peer: Callable[[], object],
    repetitions: int = 5,
    clock: Callable[[Callable[[], object]], float] = cpu_seconds,
) -> Samples:
    """Seconds of both sides: one untimed call each, then ``repetitions`` pairs, the order swapped in every other."""
    ours()
    peer()
    first: list[float] = []
    second: list[float] = []
    for repetition in range(repetitions):
        sides = [(ours, first), (peer, second)]
        for work, samples in sides if repetition % 2 == 0 else sides[::-1]:
            samples.append(clock(work))
    return Samples(first, second)


def rates(
    ours: Callable[[], object],
    peer: Callable[[], object],
    work: float,
    repetitions: int = 5,
    clock: Callable[[Callable[[], object]], float] = cpu_seconds,
) -> Samples:
    """As `durations`, as rates: ``work`` units (frames, bytes, solutions) are done in each call of either side."""
    seconds = durations(ours, peer, repetitions, clock)
    return Samples([work / s for s in seconds.ours], [work / s for s in seconds.peer])


def run(bench: Benchmark) -> Outcome:
    """Measure one benchmark. A failure is an outcome, so that the others still run."""
    blank = Outcome(bench.name, bench.unit, bench.peer)
    missing = [module for module in bench.needs if importlib.util.find_spec(module) is None]
    if missing:
        return replace(blank, skipped=f"{', '.join(missing)} not installed: {install_line('bench')}")
    try:
        samples = bench.measure()
    except Skip as reason:
        return replace(blank, skipped=str(reason))
    except Exception as error:  # reported in the row and by the exit code
        return replace(blank, failed=f"{type(error).__name__}: {error}")
    return summarise(bench, samples)


def summarise(bench: Benchmark, samples: Samples) -> Outcome:
    """Medians and ratios of the samples."""
    pairs = list(zip(samples.ours, samples.peer, strict=True))
    ratios = [ours / peer if bench.better == "higher" else peer / ours for ours, peer in pairs]
    return Outcome(
        bench.name,
        bench.unit,
        bench.peer,
        ours=statistics.median(samples.ours),
        peer=statistics.median(samples.peer),
        ratio=statistics.median(ratios),
        spread=(min(ratios), max(ratios)),
        repetitions=len(pairs),
    )

"""The benchmark harness: ratios, skips, failures, the result file."""

from __future__ import annotations

import json

import pytest

from tests.bench import harness
from tests.bench.__main__ import Arguments, bench
from twinloom.errors import UnknownNameError
from twinloom.registry import Registry
from twinloom.results import markdown, read_results


@pytest.fixture
def registry(monkeypatch):
    fresh: Registry = Registry("benchmark", "python -m tests.bench --list")
    monkeypatch.setattr(harness, "REGISTRY", fresh)
    monkeypatch.setattr(harness, "discover", lambda: None)
    return fresh


def register_four():
    @harness.benchmark("a/rate", unit="frames/s", peer="bare loop")
    def _rate():
        return harness.Samples([100, 90, 110], [100, 100, 100])

    @harness.benchmark("a/time", unit="ms", peer="other solver", better="lower")
    def _time():
        return harness.Samples([2.0], [6.0])

    @harness.benchmark("b/skip", unit="s", peer="nobody")
    def _skip():
        raise harness.Skip("needs a GPU")

    @harness.benchmark("b/needs", unit="s", peer="nobody", needs=("no_such_module",))
    def _needs():
        raise AssertionError("must not run")


def test_ratio_above_one_is_better_for_us(registry):
    register_four()
    outcomes = {name: harness.run(registry[name]) for name in registry}
    assert (outcomes["a/rate"].ratio, outcomes["a/rate"].spread) == (1.0, (0.9, 1.1))
    assert outcomes["a/time"].ratio == 3.0
    assert outcomes["b/skip"].skipped == "needs a GPU"
    assert outcomes["b/needs"].skipped == "no_such_module not installed: pip install -e '.[bench]'"


def test_rows_and_result_file_agree(registry, tmp_path, capsys):
    register_four()
    file = tmp_path / "bench.json"
    assert bench(Arguments(json=file)) == 0
    printed = capsys.readouterr().out
    rows = {row["benchmark"]: row for row in json.loads(file.read_text())["rows"]}
    assert list(rows) == ["a/rate", "a/time", "b/needs", "b/skip"]
    assert rows["a/rate"]["repetitions"] == 3
    assert rows["b/skip"]["remark"] == "needs a GPU"
    assert all(name in printed for name in rows)
    assert "| a/time |" in markdown(read_results(file))


def test_only_selects_by_prefix(registry, capsys):
    register_four()
    assert bench(Arguments(only="a/", list=True)) == 0
    assert capsys.readouterr().out.split() == ["a/rate", "a/time"]
    with pytest.raises(UnknownNameError, match=r"tests\.bench --list"):
        bench(Arguments(only="zzz"))


def test_a_failure_is_shown_and_counts(registry, capsys):
    register_four()

    @harness.benchmark("c/broken", unit="s", peer="nobody")
    def _broken():
        raise RuntimeError("does not converge")

    assert bench(Arguments()) == 1
    assert "FAILED   RuntimeError: does not converge" in capsys.readouterr().out


def test_pairs_are_interleaved_and_warmed_up():
    calls: list[str] = []
    samples = harness.rates(lambda: calls.append("o"), lambda: calls.append("p"), work=10, repetitions=3)
    assert "".join(calls) == "op" + "oppoop"
    assert len(samples.ours) == len(samples.peer) == 3


def test_cpu_time_sees_work_and_not_sleep():
    import subprocess
    import time

    assert harness.cpu_seconds(lambda: time.sleep(0.2)) < 0.05
    assert harness.cpu_seconds(lambda: sum(range(5_000_000))) > 0.02
    busy = ["python3", "-c", "sum(range(5_000_000))"]
    assert harness.cpu_seconds(lambda: subprocess.run(busy, check=True)) > 0.02


def test_the_real_benchmarks_register_under_distinct_names():
    harness.discover()
    assert all("/" in name for name in harness.REGISTRY)

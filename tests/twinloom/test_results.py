"""Results as data: intervals, refusals, the generated table."""

from __future__ import annotations

import json

import pytest

from twinloom.errors import InvalidSettingsError, TwinloomError
from twinloom.generated import END, marker
from twinloom.results import document, markdown, read_results, wilson, write_results, write_table

ROWS = [
    {"task": "hanging_mug", "k": 19, "n": 20, "reasons": {"no feasible grasp": 1}, "seconds": 1.234},
    {"task": "shake_bottle", "k": 20, "n": 20, "reasons": {}, "seconds": 12345.6},
]


def test_wilson_interval_solves_its_own_equation():
    """The bounds are the rates p at which the observed one is z standard errors away: (k/n - p)^2 n = z^2 p (1 - p)."""
    z = 1.959963984540054
    for k, n in [(0, 20), (1, 20), (19, 20), (20, 20), (973, 1000)]:
        for p in wilson(k, n):
            assert (k / n - p) ** 2 * n == pytest.approx(z**2 * p * (1 - p), abs=1e-9)
    assert wilson(0, 0) == (0.0, 1.0)


def test_rows_carry_rate_and_interval():
    row = document("t", ROWS, command="c")["rows"][0]
    assert list(row) == ["task", "k", "n", "rate", "low", "high", "reasons", "seconds"]
    assert (row["rate"], row["low"], row["high"]) == (0.95, 0.7639, 0.9911)


def test_bad_rows_are_refused_together():
    rows = [ROWS[0], ROWS[1] | {"k": 21}, {"task": "x"}]
    with pytest.raises(InvalidSettingsError) as caught:
        document("t", rows, command="c")
    assert len(caught.value.problems) == 2
    with pytest.raises(InvalidSettingsError, match="no rows"):
        document("t", [], command="c")


def test_files_and_table(tmp_path):
    path = write_results("bimanual", "clean", ROWS, command="sim rollout --expert", seeds=[0, 19], folder=tmp_path)
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert {"command", "commit", "machine", "versions", "seeds", "date", "rows"} <= set(stored)
    table = (tmp_path / "bimanual" / "clean.md").read_text(encoding="utf-8")
    assert "| hanging_mug | 19 | 20 | 95.0% (76.4% to 99.1%) | no feasible grasp 1 | 1.23 |" in table
    assert "| shake_bottle | 20 | 20 | 100.0% (83.9% to 100.0%) | – | 12,346 |" in table
    assert "Mean of 2 rows **97.5%**; lowest hanging_mug 95.0%; pooled 39/40" in table
    assert "`sim rollout --expert`" in table
    assert markdown(read_results(path)) == write_table(path).read_text(encoding="utf-8") == table


def test_a_result_of_the_documentation_is_listed_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("twinloom.results.RESULTS", tmp_path)
    (tmp_path / "README.md").write_text(f"before\n{marker('python -m twinloom.results')}\n{END}\nafter\n")
    write_results("bimanual", "clean", ROWS, command="c", title="Clean", folder=tmp_path)
    page = (tmp_path / "README.md").read_text()
    assert "* [Clean](bimanual/clean.md): mean of 2 rows **97.5%**; lowest hanging_mug 95.0%" in page
    assert page.startswith("before")
    assert page.endswith("after\n")


def test_other_files_are_refused(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(TwinloomError, match="not a result file"):
        read_results(tmp_path / "a.json")
    (tmp_path / "b.json").write_text("{")
    with pytest.raises(TwinloomError, match="cannot read results"):
        read_results(tmp_path / "b.json")

"""Baselines are searched for once."""

from __future__ import annotations

import pytest

from policies.cascade.tuned_cache import remembered

FOUND = {"kind": "constant", "action": [0.25]}


@pytest.fixture
def searches(monkeypatch, tmp_path):
    monkeypatch.setenv("TWINLOOM_CACHE", str(tmp_path))
    return []


def test_a_baseline_is_searched_for_once(searches):
    def search():
        searches.append(1)
        return FOUND

    assert [remembered("constant", "escape", None, search) for _ in range(3)] == [FOUND] * 3
    assert len(searches) == 1
    remembered("constant", "escape", 1.5, search)
    remembered("constant", "adopt_profit", None, search)
    remembered("constant", object(), None, search)  # a problem of one's own has no name to be found under
    assert len(searches) == 4


def test_a_damaged_file_and_a_cache_that_cannot_be_written_only_cost_time(searches, tmp_path, monkeypatch):
    assert remembered("constant", "escape", None, lambda: FOUND) == FOUND
    (path,) = (tmp_path / "baselines").iterdir()
    path.write_text("{")
    assert remembered("constant", "escape", None, lambda: FOUND) == FOUND
    monkeypatch.setenv("TWINLOOM_CACHE", "/dev/null")
    assert remembered("constant", "escape", None, lambda: FOUND) == FOUND


def test_other_code_searches_again(searches, monkeypatch):
    import policies.cascade.tuned_cache as module

    remembered("constant", "escape", None, lambda: FOUND)
    monkeypatch.setattr(module, "_stamp", lambda: "other")
    assert remembered("constant", "escape", None, lambda: FOUND | {"action": [1.0]})["action"] == [1.0]

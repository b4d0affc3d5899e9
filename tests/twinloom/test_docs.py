"""Documentation: no broken relative links, tables equal to their data, commands that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.bimanual.family import task_entry
from sim.bimanual.task import task_class, task_names
from twinloom.machine import REPOSITORY
from twinloom.results import RESULTS, markdown, read_results, with_index

PAGES = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """Heading anchors as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> list[str]:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    broken = []
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        if not linked.exists() or (anchor and linked.suffix == ".md" and anchor not in anchors(linked)):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_relative_links_lead_somewhere(page):
    assert broken_links(page) == []


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A heading\n[a](page.md) [b](#a-heading) [c](#other) [d](gone.md) [e](https://example.org)\n")
    assert broken_links(page) == ["#other", "gone.md"]


@pytest.mark.parametrize("file", sorted(RESULTS.rglob("*.json")), ids=lambda file: str(file.relative_to(RESULTS)))
def test_result_tables_equal_their_data(file):
    table = file.with_suffix(".md")
    assert table.exists(), "run: python -m twinloom.results"
    assert table.read_text(encoding="utf-8") == markdown(read_results(file)), "run: python -m twinloom.results"


def test_success_rates_of_the_readme_are_those_of_the_results():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    quoted = re.search(r"\*\*([\d.]+) %\*\* \(clean\) and \*\*([\d.]+) %\*\* .* of ([\d,]+) episodes", text)
    assert quoted
    for number, name in enumerate(("clean", "randomized"), 1):
        rows = read_results(RESULTS / "bimanual" / f"expert_franka-panda_{name}.json")["rows"]
        assert quoted[number] == f"{100 * sum(row['k'] / row['n'] for row in rows) / len(rows):.1f}"
        assert quoted[3] == f"{sum(row['n'] for row in rows):,}"
        assert {row["task"] for row in rows} == set(task_names())


def test_list_of_results_equals_the_files():
    page = (RESULTS / "README.md").read_text(encoding="utf-8")
    assert with_index(page) == page, "run: python -m twinloom.results"


def test_table_of_tasks_equals_the_code():
    from sim.bimanual.docs import PAGE, with_table

    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page) == page, "run: python -m sim.docs"


@pytest.mark.parametrize("name", task_names())
def test_every_task_says_what_it_draws_and_when_it_is_done(name):
    entry = task_entry(name)
    assert entry.summary.endswith(".")
    assert entry.randomised
    assert entry.success
    assert task_class(name).limit > 0

"""Choosing names by words: all, a count, names."""

from __future__ import annotations

import pytest

from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.select import select

KNOWN = ("adjust_bottle", "beat_block_hammer", "click_bell", "stack_blocks_two")


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ("all", list(KNOWN)),
        ("2", list(KNOWN[:2])),
        (("4",), list(KNOWN)),
        ("click_bell,adjust_bottle", ["adjust_bottle", "click_bell"]),
        (("click_bell", "click_bell", "1"), ["adjust_bottle", "click_bell"]),
    ],
)
def test_words(words, chosen):
    assert select("task", words, KNOWN, "sim list tasks") == chosen


def test_nothing_is_a_choice_only_where_it_makes_sense():
    assert select("axis", "none", KNOWN, "sim list axes", optional=True) == []
    with pytest.raises(TwinloomError, match='"none" excludes all other names; given: none click_bell'):
        select("axis", "none,click_bell", KNOWN, "sim list axes", optional=True)
    with pytest.raises(UnknownNameError, match='unknown task "none"'):
        select("task", "none", KNOWN, "sim list tasks")


def test_unknown_names_and_counts():
    with pytest.raises(UnknownNameError, match="Did you mean stack_blocks_two"):
        select("task", "stak_blocks_two", KNOWN, "sim list tasks")
    with pytest.raises(TwinloomError, match="51 tasks asked, there are 4"):
        select("task", "51", KNOWN, "sim list tasks")
    with pytest.raises(TwinloomError, match="no task given"):
        select("task", " , ", KNOWN, "sim list tasks")
    with pytest.raises(TwinloomError, match="0 tasks asked"):
        select("task", "0", KNOWN, "sim list tasks")

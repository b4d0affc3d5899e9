"""Sentences: patterns expand completely, splits are disjoint, every slot is filled with words of the right split."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.objects import library
from sim.bimanual.actor import Actor
from sim.bimanual.episode import draw
from sim.bimanual.language import expand, instructions, templates
from sim.bimanual.task import task_class, task_names
from tests.sim.bimanual.scenes import ROBOT
from twinloom.seeding import episode_seed

WORD = st.sampled_from(["put", "it", "there", "{A}", "now"])
CHOICE = st.lists(WORD | st.just(""), min_size=1, max_size=4, unique=True).map(lambda words: f"[{'|'.join(words)}]")
PATTERN = st.lists(WORD | CHOICE, min_size=1, max_size=5).map(" ".join)


def actor(category: str, index: int = 0) -> Actor:
    return Actor(category, library.load(category, index), "free", np.eye(4))


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_alternatives_multiply_in_order():
    assert expand("[a|b] x [1|2|]") == ["a x 1", "a x 2", "a x", "b x 1", "b x 2", "b x"]


def test_an_empty_alternative_leaves_no_double_space():
    assert expand("[now| ]put {A}[ quickly|] down") == [
        "nowput {A} quickly down",
        "nowput {A} down",
        "put {A} quickly down",
        "put {A} down",
    ]


@given(PATTERN)
def test_expanding_leaves_no_brackets_and_as_many_sentences_as_choices(pattern):
    sentences = expand(pattern)
    assert len(sentences) == np.prod([c.count("|") + 1 for c in re.findall(r"\[[^\]]*\]", pattern)], dtype=int)
    assert not any(c in s for s in sentences for c in "[]|")
    assert all(s == " ".join(s.split()) for s in sentences)


@given(st.lists(PATTERN, min_size=1, max_size=4))
def test_every_fourth_sentence_is_unseen_and_none_is_lost(patterns):
    everything = list(dict.fromkeys(s for p in patterns for s in expand(p)))
    seen, unseen = templates(patterns, "seen"), templates(patterns, "unseen")
    assert unseen == everything[3::4]
    assert sorted(seen + unseen) == sorted(everything)
    assert not set(seen) & set(unseen)


PATTERNS = ("[pick|take|grab] {A} [with {a}|] and [put|set] it {where}", "[move|bring] {A} [there|over]")


@pytest.mark.parametrize("split", ["seen", "unseen"])
def test_slots_are_filled_with_phrases_of_the_split(split):
    cup = actor("cup", 1)
    found = instructions(PATTERNS, {"A": cup, "a": "left", "where": "on the tray"}, split, rng())
    phrases = cup.asset.seen if split == "seen" else cup.asset.unseen
    assert len(found) == len(set(found)) > 5
    bare = set()
    for sentence in found:
        assert sentence[0].isupper()
        used = [p for p in phrases if f"the {p}" in sentence or f"The {p}" in sentence]
        assert used, sentence
        phrase = max(used, key=len)
        bare.add(sentence.replace(phrase, "A").replace("the left arm", "a").replace("on the tray", "w").lower())
    expected = {s.format(A="the A", a="a", where="w").lower() for s in templates(PATTERNS, split)}
    assert bare == expected  # every template of the split comes up, and none of the other


def test_a_count_is_a_bound_and_one_generator_gives_one_list():
    slots = {"A": actor("cup"), "a": "right", "where": "away"}
    assert len(instructions(PATTERNS, slots, "seen", rng(), 7)) == 7
    assert instructions(PATTERNS, slots, "seen", rng(), 7) == instructions(PATTERNS, slots, "seen", rng(), 7)
    assert instructions(PATTERNS, slots, "seen", np.random.default_rng(1), 7) != instructions(
        PATTERNS, slots, "seen", rng(), 7
    )


def test_more_sentences_than_templates_vary_the_phrases():
    cup = actor("cup", 1)
    found = instructions(("[take|get|grab|fetch|lift] {A}",), {"A": cup}, "seen", rng(), 100)
    assert len(found) == len(set(found))
    assert len(found) > 0.8 * 4 * len(cup.asset.seen)  # four templates


def test_a_placeholder_that_nobody_fills_is_an_error():
    with pytest.raises(ValueError, match=r"needs \['B'\], the task fills \['A'\]"):
        instructions(("put {A} on {B}", "{B} shall be under {A}"), {"A": actor("cup")}, "seen", rng())


def test_sentences_about_things_that_are_not_there_this_time_are_left_out():
    patterns = ("[put|set|lay|lift|drop] {A} and {B} down", "[put|set|lay|lift|drop] {A} down")
    found = instructions(patterns, {"A": actor("cup")}, "seen", rng())
    assert found
    assert not any("{" in s or " and " in s for s in found)


@pytest.mark.parametrize("task", task_names())
def test_every_placeholder_of_a_task_is_filled_in_some_episode(task):
    """A misspelt one would silently drop its sentences."""
    used = set(re.findall(r"\{(\w+)\}", " ".join(task_class(task).instructions)))
    filled: set[str] = set()
    for episode in range(12):
        filled |= draw(task, ROBOT, episode_seed(0, task, episode))[0].slots().keys()
        if used <= filled:
            break
    assert used <= filled


@pytest.mark.parametrize("task", task_names())
def test_every_task_has_sixty_seen_and_twenty_unseen_sentences(task):
    task = task_class(task)
    assert len(templates(task.instructions, "seen")) >= 60
    assert len(templates(task.instructions, "unseen")) >= 20


@pytest.mark.parametrize("task", task_names())
def test_no_sentence_names_a_thing_twice_in_a_row(task):
    """A placeholder becomes "the tall bottle"; "the bottles {A}" would be "the bottles the tall bottle"."""
    for sentence in templates(task_class(task).instructions, "seen") + templates(
        task_class(task).instructions, "unseen"
    ):
        assert not re.search(
            r"\b(the|both|all|two|three) (?!in |on |into |onto |and |of |table )\w+s? \{[A-Z]\}", sentence
        ), sentence


def test_no_phrase_says_a_word_twice():
    for category in library.categories():
        for index in range(library.instances(category)):
            asset = library.load(category, index)
            for phrase in (*asset.seen, *asset.unseen):
                stems = [word[:5].rstrip("s") for word in phrase.split()]
                assert len(set(stems)) == len(stems), f"{asset.key}: {phrase}"

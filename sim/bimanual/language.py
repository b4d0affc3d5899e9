"""Instructions: sentence patterns of a task times descriptions of its objects, split into seen and unseen.

A pattern is a sentence with placeholders ``{A}`` (an object), ``{a}`` (an arm) and alternatives ``[one|two|]``.
Every fourth sentence that a task's patterns expand to belongs to the unseen split, whose objects also get unseen
descriptions; no sentence is in both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from sim.bimanual.actor import Actor

MAX_SENTENCES = 100
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


def expand(pattern: str) -> list[str]:
    """All sentences of a pattern, in order of its alternatives; placeholders stay."""
    match = _CHOICE.search(pattern)
    if match is None:
        return [re.sub(r"\s+", " ", pattern).strip()]
    head, tail = pattern[: match.start()], pattern[match.end() :]
    return [s for option in match.group(1).split("|") for s in expand(head + option + tail)]


def templates(patterns: Sequence[str], split: str) -> list[str]:
    """Sentences with placeholders of one split ("seen" or "unseen")."""
    sentences = list(dict.fromkeys(s for p in patterns for s in expand(p)))
    return [s for i, s in enumerate(sentences) if (i % 4 == 3) == (split == "unseen")]


def instructions(
    patterns: Sequence[str],
    slots: dict[str, Actor | str],
    split: str,
    rng: np.random.Generator,
    count: int = MAX_SENTENCES,
) -> list[str]:
    """Up to ``count`` different instructions for one episode.

    Args:
        patterns: a task's sentence patterns.
        slots: what the placeholders stand for; an arm is "left" or "right", other text is used as it is.
        split: "seen" or "unseen", for both sentences and object descriptions.

    Raises:
        ValueError: a pattern has a placeholder that ``slots`` lacks.
    """
    usable = []
    for sentence in templates(patterns, split):
        missing = set(_SLOT.findall(sentence)) - slots.keys()
        if not missing:
            usable.append(sentence)
        elif any(name.isupper() for name in missing) and not _optional(patterns, missing):
            raise ValueError(f"{sentence!r} needs {sorted(missing)}, the task fills {sorted(slots)}")
    found: dict[str, None] = {}
    for sentence in rng.permutation(usable * (1 + count // max(len(usable), 1))):
        found[_fill(str(sentence), slots, split, rng)] = None
        if len(found) >= count:
            break
    return list(found)


def _optional(patterns: Sequence[str], missing: set[str]) -> bool:
    """Whether some pattern does without the missing placeholders (one bread or two)."""
    return any(not (set(_SLOT.findall(s)) & missing) for p in patterns for s in expand(p))


def _fill(sentence: str, slots: dict[str, Actor | str], split: str, rng: np.random.Generator) -> str:
    def word(match: re.Match[str]) -> str:
        value = slots[match.group(1)]
        if isinstance(value, Actor):
            phrases = value.asset.seen if split == "seen" else value.asset.unseen
            return "the " + phrases[int(rng.integers(len(phrases)))]
        return f"the {value} arm" if value in ("left", "right") else value

    text = _SLOT.sub(word, sentence)
    return text[0].upper() + text[1:]

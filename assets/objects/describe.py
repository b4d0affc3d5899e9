"""Noun phrases for an object from its own attributes: what instructions call it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

SEEN, UNSEEN, MAX_WORDS = 12, 3, 6


def phrases(
    rng: np.random.Generator,
    nouns: Sequence[str],
    color: str,
    material: str,
    size: str,
    shape: str = "",
    parts: Sequence[str] = (),
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Distinct phrases without article, each with one of the nouns, for example "small blue cup with handle".

    Adjectives keep the English order: size, shape, colour, material. The unseen phrases use combinations that no
    seen phrase has.

    Args:
        nouns: what a person may call it, the usual one first ("mug", "coffee mug").
        color, material, size, shape: adjectives; shape may be empty.
        parts: what comes after "with" ("white cap", "round handle").

    Returns:
        12 seen and 3 unseen phrases.

    Raises:
        ValueError: the attributes are too few for 15 different phrases.
    """
    words = [w for w in (size, shape, color, material) if w]
    chosen = [
        [w for w, on in zip(words, mask, strict=True) if on] for mask in product((False, True), repeat=len(words))
    ]
    tails = ["", *(f"with {part}" for part in parts)]
    plain, rich = [], []
    for adjectives, tail, noun in product(chosen, tails, nouns):
        phrase = " ".join([*adjectives, noun, tail]).strip()
        detail = len(adjectives) + bool(tail)
        spoken = phrase.split()
        # nobody says "leather leather wallet" or "sporty sports bottle"
        if len({_stem(word) for word in spoken}) == len(spoken) <= MAX_WORDS and 1 <= detail <= 3:
            (plain if detail == 1 else rich).append(phrase)
    plain = [p for p in dict.fromkeys(plain) if p != nouns[0]]
    rich = list(dict.fromkeys(rich))
    rng.shuffle(plain)
    rng.shuffle(rich)
    # a few short phrases, then detailed ones, as people speak
    pool = list(dict.fromkeys([*plain[:5], *rich, *plain[5:]]))
    if len(pool) < SEEN + UNSEEN:
        raise ValueError(f"only {len(pool)} different phrases for {nouns[0]!r}; give more nouns, parts or adjectives")
    return tuple(pool[:SEEN]), tuple(pool[SEEN : SEEN + UNSEEN])


def _stem(word: str) -> str:
    """What two words that sound like a repetition share."""
    return word[:5].rstrip("s")

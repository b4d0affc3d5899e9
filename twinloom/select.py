"""Words of a command line ("all", a count, names with commas) become a list of known names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from twinloom.errors import TwinloomError, UnknownNameError, plural


def select(
    kind: str, words: str | Iterable[str], known: Sequence[str], list_command: str, *, optional: bool = False
) -> list[str]:
    """Choose from ``known``, in its order and without repetition.

    Args:
        kind: what is chosen, in the singular ("task"); used in error texts.
        words: names, separated by spaces or commas; "all"; or a count n, which means the first n.
        known: every allowed name.
        list_command: the command that prints the allowed names.
        optional: whether the word "none" may choose nothing.

    Raises:
        UnknownNameError: a word is no known name; the nearest one is suggested.
        TwinloomError: the count is larger than there are names, nothing was given, or "none" and something.
    """
    text = words if isinstance(words, str) else " ".join(words)
    given = text.replace(",", " ").split()
    if optional and "none" in given and len(set(given)) > 1:
        raise TwinloomError(f'"none" excludes all other names; given: {" ".join(given)}')
    if not given:
        raise TwinloomError(f"no {kind} given; name some, or say all. All {plural(kind)}: {list_command}")
    chosen: set[str] = set()
    for word in given:
        if word in known:
            chosen.add(word)
        elif word == "all":
            chosen.update(known)
        elif word.isascii() and word.isdecimal():
            if not 1 <= int(word) <= len(known):
                raise TwinloomError(
                    f"{word} {plural(kind)} asked, there are {len(known)}; give 1 to {len(known)}, or names"
                )
            chosen.update(known[: int(word)])
        elif not (optional and word == "none"):
            raise UnknownNameError(kind, word, known, list_command)
    return [name for name in known if name in chosen]


def select_one(kind: str, word: str, known: Sequence[str], list_command: str) -> str:
    """Return ``word`` if it is a known name. Raises UnknownNameError with the nearest name otherwise."""
    if word not in known:
        raise UnknownNameError(kind, word, known, list_command)
    return word

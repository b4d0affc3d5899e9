"""What values of settings may be: kinds, and what to say of a value that is none. One table of them per settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np


class Kind(NamedTuple):
    """A test, and what a value must be, to follow "must be"."""

    holds: Callable[[Any], bool]
    text: str


def is_number(value: Any) -> bool:
    """A finite number of Python or NumPy; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def is_names(value: Any) -> bool:
    """Names: in one string, or several strings."""
    return isinstance(value, str) or (isinstance(value, Sequence) and all(isinstance(name, str) for name in value))


def whole(least: int, below: int | None = None) -> Kind:
    """Whole numbers from ``least``, below ``below`` if there is a bound."""

    def holds(value: Any) -> bool:
        if not isinstance(value, Integral) or isinstance(value, bool):
            return False
        return int(value) >= least and (below is None or int(value) < below)

    end = "" if below is None else f" below 2**{below.bit_length() - 1}"
    return Kind(holds, f"a whole number {'of at least 1' if least == 1 else f'from {least}'}{end}")


def instance(kind: type, text: str) -> Kind:
    """Objects of a class."""
    return Kind(lambda value: isinstance(value, kind), text)


def one_of(names: Sequence[str]) -> Kind:
    """One of some names."""
    return Kind(lambda value: isinstance(value, str) and value in names, f"one of {', '.join(names)}")


def optional(kind: Kind) -> Kind:
    """That kind, or None."""
    return Kind(lambda value: value is None or kind.holds(value), f"{kind.text}, or None")


COST = Kind(lambda value: is_number(value) and value >= 0, "a number, finite and not negative")
POSITIVE = Kind(lambda value: is_number(value) and value > 0, "a finite number above 0")
SHARE = Kind(lambda value: is_number(value) and 0 <= value <= 1, "a number from 0 to 1")
FLAG = Kind(lambda value: isinstance(value, (bool, np.bool_)), "True or False")
NAME = instance(str, "a name")
NAMES = Kind(is_names, "names, in one string or several")
CALLABLE = Kind(callable, "a function")


def wrong(values: Mapping[str, Any], kinds: Mapping[str, Kind]) -> list[str]:
    """One sentence for each value that is not of its kind; names without a kind may be anything."""
    return [
        f"{name} {shown(value)} must be {kinds[name].text}"
        for name, value in values.items()
        if name in kinds and not kinds[name].holds(value)
    ]


def shown(value: Any) -> str:
    """The value if it is short enough for a line, else its type."""
    text = f'"{value}"' if isinstance(value, str) else str(value) if isinstance(value, (Real, list, tuple)) else ""
    return text if 0 < len(text) <= 60 and "\n" not in text else f"({type(value).__name__})"

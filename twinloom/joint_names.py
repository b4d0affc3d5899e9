"""Joints are matched by name, never by position; whatever does not match is said in one line."""

from __future__ import annotations

from collections.abc import Sequence

from twinloom.errors import TwinloomError


class NamesError(TwinloomError):
    """Joint names that do not fit."""


def match(given: Sequence[str], wanted: Sequence[str], extra: bool = False, what: str = "the message") -> list[int]:
    """For each wanted name its position among the given ones.

    Args:
        given: names as they came, in any order.
        wanted: names in the order that is needed.
        extra: whether others may be among the given ones (a state topic carries other joints too).
        what: the subject of the error text.

    Raises:
        NamesError: names are missing, there twice, or foreign; a prefix common to all is recognised.
    """
    place = {name: k for k, name in enumerate(given)}
    if len(place) < len(given):
        twice = sorted({name for name in given if list(given).count(name) > 1})
        raise NamesError(f"{what} names {_some(twice)} twice")
    missing = [name for name in wanted if name not in place]
    foreign = [] if extra else [name for name in given if name not in set(wanted)]
    if not missing and not foreign:
        return [place[name] for name in wanted]
    prefix = _prefix(given, wanted) if missing else ""
    if prefix:
        raise NamesError(f'{what} names joints with the prefix "{prefix}"; give the device names so in the robot file')
    parts = [f"lacks {_some(missing)}"] if missing else []
    parts += [f"names {_some(foreign)}, which this robot does not have"] if foreign else []
    raise NamesError(f"{what} {' and '.join(parts)}")


def _prefix(given: Sequence[str], wanted: Sequence[str]) -> str:
    """What all given names begin with if they are the wanted ones with it, else ""."""
    if not wanted or not given:
        return ""
    for name in given:
        if name.endswith(wanted[0]) and len(name) > len(wanted[0]):
            prefix = name[: -len(wanted[0])]
            if all(prefix + other in given for other in wanted):
                return prefix
    return ""


def _some(names: Sequence[str], most: int = 4) -> str:
    """ "a, b, c and 5 more"."""
    shown = ", ".join(map(str, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"

"""Arguments of the wrong kind are answered in one line, before they reach compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinloom.errors import TwinloomError


def is_whole(value: Any, least: int | None = None) -> bool:
    """Whether it is an integer of Python or NumPy, no truth value, and at least ``least``."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return whole and (least is None or bool(value >= least))


def check_rng(rng: Any, who: str) -> None:
    """Raise TwinloomError unless ``rng`` is a NumPy generator."""
    ensure(
        isinstance(rng, np.random.Generator),
        f"{who}: rng is a generator such as np.random.default_rng(0), not {rng!r}",
    )


def ensure(condition: bool, text: str) -> None:
    """Raise TwinloomError with this text unless the condition holds."""
    if not condition:
        raise TwinloomError(text)

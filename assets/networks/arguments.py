"""Arguments of the wrong kind are answered in one line, before they reach compiled code."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np

from twinloom.errors import TwinloomError

if TYPE_CHECKING:
    from assets.networks.graph import Graph

_WHOLE, _NUMBERS = ("n", "m", "d", "k"), ("p", "mean_degree")  # names of arguments
P = ParamSpec("P")


def is_whole(value: Any) -> bool:
    """Whether it is an integer of Python or NumPy, and no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


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


def checked(generator: Callable[P, Graph]) -> Callable[P, Graph]:
    """A generator of graphs that looks at the kinds of its arguments first."""
    signature, who = inspect.signature(generator), generator.__name__

    @functools.wraps(generator)
    def call(*args: P.args, **kwargs: P.kwargs) -> Graph:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            whole = is_whole(value)
            if name in _WHOLE:
                ensure(whole, f"{who}: {name} is a whole number, not {value!r}")
            elif name in _NUMBERS:
                ensure(whole or isinstance(value, (float, np.floating)), f"{who}: {name} is a number, not {value!r}")
            elif name == "rng":
                check_rng(value, who)
        return generator(*args, **kwargs)

    return call

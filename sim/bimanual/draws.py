"""What a task draws while it sets up a scene: from a generator, and written down; or from what was written down."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from twinloom.errors import TwinloomError

Choices = dict[str, list[Any]]


class Draws:
    """Draws of one scene, by kind ("side", "uniform", "instance bowl"), in order.

    Args:
        rng: where new ones come from; None for recorded ones.
        recorded: those of an episode; then nothing is drawn.

    Attributes:
        choices: all so far, as JSON.
    """

    def __init__(self, rng: np.random.Generator | None, recorded: Mapping[str, Sequence[Any]] | None = None) -> None:
        self._rng = rng
        self._recorded = None if recorded is None else {kind: deque(values) for kind, values in recorded.items()}
        self.choices: Choices = {}

    @property
    def generator(self) -> np.random.Generator:
        """Where new draws come from; to be used within :meth:`take` alone, else a record would not know."""
        assert self._rng is not None
        return self._rng

    def take(self, kind: str, draw: Callable[[], Any]) -> Any:
        """The next one of a kind; ``draw`` makes it, as JSON.

        Raises:
            TwinloomError: the record has no further one of this kind.
        """
        if self._recorded is None:
            value = draw()
        elif self._recorded.get(kind):
            value = self._recorded[kind].popleft()
        else:
            count = len(self.choices.get(kind, ()))
            raise TwinloomError(
                f'the recorded scene was made by another version: it has {count} draws of "{kind}", here are more'
            )
        self.choices.setdefault(kind, []).append(value)
        return value

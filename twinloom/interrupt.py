"""Ctrl-C and SIGTERM as a request to stop, noticed by the program between two steps, when everything is consistent."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupt:
    """Context manager that remembers the first SIGINT or SIGTERM; a second one acts as without it (Ctrl-C raises).

    Outside the main thread no handler can be set; it then does nothing.

    Attributes:
        signal: number of the signal that came, or 0.
    """

    def __init__(self) -> None:
        self.signal = 0
        self._previous: dict[int, Any] = {}

    @property
    def wanted(self) -> bool:
        """Whether someone asked to stop."""
        return bool(self.signal)

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            self._previous = {number: signal.signal(number, self._handle) for number in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous = {}

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.signal = number
        self._restore()

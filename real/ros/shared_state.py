"""The newest state of a simulation in shared memory: written at every tick without waiting, read by another process."""

from __future__ import annotations

import time
from multiprocessing import resource_tracker, shared_memory

import numpy as np

RETRY_S = 0.0002


class SharedState:
    """One array of float64 and its time stamp, guarded by a sequence number (odd while it is being written).

    The reader says through ``ready`` that it is set up.

    Args:
        size: length of the array; the writer creates the memory.
        name: of memory that exists; the reader opens it.
    """

    def __init__(self, size: int, name: str = "") -> None:
        self._owner = not name
        self._memory = shared_memory.SharedMemory(name or None, create=self._owner, size=24 + 8 * size)
        if not self._owner:  # the tracker of a reader would remove the memory when the reader ends
            resource_tracker.unregister(self._memory._name, "shared_memory")  # type: ignore[attr-defined]
        self._head = np.ndarray(3, np.int64, self._memory.buf)
        self._values = np.ndarray(size, np.float64, self._memory.buf, 24)

    @property
    def name(self) -> str:
        """By which another process opens it."""
        return self._memory.name

    @property
    def ready(self) -> bool:
        """Whether the reader is set up."""
        return bool(self._head[2])

    def set_ready(self) -> None:
        """The reader is set up."""
        self._head[2] = 1

    def write(self, stamp_ns: int, values: np.ndarray) -> None:
        """Replace stamp and values."""
        self._head[0] += 1
        self._head[1] = stamp_ns
        self._values[:] = values
        self._head[0] += 1

    def read(self) -> tuple[int, np.ndarray]:
        """(stamp, values), both of the same write."""
        while True:
            before = int(self._head[0])
            stamp, values = int(self._head[1]), self._values.copy()
            if before % 2 == 0 and before == int(self._head[0]):
                return stamp, values
            time.sleep(RETRY_S)

    def close(self) -> None:
        """Let go; the writer also removes the memory."""
        del self._head, self._values
        self._memory.close()
        if self._owner:
            self._memory.unlink()

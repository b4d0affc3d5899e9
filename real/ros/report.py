"""Raw timing of one run of a robot node, for the histograms: every tick, every command."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np

from real.timing import RateLoop
from twinloom.atomic import atomic_file


class TimingReport:
    """Collects numbers while the robot runs and writes them at the end; does nothing without a path.

    The file (.npz) has ``tick_s`` (T,) monotonic and ``stamp_ns`` (T,) wall-clock time of each tick, ``command_ns``
    (C,) receive time, ``command_stamp_ns`` (C,) stamp of the state it was computed from, ``command_topic`` (C,) index
    into ``topics``, ``late_s`` (T,) by how much each stamp was put back, ``dropped`` ticks and ``refused`` messages.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path).expanduser() if path else None
        self._ticks, self._stamps, self._late = array("d"), array("q"), array("d")
        self._received, self._computed, self._topic = array("q"), array("q"), array("q")
        self._topics: dict[str, int] = {}

    def tick(self, now: float, stamp_ns: int, late: float) -> None:
        """One tick of the control loop; ``late`` is by how much its stamp was put back."""
        if self._path:
            self._ticks.append(now)
            self._stamps.append(stamp_ns)
            self._late.append(late)

    def command(self, topic: str, received_ns: int, stamp_ns: int) -> None:
        """One command message."""
        if self._path:
            self._received.append(received_ns)
            self._computed.append(stamp_ns)
            self._topic.append(self._topics.setdefault(topic, len(self._topics)))

    def write(self, loop: RateLoop | None, refused: int) -> None:
        """Write the file, if there is a path; ``refused`` counts what the filter refused."""
        if self._path is None:
            return
        with atomic_file(self._path) as temporary, temporary.open("wb") as file:
            np.savez_compressed(
                file,
                tick_s=np.array(self._ticks),
                stamp_ns=np.array(self._stamps),
                command_ns=np.array(self._received),
                command_stamp_ns=np.array(self._computed),
                command_topic=np.array(self._topic),
                topics=np.array(list(self._topics)),
                refused=refused,
                late_s=np.array(self._late),
                dropped=loop.dropped if loop else 0,
            )

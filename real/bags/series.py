"""Numbers of a bag over time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Series:
    """Numbers with time stamps (ns since the epoch), in order."""

    stamps: list[int] = field(default_factory=list)
    rows: list[np.ndarray] = field(default_factory=list)

    def add(self, stamp_ns: int, row: np.ndarray) -> None:
        """Append; what is not later than the last is left out."""
        if not self.stamps or stamp_ns > self.stamps[-1]:
            self.stamps.append(stamp_ns)
            self.rows.append(row)

    def at(self, times_ns: np.ndarray) -> np.ndarray:
        """(T, N) values at times, linear between the neighbours; the first before and the last behind all."""
        origin = self.stamps[0]
        x, known = (times_ns - origin) * 1e-9, (np.array(self.stamps) - origin) * 1e-9
        table = np.array(self.rows)
        return np.stack([np.interp(x, known, column) for column in table.T], axis=1)

    def before(self, times_ns: np.ndarray) -> np.ndarray:
        """(T,) stamp of the newest row at or before each time."""
        stamps = np.array(self.stamps)
        return stamps[np.maximum(np.searchsorted(stamps, times_ns, side="right") - 1, 0)]

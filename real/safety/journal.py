"""One line for each thing that happens; what repeats is counted, and the count is said when it is over."""

from __future__ import annotations

from collections import Counter, deque


class Journal:
    """Lines for a person's eyes, and counts by kind.

    Args:
        quiet: seconds without a thing of a kind after which it is over, and would be said anew.
        every: seconds after which something that goes on is said again, with its count.

    Attributes:
        counts: how often each kind was noted.
    """

    def __init__(self, quiet: float = 2.0, every: float = 10.0) -> None:
        self.counts: Counter[str] = Counter()
        self._lines: deque[str] = deque(maxlen=256)
        self._open: dict[str, list[float]] = {}  # when said, when last noted, how often since
        self._last: dict[str, str] = {}  # the newest line of a kind
        self._quiet, self._every = quiet, every

    def say(self, line: str) -> None:
        """A line that is always said."""
        self._lines.append(line)

    def note(self, kind: str, line: str, now: float, count: bool = True) -> None:
        """Something of a kind happened: said if nothing of the kind happened lately, else counted."""
        if count:
            self.counts[kind] += 1
        self.settle(now)
        self._last[kind] = line
        entry = self._open.get(kind)
        if entry is None:
            self._open[kind] = [now, now, 0]
            self._lines.append(line)
        elif now - entry[0] >= self._every:
            self._lines.append(f"{line} ({int(entry[2]) + 1} of this kind since last said)")
            self._open[kind] = [now, now, 0]
        else:
            entry[1], entry[2] = max(now, entry[1]), entry[2] + 1

    def settle(self, now: float) -> None:
        """Say the counts of what is over. Cheap when nothing is open; call it in every tick."""
        if not self._open:
            return
        for kind, (said, last, repeats) in list(self._open.items()):
            if now - last > self._quiet or now < said - self._quiet:  # the clock may have been set back
                if repeats:
                    self._lines.append(f"{self._last[kind]} ({int(repeats)} more of this kind in {last - said:.1f} s)")
                del self._open[kind]

    def take(self) -> list[str]:
        """The lines since the last take, oldest first; at most the last 256."""
        lines = list(self._lines)
        self._lines.clear()
        return lines

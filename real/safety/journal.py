"""One line for each thing that happens; what repeats is counted and said once more when it ends."""

from __future__ import annotations

from collections import Counter, deque


class Journal:
    """Lines for a person's eyes, and counts by kind.

    Args:
        every: seconds after which something that goes on is said again, with its count.

    Attributes:
        counts: how often each kind was noted.
    """

    def __init__(self, every: float = 10.0) -> None:
        self.counts: Counter[str] = Counter()
        self._lines: deque[str] = deque(maxlen=256)
        self._open: dict[str, tuple[float, int]] = {}
        self._every = every

    def say(self, line: str) -> None:
        """A line that is always said."""
        self._lines.append(line)

    def note(self, kind: str, line: str, now: float) -> bool:
        """Something of a kind happened: said if it is the first since :meth:`clear`, else counted. Whether said."""
        self.counts[kind] += 1
        since, repeats = self._open.get(kind, (None, 0))
        if since is None:
            self._open[kind] = (now, 0)
            self._lines.append(line)
            return True
        if abs(now - since) > self._every:
            self._open[kind] = (now, 0)
            self._lines.append(f"{line} ({repeats + 1} more like this)")
            return True
        self._open[kind] = (since, repeats + 1)
        return False

    def clear(self) -> None:
        """Things are well again; what had repeated is said with its count."""
        if self._open:
            for kind, (_, repeats) in self._open.items():
                if repeats:
                    self._lines.append(f"{kind}: {repeats} more, now over")
            self._open.clear()

    def take(self) -> list[str]:
        """The lines since the last take, oldest first."""
        lines = list(self._lines)
        self._lines.clear()
        return lines

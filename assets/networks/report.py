"""What became of the lines of an edge list, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Report:
    """Account of one reading; ``rows`` = edges + loops + repeated + reversed + weightless.

    Attributes:
        path: the file.
        nodes, edges, directed: of the graph; edges are undirected pairs, or arcs.
        rows: lines that held an edge.
        loops: lines dropped because both ends are the same node.
        repeated: lines merged into an earlier one of the same direction.
        reversed: edges that also stood in the other direction and were merged (undirected only).
        conflicts: merged lines whose weight was not the one kept.
        weightless: lines dropped because their weight is 0.
        isolated: nodes without any edge.
        ids: the ids and how they were mapped to nodes, in words.
        comments, blanks: lines skipped.
        header: the line taken as names of the columns, or None.
        columns: in a line.
        named: columns that the header names, where something other than white space parts them, or None.
        weights: column taken as weight, or None.
        attributes: lines with a weight in braces, as networkx writes it, that was not asked for.
        doubtful: ids of the first line if no other line has them, which may be names of columns; or None.
        claims: what comments say about the number of nodes and edges ("nodes", "edges"), where they do.
    """

    path: Path
    nodes: int
    edges: int
    directed: bool
    rows: int
    loops: int
    repeated: int
    reversed: int
    conflicts: int
    weightless: int
    isolated: int
    ids: str
    comments: int
    blanks: int
    header: str | None
    columns: int
    named: int | None
    weights: int | None
    attributes: int
    doubtful: str | None
    claims: dict[str, int]

    def lines(self) -> list[str]:
        """The account for people; only what applies."""
        meaning = (
            "directed: a line a b is an arc from a to b" if self.directed else "undirected: a line a b is also b a"
        )
        lines = [
            f"{self.path}: {self.rows:,} lines with an edge, read as {meaning}",
            f"  kept     {_count(self.nodes, 'node')}, {_count(self.edges, 'arc' if self.directed else 'edge')}"
            + (f"; {_count(self.isolated, 'node')} without any" if self.isolated else ""),
        ]
        for verb, counts in (
            ("merged", {"repeated line": self.repeated, "reversed line": self.reversed}),
            ("dropped", {"self-loop": self.loops, "line of weight 0": self.weightless}),
            ("skipped", {"comment line": self.comments, "blank line": self.blanks}),
        ):
            parts = [_count(number, noun) for noun, number in counts.items() if number]
            if verb == "skipped" and self.header is not None:
                parts.append(f"header ({self.header})")
            if parts:
                lines.append(f"  {verb:8} {', '.join(parts)}")
        lines.append(f"  ids      {self.ids}")
        if self.weights is not None:
            further = f"; {_count(self.columns - 3, 'further column')} ignored" if self.columns > 3 else ""
            lines.append(f"  weights  column {self.weights} (counted from 0){further}")
        elif self.columns > 2:
            extra = "1 further column" if self.columns == 3 else f"{self.columns - 2} further columns"
            lines.append(f"  ignored  {extra}; to use one as contact weight say weights, for example --weights 2")
        if self.attributes:
            lines.append(
                f"  ignored  the weight in braces of {_count(self.attributes, 'line')}; to use it as contact weight "
                "say weights, for example --weights 2"
            )
        if self.doubtful is not None:
            lines.append(
                f"  note     the ids of the first line ({self.doubtful}) stand nowhere else; if they name the columns, "
                "say header=True (--header)"
            )
        if self.conflicts:
            lines.append(f"  note     {_count(self.conflicts, 'merged line')} had a smaller weight than the one kept")
        if self.named is not None and self.rows and self.named != self.columns:
            lines.append(f"  note     the header names {_count(self.named, 'column')}, the lines have {self.columns}")
        return lines + self._claimed()

    def _claimed(self) -> list[str]:
        """Whether comments of the file agree with what was found."""
        lines = []
        if "nodes" in self.claims and self.claims["nodes"] != self.nodes:
            claimed = self.claims["nodes"]
            hint = f"; --nodes {claimed} keeps the isolated ones" if claimed > self.nodes else ""
            lines.append(f"  note     a comment speaks of {_count(claimed, 'node')}{hint}")
        if "edges" in self.claims and self.claims["edges"] not in (self.edges, self.rows):
            lines.append(f"  note     a comment speaks of {_count(self.claims['edges'], 'edge')}")
        return lines


def _count(number: int, noun: str) -> str:
    """ "1 self-loop", "3 lines of weight 0"."""
    first, _, rest = noun.partition(" of ")
    plural = "" if number == 1 else "s"
    return f"{number:,} {first}{plural}" + (f" of {rest}" if rest else "")

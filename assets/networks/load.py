"""Any edge list a user brings becomes a `Graph`, with a report of what was kept, merged and dropped."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assets.networks.columns import Columns, read_columns
from assets.networks.graph import MAX_NODES, Graph, assemble, merge
from twinloom.arguments import ensure, is_whole
from twinloom.errors import TwinloomError
from twinloom.machine import memory_gib

_BYTES = 32  # of memory that a node takes at least, while its graph is built

NO_ID = np.iinfo(np.int64).min
"""Label of an isolated node that was only declared, in a graph of integer ids with gaps; "" if ids are words."""


def read_edges(
    path: str | Path,
    directed: bool = False,
    nodes: int | None = None,
    *,
    weights: int | None = None,
    columns: tuple[int, int] = (0, 1),
    text: bool = False,
    header: bool | None = None,
    name: str | None = None,
) -> tuple[Graph, Report]:
    """Read a text of one edge a line: plain or compressed, columns parted by blanks, tabs, commas or semicolons.

    Lines of # or % are comments. Ids are 64-bit integers, with or without gaps, or words. Self-loops are
    dropped, copies of an edge merged into one (of the largest weight), edges of weight 0 dropped.

    Args:
        path: the file; its first bytes tell whether it is gzip, bzip2 or xz.
        directed: whether a line "a b" is an arc from a to b, or an edge both ways.
        nodes: number of nodes where the file does not name isolated ones; ids 0 .. nodes-1 (or 1 .. nodes) stay in
            place, in other files the isolated nodes come last.
        weights: column of the contact weight, counted from 0 (2: the third; also a weight in braces, as networkx
            writes it: {'weight': 3.0}); further columns are ignored.
        columns: of source and target, counted from 0.
        text: take ids as words even if the first of them look like integers ("007" is then not "7").
        header: whether the first line names the columns; None: it does if it is the only one without integers, or if it
            consists of usual words (source, target, …).
        name: of the graph; the file name without endings if None.

    Raises:
        TwinloomError: unreadable file, a line that is no edge (with its number), fewer ``nodes`` than ids, no edges.
    """
    path, columns = _check_arguments(path, nodes, weights, columns)
    try:
        table = read_columns(path, columns, weights, text, header)
        matrix = table.matrix
        if matrix is not None and matrix.symmetric and directed:
            raise TwinloomError("it is a symmetric matrix: every edge leads both ways; leave out directed")
        if not len(table.source) and nodes is None and matrix is None:
            raise TwinloomError("no edges in it; for a graph of isolated nodes only, say how many with nodes")
        declared = nodes if nodes is not None or matrix is None else matrix.nodes
        _check_memory(declared or 0)
        n, pairs, labels, ids = _number(table, declared)
    except TwinloomError as error:
        raise TwinloomError(str(error) if str(path) in str(error) else f"{path}: {error}") from error
    kept = slice(None) if table.weights is None else table.weights > 0
    merged = merge(n, pairs[kept], directed, None if table.weights is None else table.weights[kept])
    graph = assemble(n, merged, labels=labels, name=path.name.partition(".")[0] if name is None else name)
    found = int(np.count_nonzero(graph.degree + graph.reverse().degree))
    report = Report(
        path=path, nodes=n, edges=graph.edges, directed=directed, rows=len(pairs), loops=merged.loops,
        repeated=merged.repeated, reversed=merged.reversed, conflicts=merged.conflicts,
        weightless=len(pairs) - len(pairs[kept]), isolated=n - found, ids=ids, comments=table.comments,
        blanks=table.blanks, header=table.header, columns=table.columns, named=table.named, weights=weights,
        attributes=table.attributes, doubtful=_doubtful(table), claims=table.claims,
    )  # fmt: skip
    return graph, report


def _doubtful(table: Columns) -> str | None:
    """The first line of an edge list of words if neither of its ids comes again: it may name the columns."""
    if table.words is None or table.header is not None or len(table.source) < 3:
        return None
    first = {int(table.source[0]), int(table.target[0])}
    again = np.isin(table.source[1:], list(first)).any() or np.isin(table.target[1:], list(first)).any()
    return None if again else " ".join(table.words[[table.source[0], table.target[0]]].tolist())


def _check_arguments(path: Any, nodes: Any, weights: Any, columns: Any) -> tuple[Path, tuple[int, int]]:
    """The path and the columns. Raises TwinloomError for arguments of the wrong kind or size."""
    ensure(isinstance(path, (str, os.PathLike)), f"path is {path!r}; the path of an edge list is a text")
    ensure(nodes is None or is_whole(nodes), f"nodes={nodes!r}: how many nodes there are is a whole number")
    ensure(nodes is None or 1 <= nodes <= MAX_NODES, f"nodes={nodes}: 1 to {MAX_NODES:,} are allowed")
    both = isinstance(columns, (tuple, list)) and len(columns) == 2 and all(map(is_whole, columns))
    ensure(both, f"columns={columns!r}: give two whole numbers, the places of source and target counted from 0")
    ensure(weights is None or is_whole(weights), f"weights={weights!r}: give the place of the column, counted from 0")
    if min(*columns, weights or 0) < 0 or len({*columns, weights}) < 3:
        raise TwinloomError(f"columns {columns} and weights {weights}: they are counted from 0 and must differ")
    return Path(path), (int(columns[0]), int(columns[1]))


def _check_memory(nodes: int) -> None:
    """Raise TwinloomError if a graph of so many nodes is declared that even without edges it would not fit here."""
    need = nodes * _BYTES / 2**30
    if need > memory_gib():
        raise TwinloomError(f"{nodes:,} nodes take {need:.0f} GiB of memory, this machine has {memory_gib():.0f}")


def _number(table: Columns, nodes: int | None) -> tuple[int, np.ndarray, np.ndarray | None, str]:
    """Number of nodes, int64 [E, 2] edges between 0 .. n-1, labels (None: the ids themselves), and the ids in words."""
    if table.words is not None:
        labels, pairs = table.words, np.column_stack((table.source, table.target))
        n = _room(len(labels), nodes)
        labels = np.concatenate((labels, np.full(n - len(labels), "", labels.dtype))) if n > len(labels) else labels
        return n, pairs, labels, "words, numbered in alphabetical order"
    counted = np.arange(1, nodes + 1) if nodes is not None and table.matrix is not None else None  # ids of a matrix
    if not len(table.source):
        ids = "0 to nodes - 1" if counted is None else "1 to nodes: node i is id i + 1"
        return nodes or 0, np.empty((0, 2), np.int64), counted, ids
    low = int(min(table.source.min(), table.target.min()))
    high = int(max(table.source.max(), table.target.max()))
    span = f"integers {low} to {high}"
    if nodes is not None and counted is not None and not (low >= 1 and high <= nodes):
        raise TwinloomError(f"ids of a matrix of {nodes:,} nodes are 1 to {nodes}; it has {low} to {high}")
    if nodes is not None and low >= 0 and high < nodes and counted is None:
        return nodes, np.column_stack((table.source, table.target)), None, f"{span}: node i is id i"
    if nodes is not None and low >= 1 and high <= nodes:
        pairs = np.column_stack((table.source - 1, table.target - 1))
        return nodes, pairs, np.arange(1, nodes + 1), f"{span}: node i is id i + 1"
    if high - low < 8 * len(table.source) + 1024:  # a lookup table is faster than sorting
        present = np.zeros(high - low + 1, bool)
        present[table.source - low] = present[table.target - low] = True
        labels = np.flatnonzero(present) + low
        place = np.cumsum(present) - 1
        pairs = np.column_stack((place[table.source - low], place[table.target - low]))
    else:
        labels, flat = np.unique(np.concatenate((table.source, table.target)), return_inverse=True)
        pairs = flat.reshape(2, -1).T
    n = _room(len(labels), nodes)
    if n == len(labels) and low == 0 and high == n - 1:
        return n, pairs, None, f"{span}: node i is id i"
    gaps = high - low + 1 - len(labels)
    shift = f"{'+' if low >= 0 else '-'} {abs(low)}"
    ids = f"{span} with {gaps:,} gaps, numbered in ascending order" if gaps else f"{span}: node i is id i {shift}"
    return n, pairs, np.concatenate((labels, np.full(n - len(labels), NO_ID))), ids


def _room(found: int, nodes: int | None) -> int:
    """Number of nodes. Raises TwinloomError when more ids were found than declared."""
    if nodes is not None and found > nodes:
        raise TwinloomError(f"{nodes:,} nodes were declared, but it names {found:,}")
    if found > MAX_NODES:
        raise TwinloomError(f"{found:,} nodes are more than the {MAX_NODES:,} that fit")
    return nodes or found


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

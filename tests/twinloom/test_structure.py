"""How the source is cut: small files, and no circle of files that need each other."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from twinloom.machine import REPOSITORY

ROOMS = ("twinloom", "assets", "sim", "datagen", "policies", "real")
MOST_LINES, MEDIAN_LINES = 500, 110


def files(room: str) -> dict[str, Path]:
    """Module names of a room and their files."""
    found = {}
    for path in sorted((REPOSITORY / room).rglob("*.py")):
        parts = path.relative_to(REPOSITORY).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(node: ast.AST) -> Iterator[str]:
    """Every module or attribute that is imported anywhere in a file, but for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module and child.level == 0:
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        else:
            yield from imports(child)


def graph(room: str) -> dict[str, set[str]]:
    """What each file of a room imports of that room."""
    known = files(room)
    found = {}
    for module, path in known.items():
        names = list(imports(ast.parse(path.read_text(encoding="utf-8"))))
        needed = {name if name in known else name.rpartition(".")[0] for name in names}
        found[module] = {name for name in needed & set(known) if name != module}
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_no_circle_of_files(room):
    """Imports inside functions count: a file that cannot be understood without another one is part of it."""
    try:
        TopologicalSorter(graph(room)).prepare()
    except CycleError as error:
        pytest.fail(" needs ".join(reversed(error.args[1])))


def test_files_are_small():
    lines = {
        path: len(path.read_text(encoding="utf-8").splitlines()) for room in ROOMS for path in files(room).values()
    }
    assert [f"{path.relative_to(REPOSITORY)}: {n}" for path, n in lines.items() if n > MOST_LINES] == []
    assert statistics.median(lines.values()) <= MEDIAN_LINES

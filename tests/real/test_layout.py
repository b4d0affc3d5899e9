"""The files of the room import each other without circles: each can be read from its imports upwards."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter

from twinloom.machine import REPOSITORY


def modules() -> dict[str, set[str]]:
    """Module to the modules of the room that it imports, also late; what only the type checker reads does not count."""
    files = {}
    for file in (REPOSITORY / "real").rglob("*.py"):
        if file.name != "__init__.py":
            files[".".join(file.relative_to(REPOSITORY).with_suffix("").parts)] = file
    found: dict[str, set[str]] = {}
    for module, file in files.items():
        tree = ast.parse(file.read_text(encoding="utf-8"))
        typing = {id(n) for i in ast.walk(tree) if isinstance(i, ast.If) and _typing(i) for n in ast.walk(i)}
        found[module] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and id(node) not in typing:
                named = {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
                found[module] |= named & files.keys()
    return found


def _typing(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_no_circle_of_files():
    TopologicalSorter(modules()).prepare()

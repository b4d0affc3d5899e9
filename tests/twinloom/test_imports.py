"""Importing a room and asking a command for help is quick: nothing heavy loads before it is used."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from twinloom.machine import REPOSITORY

HEAVY = {"mujoco", "av", "pyarrow", "gymnasium", "torch", "viser", "mink", "scipy", "PIL", "sapien", "rclpy", "ray"}
COMMANDS: dict[str, str] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["scripts"]
CPU_LIMIT_S = 1.0

REPORT = """
import sys, time
{body}
print(sorted({{m.partition(".")[0] for m in sys.modules}} & set({heavy!r})))
print(time.process_time())
"""


def heavy_modules(body: str) -> tuple[str, float]:
    program = REPORT.format(body=body, heavy=sorted(HEAVY))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found, seconds = done.stdout.splitlines()[-2:]
    return found, float(seconds)


@pytest.mark.parametrize(
    "room", ["twinloom", "assets", "sim", "datagen", "sim.engine", "twinloom.results", "sim.doctor"]
)
def test_importing_a_room_loads_nothing_heavy(room):
    found, seconds = heavy_modules(f"import {room}")
    assert found == "[]"
    assert seconds < CPU_LIMIT_S


@pytest.mark.parametrize("name", COMMANDS)
def test_help_loads_nothing_heavy(name):
    module, _, function = COMMANDS[name].partition(":")
    found, seconds = heavy_modules(
        f"import {module} as module\nsys.argv = [{name!r}, '--help']\n"
        f"try: module.{function}()\nexcept SystemExit as end: assert not end.code, end.code"
    )
    assert found == "[]"
    assert seconds < CPU_LIMIT_S


@pytest.mark.parametrize("what", ["tasks", "robots", "cameras", "axes", "families"])
def test_listing_loads_nothing_heavy(what):
    found, seconds = heavy_modules(f"from sim.catalogue import lines\nassert lines({what!r})")
    assert found == "[]"
    assert seconds < CPU_LIMIT_S


def test_rooms_import_only_to_their_left():
    """twinloom, assets, sim, datagen, policies, real: read from the source, so that late imports count too."""
    import ast

    rooms = ["twinloom", "assets", "sim", "datagen", "policies", "real"]
    wrong = []
    for position, room in enumerate(rooms):
        for file in (REPOSITORY / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                    names = [node.module]
                wrong += [
                    f"{file.relative_to(REPOSITORY)}:{node.lineno} imports {name}"
                    for name in names
                    if name.partition(".")[0] in rooms[position + 1 :]
                ]
    assert wrong == []

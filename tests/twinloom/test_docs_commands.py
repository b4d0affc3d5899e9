"""Every command line in the documentation is one that exists: the program, its subcommand, its options, its names."""

from __future__ import annotations

import functools
import re
import shlex
import subprocess
import sys

import pytest

from sim.bimanual.family import FAMILY
from sim.families import families
from twinloom.machine import REPOSITORY

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
PROGRAMS = ("assets", "sim", "datagen", "policies", "real", "make")
SUBCOMMANDS = {
    "assets": {"list", "show", "check", "pull", "graph"},
    "sim": {"list", "view", "rollout", "doctor"},
    "datagen": {"verify", "merge", "report", "replay"},
    "policies": {"train", "eval", "view", "serve", "export", "experiment", "list"},
    "real": {
        "up",
        "doctor",
        "measure",
        "record",
        "replay",
        "teleop",
        "topics",
        "hz",
        "echo",
        "arm",
        "estop",
        "reset",
        "home",
        "disarm",
        "trials",
        "list",
    },
}
# whose help belongs to the first argument: `policies train bimanual/click_bell --help`
WITH_ARGUMENT = {
    ("policies", "train"): None,
    ("policies", "eval"): ("expert:bimanual/click_bell", "null", "model-based:humanoid"),
    ("policies", "view"): ("null",),
    ("policies", "experiment"): None,
    ("sim", "view"): ("click_bell", "escape"),
}


def command_lines() -> list[str]:
    """Lines of the shell blocks of all pages that start one of our programs, without comments."""
    blocks = [b for page in PAGES for b in re.findall(r"```bash\n(.*?)```", page.read_text("utf-8"), re.DOTALL)]
    lines = [line.partition(" #")[0] for block in blocks for line in block.splitlines()]
    commands = {command.strip() for line in lines for command in line.split("&&")}
    return sorted(command for command in commands if command.split(" ", 1)[0] in PROGRAMS)


@functools.cache
def said(*command: str) -> str:
    """What a command prints. Raises if it fails."""
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=REPOSITORY, timeout=60, check=True)
    return done.stdout


@pytest.mark.parametrize("line", command_lines())
def test_commands_of_the_documentation_exist(line):
    program, *words = shlex.split(line)
    if program == "make":
        targets = {word for word in words if "=" not in word}
        assert targets <= set(re.findall(r"^  make (\S+)", said("make", "help"), re.MULTILINE))
        return
    subcommand = words[:1] if words[:1] and words[0] in SUBCOMMANDS[program] else []
    assert subcommand or program == "datagen"
    command = (program, *subcommand)
    targets = (WITH_ARGUMENT[command] or words[1:2]) if command in WITH_ARGUMENT else [""]
    text = "".join(said(sys.executable, "-m", *command, *filter(None, [target]), "--help") for target in targets)
    assert [word for word in words if word.startswith("--") and word not in text] == []


def test_tasks_robots_and_axes_of_the_documentation_exist():
    known = {
        *FAMILY.names("tasks"),
        *(name for one in families().values() for name in one.names("robots")),
        *FAMILY.names("axes"),
        "place_block_plate",
        "NAME",
        "all",
        "none",
    }
    options = re.compile(r"--(?:tasks|robot|randomize) ((?:[\w,-]+ ?)+?)(?= *(?:--|#|\||`|$))", re.MULTILINE)
    found = [word for line in command_lines() for names in options.findall(line) for word in re.split("[ ,]+", names)]
    assert len(found) > 5
    assert [word for word in found if word and word not in known and not word.isdecimal()] == []


def test_make_datagen_records_with_the_robot_it_pulled():
    planned = said("make", "-n", "datagen", "ROBOT=piper")
    assert "assets pull piper" in planned
    assert re.search(r"/datagen .*--robot piper", planned)

"""Optional parts of twinloom: what each needs, what is missing, and the command that installs it here."""

from __future__ import annotations

import importlib.metadata
import re
import shlex
from functools import cache
from pathlib import Path

from twinloom.machine import REPOSITORY

PURPOSE = {
    "viz": "viewers in the browser, plots",
    "cascade": "spreading processes on networks",
    "rl": "training policies",
    "onnx": "networks for robots without PyTorch",
    "serve": "policies on another machine",
    "ros2": "robots through ROS 2",
    "formats": "other dataset formats",
    "gpu": "simulation on CUDA",
    "bench": "peers of make bench",
    "dev": "everything the tests run",
}


@cache
def requirements() -> dict[str, list[str]]:
    """Extra to its requirement strings, as this installation declares them; {} if twinloom is not installed."""
    try:
        facts = importlib.metadata.metadata("twinloom")
    except importlib.metadata.PackageNotFoundError:
        return {}
    found: dict[str, list[str]] = {name: [] for name in facts.get_all("Provides-Extra") or []}
    for line in facts.get_all("Requires-Dist") or []:
        need, _, condition = line.partition(";")
        if match := re.search(r"""extra\s*==\s*['"]([\w-]+)['"]""", condition):
            rest = re.sub(r"""\s*(and\s+)?extra\s*==\s*['"][\w-]+['"]\s*(and\s+)?""", "", condition).strip(" ()")
            found.setdefault(match.group(1), []).append(f"{need.strip()}; {rest}" if rest else need.strip())
    return found


def missing(extra: str) -> list[str]:
    """Distributions of an extra that are not installed; those meant for other systems are not looked for."""
    absent = []
    for requirement in requirements().get(extra, []):
        need, _, condition = requirement.partition(";")
        name = re.match(r"[A-Za-z0-9._-]+", need)
        if name is None or condition or name.group() == "twinloom":
            continue
        try:
            importlib.metadata.version(name.group())
        except importlib.metadata.PackageNotFoundError:
            absent.append(name.group())
    return absent


def install_line(extra: str) -> str:
    """The pip command that adds an optional part and works here: from the checkout, or the requirements of the wheel.

    A wheel's command names the requirements themselves, since twinloom need not be on a package index.
    """
    if (REPOSITORY / "pyproject.toml").is_file():
        here = "." if Path.cwd() == REPOSITORY else str(REPOSITORY)
        return f"pip install -e {shlex.quote(f'{here}[{extra}]')}"
    needs = requirements().get(extra) or [f"twinloom[{extra}]"]
    return f"pip install {shlex.join(needs)}"

"""``python -m sim.docs``: write the parts of the documentation that are generated from the code of the families."""

from __future__ import annotations

from importlib.util import find_spec

from sim.families import families
from twinloom.atomic import write_text
from twinloom.command import run_command
from twinloom.plugins import load


def main() -> None:
    """Write the ``PAGES`` of every ``sim/<family>/docs.py``: path of a page to a function old text -> new text."""
    for name in families():
        if find_spec(f"sim.{name}") and find_spec(f"sim.{name}.docs"):
            for path, renew in load(f"sim.{name}.docs:PAGES").items():
                write_text(path, renew(path.read_text(encoding="utf-8")))


if __name__ == "__main__":
    run_command(main)

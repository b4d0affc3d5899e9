"""``python -m assets.robots.docs``: write the table of docs/bimanual/robots.md from the records and the reach."""

from __future__ import annotations

from assets.robots.load import load_robot, robots
from assets.robots.reach import MODES
from assets.robots.table import mesh_sources
from twinloom.atomic import write_text
from twinloom.command import run_command
from twinloom.generated import filled
from twinloom.machine import REPOSITORY
from twinloom.results import RESULTS, read_results

PAGE = REPOSITORY / "docs" / "bimanual" / "robots.md"


def table() -> str:
    """Markdown: one row a robot, its image below."""
    reach = {row["robot"]: row for row in read_results(RESULTS / "robots" / "reach.json")["rows"]}
    heads = ["robot", "joints", "opens", "grips", *(f"{mode} reach" for mode in MODES), "meshes", "licence"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 3) + "---|---|"]
    images = []
    for name in robots():
        record = load_robot(name)
        shares = [f"{reach[name][mode]:.0%}" if name in reach else "–" for mode in MODES]
        gripper = [f"{record.gripper.max_opening * 1000:.0f} mm", f"{record.gripper.force:.0f} N"]
        cells = [f"`{name}`", f"2 × {record.dof}", *gripper, *shares, mesh_sources(record), record.licence]
        lines.append("| " + " | ".join(cells) + " |")
        images += [
            f"### {name}",
            "",
            f"{record.description[0].upper()}{record.description[1:]}. Model: {record.provenance}.",
            "",
            f"![{name} and its wrist cameras](../img/robots/{name}.png)",
            "",
        ]
    return "\n".join([*lines, "", *images]).rstrip()


def with_table(page: str) -> str:
    """The page with a fresh table between its markers. Raises ValueError if it has no markers."""
    return filled(page, table(), "python -m assets.robots.docs")


def main() -> None:
    """Write the generated part."""
    write_text(PAGE, with_table(PAGE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    run_command(main)

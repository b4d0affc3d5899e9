"""``python -m assets.networks.docs``: measure the networks at hand, and write the tables about them."""

from __future__ import annotations

from assets.networks.catalogue import FOLDER_VARIABLE, NETWORKS, find_file, load
from assets.networks.stats import measure
from twinloom.atomic import write_text
from twinloom.command import run_command
from twinloom.errors import TwinloomError
from twinloom.generated import filled, table
from twinloom.machine import REPOSITORY
from twinloom.results import write_results

PAGE = REPOSITORY / "docs" / "cascade" / "networks.md"
COMMAND = "python -m assets.networks.docs"


def catalogue_table() -> str:
    """Markdown: one row a known network."""
    rows = []
    for name in NETWORKS:
        record = NETWORKS[name]
        count = f"{record.edges:,}" + (" arcs" if record.directed else "")
        file = "generated, synthetic"
        if record.files:
            packed = ".gz" if record.files[-1].endswith(".txt") else ""  # as the source page offers it
            file = f"[{record.files[-1]}{packed}]({record.source})"
        if record.command:
            file = f"`{record.command}`"
        cite = record.cite or "–"
        rows.append((f"`{name}`", file, cite, f"{record.nodes:,}", count, f"{record.k_max:,}", f"{record.kappa:g}"))
    return table(("name", "file", "cite", "nodes", "edges", "largest degree", "kappa"), rows, right=4)


def with_table(page: str) -> str:
    """The page with a fresh table between its markers. Raises ValueError if it has no markers."""
    return filled(page, catalogue_table(), COMMAND)


def measures() -> list[dict[str, object]]:
    """One row for every network at hand: stand-ins, and data sets whose file is found."""
    rows = []
    for name in NETWORKS:
        try:
            if NETWORKS[name].stand_in is None:
                find_file(NETWORKS[name])
        except TwinloomError as missing:
            print(f"left out  {missing}")
            continue
        graph = load(name)
        s = measure(graph)
        rows.append(
            {
                "network": name, "synthetic": graph.synthetic, "nodes": s.nodes, "edges": s.edges,
                "mean degree": round(s.mean_degree, 2), "median": s.median_degree, "largest": s.max_degree,
                "kappa": round(s.kappa, 1), "core": s.max_core, "clustering": round(s.clustering, 4),
                "triangles": s.triangles, "in largest component": round(s.largest / s.nodes, 4),
                "tiers": " / ".join(f"{size:,}" for size in s.tiers),
            }
        )  # fmt: skip
    return rows


def main() -> None:
    """Write docs/results/networks/measures and the generated part of docs/cascade/networks.md."""
    note = f"Stand-ins are drawn with seed 0; data sets are read from the folder that {FOLDER_VARIABLE} names."
    write_results("networks", "measures", measures(), command=COMMAND, title="Measures of the networks", note=note)
    write_text(PAGE, with_table(PAGE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    run_command(main)

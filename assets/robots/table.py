"""The table that ``assets list robots`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.robots.load import load_robot, robots
from assets.robots.record import DEFAULT_ROBOT, RobotRecord

if TYPE_CHECKING:
    from rich.table import Table


def mesh_sources(record: RobotRecord) -> str:
    """Where the meshes come from: "mujoco-warp 4.0.0 (Apache-2.0)", or "own shapes"."""
    named = [f"{source.package} {source.version} ({source.licence})" for source in record.sources]
    return ", ".join(named) or "own shapes"


def list_robots() -> Table:
    """Name, size, whether its meshes are here, licence and source of every robot."""
    from rich.table import Table

    from assets.robots.meshes import mesh_file

    table = Table(title="robots", title_justify="left")
    for heading in ("robot", "joints", "opens (mm)", "grips (N)", "meshes", "licence", "description"):
        table.add_column(heading, justify="right" if heading in ("joints", "opens (mm)", "grips (N)") else "left")
    for name in robots():
        record = load_robot(name)
        state = "pulled" if record.meshes and mesh_file(record).is_file() else "not pulled"
        table.add_row(
            f"{name} (default)" if name == DEFAULT_ROBOT else name,
            f"2 × {record.dof}",
            f"{record.gripper.max_opening * 1000:.0f}",
            f"{record.gripper.force:.0f}",
            f"{state}: {mesh_sources(record)}" if record.meshes else "own shapes",
            record.licence,
            record.description,
        )
    return table


def list_humanoids() -> Table:
    """Name, size, whether it is here, licence and source of every humanoid."""
    from rich.table import Table

    from assets.robots.humanoid.fetch import is_pulled
    from assets.robots.humanoid.record import humanoids, load_record
    from assets.robots.humanoid.store import load_tree

    table = Table(title="humanoids (* one of the fourteen designs of the benchmark)", title_justify="left")
    for heading in ("humanoid", "joints", "kg", "model", "licence", "description"):
        table.add_column(heading, justify="right" if heading in ("joints", "kg") else "left")
    for name in humanoids():
        record = load_record(name)
        here = is_pulled(record)
        source = record.source
        origin = f"{source.package} {source.version}" if source else str(record.file)
        table.add_row(
            name + (" *" if record.benchmark else ""),
            str(len(record.slots)),
            f"{load_tree(record).mass():.1f}" if here else "",
            f"{'pulled' if here else 'not pulled'}: {origin}",
            source.licence if source else "your own file",
            record.description,
        )
    return table

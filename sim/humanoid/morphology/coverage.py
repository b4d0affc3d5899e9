"""How varied random bodies are beside the real robots: ``python -m sim.humanoid.morphology.coverage``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from assets.robots.humanoid.fetch import is_pulled
from assets.robots.humanoid.record import humanoids, load_record
from assets.robots.humanoid.stance import leg_lengths
from assets.robots.humanoid.standing import stand
from assets.robots.humanoid.store import load_humanoid
from sim.humanoid.morphology.body import draw_body, sample_body
from sim.humanoid.morphology.config import MorphologyConfig
from sim.humanoid.morphology.feasible import problems
from sim.humanoid.morphology.inertia import is_possible
from twinloom.atomic import atomic_file
from twinloom.command import run_command
from twinloom.machine import REPOSITORY
from twinloom.results import write_results


def draws(count: int, examined: int) -> dict[str, Any]:
    """Draw bodies, feasible or not, and count what cannot exist; of the first ``examined`` also what is feasible."""
    config, impossible, links, feasible = MorphologyConfig(), 0, 0, 0
    samples: dict[str, list[float]] = {"joints": [], "mass (kg)": [], "leg (m)": []}
    for index in range(count):
        body = draw_body(index, 0, 0, config)
        good = is_possible(np.array([link.inertia for link in body.full.links]))
        impossible, links = impossible + int((~good).sum()), links + len(good)
        if index < examined:
            feasible += not problems(body)
            samples["joints"].append(int(body.present.sum()))
            samples["mass (kg)"].append(body.full.mass())
            samples["leg (m)"].append(sum(leg_lengths(body.full)))
    return {"impossible": impossible, "links": links, "feasible": feasible / examined, "samples": samples}


def robots() -> list[dict[str, Any]]:
    """One row for each real robot that was pulled."""
    rows = []
    for name in humanoids():
        record = load_record(name)
        if record.source and is_pulled(record):
            robot = load_humanoid(name)
            result = stand(robot)
            rows.append(
                {
                    "body": name,
                    "joints": robot.num_joints,
                    "mass (kg)": round(robot.mass, 1),
                    "leg (m)": round(robot.leg_length, 3),
                    "stands 3 s": "yes" if result.stands else "no",
                    "upright": round(result.upright, 4),
                }
            )
    return rows


def plot(samples: dict[str, list[float]], rows: list[dict[str, Any]], out: Path) -> None:
    """Histograms of joints, mass and leg length of random bodies, with a tick for every real robot."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3), constrained_layout=True)
    for axis, (key, values) in zip(axes, samples.items(), strict=True):
        axis.hist(values, bins=np.arange(9.5, 33.5) if key == "joints" else 40, color="#9db8d6")
        top = axis.get_ylim()[1]
        for row in rows:
            axis.axvline(row[key], ymax=0.08, color="#c0392b", lw=1.2)
            if key != "joints":
                axis.text(row[key], 0.09 * top, row["body"], rotation=90, fontsize=5, ha="center", va="bottom")
        axis.set_xlabel(key)
        axis.set_yticks([])
    figure.suptitle(f"{len(samples['joints'])} random bodies (blue) and the real robots (red)", fontsize=9)
    with atomic_file(out) as temporary:
        figure.savefig(temporary, format="png", dpi=110)
    plt.close(figure)


def main(bodies: int = 10_000, examined: int = 1_000, standing: int = 200) -> None:
    """Write docs/results/humanoid/bodies.json and docs/img/humanoid/bodies.png.

    Args:
        bodies: draws whose links are checked.
        examined: of them, those whose feasibility and size are taken down.
        standing: feasible bodies that are built and stand for 3 s.
    """
    drawn, rows = draws(bodies, examined), robots()
    stood = sum(stand(sample_body(index).humanoid).stands for index in range(standing))
    for share in (2, 50, 98):
        size = {key: round(float(np.percentile(values, share)), 3) for key, values in drawn["samples"].items()}
        rows.append({"body": f"random, {share} % are smaller", **size, "stands 3 s": "", "upright": None})
    note = (
        f"{drawn['impossible']} of {drawn['links']} links of {bodies} random bodies are impossible; "
        f"{drawn['feasible']:.1%} of {examined} are feasible at the first draw; "
        f"{stood} of {standing} feasible ones stand for 3 s on their servos."
    )
    picture = REPOSITORY / "docs" / "img" / "humanoid" / "bodies.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    plot(drawn["samples"], rows[:-3], picture)
    command = "python -m sim.humanoid.morphology.coverage"
    write_results("humanoid", "bodies", rows, command=command, seeds=0, title="Real and random humanoids", note=note)
    print(note)


if __name__ == "__main__":
    import tyro

    run_command(lambda: tyro.cli(main))

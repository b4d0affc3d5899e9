"""``datagen mixture``: what would be mixed, before a training. Parses, calls one function, prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

FOLDERS = tyro.conf.arg(metavar="FOLDER ...")


def mixture(
    target: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="TARGET")],
    sources: Annotated[tuple[Path, ...], tyro.conf.Positional, FOLDERS],
) -> int:
    """Compare a target dataset (a real robot's) with source datasets (simulated ones) that it would be mixed with.

    Prints their facts, every difference that a mixture must bring together, and the range of p_target, the share of
    target samples in a batch, in which to search. Exit code 1 if there are differences.

    Args:
        target: LeRobot v3.0 dataset of what a policy is for.
        sources: datasets that are to help.
    """
    from datagen.mixture.config import SourceConfig
    from datagen.mixture.mixture import differences, facts_of
    from datagen.mixture.ratio import ratio_range

    facts = [facts_of(SourceConfig(str(path))) for path in (target, *sources)]
    width = max(len(one.name) for one in facts)
    for one, group in zip(facts, ["target", *["source"] * len(sources)], strict=True):
        print(f"{group}  {one.name:<{width}}  {one.episodes:>6,} episodes  {one.frames:>9,} frames  {one.fps} fps")
    differ = differences(facts)
    print("\n".join(f"differs: {line}" for line in differ))
    low, high = ratio_range(facts[0].frames, sum(one.frames for one in facts[1:]))
    print(f"p_target: search from {low:.3g} (plain concatenation) to {high:.3g}; higher where the domains differ much")
    return int(bool(differ))

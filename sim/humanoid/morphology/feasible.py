"""Checks that a body must pass before anything is trained on it; standing is another test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assets.robots.humanoid.inertia import mass_com_inertia
from assets.robots.humanoid.recipe import GRAVITY
from assets.robots.humanoid.stance import KNEE, leg_lengths
from sim.humanoid.morphology.inertia import is_possible

if TYPE_CHECKING:
    from sim.humanoid.morphology.body import Body

MASS_RATIO = (0.2, 3.0)  # of a link's mass to what it was drawn around
BOX = 1.5  # the centre of mass lies in the link's box, enlarged by this
STRENGTH = 0.8  # share of the knee's effort that single support may need
SINGLE_SUPPORT = 0.35  # rad by which the thigh leans in it
STANDING = {"hip_pitch": -KNEE / 2, "knee": KNEE, "ankle_pitch": -KNEE / 2}


def problems(body: Body) -> list[str]:
    """Everything that makes a body useless, one sentence each; empty if it can be trained on."""
    tree, found = body.full, []
    J = np.array([link.inertia for link in tree.links])
    mass, com, _ = mass_com_inertia(J)
    found += [f"{tree.links[k].name} cannot exist" for k in np.flatnonzero(~is_possible(J))]
    for k, link in enumerate(tree.links):
        block = body.blocks[link.name]
        if not MASS_RATIO[0] <= mass[k] / block.mass <= MASS_RATIO[1]:
            found.append(f"{link.name} is {mass[k] / block.mass:.2f} times as heavy as it was drawn")
        if np.any(np.abs(com[k] - block.centre) > BOX * block.half):
            found.append(f"{link.name} has its centre of mass outside of it")
    for hinge in tree.hinges:
        angle = STANDING.get(hinge.slot.partition("_")[2], 0.0)
        middle, half = np.mean(hinge.range), np.ptp(hinge.range) / 2
        if abs(angle - middle) > 0.95 * half:
            found.append(f"{hinge.slot} cannot take its place in the standing pose")
    thigh, _, _ = leg_lengths(tree)
    needed = float(mass.sum()) * GRAVITY * thigh * np.sin(SINGLE_SUPPORT)
    knee = next(hinge for hinge in tree.hinges if hinge.slot == "left_knee")
    if needed > STRENGTH * knee.effort:
        found.append(f"the knee needs {needed:.0f} N m in single support and has {knee.effort:.0f}")
    return found

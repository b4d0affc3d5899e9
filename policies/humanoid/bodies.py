"""Random bodies and real robots as the walking controller and its students take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from policies.humanoid.senses import Senses
from sim.humanoid.walking.adapt import walking_body
from sim.humanoid.walking.formula import gains_for

if TYPE_CHECKING:
    import numpy as np

    from assets.robots.humanoid.humanoid import Humanoid
    from sim.humanoid.walking.body import WalkingBody
    from sim.humanoid.walking.gains import WalkingGains


@dataclass(frozen=True, eq=False)
class Walker:
    """A body with its gains and its view of itself.

    Attributes:
        body: facts for the controller.
        gains: of the controller, by the formula.
        senses: the network's view.
        description: of the body, (DESCRIPTION,).
    """

    body: WalkingBody
    gains: WalkingGains
    senses: Senses
    description: np.ndarray


def walker(humanoid: Humanoid, gains: WalkingGains | None = None) -> Walker:
    """For a humanoid; gains by the formula if None."""
    body = walking_body(humanoid)
    gains = gains or gains_for(body)
    senses = Senses(body, humanoid.slot, humanoid.sign)
    return Walker(body, gains, senses, senses.description(gains))


def random_walker(index: int, seed: int) -> Walker:
    """For random body ``index`` of ``seed``."""
    from sim.humanoid.morphology.body import sample_body

    return walker(sample_body(index, seed).humanoid)


def real_walker(name: str) -> Walker:
    """For a real robot by name. Raises UnknownNameError, MissingAssetError."""
    from assets.robots.humanoid import load_humanoid

    return walker(load_humanoid(name))

"""Who can walk a body: the model-based controller, which knows the simulator's truth, and networks, which do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from policies.humanoid.bodies import Walker
from policies.humanoid.foreign import ForeignWorldPilot, is_foreign, load_foreign
from policies.humanoid.networks import WalkingNetwork
from policies.humanoid.pupil import DT, Pupil
from policies.humanoid.world import World
from sim.humanoid.walking.controller import WalkingController
from sim.humanoid.walking.gait import Command

MODEL_BASED = "model-based"


class Pilot(Protocol):
    """Walks one body through one episode."""

    def targets(self, world: World, command: Command) -> np.ndarray:
        """Joint position targets (nu,) rad of the coming control step."""
        ...


class ModelBasedPilot:
    """The controller on the true state and its own model."""

    def __init__(self, walker: Walker) -> None:
        """For a body."""
        self._controller = WalkingController(walker.body, walker.gains, DT)

    def targets(self, world: World, command: Command) -> np.ndarray:
        """See Pilot."""
        return self._controller.targets(world.data, command)


class NetworkPilot:
    """A network on what the robot measures."""

    def __init__(self, walker: Walker, network: WalkingNetwork) -> None:
        """For a body."""
        self._pupil = Pupil(walker, network)

    def targets(self, world: World, command: Command) -> np.ndarray:
        """See Pilot."""
        return self._pupil.targets(world.measure(), command)


def pilot_maker(policy: str) -> Callable[[Walker], Pilot]:
    """What makes pilots of a policy: "model-based", a walking network, a foreign one. Raises TwinloomError."""
    if policy == MODEL_BASED:
        return ModelBasedPilot
    if is_foreign(policy):
        foreign = load_foreign(policy)
        return lambda walker: ForeignWorldPilot(foreign)
    from policies.humanoid.student import load_network

    network = load_network(policy)
    return lambda walker: NetworkPilot(walker, network)

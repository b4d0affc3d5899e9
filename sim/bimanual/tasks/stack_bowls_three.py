"""Stack three bowls at the centre.

Randomised: which kind of bowl, all positions and headings. Success: the bowls stand upright in each other on the table
and no gripper touches them.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _bowls
from sim.bimanual.world import World


class StackBowlsThree(Task):
    limit = 1200
    differs = "bowls at least their width and 1 cm apart (13 cm): ours are wider"
    instructions = (
        "[stack|pile up|nest] the three bowls[| at the center| in the middle of the table| in one stack]",
        "[put|place|set|stack|nest] all bowls [into each other|in one stack|in a single pile][| at the center]",
        "[put|place|set|stack|nest] all three bowls [into each other|in one stack|in a pile][| at the center]",
        "[gather|collect] the bowls and [stack|nest] them[| at the center| in the middle]",
        "[make|build] [a stack|one stack|a pile] [of|from] the three bowls[| at the center]",
    )

    def load_actors(self, scene: Scene) -> None:
        self.bowls = _bowls.scatter(scene, 3)

    def expert(self, robot: Skills) -> None:
        _bowls.stack(robot, self.bowls)

    def check_success(self, world: World) -> bool:
        return _bowls.stacked(world, self.bowls)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.bowls[0]}

"""Hand-made scenes for the tests of the simulator: blocks and library objects where the test wants them."""

from __future__ import annotations

from assets.objects import library
from sim.bimanual.simulation import Simulation
from sim.bimanual.spec import TABLE_HEIGHT, BlockSpec, Placement, SceneSpec
from sim.bimanual.world import World
from twinloom.transforms import yaw_quat

RED = (0.8, 0.1, 0.1, 1.0)
ROBOT = "franka-panda"


def cube(
    name: str,
    x: float,
    y: float,
    above: float = 0.0,
    half: tuple[float, float, float] = (0.025, 0.025, 0.025),
    mode: str = "free",
    quat: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0),
    **look,
) -> Placement:
    """A block whose bottom is ``above`` metres over the table."""
    block = BlockSpec(half, look.pop("rgba", RED), **look)
    return Placement(name, "block", 0, (x, y, TABLE_HEIGHT + above), quat, mode, block=block)


def thing(
    name: str, category: str, x: float, y: float, yaw: float = 0.0, index: int = 0, mode: str = "free", **joints: float
) -> Placement:
    """An object of the library, standing on the table."""
    asset = library.load(category, index)
    z = TABLE_HEIGHT + library.resting_height(asset, asset.stable_quats[0])
    return Placement(name, category, index, (x, y, z), yaw_quat(yaw), mode, joints=joints)


def scene(*placements: Placement, **changes) -> SceneSpec:
    return SceneSpec(ROBOT, placements=placements, **changes)


def simulation(*placements: Placement, fps: int = 25, visuals: str = "simple", **changes) -> Simulation:
    return Simulation(scene(*placements, **changes), fps, visuals)


def rest(sim: Simulation, seconds: float = 0.4) -> World:
    """Hold the arms still for a while; returns the measured state."""
    for _ in range(round(seconds * sim.fps)):
        sim.step(sim.action)
    return World(sim)

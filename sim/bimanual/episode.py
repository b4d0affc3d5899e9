"""A task in a scene, ready to act in: the same preparation for experts, policies and replays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assets.robots.load import load_robot
from sim.bimanual.draws import Choices
from sim.bimanual.language import instructions
from sim.bimanual.randomize import add_clutter, vary_before
from sim.bimanual.scene import Scene, SceneRejectedError
from sim.bimanual.simulation import Simulation
from sim.bimanual.spec import SceneSpec
from sim.bimanual.task import DWELL_S, Task, task_class
from sim.bimanual.world import World
from sim.engine.base import DivergedError
from twinloom.errors import TwinloomError
from twinloom.seeding import stream, words
from twinloom.transforms import rotation_angle

LAYOUT = 1  # of the randomisation record
SETTLE_S = 0.6
MAX_SHIFT, MAX_TURN = 0.015, np.radians(6)  # a task object that moves more while settling was placed badly
MAX_REDRAWS = 20


class SuccessMonitor:
    """Calls a task's observe and check after every control step and counts how long the check has held."""

    def __init__(self, task: Task, world: World) -> None:
        self.task, self.world = task, world
        self.held_s = 0.0

    def __call__(self, _: Simulation) -> None:
        self.task.observe(self.world)
        self.held_s = self.held_s + self.world.dt if self.task.check_success(self.world) else 0.0

    @property
    def success(self) -> bool:
        """Whether the check has held for the dwell time."""
        return self.held_s > DWELL_S - 1e-9


@dataclass
class Prepared:
    """A settled scene with its task; an environment of sim.loop that is over when the task has succeeded.

    Attributes:
        name: task name; ``redraws``: scenes that were drawn and rejected before this one.
        choices: what the task itself drew: sides, instances, orders, places.
        spec: the record of the scene.
    """

    name: str
    task: Task
    sim: Simulation
    world: World
    monitor: SuccessMonitor
    seed: np.random.SeedSequence
    axes: frozenset[str]
    split: str
    redraws: int
    choices: Choices

    @property
    def spec(self) -> SceneSpec:
        """The scene as data."""
        return self.sim.spec

    def observe(self) -> dict[str, np.ndarray]:
        """As Simulation.observe."""
        return self.sim.observe()

    def apply(self, action: np.ndarray) -> None:
        """As Simulation.step."""
        self.sim.step(action)

    @property
    def over(self) -> bool:
        """Whether the task's check has held for its dwell time."""
        return self.monitor.success

    def instructions(self) -> dict[str, list[str]]:
        """Sentences of both splits, "seen" and "unseen". Without the language axis every episode draws the same."""
        task, seed = self.task, self.seed if "language" in self.axes else np.random.SeedSequence(0)
        rng = stream(seed, "language")
        return {split: instructions(task.instructions, task.slots(), split, rng) for split in ("seen", "unseen")}

    def record(self) -> dict[str, Any]:
        """The randomisation record: JSON-able, enough for :func:`restore`."""
        return {
            "layout": LAYOUT,
            "task": self.name,
            "seed": words(self.seed),
            "redraws": self.redraws,
            "axes": sorted(self.axes),
            "split": self.split,
            "fps": self.sim.fps,
            "choices": self.choices,
            "scene": self.spec.to_json(),
        }


def prepare(
    name: str,
    robot: str,
    seed: np.random.SeedSequence,
    axes: frozenset[str] = frozenset(),
    fps: int = 25,
    split: str = "seen",
    visuals: str = "mesh",
) -> Prepared:
    """Draw, compile and settle a scene of a task. Scenes that are unstable, full or solved at once are drawn anew.

    Raises:
        UnknownNameError: unknown task or robot.
        SceneRejectedError: no usable scene in 20 draws.
    """
    for redraw in range(MAX_REDRAWS):
        try:
            task, scene = draw(name, robot, seed, axes, split, redraw)
            sim = Simulation(scene.spec, fps, visuals)
            return _finish(name, task, scene, sim, seed, axes, split, redraw)
        except SceneRejectedError as error:
            reason = error.reason
    raise SceneRejectedError(reason)


def restore(record: dict[str, Any], visuals: str = "mesh") -> Prepared:
    """The same scene and task again, from a record. Nothing is drawn: the task is told what it chose.

    Records of early versions do not tell. Their choices are drawn again from the seed; the scene is the recorded one.

    Raises:
        UnknownNameError: the task or robot does not exist here.
        TwinloomError: the record is of another layout, or this version makes another scene of it.
    """
    if record.get("layout") != LAYOUT:
        given = record.get("layout")
        raise TwinloomError(f"randomisation record of layout {given!r}; this version reads layout {LAYOUT}")
    try:
        name, redraws, fps, split = (record[key] for key in ("task", "redraws", "fps", "split"))
        spec = SceneSpec.from_json(record["scene"])
        seed, axes = np.random.SeedSequence(record["seed"]), frozenset(record["axes"])
        choices = None if "choices" not in record else {kind: list(made) for kind, made in record["choices"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise TwinloomError(f"the randomisation record is damaged: {type(error).__name__} {error}") from error
    other = f"the recorded scene of {name} was made by another version: "
    try:
        if choices is not None:
            task, scene = recorded(name, spec, choices)
        else:
            task, scene = draw(name, spec.robot, seed, axes, split, redraws)
        lost = scene.actors.keys() - {p.name for p in spec.placements}
        if lost:
            raise TwinloomError(f"{other}it lacks {', '.join(sorted(lost))}")
        scene.spec = spec
        return _finish(name, task, scene, Simulation(spec, fps, visuals), seed, axes, split, redraws)
    except SceneRejectedError as error:
        raise TwinloomError(f"{other}it is rejected here ({error.reason})") from error


def draw(
    name: str,
    robot: str,
    seed: np.random.SeedSequence,
    axes: frozenset[str] = frozenset(),
    split: str = "seen",
    redraw: int = 0,
) -> tuple[Task, Scene]:
    """Place a task's objects and draw what is randomised; nothing is compiled. Arguments as for :func:`prepare`.

    Args:
        redraw: how many scenes of this seed were rejected before.

    Raises:
        SceneRejectedError: the objects found no room.
    """
    kind = task_class(name)
    load_robot(robot)
    spec = replace(SceneSpec(robot), table_offset=kind.table_offset)
    spec = vary_before(spec, axes, seed, split)
    scene = Scene(spec, stream(seed, f"scene {redraw}"))
    task = kind()
    task.load_actors(scene)
    if "clutter" in axes:
        scene.spec = add_clutter(scene, stream(seed, f"clutter {redraw}"))
    return task, scene


def recorded(name: str, spec: SceneSpec, choices: Choices) -> tuple[Task, Scene]:
    """A task in the scene that it has set up before; as :func:`draw`, but nothing is drawn.

    Raises:
        TwinloomError: the task now asks for more than was drawn.
    """
    scene = Scene(replace(spec, placements=()), None, choices, spec.placements)
    task = task_class(name)()
    task.load_actors(scene)
    return task, scene


def _finish(name, task, scene, sim, seed, axes, split, redraw) -> Prepared:
    """Bind the task's handles to the simulation, settle, and start the clock."""
    for actor_name, actor in scene.actors.items():
        actor.become(sim.actors[actor_name])
        actor.bind(sim.model, sim.data)
        sim.actors[actor_name] = actor
    _settle(sim)
    world = World(sim)
    monitor = SuccessMonitor(task, world)
    if task.check_success(world):
        raise SceneRejectedError("solved before it began")
    sim.observers.append(monitor)
    return Prepared(name, task, sim, world, monitor, seed, axes, split, redraw, scene.draws.choices)


def _settle(sim: Simulation) -> None:
    """Let objects come to rest; reject scenes whose task objects move or whose clutter falls off."""
    before = {name: actor.pose() for name, actor in sim.actors.items()}
    clutter = {p.name for p in sim.spec.placements if p.clutter}
    try:
        sim.settle(SETTLE_S)
    except DivergedError as error:
        raise SceneRejectedError("unstable scene (diverged)") from error
    for name, actor in sim.actors.items():
        if actor.mode != "free":
            continue
        now = actor.pose()
        if name in clutter:
            if now[2, 3] < sim.spec.table_z - 0.05:
                raise SceneRejectedError("clutter fell off the table")
            continue
        shift = float(np.linalg.norm(now[:3, 3] - before[name][:3, 3]))
        if shift > MAX_SHIFT or rotation_angle(now[:3, :3].T @ before[name][:3, :3]) > MAX_TURN:
            raise SceneRejectedError(f"unstable scene ({actor.asset.category})")

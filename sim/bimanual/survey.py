"""What the experts' episodes are like: grip, contact, speed and views, task by task.

``python -m sim.bimanual.survey`` prints the table; with ``--json`` it is written as a result (docs/results/README.md).
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import tyro

from twinloom.command import run_command
from twinloom.machine import cores, threads_shared_among
from twinloom.processes import end_with_parent
from twinloom.progress import Progress
from twinloom.seeding import episode_seed, stream
from twinloom.select import select

if TYPE_CHECKING:
    from sim.bimanual.simulation import Simulation
    from sim.bimanual.world import World

LASTS_S, CREEP_S = 10.0, 5.0  # how long success must last after the expert, and over which time a grip is watched
FRAMES = 24  # of an episode, evenly spread, from which the robot's share of the image is taken


@dataclass
class Probe:
    """Watches every physics step of a simulation.

    Attributes:
        deepest: metres of the deepest contact; between: the two things.
        fastest: m/s of the fastest free task object in a hand; what: its name.
        touched: (object, side) for every task object and the arms that have touched it.
    """

    sim: Simulation
    world: World
    deepest: float = 0.0
    between: str = ""
    fastest: float = 0.0
    what: str = ""
    touched: set[tuple[str, str]] = field(default_factory=set)
    _free: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        model = self.sim.model
        clutter = {p.name for p in self.sim.spec.placements if p.clutter}
        self._own = [actor for name, actor in self.sim.actors.items() if name not in clutter]
        for name, actor in self.sim.actors.items():
            if actor.mode == "free" and name not in clutter:
                self._free[name] = int(model.jnt_dofadr[model.body_jntadr[actor.bodies["base"]]])
        self.sim.engine.advance.watch = self._contacts  # type: ignore[attr-defined]
        self.sim.observers.append(self._speeds)

    def _contacts(self, _: Any) -> None:
        found = self.sim.engine.contacts()
        if len(found.distances):
            i = int(np.argmin(found.distances))
            if -found.distances[i] > self.deepest:
                self.deepest = float(-found.distances[i])
                self.between = " and ".join(sorted(self.world.names(found.bodies[i])))

    def _speeds(self, sim: Simulation) -> None:
        self.touched |= {(a.name, side) for a in self._own for side in sim.arms if self.world.touched_by(a, side)}
        for name, address in self._free.items():
            speed = float(np.linalg.norm(sim.data.qvel[address : address + 3]))
            if speed > self.fastest and any(self.world.held_by(sim.actors[name], side) for side in sim.arms):
                self.fastest, self.what = speed, name


def survey_episode(
    task: str, robot: str, seed: np.random.SeedSequence, axes: frozenset[str] = frozenset(), visuals: str = "mesh"
) -> dict[str, Any]:
    """Let the expert act once, and look.

    Returns:
        "failure": reason or ""; "lasts": whether success held for LASTS_S afterwards; "creep" (m) and "turn" (rad) of
        what was held then, at most, in CREEP_S; "deepest", "between", "fastest", "what" of :class:`Probe`; "seen":
        object to whether it began in the head camera's image; "robot": (F,) shares of that image; "touched" as in
        Probe; "slots": what the sentences name.
    """
    from sim.bimanual.episode import prepare
    from sim.bimanual.skills import Skills
    from sim.bimanual.views import RobotShare, seen_at_start

    prepared = prepare(task, robot, seed, axes, visuals=visuals)
    sim, world = prepared.sim, prepared.world
    own = {name: a for name, a in sim.actors.items() if not name.startswith("clutter")}
    seen = seen_at_start(prepared.spec.cameras["head"], own)
    probe, skills = Probe(sim, world), Skills(sim, world, stream(seed, "planner"))
    qpos = [sim.data.qpos.copy()]
    sim.observers.append(lambda _: qpos.append(sim.data.qpos.copy()))
    failure, share = _act(prepared, skills), RobotShare(sim.model)
    frames = [qpos[i] for i in np.linspace(0, len(qpos) - 1, FRAMES).astype(int)]
    found = {"failure": failure, "seen": seen, "robot": [share(q) for q in frames]}
    found |= {"deepest": probe.deepest, "between": probe.between, "fastest": probe.fastest, "what": probe.what}
    found |= {"touched": probe.touched, "slots": prepared.task.slots()}
    return found | (_afterwards(sim, prepared.monitor, skills) if not failure else _NOTHING)


def _act(prepared: Any, skills: Any) -> str:
    """Let the expert act and wait a second for success; returns why there is none, or ""."""
    from sim.bimanual.plan import PlanningError
    from sim.engine.base import DivergedError

    sim = prepared.sim
    try:
        prepared.task.expert(skills)
        for _ in range(sim.fps):
            if prepared.monitor.success:
                return ""
            sim.step(sim.action)
    except (PlanningError, DivergedError) as error:
        return str(error)
    return "" if prepared.monitor.success else "goal not reached"


_NOTHING = {"lasts": False, "creep": 0.0, "turn": 0.0}


def _afterwards(sim: Any, monitor: Any, skills: Any) -> dict[str, Any]:
    from twinloom.transforms import inverse, rotation_angle

    skills.motion.measure_held()
    held = {side: (actor, T) for side, (actor, T) in skills.motion.held.items() if actor.mode == "free"}
    lasts, creep, turn = True, 0.0, 0.0
    for step in range(1, round(LASTS_S * sim.fps) + 1):
        sim.step(sim.action)
        lasts &= monitor.success
        if step == round(CREEP_S * sim.fps):
            for side, (actor, T) in held.items():
                now = inverse(sim.tcp(side)) @ actor.pose()
                creep = max(creep, float(np.linalg.norm(now[:3, 3] - T[:3, 3])))
                turn = max(turn, float(rotation_angle(T[:3, :3].T @ now[:3, :3])))
    return {"lasts": lasts, "creep": creep, "turn": turn}


def survey_table(
    tasks: Sequence[str],
    *,
    episodes: int,
    seed: int = 0,
    axes: Sequence[str] = (),
    robot: str = "franka-panda",
    workers: int = 0,
    visuals: str = "mesh",
) -> list[dict[str, Any]]:
    """One row per task: the worst of its episodes, and shares over all of them."""
    trials = [(task, robot, seed, episode, frozenset(axes), visuals) for episode in range(episodes) for task in tasks]
    found: dict[str, list[dict[str, Any]]] = {task: [] for task in tasks}
    count = min(workers or cores(), len(trials))
    with (
        threads_shared_among(count),
        Progress(len(trials), "episode") as progress,
        multiprocessing.get_context("spawn").Pool(count, end_with_parent) as pool,
    ):
        for task, result in pool.imap_unordered(_trial, trials):
            found[task].append(result)
            progress.advance()
    return [_row(task, results) for task, results in found.items()]


def _trial(trial: tuple) -> tuple[str, dict[str, Any]]:
    from sim.bimanual.scene import SceneRejectedError

    task, robot, seed, episode, axes, visuals = trial
    try:
        found = survey_episode(task, robot, episode_seed(seed, task, episode), axes, visuals)
        return task, {key: value for key, value in found.items() if key != "slots"}  # its actors stay in this process
    except SceneRejectedError as error:
        return task, _NOTHING | {"failure": error.reason, "seen": {}, "robot": [], "deepest": 0.0, "fastest": 0.0}


def _row(task: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    good = [r for r in results if not r["failure"]]
    deepest = max(results, key=lambda r: r["deepest"])
    fastest = max(results, key=lambda r: r["fastest"])
    seen = [all(r["seen"].values()) for r in results if r["seen"]]
    robot = np.array([share for r in results for share in r["robot"]] or [0.0])
    return {
        "task": task,
        "k": len(good),
        "n": len(results),
        "lasting": sum(r["lasts"] for r in good),
        "creep_mm": round(1e3 * max((r["creep"] for r in good), default=0.0), 2),
        "creep_deg": round(float(np.degrees(max((r["turn"] for r in good), default=0.0))), 2),
        "penetration_mm": round(1e3 * deepest["deepest"], 2),
        "between": deepest.get("between", ""),
        "carried_m_s": round(fastest["fastest"], 2),
        "all_in_view": round(float(np.mean(seen)), 3) if seen else None,
        "robot_in_view": round(float(robot.mean()), 3),
        "robot_95": round(float(np.quantile(robot, 0.95)), 3),
    }


NOTE = (
    "`lasting`: successes that held for 10 s after the expert had ended. `creep`: what a held object moved in its hand "
    "in 5 s, at most. `penetration`: deepest contact of any physics step. `carried`: fastest task object in a hand. "
    "`all in view`: episodes that begin with the middle of every task object in the head camera's image. `robot in "
    "view`: share of that image that the robot covers, mean over the frames, and what 95 % of them stay below."
)


@dataclass(frozen=True)
class SurveyConfig:
    """How expert episodes grip, touch, move and look, task by task."""

    tasks: Annotated[list[str], tyro.conf.arg(metavar="NAME ...")] = field(default_factory=lambda: ["all"])
    """task names, or all."""
    episodes: int = 1
    """episodes a task."""
    seed: int = 0
    """run seed."""
    randomize: Annotated[list[str], tyro.conf.arg(metavar="NAME ...")] = field(default_factory=lambda: ["none"])
    """axes (sim list axes), all or none."""
    robot: str = "franka-panda"
    """robot name."""
    workers: int = 0
    """processes; 0 is one a core."""
    json: Path | None = None
    """write the rows to this file and their table beside it."""


def main() -> None:
    """Body of ``python -m sim.bimanual.survey``."""

    def body() -> None:
        from sim.bimanual.randomize import parse_axes
        from sim.bimanual.task import task_names
        from twinloom.results import document, markdown, save

        config = tyro.cli(SurveyConfig, prog="python -m sim.bimanual.survey")
        tasks = select("task", ",".join(config.tasks), task_names(), "sim list tasks")
        axes = sorted(parse_axes(",".join(config.randomize)))
        rows = survey_table(
            tasks, episodes=config.episodes, seed=config.seed, axes=axes, robot=config.robot, workers=config.workers
        )
        command = (
            f"python -m sim.bimanual.survey --tasks {' '.join(config.tasks)} --episodes {config.episodes} --seed "
            f"{config.seed} --randomize {' '.join(config.randomize)} --robot {config.robot}"
        )
        title = f"Grip, contact and views on {config.robot}, {'all' if axes else 'no'} randomisation"
        results = document(title, rows, command=command, seeds={"run": config.seed}, note=NOTE)
        if config.json:
            save(config.json, results)
        print(markdown(results, generated=False))

    run_command(body)


if __name__ == "__main__":
    main()

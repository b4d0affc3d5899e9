"""``policies train humanoid/walk`` and ``policies eval`` of walking policies. Parses, calls one function, prints."""

from __future__ import annotations

import itertools
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Annotated, Literal

import tyro

from twinloom.errors import TwinloomError
from twinloom.processes import end_with_parent

NAMES, FILE, FOLDER, POLICY = (tyro.conf.arg(metavar=text) for text in ("NAME ...", "FILE", "FOLDER", "POLICY"))


def train(
    task: tyro.conf.Positional[str],
    network: Literal["mlp", "gcn", "transformer"] = "mlp",
    out: Annotated[Path | None, FOLDER] = None,
    iterations: int = 400,
    robot: Annotated[str, tyro.conf.arg(metavar="NAME")] = "",
    init: Annotated[str, tyro.conf.arg(name="from", metavar="FOLDER")] = "",
    samples: Annotated[str, FOLDER] = "",
    seed: int = 0,
    bodies: int = 32,
    workers: int = 2,
) -> int:
    """Distil the model-based walking controller into a network, over random bodies alone. Rerun to continue.

    Args:
        task: humanoid/walk.
        network: its shape.
        out: run folder; runs/humanoid/NETWORK by default.
        iterations: rounds of collecting and learning in all, those of earlier calls included.
        robot: train a specialist of this robot alone (assets list robots).
        init: begin with this checkpoint, for fine-tuning.
        samples: learn first from what another run of humanoid/walk collected.
        seed: of bodies, episodes and batches.
        bodies: new random bodies in each round.
        workers: processes that collect; the network learns in one thread.
    """
    from policies.humanoid.distill.settings import DistillConfig
    from policies.humanoid.networks import NetworkConfig

    if min(iterations, bodies, workers) < 1 or seed < 0:
        raise TwinloomError("--iterations, --bodies and --workers must be at least 1 and --seed not negative")
    _one_thread()
    from assets.robots.humanoid import load_record
    from policies.humanoid.distill.train import distill

    shape = NetworkConfig(network) if network == "mlp" else NetworkConfig(network, hidden=(256, 128))
    if robot:
        load_record(robot)  # an unknown name ends here
    config = DistillConfig(network=shape, seed=seed, robot=robot, init=init, samples=samples, bodies=bodies)
    distill(out or Path("runs/humanoid") / (f"{network}-{robot}" if robot else network), config, iterations, workers)
    return 0


def evaluate(
    policy: Annotated[str, POLICY, tyro.conf.Positional],
    robots: Annotated[tuple[str, ...], NAMES] = ("benchmark",),
    episodes: int = 1,
    seconds: float = 20.0,
    hardship: float = 0.0,
    protocol: Literal["commands", "random", "pushes", "all"] = "commands",
    workers: int = 2,
    json: Annotated[Path | None, FILE] = None,
) -> int:
    """Let a policy stand, walk and turn robots, and count what lasts.

    Args:
        policy: a folder made by policies train humanoid/walk, model-based:humanoid, or the YAML of another simulator's.
        robots: names (assets list robots), random:INDEX for random bodies, or benchmark for the fourteen designs.
        episodes: of each robot and command, with seeds of their own.
        seconds: of an episode.
        hardship: of the worlds: 0 is a flat floor and exact sensors, 1 has noise, delay, bumps and pushes.
        protocol: commands: standing, five speeds, turning; random: a new command every few seconds; pushes: 0.15 m/s
            and up to 0.3 m/s of push every few seconds on a flat floor; or all of them.
        workers: processes.
        json: write all episodes to this file, and the table beside it as Markdown.
    """
    _one_thread()
    from policies.humanoid.evaluate import HELD_OUT, PROTOCOLS, REFERENCE, episode, summary
    from policies.humanoid.pilots import MODEL_BASED
    from twinloom.results import document, markdown, save

    if min(episodes, workers) < 1 or seconds <= 0.0 or not 0.0 <= hardship <= 1.0:
        raise TwinloomError("--episodes and --workers must be at least 1, --seconds positive, --hardship from 0 to 1")
    shown, policy = policy, MODEL_BASED if policy.partition(":")[0] == MODEL_BASED else policy
    names = [one for name in robots for one in (_benchmark() if name == "benchmark" else (name,))]
    cases = list(itertools.product(names, PROTOCOLS[protocol], range(episodes)))
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), end_with_parent) as pool:
        jobs = [pool.submit(episode, policy, name, one, hardship, seed, seconds) for name, one, seed in cases]
        rows = [job.result() for job in jobs]
    words = f"policies eval {shown} --robots {' '.join(robots)} --episodes {episodes} --hardship {hardship:g}"
    words += f" --protocol {protocol}"
    results = document(
        f"Walking: {policy}, hardship {hardship:g}",
        summary(rows),
        command=words,
        seeds={"episodes": list(range(episodes)), "random bodies": HELD_OUT},
        note=f"Columns with a command: mean seconds until the fall, {seconds:g} at most. Speeds are of a body with "
        f"legs of {REFERENCE} m; those of other bodies are scaled by the root of their leg length.",
    )
    print(markdown(results, generated=False))
    if json is not None:
        save(json, results)
    return 0


def _benchmark() -> tuple[str, ...]:
    from assets.robots.humanoid import humanoids, load_record

    return tuple(name for name in humanoids() if load_record(name).benchmark)


def _one_thread() -> None:
    """Small linear algebra is slower with threads; set before NumPy loads, for this process and its workers."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")

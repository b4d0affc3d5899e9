"""``policies train`` by cloning recorded episodes, of any family. Parses, calls one function, prints."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import tyro

from twinloom.errors import TwinloomError

NAME, NAMES, FOLDER, SIZE = (tyro.conf.arg(metavar=text) for text in ("NAME", "NAME ...", "FOLDER", "WIDTHxHEIGHT"))


def train(
    task: Annotated[str, tyro.conf.Positional, NAME],
    data: Annotated[Path, FOLDER],
    out: Annotated[Path, FOLDER],
    cameras: Annotated[tuple[str, ...], NAMES] = ("all",),
    image_size: Annotated[str, SIZE] = "80x60",
    horizon: int = 24,
    n_action_steps: int = 8,
    steps: int = 4000,
    batch_size: int = 64,
    learning_rate: float = 1e-3,
    width: int = 256,
    channels: int = 32,
    noise: float = 0.03,
    jitter: float = 0.2,
    holdout: float = 0.1,
    threads: int = 0,
    seed: int = 0,
) -> int:
    """Clone the recorded episodes of a task: keypoints of small images and the joints in, chunks of actions out.

    Interrupt it whenever you like: the same command continues. Record episodes with: datagen --tasks TASK

    Args:
        task: task name (sim list tasks).
        data: folder of a LeRobot v3.0 dataset.
        out: run folder, new or begun with the same settings; the policy is OUT/last, the log OUT/train.jsonl.
        cameras: names of cameras in the dataset, all, or none for a policy that feels only its joints.
        image_size: size to which images are shrunk.
        horizon: actions in a chunk.
        n_action_steps: actions of a chunk that are carried out before the policy is asked again.
        steps: gradient steps; may be raised later.
        batch_size: frames in a gradient step.
        learning_rate: peak learning rate.
        width: units of the hidden layers.
        channels: channels of the convolutions, and keypoints.
        noise: noise on the state; the normalised range is 2.
        jitter: largest relative change of brightness and contrast.
        holdout: share of the episodes that is kept for validation.
        threads: of the computation; 0 is one a core. Other numbers of threads round differently.
        seed: of initial weights, order and noise.
    """
    from datagen.settings import parse_size
    from sim.families import find
    from twinloom.errors import require
    from twinloom.interrupt import Interrupt
    from twinloom.machine import cores
    from twinloom.progress import Progress

    family, bare = find(task)
    name = f"{family.name}/{bare}"
    torch = require("torch", "rl")
    require("safetensors", "rl")
    from policies.imitation.config import TrainingConfig
    from policies.imitation.data import camera_names, load_demonstrations
    from policies.imitation.train import Training

    if threads < 0:
        raise TwinloomError(f"--threads {threads} must not be negative")
    torch.set_num_threads(threads or cores())
    settings = TrainingConfig(
        task=name,
        cameras=camera_names(data, cameras),
        image_size=parse_size(image_size),
        horizon=horizon,
        n_action_steps=n_action_steps,
        width=width,
        channels=channels,
        steps=steps,
        batch_size=batch_size,
        learning_rate=learning_rate,
        noise=noise,
        jitter=jitter,
        holdout=holdout,
        seed=seed,
    )
    with Interrupt() as stop:
        demonstrations = load_demonstrations(data, settings)
        training = Training(demonstrations, settings, out)
        seen = f"{', '.join(settings.cameras)} at {image_size}" if settings.cameras else "none"
        print(
            f"policies · train {name} · {demonstrations.episodes} episodes"
            f", {len(demonstrations.state):,} frames · cameras {seen} · out {out}"
            + (f" · continued at step {training.step}" if training.step else ""),
            flush=True,
        )
        with Progress(steps, "step", done=training.step) as progress:
            result = training.run(stop, progress)
    if result.signal:
        again = shlex.join(["policies", *sys.argv[1:]])
        print(f"interrupted: step {result.steps:,} of {steps:,} kept in {out}; continue with: {again}")
        return 128 + result.signal
    error = "" if result.validation is None else f", {result.validation:.4f} off on the episodes held out"
    print(f"{result.steps:,} steps{error}        evaluate  policies eval {shlex.quote(str(out))}")
    return 0

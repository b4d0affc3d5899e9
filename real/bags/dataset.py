"""Bags into a LeRobot v3.0 dataset, and episodes of a dataset back into motion."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from datagen.dataset import DatasetWriter
from datagen.episode import DatasetSpec, Episode, Feature
from datagen.lerobot.layout import INFO
from datagen.lerobot.read import Dataset
from real.bags.bag import Bag
from real.bags.hands import HAND_NAMES, HAND_UNIT, Hands
from real.bags.resample import BagEpisode
from real.robots.sim import SimRobot
from real.safety.modes import Mode
from sim.loop import run
from twinloom.errors import TwinloomError
from twinloom.features import ACTION, IMAGE_AXES, IMAGES, STATE
from twinloom.joint_names import match

UNIT = "rad; gripper opening in [0, 1]"
STAMPS = "observation.stamps"
ACTIONS = "joint position targets (rad) and gripper opening in [0, 1]"


class Added(NamedTuple):
    """An episode that was added: its index, frames, seconds, and what may be wrong with it; ``new`` is False, and
    nothing was added, where the dataset held it before."""

    index: int
    frames: int
    seconds: float
    facts: dict[str, Any]
    new: bool = True


def add_bags(
    bags: Sequence[Path],
    out: Path,
    *,
    fps: int,
    robot: str = "",
    codec: str = "h264",
    failed: bool = False,
    again: bool = False,
) -> Iterator[Added]:
    """Append each bag as an episode to a dataset, which is begun if there is none; yields as they are committed.

    Args:
        bags: MCAP files of the recorder.
        out: folder of the dataset.
        fps: frames per second.
        robot: robot file; the one that the recorder named if empty.
        codec: of the video, a name of ``datagen``'s codecs.
        failed: also keep episodes in which the simulated robot did not report success.
        again: also add what the dataset holds already, by robot and moment.

    Raises:
        TwinloomError: a bag cannot be used (those before it are kept), or the dataset is another one.
    """
    if fps < 1 or fps > 200:
        raise TwinloomError(f"--fps {fps} must be between 1 and 200")
    for path in bags:
        source = BagEpisode(Bag(path), fps, robot)
        if not source.success and not failed:
            raise TwinloomError(f"{path}: the robot reported no success in {source.task}; keep it with --failed")
        held = None if again else _held(source, out)
        yield _append(source, out, fps, codec) if held is None else held


def _held(source: BagEpisode, out: Path) -> Added | None:
    """The episode of a dataset that began at the same moment, if there is one."""
    if not (out / INFO).exists():
        return None
    with Dataset(out) as dataset:
        told = dataset.episodes.column("extra").to_pylist()
        for index, facts in enumerate(json.loads(text or "{}") for text in told):
            if facts.get("began_ns") == source.facts["began_ns"]:
                return Added(index, len(source.times_ns), len(source.times_ns) / source.fps, facts, new=False)
    return None


def _append(source: BagEpisode, out: Path, fps: int, codec: str) -> Added:
    spec, episode = compose(source, fps)
    with DatasetWriter(out, spec, codec=codec) as writer:
        index = writer.add(episode)
    return Added(index, episode.length, episode.length / fps, source.facts)


def compose(source: BagEpisode, fps: int) -> tuple[DatasetSpec, Episode]:
    """A bag's episode with the dataset it fits into; its images are read when they are encoded."""
    contract, names = source.contract, source.contract.names
    arrays = dict(source.arrays)
    stamps = ("state", *source.cameras)
    features = {
        "observation.state": Feature("float32", (len(names),), names, UNIT),
        "action": Feature("float32", (len(names),), names, UNIT),
        STAMPS: Feature("int64", (len(stamps),), stamps, "ns since 1970, when it was measured"),
    }
    if source.legs is not None:
        features |= source.legs.features(contract)
    if contract.has_hands:
        features["observation.ee_pose"] = Feature("float32", (len(HAND_NAMES),), HAND_NAMES, HAND_UNIT)
        arrays["observation.ee_pose"] = Hands(contract).flat(arrays["observation.state"])
    for name in source.cameras:
        camera = next(c for c in contract.cameras if c.name == name)
        shape = (camera.height, camera.width, 3)
        features[IMAGES + name] = Feature("video", shape, IMAGE_AXES)
    features = {name: feature for name, feature in features.items() if name in arrays or name.startswith(IMAGES)}
    world = "sim" if source.record else contract.name
    spec = DatasetSpec(fps, contract.model or contract.name, f"real/{world}", features, ACTIONS)
    episode = Episode(
        task=source.task,
        instruction=source.instruction,
        arrays=arrays,
        images=({IMAGES + k: frame for k, frame in frames.items()} for frames in source.images()),
        success=source.success,
        seed=tuple(source.record.get("seed", ())),
        record=source.record,
        extra=source.facts,
    )
    return spec, episode


class Replayed(NamedTuple):
    """A replay beside its recording.

    Attributes:
        frames: how many.
        hand_m: (T,) distance of the hands, the larger of both sides; None of a robot without hands.
        joint_rad: largest difference of a joint, grippers aside.
        success: whether the simulated task succeeded again; of a robot on legs, whether it did not fall.
    """

    frames: int
    hand_m: np.ndarray | None
    joint_rad: float
    success: bool


def replay(root: Path, index: int, robot: str = "") -> Replayed:
    """Send the actions of an episode to a simulated robot in its scene, in lockstep, and compare the motion.

    Args:
        root: the dataset.
        index: the episode.
        robot: robot file; the one named like the dataset's robot if empty.

    Raises:
        TwinloomError: no such episode, it has no scene, or this version makes another scene of it.
    """
    with Dataset(root) as dataset:
        dataset.row(index)
        details = dataset.episodes.slice(index, 1).to_pylist()[0]
        recorded, fps, features = dataset.arrays(index), dataset.fps, dataset.features
        robot = robot or str(dataset.info["robot_type"])
    record = json.loads(details.get("record") or "{}")
    if not record:
        raise TwinloomError(f"episode {index} of {root} has no scene; replay it on the robot it came from")
    world = SimRobot(record["task"], record=record, lockstep=True, fps=fps, contract=robot)
    order = match(features[ACTION].names, world.contract.names, what=f"dataset {root}")
    states: list[np.ndarray] = []

    def follow(observe):
        if len(states) == len(recorded[ACTION]):
            return None
        states.append(observe()[STATE])
        return recorded[ACTION][len(states) - 1, order].astype(float)

    with world:
        run(world, follow)
        success = world.success if world.contract.imu is None else world.safety.mode is Mode.ACTIVE
    before, again = recorded[STATE][:, order].astype(float), np.array(states)
    arms = ~world.contract.is_gripper
    stamps = recorded[STAMPS].reshape(len(before), -1)[:, 0]
    measured = np.diff(stamps, prepend=0) > 0  # the others lie between two measurements
    apart = float(np.abs(before - again)[measured][:, arms].max())
    hands = Hands(world.contract).apart(before, again) if world.contract.has_hands else None
    return Replayed(len(states), hands, apart, success)

"""Recorded episodes in memory, images shrunk: small enough for a laptop, and the same shrinking as when acting."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from datagen.lerobot.layout import SETTINGS
from datagen.lerobot.read import Dataset
from policies.imitation.config import TrainingConfig
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.features import ACTION, IMAGES, STATE, Feature
from twinloom.select import select


def shrink(images: torch.Tensor, image_size: tuple[int, int]) -> torch.Tensor:
    """(..., H, W, 3) uint8 to (..., 3, height, width) uint8, each pixel the mean of the area that it covers.

    Args:
        image_size: (width, height).
    """
    flat = images.reshape(-1, *images.shape[-3:]).permute(0, 3, 1, 2).float()
    small = functional.interpolate(flat, size=image_size[::-1], mode="area").round().to(torch.uint8)
    return small.reshape(*images.shape[:-3], *small.shape[1:])


@dataclass(frozen=True)
class Demonstrations:
    """Frames of all episodes one after the other.

    Attributes:
        fps, robot: of the dataset.
        features: description of the state, the action and the images, as recorded.
        state: (N, S) float32; action: (N, A) float32.
        images: (N, cameras, 3, height, width) uint8.
        first: (E + 1,) index of the first frame of each episode, and N.
        seeds: run seeds that the episodes were drawn from, where the dataset says so.
        render: mode the images were drawn with, or "auto".
    """

    fps: int
    robot: str
    features: dict[str, Feature]
    state: torch.Tensor
    action: torch.Tensor
    images: torch.Tensor
    first: np.ndarray
    seeds: tuple[int, ...]
    render: str

    @property
    def episodes(self) -> int:
        """Number of episodes."""
        return len(self.first) - 1

    def split(self, holdout: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Indices of the frames to learn from and of those to validate with; whole episodes go to one side."""
        order = np.random.default_rng([seed, 0]).permutation(self.episodes)
        kept = max(1, self.episodes - round(holdout * self.episodes))
        return self._frames(order[:kept]), self._frames(order[kept:])

    def chunks(self, frames: np.ndarray, horizon: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Actions from each frame on, (B, horizon, A), and where they exist, (B, horizon) bool: none behind the end."""
        ends = self.first[np.searchsorted(self.first, frames, side="right")]
        wanted = frames[:, None] + np.arange(horizon)
        there = wanted < ends[:, None]
        return self.action[np.minimum(wanted, ends[:, None] - 1)], torch.from_numpy(there)

    def _frames(self, episodes: np.ndarray) -> np.ndarray:
        found = [np.arange(int(self.first[e]), int(self.first[e + 1])) for e in np.sort(episodes)]
        return np.concatenate(found) if found else np.zeros(0, np.int64)


def camera_names(root: Path, words: Sequence[str]) -> tuple[str, ...]:
    """Cameras of a dataset named by the words of a command line, sorted; "all" and "none" mean that.

    Raises:
        TwinloomError: no such dataset, or no such camera in it.
    """
    with Dataset(root) as dataset:
        known = sorted(key.removeprefix(IMAGES) for key in dataset.cameras)
    if not known and list(words) == ["all"]:
        return ()
    return tuple(select(f"camera of {root}", words, known, f"datagen report {root}", optional=True))


def load_demonstrations(
    root: Path, config: TrainingConfig, step: Callable[[int, int], None] = lambda done, total: None
) -> Demonstrations:
    """Read the episodes of one task from a LeRobot v3.0 dataset.

    Args:
        root: folder of the dataset.
        config: says which task, cameras and size of images. Datasets that do not say which task an episode is of
            are used whole.
        step: called with the number of episodes read, and of all.

    Raises:
        TwinloomError: no such dataset, camera or task in it, numbers that are not finite, or another layout.
    """
    with Dataset(root) as dataset:
        missing = [name for name in (STATE, ACTION) if name not in dataset.features]
        if missing:
            raise TwinloomError(f"{root} has no {' and no '.join(missing)}; a policy cannot be cloned from it")
        keys, image_size = [IMAGES + name for name in config.cameras], config.image_size
        chosen = _episodes(dataset, config.task.rpartition("/")[2])
        states, actions, images, lengths = [], [], [], []
        for done, episode in enumerate(chosen):
            arrays = dataset.arrays(episode)
            lengths.append(len(arrays[ACTION]))
            states.append(arrays[STATE].reshape(lengths[-1], -1))  # one number is read as (T,)
            actions.append(arrays[ACTION].reshape(lengths[-1], -1))
            views = [_images(dataset, episode, key, image_size) for key in keys]
            shape = (lengths[-1], 0, 3, *image_size[::-1])
            images.append(torch.stack(views, 1) if views else torch.zeros(shape, dtype=torch.uint8))
            step(done + 1, len(chosen))
        state, action = np.concatenate(states), np.concatenate(actions)
        if not (np.isfinite(state).all() and np.isfinite(action).all()):
            raise TwinloomError(f"{root} holds states or actions that are not finite; see: datagen verify {root}")
        features = {name: dataset.features[name] for name in (STATE, ACTION, *keys)}
        return Demonstrations(
            fps=dataset.fps,
            robot=dataset.robot_type,
            features=features,
            state=torch.from_numpy(state),
            action=torch.from_numpy(action),
            images=torch.cat(images),
            first=np.cumsum([0, *lengths]),
            seeds=_run_seeds(dataset, chosen),
            render=_render(root),
        )


def _episodes(dataset: Dataset, task: str) -> list[int]:
    """Successful episodes of a task; all where the dataset names no tasks."""
    rows = dataset.rows
    if "task_name" not in rows.column_names:
        return list(range(len(dataset)))
    names = rows["task_name"].to_pylist()
    succeeded = rows["success"].to_pylist() if "success" in rows.column_names else [True] * len(names)
    found = [
        e for e, (name, well) in enumerate(zip(names, succeeded, strict=True)) if name == task and well is not False
    ]
    if not found:
        raise UnknownNameError(
            f"task of {dataset.root}", task, {str(n) for n in names}, f"datagen report {dataset.root}"
        )
    return found


def _run_seeds(dataset: Dataset, episodes: Sequence[int]) -> tuple[int, ...]:
    """First words of the episodes' seeds: the --seed of the runs that made them."""
    if "seed" not in dataset.rows.column_names:
        return ()
    seeds = dataset.rows["seed"].to_pylist()
    return tuple(sorted({int(seeds[e][0]) for e in episodes if seeds[e]}))


def _images(dataset: Dataset, episode: int, camera: str, image_size: tuple[int, int]) -> torch.Tensor:
    """(T, 3, height, width) uint8 of one episode."""
    return torch.stack([shrink(torch.from_numpy(image), image_size) for image in dataset.images(episode, camera)])


def _render(root: Path) -> str:
    """Mode that the images of a dataset of ours were drawn with, of the first one if it is merged; else "auto"."""
    path = Path(root) / SETTINGS
    value = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    while value.get("sources"):
        value = value["sources"][0]
    return str(value.get("settings", {}).get("render", "auto"))

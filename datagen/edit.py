"""``datagen edit``: a part of a dataset, or several, as new datasets; videos are copied, not encoded again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from datagen.dataset import DatasetWriter
from datagen.episode import DatasetSpec, Episode
from datagen.lerobot import layout
from datagen.lerobot.integrity import check_intact
from datagen.lerobot.manifest import listed
from datagen.lerobot.merge import origin_of
from datagen.lerobot.read import Dataset
from twinloom.atomic import atomic_folder
from twinloom.errors import InvalidSettingsError, TwinloomError
from twinloom.features import IMAGES
from twinloom.select import select


@dataclass(frozen=True)
class EditConfig:
    """What is taken of a dataset, and what changes.

    Attributes:
        delete, keep: indices of episodes to leave out, and to take (None for all).
        tasks: task names or sentences; () for all.
        success: whether only successful episodes are taken.
        shortest, longest: length of the episodes taken, frames.
        cameras: names of the cameras taken; None for all, ("none",) for none.
        rename: old to new name, of features ("observation.state") or cameras ("head").
        retask: old to new sentence.
        split: name of a part to its share of the episodes; {} for one dataset.
        seed: of the split.
    """

    delete: frozenset[int] = frozenset()
    keep: frozenset[int] | None = None
    tasks: Sequence[str] = ()
    success: bool = False
    shortest: int = 1
    longest: int | None = None
    cameras: Sequence[str] | None = None
    rename: Mapping[str, str] = field(default_factory=dict)
    retask: Mapping[str, str] = field(default_factory=dict)
    split: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0


def edit(root: Path, out: Path, config: EditConfig) -> dict[Path, int]:
    """Write the new dataset ``out``, or ``out/<part>`` of each part. All appear complete or not at all.

    Returns:
        Folder to number of episodes.

    Raises:
        InvalidSettingsError: names or numbers that the dataset does not have; all are named.
        TwinloomError: ``out`` exists, the dataset is damaged, nothing is left, or the disk is full or not writable.
    """
    if os.path.lexists(out):
        raise TwinloomError(f"{out} exists already; name a new folder")
    with Dataset(root) as dataset:
        names = _names(dataset, config)
        chosen = _chosen(dataset, config)
        check_intact(root, listed(root), what="nothing was written")
        origin = {"layout": 1, "kind": "a part of a dataset", "sources": [origin_of(root)]}
        sidecars = {layout.SETTINGS: (json.dumps(origin, indent=2, ensure_ascii=False) + "\n").encode()}
        spec = _spec(dataset.spec, names)
        parts = _parts(chosen, config)
        with atomic_folder(out) as folder:
            for part, episodes in parts.items():
                with DatasetWriter(folder / part, spec, sidecars=sidecars) as writer:
                    for index in episodes:
                        writer.add(_changed(dataset.episode(index), names, config))
    return {out / part if part else out: len(episodes) for part, episodes in parts.items()}


def numbers(words: Sequence[str]) -> frozenset[int]:
    """Indices of "3", "5-9" or "3,5-9".

    Raises:
        TwinloomError: a word is neither.
    """

    def one(word: str) -> Iterator[int]:
        first, dash, last = word.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or (dash and int(last) < int(first)):
            raise TwinloomError(f'"{word}" is no episode and no range of them; write 3 or 5-9')
        yield from range(int(first), int(last if dash else first) + 1)

    return frozenset(index for word in " ".join(words).replace(",", " ").split() for index in one(word))


def _names(dataset: Dataset, config: EditConfig) -> dict[str, str]:
    """Features taken, with their new names."""
    features = list(dataset.features)
    if config.cameras is not None:
        known = [key.removeprefix(IMAGES) for key in dataset.cameras]
        command = f"datagen report {dataset.root}"
        taken = {IMAGES + name for name in select("camera", config.cameras, known, command, optional=True)}
        features = [name for name in features if name not in dataset.cameras or name in taken]
    new = {old if old in features else IMAGES + old: (old, name) for old, name in config.rename.items()}
    problems = [
        f'there is no feature or camera "{old}" to rename' for key, (old, _) in new.items() if key not in features
    ]
    names = {name: name for name in features}
    names |= {key: name if old == key else IMAGES + name for key, (old, name) in new.items() if key in names}
    twice = {name for name in names.values() if list(names.values()).count(name) > 1}
    problems += [f'two features would be called "{name}"' for name in sorted(twice)]
    sentences = set(dataset.tasks.values())
    problems += [f'there is no sentence "{old}"' for old in config.retask if old not in sentences]
    if problems:
        raise InvalidSettingsError(f"edit of {dataset.root}", problems)
    return names


def _chosen(dataset: Dataset, config: EditConfig) -> list[int]:
    """Indices of the episodes taken."""
    named = config.delete | (config.keep or frozenset())
    outside = sorted(index for index in named if index >= len(dataset))
    if outside:
        raise TwinloomError(f"{dataset.root} has episodes 0 to {len(dataset) - 1}, not {outside[0]}")
    tasks, found, known = set(config.tasks), [], set()
    for index, row in enumerate(dataset.rows.to_pylist()):
        own = {row.get("task_name"), *row["tasks"]} - {None}
        known |= own
        if (
            index not in config.delete
            and (config.keep is None or index in config.keep)
            and (not tasks or tasks & own)
            and (not config.success or row.get("success"))
            and config.shortest <= row["length"] <= (config.longest or row["length"])
        ):
            found.append(index)
    missing = sorted(tasks - known)
    if missing:
        raise TwinloomError(f'{dataset.root} has no task "{missing[0]}"; see: datagen report {dataset.root}')
    if not found:
        raise TwinloomError(f"nothing of {dataset.root} is left")
    return found


def _parts(chosen: list[int], config: EditConfig) -> dict[str, list[int]]:
    """Episodes of each part, in their order."""
    if not config.split:
        return {"": chosen}
    shares = np.array(list(config.split.values()))
    if (shares <= 0).any() or shares.sum() > 1 + 1e-9:
        raise TwinloomError(f"the shares of a split are above 0 and add up to 1 at most, not {shares.sum():g}")
    order = np.random.default_rng(config.seed).permutation(len(chosen))
    ends = np.round(np.cumsum(shares) * len(chosen)).astype(int)
    starts = [0, *ends[:-1]]
    parts = {
        name: [chosen[k] for k in np.sort(order[start:end])]
        for name, start, end in zip(config.split, starts, ends, strict=True)
    }
    empty = [name for name, episodes in parts.items() if not episodes]
    if empty:
        raise TwinloomError(f'{len(chosen)} episodes leave none for "{empty[0]}"')
    return parts


def _spec(spec: DatasetSpec, names: Mapping[str, str]) -> DatasetSpec:
    features = {new: spec.features[old] for old, new in names.items()}
    return replace(spec, features=features, videos={names[k]: v for k, v in spec.videos.items() if k in names})


def _changed(episode: Episode, names: Mapping[str, str], config: EditConfig) -> Episode:
    """An episode with its features and sentences renamed."""
    said = None if episode.frame_instructions is None else [config.retask.get(s, s) for s in episode.frame_instructions]
    return replace(
        episode,
        instruction=config.retask.get(episode.instruction, episode.instruction),
        frame_instructions=said,
        arrays={names[name]: array for name, array in episode.arrays.items() if name in names},
        images=({names[key]: frame for key, frame in frames.items() if key in names} for frames in episode.images),
        clips={names[key]: clip for key, clip in episode.clips.items() if key in names},
        stats={names[key]: stats for key, stats in episode.stats.items() if key in names},
    )

"""Several datasets as one: what differs between them is found, and brought together as the configuration says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datagen.lerobot.read import Dataset
from datagen.mixture.config import MixtureConfig, SourceConfig
from datagen.mixture.normalize import Normalizer
from datagen.mixture.sampler import source_shares
from datagen.mixture.source import folder_name, load_source
from twinloom.errors import InvalidSettingsError, TwinloomError
from twinloom.features import ACTION, STATE, cameras


@dataclass(frozen=True)
class Facts:
    """What a dataset says of itself, before anything is read.

    Attributes:
        name: for tables.
        fps, episodes, frames: of the dataset.
        state, action: names of the elements, under the mixture's names.
        cameras: its cameras, under the mixture's names.
    """

    name: str
    fps: int
    episodes: int
    frames: int
    state: tuple[str, ...]
    action: tuple[str, ...]
    cameras: tuple[str, ...]


def facts_of(config: SourceConfig) -> Facts:
    """Read the facts of a source. Raises TwinloomError if it is no dataset, or has no actions."""
    with Dataset(config.root) as dataset:
        if ACTION not in dataset.features:
            raise TwinloomError(f"{config.root} has no {ACTION}; a policy cannot be cloned from it")
        renamed = {own: name for name, own in config.names.items()}
        seen = {own: name for name, own in config.cameras.items()}
        names = {
            key: tuple(renamed.get(n, n) for n in dataset.features[key].names) if key in dataset.features else ()
            for key in (STATE, ACTION)
        }
        own = cameras(dataset.cameras)
        missing = sorted({*config.cameras.values()} - {*own})
        if missing:
            raise TwinloomError(f"{config.root} has no camera {', '.join(missing)}; it has {', '.join(own) or 'none'}")
        return Facts(
            folder_name(config),
            dataset.fps,
            len(dataset),
            dataset.frames,
            names[STATE],
            names[ACTION],
            tuple(seen.get(camera, camera) for camera in own),
        )


def differences(facts: Sequence[Facts]) -> list[str]:
    """A line for everything in which the sources differ: rate, state, action, cameras."""
    lines = []
    for word in ("fps", "state", "action", "cameras"):
        values = [getattr(one, word) for one in facts]
        if len({tuple(v) if isinstance(v, tuple) else v for v in values}) > 1:
            shown = (f"{one.name}: {_short(value)}" for one, value in zip(facts, values, strict=True))
            lines.append(f"{word}  {'; '.join(shown)}")
    return lines


def _short(value: object) -> str:
    if not isinstance(value, tuple):
        return str(value)
    words = ", ".join(value[:4]) + (f", … ({len(value)})" if len(value) > 4 else "")
    return words or "none"


class Mixture:
    """Sources loaded and aligned.

    Attributes:
        config: as given.
        sources: loaded.
        fps: of all windows.
        cameras: of all windows.
        names: "observation.state" and "action" -> names of the elements of all windows.
        columns: for each source and key, the place of its elements among those names.
        masks: for each source and key, (n,) bool: which elements it has.
        shares: probability of each source.
        domains: labels; ``domains[0]`` is the target.
        normalizers: for each source and key, its normalisation; one for all if the scope is "shared".

    Args:
        config: what to mix.

    Raises:
        InvalidSettingsError: the sources differ, and the configuration does not say how to bring them together.
        TwinloomError: a source cannot be read.
    """

    def __init__(self, config: MixtureConfig) -> None:
        if not config.sources:
            raise InvalidSettingsError("mixture", ["there are no sources"])
        facts = [facts_of(source) for source in config.sources]
        _check(config, facts)
        self.config = config
        self.fps = config.fps or facts[0].fps
        self.cameras = facts[0].cameras if config.cameras is None else config.cameras
        self.sources = [
            load_source(source, self.fps, _cameras(source, one, self.cameras), config.image_size)
            for source, one in zip(config.sources, facts, strict=True)
        ]
        keys = [key for key in (STATE, ACTION) if any(key in source.values for source in self.sources)]
        self.names = {key: _union([source.names.get(key, ()) for source in self.sources]) for key in keys}
        self.columns = [
            {key: np.array([self.names[key].index(name) for name in source.names.get(key, ())], int) for key in keys}
            for source in self.sources
        ]
        self.masks = [{key: _mask(columns[key], len(self.names[key])) for key in keys} for columns in self.columns]
        others = sorted({source.domain for source in config.sources} - {config.target})
        self.domains = [config.target, *others]
        self.shares = source_shares(
            [len(source) for source in self.sources],
            [source.domain == config.target for source in config.sources],
            config.p_target,
            config.temperature,
            [source.weight for source in config.sources],
        )
        self.normalizers = [{key: self._normalizer(key, k) for key in keys} for k in range(len(self.sources))]

    def __len__(self) -> int:
        """Frames of all sources."""
        return sum(len(source) for source in self.sources)

    def spread(self, source: int, key: str) -> np.ndarray:
        """(N, n) values of a source under the mixture's names, nan where it has none."""
        values = self.sources[source].values.get(key)
        out = np.full((len(self.sources[source]), len(self.names[key])), np.nan, np.float32)
        if values is not None:
            out[:, self.columns[source][key]] = values
        return out

    def _normalizer(self, key: str, source: int) -> Normalizer:
        domain = self.config.sources[source].domain
        shared = self.config.scope == "shared"
        members = [k for k, one in enumerate(self.config.sources) if shared or one.domain == domain]
        weights = [self.shares[k] for k in members]
        if not any(weights):
            weights = [1.0] * len(members)
        return Normalizer.of([self.spread(k, key) for k in members], weights, self.config.normalization)


def _check(config: MixtureConfig, facts: list[Facts]) -> None:
    first, problems = facts[0], []
    if config.fps is None and any(one.fps != first.fps for one in facts):
        problems.append("rates differ: give fps, and sources of other rates are resampled")
    problems += [
        f'{word}s differ: give names, or align = "names" for the union with masks'
        for word in ("state", "action")
        if config.align == "same" and any(getattr(one, word) != getattr(first, word) for one in facts)
    ]
    wanted = first.cameras if config.cameras is None else config.cameras
    lacking = [one.name for one in facts if not {*wanted} <= {*one.cameras}]
    if lacking and not config.missing_cameras:
        problems.append(f"{', '.join(lacking)} without {', '.join(wanted)}: give cameras, or missing_cameras = true")
    if config.horizon < 1 or config.batch_size < 1 or not 0 <= config.min_target <= config.batch_size:
        problems.append(f"horizon {config.horizon}, batch_size {config.batch_size}, min_target {config.min_target}")
    if problems:
        raise InvalidSettingsError("mixture", [*problems, *differences(facts)])


def _cameras(source: SourceConfig, facts: Facts, wanted: Sequence[str]) -> dict[str, str]:
    """Camera of the mixture -> camera of the dataset, those it has."""
    return {camera: source.cameras.get(camera, camera) for camera in wanted if camera in facts.cameras}


def _union(names: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for some in names for name in some))


def _mask(columns: np.ndarray, count: int) -> np.ndarray:
    mask = np.zeros(count, bool)
    mask[columns] = True
    return mask

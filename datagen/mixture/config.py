"""What a mixture is made of: sources with their domains, and how what differs between them is brought together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from datagen.mixture.normalize import Mode


@dataclass(frozen=True)
class SourceConfig:
    """One dataset of a mixture.

    Attributes:
        root: folder of a LeRobot v3.0 dataset.
        domain: its label; domain 0 of a batch is ``MixtureConfig.target``.
        task: name of the task whose successful episodes are taken; all episodes if empty.
        episodes: take the first so many; all if None.
        weight: relative share within its group; its size decides if None.
        cameras: camera of the mixture -> camera of this dataset, where they differ.
        names: name of the mixture -> name of this dataset, for elements of state and action, where they differ.
    """

    root: str
    domain: str = "target"
    task: str = ""
    episodes: int | None = None
    weight: float | None = None
    cameras: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class MixtureConfig:
    """How sources become one stream of training windows.

    Attributes:
        sources: at least one.
        target: the domain that a policy is for.
        p_target: share of it in every batch; that of plain concatenation if None.
        temperature: within a group a source counts size^(1/T).
        horizon: actions of a window.
        fps: rate of the windows; sources of other rates are resampled. Required where rates differ.
        cameras: cameras of the mixture; those of the first source if None. A camera that a source lacks gives black
            images with mask 0, which ``missing_cameras`` must allow.
        image_size: (width, height) of all images.
        align: "same" demands the same state and action everywhere; "names" takes the union of their names, and masks
            what a source does not have.
        missing_cameras: whether a source may lack cameras.
        normalization: mode of state and action; ``scope`` "shared" pools all sources by their shares, "domain" scales
            each domain by itself.
        batch_size, seed: of the batches.
        min_target: least number of target samples in a batch, for losses that compare domains; the samples then weigh
            less, so that p_target holds for the loss.
    """

    sources: tuple[SourceConfig, ...]
    target: str = "target"
    p_target: float | None = None
    temperature: float = 1.0
    horizon: int = 16
    fps: int | None = None
    cameras: tuple[str, ...] | None = None
    image_size: tuple[int, int] = (96, 96)
    align: Literal["same", "names"] = "same"
    missing_cameras: bool = False
    normalization: Mode = "quantile"
    scope: Literal["shared", "domain"] = "shared"
    batch_size: int = 64
    seed: int = 0
    min_target: int = 0

"""What was really drawn: for every randomised quantity its lowest, mean and highest value and a small histogram."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

BINS = 12
PHYSICS_MS = 4.0  # one physics step


@dataclass(frozen=True)
class Range:
    """One quantity over all episodes.

    Attributes:
        axis: randomisation axis it belongs to; name: what it is, with its unit.
        lowest, mean, highest: over the samples.
        histogram: counts of BINS equal bins from lowest to highest.
    """

    axis: str
    name: str
    lowest: float
    mean: float
    highest: float
    histogram: tuple[int, ...]


@dataclass(frozen=True)
class Variety:
    """A quantity that has no order: how many different values there were, and a few of them."""

    axis: str
    name: str
    count: int
    examples: tuple[str, ...]


def ranges(records: Iterable[Mapping[str, Any]]) -> tuple[list[Range], list[Variety]]:
    """Ranges and varieties of the scenes in the randomisation records; constants are left out.

    Records of other layouts than sim.bimanual.spec.SceneSpec give whatever they share with it, possibly nothing.
    """
    samples: dict[tuple[str, str], list[float]] = {}
    values: dict[tuple[str, str], dict[str, int]] = {}
    for record in records:
        scene = record.get("scene", {})
        for axis, name, value in _numbers(scene):
            samples.setdefault((axis, name), []).append(value)
        for axis, name, value in _names(scene):
            counts = values.setdefault((axis, name), {})
            counts[value] = counts.get(value, 0) + 1
    spread = [_range(axis, name, found) for (axis, name), found in samples.items() if min(found) < max(found)]
    variety = [
        Variety(axis, name, len(counts), tuple(sorted(counts, key=lambda v: (-counts[v], v))[:8]))
        for (axis, name), counts in values.items()
    ]
    return spread, variety


def _range(axis: str, name: str, samples: list[float]) -> Range:
    array = np.array(samples)
    counts, _ = np.histogram(array, BINS)
    return Range(axis, name, float(array.min()), float(array.mean()), float(array.max()), tuple(map(int, counts)))


def _numbers(scene: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    if "placements" in scene:
        yield "clutter", "distractors in the scene", sum(p["clutter"] for p in scene["placements"])
    if "table_bias" in scene:
        yield "table", "table height, cm from 74 cm", 100 * scene["table_bias"]
    lights = scene.get("lights", [])
    if lights:
        yield "lighting", "lamps", len(lights)
        yield "lighting", "ambient light, 0 to 1", float(np.mean(scene["ambient"]))
    for light in lights:
        red, green, blue = light["diffuse"]
        yield "lighting", "lamp intensity, 0 to 1", max(red, green, blue)
        yield "lighting", "lamp colour, red / blue", red / blue if blue else math.inf
        for axis, value in zip("xyz", light["pos"], strict=True):
            yield "lighting", f"lamp position {axis}, m", value
    for name, camera in scene.get("cameras", {}).items():
        for axis, value in zip("xyz", camera["pos"], strict=True):
            yield "camera", f"{name} camera {axis}, m", value
        yield "camera", f"{name} camera field of view, degrees", camera["fovy"]
    for name, value in scene.get("dynamics", {}).items():
        yield "dynamics", f"{name.replace('_', ' ')}, factor", value
    if "latency" in scene:
        yield "latency", "command latency, ms", PHYSICS_MS * scene["latency"]


def _names(scene: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for surface, texture in scene.get("surfaces", {}).items():
        yield "background", f"{surface} surfaces", str(texture)
    for placement in scene.get("placements", []):
        key = f"{placement['category']}/{placement['index']}"
        yield ("clutter", "distractor objects", key) if placement["clutter"] else ("task", "task objects", key)

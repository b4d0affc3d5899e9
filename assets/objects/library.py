"""The object library: categories by name, instances by index, always the same object for the same pair."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib import import_module
from pkgutil import iter_modules

import numpy as np

from assets.objects.frames import Vector, rotation
from assets.objects.model import ObjectAsset
from assets.objects.shapes import bounds
from twinloom.errors import TwinloomError
from twinloom.plugins import found
from twinloom.registry import Registry

Generator = Callable[[np.random.Generator, int], ObjectAsset]


@dataclass(frozen=True)
class Category:
    """A family of objects. ``generate(rng, index)`` makes one of its ``instances``.

    Attributes:
        clutter: whether all of them may be distractors; None if the first instance has to be made to know.
    """

    name: str
    instances: int
    synonyms: tuple[str, ...]
    generate: Generator
    clutter: bool | None = None


_registry: Registry[Category] = Registry("object", "assets list objects", partial(found, "objects"))


def category(
    name: str, instances: int, synonyms: Sequence[str] = (), clutter: bool | None = None
) -> Callable[[Generator], Generator]:
    """Register a generator of a category.

    Args:
        name: singular, with underscores ("pill_bottle").
        instances: how many different objects it makes.
        synonyms: categories that a person could confuse with this one; clutter leaves them out.
        clutter: whether they may be distractors, if known here; it spares the clutter pool from making one.
    """

    def register(generate: Generator) -> Generator:
        _registry.register(name, Category(name, instances, tuple(synonyms), generate, clutter))
        return generate

    return register


@lru_cache(maxsize=1)
def _load_categories() -> None:
    """Import every module of assets.objects.categories, which registers what it holds."""
    package = import_module("assets.objects.categories")
    for module in sorted(m.name for m in iter_modules(package.__path__)):
        import_module(f"{package.__name__}.{module}")


def _find(name: str) -> Category:
    _load_categories()
    return _registry[name]


def categories() -> list[str]:
    """Names of all categories, sorted."""
    _load_categories()
    return _registry.names()


def own_categories() -> list[str]:
    """Names of the project's categories, sorted: what is drawn from. Plug-ins are found by name alone."""
    _load_categories()
    return _registry.own_names()


def instances(name: str) -> int:
    """How many instances a category has. Raises UnknownNameError."""
    return _find(name).instances


@lru_cache(maxsize=1)
def _confusions() -> dict[str, tuple[str, ...]]:
    """Synonyms of the project's categories, both ways: who is taken for another can be the other's double."""
    names = own_categories()
    pairs = {(name, other) for name in names for other in _registry[name].synonyms}
    pairs |= {(other, name) for name, other in pairs}
    return {name: tuple(sorted(b for a, b in pairs if a == name)) for name in names}


def synonyms(name: str) -> tuple[str, ...]:
    """Categories that a person could confuse with this one, whichever of the two says so. Raises UnknownNameError."""
    return _confusions().get(name) or tuple(_find(name).synonyms)


@lru_cache(maxsize=2048)
def load(name: str, index: int = 0) -> ObjectAsset:
    """One object. The same pair gives an equal object in every process.

    Raises:
        UnknownNameError: no such category.
        TwinloomError: the category has no such instance.
    """
    one = _find(name)
    if not 0 <= index < one.instances:
        raise TwinloomError(
            f"{name} has no instance {index}; it has 0 to {one.instances - 1}. All instances: assets list objects"
        )
    rng = np.random.default_rng([zlib.crc32(name.encode()), index])
    asset = one.generate(rng, index)
    if (asset.category, asset.index) != (name, index):
        raise ValueError(f"generator of {name}/{index} made {asset.key}")
    return replace(asset, synonyms=synonyms(name))


def resting_height(asset: ObjectAsset, quat: Vector) -> float:
    """Height of the object's origin above the table when it rests there in orientation ``quat`` (wxyz), metres."""
    return float(-bounds(asset, rotation(quat))[0, 2])


@lru_cache(maxsize=1)
def _clutter_pool() -> tuple[tuple[str, int], ...]:
    pool: list[tuple[str, int]] = []
    for name in own_categories():
        one = _find(name)
        if load(name, 0).clutter if one.clutter is None else one.clutter:
            pool += [(name, k) for k in range(one.instances)]
    return tuple(pool)


def clutter_pool() -> list[tuple[str, int]]:
    """(category, index) of everything that may lie around as a distractor, in a fixed order.

    Instances of a category are all fit for it or none is, so that the pool is known without making every object.
    """
    return list(_clutter_pool())

"""``assets check``: every robot keeps its contract, every object compiles, every texture can be drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from twinloom.errors import MissingAssetError

What = Literal["robots", "objects", "textures"]


def findings(what: What) -> Iterator[tuple[str, str]]:
    """(name, problem) of each thing of one kind, as they are examined; the problem is "" where all is well."""
    yield from _KINDS[what]()


def _robots() -> Iterator[tuple[str, str]]:
    from assets.robots.contract import violations
    from assets.robots.load import load_robot, robots

    for name in robots():
        record = load_robot(name)
        try:
            problems = violations(record)
        except MissingAssetError as error:
            problems = [*violations(record, "simple"), str(error)]
        yield name, "; ".join(problems)


def _objects() -> Iterator[tuple[str, str]]:
    import mujoco

    from assets.objects import library
    from assets.objects.build import add_object

    for category in library.categories():
        spec = mujoco.MjSpec()
        try:
            for index in range(library.instances(category)):
                asset = library.load(category, index)
                add_object(spec, asset, asset.key, (2.0 * index, 0.0, 0.0))
            spec.compile()
        except ValueError as error:  # a recipe that contradicts itself, or a shape that MuJoCo refuses
            yield category, str(error)
        else:
            yield category, ""


def _textures() -> Iterator[tuple[str, str]]:
    from assets.textures.procedural import KINDS, texture

    for kind in KINDS:
        flat = texture(kind, 0, 64).std() == 0
        yield kind, "is a single colour" if flat else ""


_KINDS: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
    "robots": _robots,
    "objects": _objects,
    "textures": _textures,
}

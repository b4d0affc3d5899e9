"""Recipes: objects as data. A recipe names sizes, colours, words and pieces; every instance is drawn from it.

The files lie in ``assets/objects/recipes/*.toml``. One recipe:

    [jam_jar]
    nouns = ["jam jar", "jar of jam", "glass jar"]
    instances = 4
    mass = 320                                        # grams at the nominal size
    vary = [0.08, 0.12]                               # ± share by which x, y (together) and z differ between instances
    material = "glass"                                # adjectives for the descriptions
    shape = "round"
    details = ["screw lid"]
    colors = { main = ["red", "orange"], lid = ["white", "gold"] }   # by role, instance k takes entry k modulo length
    pieces = [
      { cyl = [64, 80], round = 5, finish = "glass" },
      { cyl = [60, 14], at = [0, 0, 80], color = "lid" },
      { band = "JAM", size = [64.6, 34], at = [0, 0, 20] },
    ]
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import band_label, canvas, pixels, rgb8
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.model import Material, Mesh, ObjectAsset, Shape, Vec3
from assets.objects.palette import COLORS, FINISHES, WOODS, paint, printed
from assets.objects.primitives import PRINTED, Piece, collision_shapes, copies, visual_mesh
from assets.objects.resting_pose import stand
from assets.objects.shapes import visual
from twinloom.errors import InvalidSettingsError


@dataclass(frozen=True)
class Recipe:
    """One category as data; see the module's text for the meaning of the fields."""

    name: str
    nouns: Sequence[str]
    mass: float
    pieces: Sequence[Piece]
    instances: int = 3
    vary: Sequence[float] = (0.08, 0.08)
    material: str = ""
    shape: str = ""
    details: Sequence[str] = ()
    colors: Mapping[str, Sequence[str]] = field(default_factory=lambda: {"main": ["gray"]})
    synonyms: Sequence[str] = ()
    friction: float = 0.8

    def color(self, role: str, index: int) -> str:
        """Colour name of a role in an instance; a name that is no role is a colour itself."""
        names = self.colors.get(role)
        return names[index % len(names)] if names else role


def parse(name: str, table: Mapping[str, Any]) -> Recipe:
    """Recipe from one TOML table.

    Raises:
        InvalidSettingsError: unknown keys, colours or finishes, or pieces without a form; all of them at once.
    """
    problems: list[str] = []
    known, known_piece = {f.name for f in fields(Recipe)}, {f.name for f in fields(Piece)}
    problems += [f'unknown key "{k}"' for k in table if k not in known]
    problems += [f'"{k}" is missing' for k in ("nouns", "mass", "pieces") if k not in table]
    pieces: list[Piece] = []
    for k, row in enumerate(table.get("pieces", ())):
        unknown = [key for key in row if key not in known_piece]
        problems += [f'piece {k}: unknown key "{key}"' for key in unknown]
        if not unknown:
            pieces.append(Piece(**row))
    if problems:
        raise InvalidSettingsError(f"recipe {name}", problems)
    recipe = Recipe(**{**table, "name": name, "pieces": tuple(pieces)})
    roles = set(recipe.colors)
    for k, piece in enumerate(pieces):
        try:
            _ = piece.kind
        except ValueError as error:
            problems.append(f"piece {k}: {error}")
        if piece.color not in roles and piece.color not in COLORS and piece.color not in WOODS:
            problems.append(f'piece {k}: "{piece.color}" is neither a role of this recipe nor a colour')
        if piece.finish not in FINISHES:
            problems.append(f'piece {k}: finish "{piece.finish}" is not one of {", ".join(FINISHES)}')
    for role, names in recipe.colors.items():
        problems += [f'role {role}: no colour is called "{n}"' for n in names if n not in COLORS and n not in WOODS]
    if problems:
        raise InvalidSettingsError(f"recipe {name}", problems)
    return recipe


@lru_cache(maxsize=1)
def recipes() -> dict[str, Recipe]:
    """All recipes that come with the package, by name."""
    found: dict[str, Recipe] = {}
    for file in sorted(files("assets.objects").joinpath("recipes").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".toml"):
            for name, table in tomllib.loads(file.read_text(encoding="utf-8")).items():
                found[name] = parse(name, table)
    return found


def scale_of(recipe: Recipe, rng: np.random.Generator) -> Vec3:
    """Scale of one instance along x, y, z."""
    share = [float(rng.uniform(1 - v, 1 + v)) for v in recipe.vary]
    return (share[0], share[0], share[-1]) if len(share) < 3 else (share[0], share[1], share[2])


def cook(recipe: Recipe, rng: np.random.Generator, index: int) -> ObjectAsset:
    """Instance ``index`` of a recipe."""
    scale = scale_of(recipe, rng)
    shapes: list[Shape] = []
    looks: dict[tuple[Any, ...], list[Mesh]] = defaultdict(list)
    for piece in recipe.pieces:
        if piece.only and index not in piece.only:
            continue
        singles = list(copies(piece))
        for single in singles:
            shapes += collision_shapes(single, scale, recipe.friction)
        drawn = [visual_mesh(single, scale) for single in singles] if piece.visual else []
        if piece.kind in PRINTED:
            shapes.append(visual(meshes.merge(*drawn), _print(recipe, piece, rng, index)))
        elif drawn:
            looks[(recipe.color(piece.color, index), piece.finish, piece.pattern, piece.alpha)] += drawn
    for look, parts in looks.items():
        shapes.append(visual(meshes.merge(*parts), _material(*look, index=index)))
    mass = recipe.mass / 1000 * float(np.prod(scale))
    size = "large" if np.prod(scale) > 1.05 else "small" if np.prod(scale) < 0.95 else "medium"
    if recipe.shape in ("small", "large") or any("small" in noun for noun in recipe.nouns):
        size = ""  # one word about the size is enough
    color = recipe.color("main", index)
    words = phrases(
        rng, recipe.nouns, color if color in COLORS else "brown", recipe.material, size, recipe.shape, recipe.details
    )
    return assemble(recipe.name, index, stand(shapes), words, mass)


def _material(color: str, finish: str, pattern: str, alpha: float, index: int) -> Material:
    """Paint, wood grain, or a pattern's relief in the given colour."""
    if not pattern:
        return paint(color, finish, alpha)
    from assets.textures.procedural import texture

    grey = texture(pattern, index, 64).astype(float).mean(axis=2, keepdims=True)
    rgb = np.asarray(COLORS.get(color) or WOODS[color])
    tinted = np.clip(255 * rgb * (0.55 + 0.45 * grey / grey.mean()), 0, 255).astype(np.uint8)
    return printed(tinted, finish)


def _print(recipe: Recipe, piece: Piece, rng: np.random.Generator, index: int) -> Material:
    """Printed image of a label, a band or a clock face."""
    if piece.dial is not None:
        return printed(_clock_face(rng), "paper")
    text = piece.label or piece.band or ""
    if not isinstance(text, str):
        text = text[index % len(text)]
    accents = [
        c for c in ("red", "green", "blue", "orange", "gold", "teal", "purple", "navy", "dark red") if c != piece.color
    ]
    base = recipe.color(piece.color, index) if piece.color != "main" else str(rng.choice(["white", "cream", "beige"]))
    ink = "black" if sum(COLORS[base]) > 1.4 else "white"
    width, height = (piece.size[0] * (np.pi if piece.band is not None else 1), piece.size[-1])
    repeat = max(2, round(width / height / 4)) if piece.band is not None else 1
    pixels_wide = int(np.clip(64 * width / height, 32, 384))
    image = band_label(rng, text, base, str(rng.choice(accents)), ink, (pixels_wide, 64), repeat)
    return printed(image, "paper")


def _clock_face(rng: np.random.Generator) -> np.ndarray:
    """(96, 96, 3) white dial with twelve marks and two hands."""
    image, pen = canvas(96, 96, "dark gray")
    pen.ellipse((2, 2, 94, 94), fill=rgb8("white"))
    hour, minute = rng.uniform(0, 2 * np.pi, 2)
    for k in range(12):
        x, y = np.cos(k * np.pi / 6), np.sin(k * np.pi / 6)
        pen.line((48 + 36 * x, 48 + 36 * y, 48 + 42 * x, 48 + 42 * y), fill=rgb8("black"), width=2)
    for angle, length, width in ((hour, 22, 4), (minute, 34, 2)):
        pen.line((48, 48, 48 + length * np.cos(angle), 48 + length * np.sin(angle)), fill=rgb8("black"), width=width)
    return pixels(image)

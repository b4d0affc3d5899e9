"""Textures by kind and seed, and the backgrounds of the two splits.

``background("seen", rng)`` returns a name such as ``seen/wood/000029``, and ``load_background`` turns that name back
into the same pixels, so an episode's record needs to keep only the name.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable

import numpy as np

from assets.textures import folder, manmade, natural
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.registry import Registry

SPLIT_SIZES = {"seen": 10_000, "unseen": 1_000}
# Seeds of the two splits do not overlap; both contain every kind.
_FIRST_SEED = {"seen": 0, "unseen": 10_000}
_NAME = re.compile(r"(seen|unseen)/([a-z]+)/(\d{6})")
MAX_SIZE = 4096

Pattern = Callable[[np.random.Generator, int], np.ndarray]
KINDS: Registry[Pattern] = Registry("texture kind", "assets list textures")
for _pattern in (
    natural.wood, natural.planks, natural.marble, natural.granite, natural.terrazzo, natural.cobble, natural.plaster,
    natural.concrete, natural.leather, natural.cork, natural.grass, natural.sand, manmade.fabric, manmade.plaid,
    manmade.carpet, manmade.felt, manmade.knit, manmade.tiles, manmade.brick, manmade.parquet, manmade.mosaic,
    manmade.paper, manmade.gradient, manmade.stripes, manmade.zigzag, manmade.checker, manmade.dots, manmade.blobs,
    manmade.metal,
):  # fmt: skip
    KINDS.register(_pattern.__name__, _pattern)
_ORDER = tuple(KINDS)  # the kind of a background is its index modulo this: append new kinds, never insert


def texture(kind: str, seed: int, size: int = 256) -> np.ndarray:
    """Draw one seamless texture.

    Args:
        kind: one of ``KINDS``.
        seed: any integer >= 0; the same kind, seed and size give the same pixels.
        size: width and height in pixels, 16 to 4096.

    Returns:
        (size, size, 3) uint8.

    Raises:
        UnknownNameError: no such kind.
        TwinloomError: seed or size out of range.
    """
    pattern = KINDS[kind]
    if seed < 0:
        raise TwinloomError(f"texture seed {seed} is negative; give an integer >= 0")
    if not 16 <= size <= MAX_SIZE:
        raise TwinloomError(f"texture size {size} is not within 16 to {MAX_SIZE} pixels; choose a size in that range")
    rng = np.random.default_rng([zlib.crc32(kind.encode()), seed])
    return np.clip(pattern(rng, size) * 255, 0, 255).astype(np.uint8)


def background_name(split: str, index: int) -> str:
    """Name of background ``index`` of a split. Raises TwinloomError for an unknown split or an index outside it."""
    if split not in SPLIT_SIZES:
        raise UnknownNameError("background split", split, SPLIT_SIZES, "seen, unseen, or folder:/path/to/images")
    if not 0 <= index < SPLIT_SIZES[split]:
        raise TwinloomError(
            f"background {index} is not in split {split}, which has 0 to {SPLIT_SIZES[split] - 1}; choose one of those"
        )
    return f"{split}/{_ORDER[index % len(_ORDER)]}/{index:06d}"


def choose_background(source: str, which: int | np.random.Generator) -> str:
    """Name of a background of a source ("seen", "unseen", ``folder:/path``), by index or drawn; nothing is painted."""
    if source.startswith(folder.PREFIX):
        return folder.choose(source, which)
    count = SPLIT_SIZES.get(source, 1)
    return background_name(source, which if isinstance(which, int) else int(which.integers(count)))


def background(source: str, which: int | np.random.Generator, size: int = 256) -> tuple[str, np.ndarray]:
    """Choose a background by index or at random.

    Args:
        source: "seen", "unseen", or ``folder:/path`` for a folder of the user's own images.
        which: index into the source, or a generator to draw it from.
        size: width and height in pixels.

    Returns:
        Its name (for ``load_background``) and its pixels, (size, size, 3) uint8.
    """
    name = choose_background(source, which)
    return name, load_background(name, size)


def load_background(name: str, size: int = 256) -> np.ndarray:
    """Pixels of a background by the name that ``background`` gave it, (size, size, 3) uint8.

    Raises:
        TwinloomError: the name has the wrong form, names no background, or its image cannot be read.
    """
    if name.startswith(folder.PREFIX):
        return folder.load(name, size)
    match = _NAME.fullmatch(name)
    if match is None or background_name(match[1], int(match[3])) != name:
        hint = f"; did you mean {background_name(match[1], int(match[3]))}?" if match else ""
        raise TwinloomError(f'no background is called "{name}"; names look like seen/wood/000029{hint}')
    return texture(match[2], _FIRST_SEED[match[1]] + int(match[3]), size)

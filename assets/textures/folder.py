"""Backgrounds from a folder of the user's own images: ``folder:/path/to/images``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from twinloom.errors import TwinloomError

PREFIX = "folder:"
SUFFIXES = {".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff"}


def images(source: str) -> list[Path]:
    """Image files below a ``folder:`` source, sorted by path. Raises TwinloomError when there are none."""
    root = Path(source.removeprefix(PREFIX)).expanduser()
    if not root.is_dir():
        raise TwinloomError(f'background folder "{root}" does not exist; give folder:/path/to/images')
    found = sorted(p for p in root.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
    if not found:
        raise TwinloomError(f'background folder "{root}" has no images; put {", ".join(sorted(SUFFIXES))} files there')
    return found


def choose(source: str, which: int | np.random.Generator) -> str:
    """Name (``folder:/path/file.png``) of one image of the folder, by index or drawn from a generator."""
    found = images(source)
    index = which if isinstance(which, int) else int(which.integers(len(found)))
    if not 0 <= index < len(found):
        raise TwinloomError(
            f"background {index} is not in {source}, which has 0 to {len(found) - 1}; choose one of those"
        )
    return f"{PREFIX}{found[index]}"


def load(name: str, size: int) -> np.ndarray:
    """Read one image, cropped to its central square and resized, (size, size, 3) uint8.

    Raises:
        TwinloomError: the file is missing or is not a readable image.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    path = Path(name.removeprefix(PREFIX)).expanduser()
    try:
        with Image.open(path) as image:
            square = ImageOps.fit(image.convert("RGB"), (size, size))
    except FileNotFoundError as error:
        raise TwinloomError(f'background image "{path}" does not exist; restore it or choose another') from error
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise TwinloomError(f'background image "{path}" cannot be read ({error}); replace or remove it') from error
    return np.asarray(square).copy()

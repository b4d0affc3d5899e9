"""numba with the options every kernel of this package shares.

Kernels are cached on disk. By itself the cache of a kernel notices changes of its own file only, not of the files it
calls into; here it belongs to the text of all files with kernels, so that no old machine code outlives an edit.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from twinloom.errors import require

require("numba", "cascade")

from numba import njit, prange  # noqa: E402  (after the check that it is installed)

__all__ = ["bare_kernel", "kernel", "prange"]


def _stamp() -> int:
    """Checksum of every file of this package and of those in it that holds kernels or their constants."""
    texts = [file.read_bytes() for file in sorted(Path(__file__).parent.rglob("*.py"))]
    return zlib.crc32(b"".join(text for text in texts if b"kernel" in text or b"= range(" in text))


_STAMP = _stamp()


def _compiled(function: Callable | None = None, **options: Any) -> Any:
    """`numba.njit` with our stamp on the cache; a decorator, with or without options."""
    if function is None:
        return partial(_compiled, **options)
    dispatcher = njit(**options)(function)
    # no public way leads there; without these attributes the cache works, but notices less
    file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(file, "_source_stamp"):
        file._source_stamp = (file._source_stamp, _STAMP)
    return dispatcher


# numpy semantics of division keep loops free of error branches; nogil lets threads run kernels side by side
kernel: Callable[..., Any] = partial(_compiled, cache=True, nogil=True, error_model="numpy")

# For the innermost loops: no reference counting of arrays, hence no allocation and no array among the results. Passing
# records of arrays on costs nothing then; else each call counts each array up and down, with atomic instructions.
bare_kernel: Callable[..., Any] = partial(kernel, _nrt=False)

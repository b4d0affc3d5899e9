"""numba with the options every kernel of this package shares.

Kernels are cached on disk. The cache of a kernel notices changes of its own file, not of the files it calls into: after
editing `rng` or `laws`, remove the ``*.nbi`` files beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assets.errors import require

require("numba", "cascade")

from numba import njit, prange  # noqa: E402  (after the check that it is installed)

# numpy semantics of division keep loops free of error branches; nogil lets threads run kernels side by side
kernel: Callable[..., Any] = partial(njit, cache=True, nogil=True, error_model="numpy")

# For the innermost loops: no reference counting of arrays, hence no allocation and no array among the results. Passing
# records of arrays on costs nothing then; else each call counts each array up and down, with atomic instructions.
bare_kernel: Callable[..., Any] = partial(njit, cache=True, nogil=True, error_model="numpy", _nrt=False)  # pyright: ignore[reportCallIssue]

__all__ = ["bare_kernel", "kernel", "prange"]

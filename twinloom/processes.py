"""Worker processes that never outlive the process that they work for."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading


def end_with_parent() -> None:
    """Call first in a worker: Linux kills it with its parent; elsewhere a thread waits for the parent's end.

    Without this the workers of a pool whose parent was killed wait for work for ever.
    """
    parent = multiprocessing.parent_process()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if parent is not None:
        if os.getppid() != parent.pid:  # it died before the line above took effect
            os._exit(1)
        threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()

"""Shared by all tests. Off-screen rendering is chosen before anything imports MuJoCo, one thread before NumPy loads."""

import os
import signal

# threads of the linear algebra library spin when idle; with several test processes that triples the CPU time
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# A shell that starts the tests in the background lets them ignore Ctrl-C, and all their children with them; the tests
# of interruptions would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest  # noqa: E402

import sim.engine  # noqa: E402, F401


def pytest_collection_modifyitems(items):
    """Tests marked gpu are skipped, with the reason, where there is no CUDA device."""
    if marked := [item for item in items if item.get_closest_marker("gpu")]:
        import torch

        if not torch.cuda.is_available():
            for item in marked:
                item.add_marker(pytest.mark.skip(reason="no CUDA device"))

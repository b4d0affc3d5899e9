"""Shared by all tests. Off-screen rendering is chosen before anything imports MuJoCo, one thread before NumPy loads."""

import os

# threads of the linear algebra library spin when idle; with several test processes that triples the CPU time
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import sim.engine  # noqa: E402, F401

"""Shared by all tests: off-screen rendering is chosen before anything imports MuJoCo."""

import sim.engine  # noqa: F401

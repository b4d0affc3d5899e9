"""Dual-arm tabletop manipulation in the manner of RoboTwin 2.0 (arXiv 2506.18088): 50 tasks on MuJoCo."""

import sim.engine  # noqa: F401  chooses how MuJoCo will draw, before anything here imports it

"""Humanoid robots: records (TOML), models pulled from pinned packages, and the canonical joint space of 32 slots.

``load_humanoid(name)`` gives a Humanoid; its docstring is the contract. Importing this loads no simulator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.robots.humanoid.record import HumanoidRecord, humanoids, load_record

if TYPE_CHECKING:
    from assets.robots.humanoid.humanoid import Humanoid


def load_humanoid(name: str = "g1") -> Humanoid:
    """A real humanoid by name; see ``assets.robots.humanoid.store.load_humanoid``."""
    from assets.robots.humanoid.store import load_humanoid

    return load_humanoid(name)


__all__ = ["HumanoidRecord", "humanoids", "load_humanoid", "load_record"]

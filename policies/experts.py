"""Scripted experts as policies: "expert:family/task". The family of the task makes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from policies.base import Policy, PolicySpec
from sim.families import find

EXPERT = "expert:"


def make(name: str, **options: Any) -> Policy:
    """The expert called "expert:family/task".

    Raises:
        UnknownNameError: no such task.
        TwinloomError: its family has no experts, or an option that cannot be.
    """
    family, task = find(name.removeprefix(EXPERT))
    return family.get("expert")(f"{family.name}/{task}", **options)


def load(spec: PolicySpec, tensors: Mapping[str, np.ndarray], **options: Any) -> Policy:
    """The expert that a checkpoint describes; it has no weights."""
    given = {"robot": spec.robot, "fps": int(spec.fps), "horizon": spec.horizon} | options
    return make(spec.task, **given)

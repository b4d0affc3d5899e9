"""Which code runs which kind of policy. A checkpoint names a kind of this list, never code of its own."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from twinloom.registry import Registry


@dataclass(frozen=True)
class Kind:
    """One kind of policy.

    Attributes:
        load: "module:attribute" of a function (spec, tensors, **options) -> Policy; tensors is a dictionary of arrays.
        room: what its policies act in, "bimanual" or "cascade"; `policies eval` asks that room's evaluation.
        summary: one line.
    """

    load: str
    room: str
    summary: str

    def loader(self) -> Callable[..., Any]:
        """Import the function."""
        module, _, attribute = self.load.partition(":")
        return getattr(importlib.import_module(module), attribute)


KINDS: Registry[Kind] = Registry("policy kind", "policies list kinds")
KINDS.register("imitation", Kind("policies.imitation.policy:load", "bimanual", "cloned from recorded episodes"))
KINDS.register("expert", Kind("policies.bimanual.expert:load", "bimanual", "the scripted expert of a task"))
KINDS.register("gaussian_actor", Kind("policies.rl.actor:load", "cascade", "actor of SAC, TQC or PPO"))
KINDS.register(
    "walking_student", Kind("policies.humanoid.student:load", "humanoid", "distilled from the walking controller")
)

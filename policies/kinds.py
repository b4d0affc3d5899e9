"""Which code runs which kind of policy. A checkpoint names a kind of this list, never code of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from twinloom import plugins
from twinloom.registry import Registry


@dataclass(frozen=True)
class Kind:
    """One kind of policy; strings with a colon are references "module:attribute".

    Attributes:
        load: function(spec, tensors, **options) -> Policy; tensors is a dictionary of arrays.
        summary: one line.
        train: function("family/task", ...) -> exit code, whose arguments are the options of ``policies train KIND``;
            None where the family of a task brings the trainer, or nothing is trained.
        onnx: function(folder, file, robot) -> largest difference, which writes an ONNX file with a JSON beside it.
    """

    load: str
    summary: str
    train: str | None = None
    onnx: str | None = None

    def loader(self) -> Callable[..., Any]:
        """Import the function."""
        return plugins.load_of(f"policy kind {self.load}", self.load)


KINDS: Registry[Kind] = Registry("policy kind", "policies list kinds", partial(plugins.found, "policies"))
KINDS.register(
    "imitation",
    Kind("policies.imitation.policy:load", "cloned from recorded episodes", "policies.imitation.commands:train"),
)
KINDS.register("expert", Kind("policies.experts:load", "the scripted expert of a task"))
KINDS.register("gaussian_actor", Kind("policies.rl.actor:load", "actor of SAC, TQC or PPO"))
KINDS.register(
    "walking_student",
    Kind(
        "policies.humanoid.student:load", "distilled from the walking controller", onnx="policies.humanoid.onnx:export"
    ),
)

"""Descriptions of older checkpoints in today's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOVED = {"execute": "n_action_steps", "task": "task", "normalize": "normalization", "render": "render"}
RENAMED = {
    "execute": "n_action_steps",
    "batch": "batch_size",
    "rate": "learning_rate",
    "decay": "weight_decay",
    "average": "ema_decay",
    "pixels": "image_size",
}


def from_layout_1(value: Mapping[str, Any]) -> dict[str, Any]:
    """policy.json of layout 1: what every runner needs was in ``extra``, and settings had other names."""
    extra = dict(value["extra"])
    moved = {new: extra.pop(old) for old, new in MOVED.items() if old in extra}
    for part in ("network", "training") if value["kind"] == "imitation" else ():
        extra[part] = {RENAMED.get(name, name): one for name, one in extra.get(part, {}).items()}
    if "task" in extra.get("training", {}):
        extra["training"]["task"] = moved.get("task", "")
    return {**value, "n_action_steps": 0, "task": "", "normalization": {}, "render": "auto", **moved, "extra": extra}

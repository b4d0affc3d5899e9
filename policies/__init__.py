"""What is learned: trainers, checkpoints, evaluation and serving of policies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from policies.base import Policy


def load(policy: str | Path, **options: Any) -> Policy:
    """The policy of a checkpoint folder, or a scripted one by name ("expert:bimanual/click_bell").

    Args:
        policy: folder with a policy.json, a run folder with a checkpoint "last" in it, or a name.
        options: further arguments of that kind of policy, for example ``seed`` of a scripted expert.

    Raises:
        TwinloomError: there is no such folder or name, or the folder is damaged, foreign or of a newer version.
    """
    from policies.checkpoint import load_policy

    return load_policy(policy, **options)

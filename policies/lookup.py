"""Policies by the words of a command line: whose they are, and which there are."""

from __future__ import annotations

from pathlib import Path

from policies.checkpoint import describe, exists, shipped
from policies.experts import EXPERT
from policies.kinds import KINDS
from sim.catalogue import aligned
from sim.catalogue import lines as catalogue_lines
from sim.families import DEFAULT, Family, families, family, find
from twinloom.errors import UnknownNameError

JOINED = "+"  # between folders whose policies act together


def family_of(policy: str) -> Family:
    """The family that a policy acts in.

    Args:
        policy: folder, file that a family reads, "expert:family/task", or a name; of several joined by "+" the first
            counts.

    Raises:
        UnknownNameError: there is no such policy.
        TwinloomError: the folder holds none, or a damaged one.
    """
    if policy.startswith(EXPERT):
        return find(policy.removeprefix(EXPERT))[0]
    for one in families().values():
        if policy in one.names("baselines") or (Path(policy).suffix in one.files and Path(policy).is_file()):
            return one
    first = policy if exists(policy) else policy.partition(JOINED)[0]
    if not exists(first):
        raise UnknownNameError("policy", first, names(), "policies list policies")
    task = describe(first)[0].task
    return find(task)[0] if task else family(DEFAULT)


def names() -> dict[str, str]:
    """Policies known by name, with one line each."""
    found = {name: f"shipped, for {describe(name)[0].task}" for name in shipped()}
    for one in families().values():
        found |= {name: f"{text} ({one.name})" for name, text in one.names("baselines").items()}
        if one.expert:
            found[f"{EXPERT}{one.name}/TASK"] = "the scripted expert of a task"
    return found


def lines(what: str) -> list[str]:
    """Lines of ``policies list``: "targets", "kinds", "policies" or "experiments"."""
    if what == "targets":
        return [line for one in families().values() if one.train for line in catalogue_lines("tasks", one.name)]
    if what == "kinds":
        return aligned({name: kind.summary for name, kind in KINDS.items().items()})
    if what == "policies":
        return aligned(names())
    return aligned(pair for one in families().values() for pair in one.names("experiments").items())

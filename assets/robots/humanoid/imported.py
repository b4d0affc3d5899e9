"""``assets import``: a user's own URDF or MJCF becomes a humanoid; its slots are proposed and doubts reported."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from assets.robots.humanoid.fetch import convert
from assets.robots.humanoid.humanoid import Humanoid, build_humanoid
from assets.robots.humanoid.opening import open_model
from assets.robots.humanoid.propose import Proposal, propose
from assets.robots.humanoid.record import FOLDER, PLACEHOLDER, read_record, user_folder
from assets.robots.humanoid.source import SourceModel
from assets.robots.humanoid.standing import Standing, stand
from assets.robots.humanoid.store import save
from twinloom.atomic import atomic_file
from twinloom.errors import TwinloomError


@dataclass(frozen=True)
class Imported:
    """Outcome of an import.

    Attributes:
        record: the TOML that was written; edit it and import again with ``--map``.
        humanoid: ready to use under its name.
        doubts: one sentence each, to be looked at.
        standing: how it stands on its servos alone.
    """

    record: Path
    humanoid: Humanoid
    doubts: list[str]
    standing: Standing


def import_humanoid(model: Path, name: str | None = None, slot_map: Path | None = None) -> Imported:
    """Read a model, propose its slots, write its record, convert it and let it stand.

    Args:
        model: a URDF or MJCF file; it stays where it is and is referred to.
        name: of the humanoid; the file's name by default.
        slot_map: a record written by an earlier import and corrected by hand; nothing is guessed then.

    Raises:
        TwinloomError: the file cannot be read, is no biped, or the name is taken by a robot of ours.
    """
    path = model.resolve()
    called = name or re.sub(r"[^a-z0-9-]+", "-", path.stem.lower()).strip("-")
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", called):
        raise TwinloomError(f"name {called!r} must be lower-case letters, digits and hyphens; give --name")
    if (FOLDER / f"{called}.toml").exists():
        raise TwinloomError(f"{called} is a robot that comes with twinloom; give another --name")
    if not path.is_file():
        raise TwinloomError(f"model {model} does not exist")
    target = user_folder() / f"{called}.toml"
    target.parent.mkdir(parents=True, exist_ok=True)
    doubts: list[str] = []
    if slot_map is None:
        source = open_model(path)
        proposal = propose(called, source)
        doubts = proposal.doubts
        text = record_text(path, source, proposal)
    else:
        text = slot_map.read_text(encoding="utf-8")
    with atomic_file(target) as temporary:
        temporary.write_text(text, encoding="utf-8")
    record = read_record(target)
    tree, meshes = convert(record, path.parent)
    save(record, tree, meshes, {})
    humanoid = build_humanoid(tree)
    return Imported(target, humanoid, doubts, stand(humanoid))


def record_text(path: Path, source: SourceModel, proposal: Proposal) -> str:
    """A record in TOML: the file, the slots in their order, and the fixes that the doubts ask for."""
    lines = [f"description = {json.dumps(f'imported from {path.name}')}", f"file = {json.dumps(os.fspath(path))}", ""]
    lines += [f"# look at this: {doubt}" for doubt in proposal.doubts]
    lines += ["[slots]", *(f"{slot} = {json.dumps(joint)}" for slot, joint in proposal.slots.items())]
    efforts, limits = _unknown(source, proposal)
    if proposal.turn or efforts:
        lines += ["", "[fix]"]
        lines += [f"turn = {proposal.turn!r}"] if proposal.turn else []
        lines += (
            ["strength = 0.45 # the knee's effort per M g L: the file's efforts are placeholders"] if efforts else []
        )
    if limits:
        lines += ["", "[fix.limits] # the file has none; rad in the slot's convention"]
        lines += [f"{slot} = [-2.6, 2.6]" for slot in limits]
    return "\n".join(lines) + "\n"


def _unknown(source: SourceModel, proposal: Proposal) -> tuple[list[str], list[str]]:
    """Slots whose effort and slots whose limits the file does not know."""
    from assets.robots.humanoid.read import read_tree
    from assets.robots.humanoid.record import Fixes

    tree = read_tree("import", source, proposal.slots, Fixes(turn=proposal.turn), strict=False).tree
    efforts = [hinge.slot for hinge in tree.hinges if not 0 < hinge.effort < PLACEHOLDER]
    return efforts, [hinge.slot for hinge in tree.hinges if hinge.range[0] >= hinge.range[1]]

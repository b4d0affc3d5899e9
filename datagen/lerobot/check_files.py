"""Checks of which files there are, and whether they are still as they were written."""

from __future__ import annotations

from pathlib import Path

from datagen.lerobot import layout
from datagen.lerobot.check import Check
from datagen.lerobot.manifest import Manifest, listed, sha256
from twinloom.atomic import PARTIAL


def check_files(check: Check, *, manifest: bool, checksums: bool) -> None:
    """Nothing missing, nothing extra, nothing changed since it was written."""
    wanted = {check.data_file(row) for row in check.rows}
    for key in check.cameras():
        wanted |= {check.video_file(row, key) for row in check.rows}
    for path in sorted(wanted):
        if not (check.root / path).is_file():
            check.add(path, "the file is missing")
    for folder in ("data", "videos"):
        for path in sorted((check.root / folder).rglob("*")):
            file = path.relative_to(check.root)
            if path.is_file() and file not in wanted:
                check.add(file, "the file belongs to no episode")
    if manifest:
        _check_manifest(check, checksums)


def _check_manifest(check: Check, checksums: bool) -> None:
    manifest = Manifest.load(check.root)
    if not manifest.sums:
        if check.ours:
            check.add(layout.CHECKSUMS, "the file is missing or empty")
        return
    for name, digest in sorted(manifest.sums.items()):
        path = check.root / name
        if not name or len(digest) != 64:
            check.add(layout.CHECKSUMS, f'a line is not a checksum and a path: "{digest[:80]}  {name[:80]}"')
        elif not path.is_file():
            if Path(name).parts[0] not in ("data", "videos"):  # those were named above
                check.add(name, "the file is missing")
        elif checksums and sha256(path) != digest:
            check.add(name, "the file is not as it was written: its checksum differs")
    for path in listed(check.root):
        if path.as_posix() not in manifest.sums:
            check.add(path, f"the file is not listed in {layout.CHECKSUMS}")


def check_leftovers(check: Check) -> None:
    """What interrupted runs left. None of it is part of the dataset, and the next run cleans up."""
    from datagen.staging import STAGING, staged

    folder = check.root / STAGING
    if (folder / "commit").exists():
        check.note(STAGING / "commit", "a commit was interrupted; the next run finishes it or does it again")
    partial = [path.name for path in sorted(folder.glob(f"*{PARTIAL}"))]
    if partial:
        check.note(STAGING, f"{len(partial)} half-written folders of a killed run; the next run removes them")
    waiting = list(staged(check.root))
    if waiting:
        check.note(STAGING, f"{len(waiting)} finished slots wait; the next run of the same command adds them")

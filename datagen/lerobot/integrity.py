"""Damaged files are never signed anew: whoever copies from a dataset compares it with its checksums first."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from datagen.lerobot.manifest import Manifest, listed, sha256
from twinloom.errors import InvalidSettingsError


def check_intact(root: Path, files: Iterable[Path], what: str, *, statistics: bool = True) -> Manifest:
    """Compare files that will be copied with SHA256SUMS.

    Where SHA256SUMS is missing or does not list every file, the whole dataset is checked by its content instead. (Other
    writers make none; theirs are believed where their content is sound.)

    Args:
        root: the dataset.
        files: paths relative to it.
        statistics: whether statistics count, where the content is checked.
        what: what has not happened, for the error text: "nothing was added".

    Returns:
        Checksums of all files of the dataset.

    Raises:
        InvalidSettingsError: files are missing or not as they were written; each is named.
    """
    manifest, everything = Manifest.load(root), listed(root)
    if all(len(manifest.sums.get(path.as_posix(), "")) == 64 for path in everything):
        names = {path.as_posix() for path in files}
        wrong = [
            f"{name} {'is not as it was written' if (root / name).is_file() else 'is missing'}"
            for name in sorted(names)
            if not (root / name).is_file() or sha256(root / name) != manifest.sums.get(name)
        ]
    else:
        from datagen.lerobot.verify import verify

        wrong = [str(problem) for problem in verify(root, manifest=False, statistics=statistics).problems]
        manifest = Manifest()
        for path in everything:
            manifest.add(root, path)
    if wrong:
        raise InvalidSettingsError(
            f"{root} is damaged, {what}; save what is sound: datagen verify {root} --repair NEW", wrong
        )
    return manifest

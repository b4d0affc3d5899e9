"""Segments of the living are kept, those of the dead removed."""

from __future__ import annotations

import fcntl
import os

from real.stack.segments import clean, dead


def test_only_segments_without_a_living_owner_are_removed(tmp_path):
    for name in ("fastdds_0123456789abcdef", "fastdds_fedcba9876543210"):
        (tmp_path / name).write_bytes(bytes(100))
        (tmp_path / f"{name}_el").write_bytes(b"")
    (tmp_path / "fastdds_port7400_el").write_bytes(b"")
    (tmp_path / "something").write_bytes(b"")
    living = os.open(tmp_path / "fastdds_fedcba9876543210_el", os.O_RDWR)
    fcntl.flock(living, fcntl.LOCK_EX)
    assert [path.name for path in dead(tmp_path)] == ["fastdds_0123456789abcdef_el"]
    assert clean(tmp_path) == 1
    os.close(living)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"fastdds_fedcba9876543210", "fastdds_fedcba9876543210_el", "fastdds_port7400_el", "something"}
    assert clean(tmp_path / "none") == 0

"""Compiled code on disk is dropped when any file it was made from changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from twinloom.machine import REPOSITORY

INNER = "from probe.compile import kernel\n\n@kernel\ndef inner(x):\n    return x + {number}\n"
PACKAGE = {
    "__init__.py": "",
    "outer.py": (
        "from probe.compile import kernel\nfrom probe.inner import inner\n\n"
        "@kernel\ndef outer(x):\n    return inner(x)\n\nprint(outer(1), sum(outer.stats.cache_hits.values()))\n"
    ),
}


@pytest.mark.slow
def test_a_change_in_a_file_that_a_kernel_calls_into_is_noticed(tmp_path):
    import sim.cascade.compile as ours

    (tmp_path / "probe").mkdir()
    for name, text in PACKAGE.items():
        (tmp_path / "probe" / name).write_text(text)
    (tmp_path / "probe" / "compile.py").write_text(Path(ours.__file__).read_text(encoding="utf-8"))

    def run(number: int) -> str:
        (tmp_path / "probe" / "inner.py").write_text(INNER.format(number=number))
        program = f"import sys; sys.path[:0] = {[str(tmp_path), str(REPOSITORY)]!r}; import probe.outer"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert run(1) == "2 0"
    assert run(1) == "2 1"  # from the disk
    assert run(10) == "11 0"

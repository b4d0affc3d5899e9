"""Runs of datagen with the fake source, and comparisons of what they leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from datagen.account import ACCOUNT, TIMING
from datagen.collect import ERRORS, Run
from datagen.settings import CollectConfig
from tests.datagen.fake import SOURCE

FIXTURE = Path(__file__).parents[1] / "fixtures" / "lerobot_v3"
# These say how long things took and on what machine; everything else must repeat byte for byte.
PERSONAL = {ACCOUNT, TIMING, ERRORS}


def make_settings(**changes) -> CollectConfig:
    values = {
        "tasks": ("calm", "flaky"),
        "robot": "arm",
        "seed": 0,
        "cameras": ("head", "left_wrist"),
        "size": (32, 24),
        "fps": 25,
        "randomize": ("lighting",),
        "attempts": 10,
        "codec": "h264",
        "render": "auto",
        "source": "fake",
        "engine": "fake 1.0",
    }
    return CollectConfig(**(values | changes))


def make_run(out: Path, episodes: int = 3, workers: int = 1, *, run: dict | None = None, **changes) -> Run:
    return Run(make_settings(**changes), episodes, workers, out, source=SOURCE, **(run or {}))


def files_of(root: Path) -> dict[str, bytes]:
    """Every file of a dataset that must not differ between runs."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".staging" not in path.parts and path.relative_to(root) not in PERSONAL
    }


@pytest.fixture
def settings() -> CollectConfig:
    return make_settings()

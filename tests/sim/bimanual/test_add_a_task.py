"""docs/bimanual/add-a-task.md from its reader's side: the example works as it stands, a slip is explained."""

from __future__ import annotations

import re
import sys

import pytest

import sim.bimanual.tasks as package
from sim.bimanual.family import task_entry
from sim.bimanual.language import templates
from sim.bimanual.rollout import expert_rollout
from sim.bimanual.task import task_class, task_names
from twinloom.errors import TwinloomError
from twinloom.machine import REPOSITORY
from twinloom.seeding import episode_seed

PAGE = REPOSITORY / "docs" / "bimanual" / "add-a-task.md"
NAME = "place_block_plate"


@pytest.fixture
def add(tmp_path, monkeypatch):
    """Add a file to the folder of tasks, until the test is over."""
    monkeypatch.setattr(package, "__path__", [str(tmp_path), *package.__path__])
    task_names.cache_clear()
    yield (tmp_path / f"{NAME}.py").write_text
    task_names.cache_clear()
    sys.modules.pop(f"sim.bimanual.tasks.{NAME}", None)


def example() -> str:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return code


@pytest.mark.parametrize("axes", [(), ("table", "clutter")])
def test_the_example_of_the_page_is_a_task_that_succeeds(add, axes):
    add(example())
    assert NAME in task_names()
    assert (entry := task_entry(NAME)).randomised
    assert entry.success
    kind = task_class(NAME)
    assert len(templates(kind.instructions, "seen")) + len(templates(kind.instructions, "unseen")) >= 60
    seed = episode_seed(0, NAME, 0)
    rollout = expert_rollout(NAME, "franka-panda", seed, frozenset(axes), visuals="simple")
    assert rollout.success, rollout.detail
    assert rollout.instruction


def test_a_class_of_another_name_is_named(add):
    add(example().replace("class PlaceBlockPlate", "class PlaceBlock"))
    with pytest.raises(TwinloomError, match=r"place_block_plate\.py has no class PlaceBlockPlate"):
        task_class(NAME)

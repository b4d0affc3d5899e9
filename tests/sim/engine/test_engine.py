"""The engine seam: nothing of the simulator moves physics or reads contacts but through it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sim.bimanual.rollout import expert_rollout
from sim.bimanual.simulation import Simulation
from sim.bimanual.spec import SceneSpec
from sim.engine.base import Contacts, DivergedError
from sim.engine.mujoco import MujocoEngine
from sim.engine.substeps import dividing_engine
from tests.sim.bimanual.digests import digest
from tests.sim.bimanual.scenes import cube, rest, simulation
from twinloom.machine import REPOSITORY
from twinloom.seeding import episode_seed


class Narrow:
    """An engine that offers what sim.engine.base.Engine lists and nothing else; counts what is asked of it."""

    def __init__(self, model) -> None:
        self._engine = dividing_engine(model)
        self.model, self.data = model, self._engine.data
        self.asked = dict.fromkeys(("reset", "start_clock", "step", "contacts", "contact_forces"), 0)

    def __getattr__(self, name: str):
        self.asked[name] += 1
        return getattr(self._engine, name)


@pytest.mark.parametrize("task", ["click_bell", "place_can_basket"])
def test_an_expert_on_an_engine_of_its_own_does_the_same(task, monkeypatch):
    def rollout():
        return expert_rollout(task, "franka-panda", episode_seed(0, task, 0), visuals="simple")

    expected, made = digest(rollout()), []

    def narrow(model):
        made.append(Narrow(model))
        return made[-1]

    monkeypatch.setattr(Simulation.__init__, "__defaults__", (*Simulation.__init__.__defaults__[:-1], narrow))
    assert digest(rollout()) == expected
    used = made[-1].asked
    assert used["step"] > 20
    assert used["contacts"] > 5


def test_physics_and_contacts_are_asked_of_the_engine_alone():
    planner = "sim/bimanual/plan/"  # asks a state of its own what would touch what
    for path in (REPOSITORY / "sim" / "bimanual").rglob("*.py"):
        if not path.is_relative_to(REPOSITORY / planner):
            found = re.findall(r"mj_step|mj_contactForce|mj_resetData|data\.contact\b|\.ncon\b", path.read_text())
            assert not found, path


def test_contacts_say_where_and_how_hard():
    sim = simulation(cube("a", 0.0, 0.1, density=1000.0))
    rest(sim)
    found, forces = sim.engine.contacts(), sim.engine.contact_forces()
    body, table = sim.actors["a"].bodies["base"], sim.model.body("table").id
    assert {frozenset(pair) for pair in found.bodies.tolist()} == {frozenset((body, table))}
    down = found.normals[:, 2] * np.where(found.bodies[:, 1] == table, 1, -1)
    np.testing.assert_allclose(down, -1.0, atol=1e-6)
    np.testing.assert_allclose(found.positions[:, 2], sim.spec.table_z, atol=1e-3)
    assert forces.sum() == pytest.approx(1000.0 * 0.05**3 * 9.81, rel=0.02)
    before = found.positions.copy()
    rest(sim)
    np.testing.assert_array_equal(found.positions, before)  # copies, not views of what the engine goes on changing


def test_nothing_touches_nothing():
    engine = MujocoEngine(Simulation(SceneSpec("franka-panda"), visuals="simple").model)
    found = engine.contacts()
    assert isinstance(found, Contacts)
    assert found.bodies.shape == (0, 2)
    assert found.positions.shape == found.normals.shape == (0, 3)
    assert engine.contact_forces().shape == (0,)


def test_numbers_that_run_away_are_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log file where it stands
    engine = simulation().engine
    engine.data.qvel[:] = 1e12
    with pytest.raises(DivergedError, match="diverged"):
        engine.step(np.zeros((1, engine.model.nu)))
    engine.reset(engine.model.qpos0, np.zeros(engine.model.nu))
    engine.step(np.zeros((1, engine.model.nu)))

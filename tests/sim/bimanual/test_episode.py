"""Episodes: bad scenes are drawn anew, success needs time, every outcome has its reason, records rebuild the scene."""

from __future__ import annotations

import json
from typing import ClassVar

import numpy as np
import pytest

from assets.objects import library
from sim.bimanual import episode
from sim.bimanual.episode import Prepared, SuccessMonitor, draw, prepare, restore
from sim.bimanual.episode import recorded as recorded_scene
from sim.bimanual.plan import PlanningError
from sim.bimanual.rollout import expert_rollout, replay_rollout
from sim.bimanual.scene import SceneRejectedError
from sim.bimanual.spec import BlockSpec, SceneSpec
from sim.bimanual.task import DWELL_S, Task, task_names
from tests.sim.bimanual.scenes import RED, ROBOT
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.seeding import episode_seed

SEED = episode_seed(0, "test", 0)
TILTED = (np.cos(0.3), np.sin(0.3), 0.0, 0.0)


class Shut(Task):
    """A block to look at; the goal is that the left gripper is measured shut."""

    limit = 60
    instructions = ("[watch|see|mind|eye|view] {A}[| now| please]",)

    def load_actors(self, scene):
        xy = scene.sample_xy((-0.1, 0.1), (0.0, 0.1))
        self.block = scene.add_block("block", BlockSpec((0.025, 0.025, 0.025), RED), xy)

    def expert(self, robot):
        robot.do(robot.close("left"))

    def check_success(self, world):
        return world.opening("left") < 0.1

    def slots(self):
        return {"A": self.block}


class Toppling(Shut):
    """A can on its edge, unless the block is on the right."""

    always: ClassVar[bool] = True

    def load_actors(self, scene):
        super().load_actors(scene)
        if self.always or self.block.position[0] < 0:
            scene.add("can", library.load("can", 0), (0.3, 0.1), quat=TILTED)


class Solved(Shut):
    def check_success(self, world):
        return world.on(self.block, "table")


class Crowded(Shut):
    def load_actors(self, scene):
        super().load_actors(scene)
        scene.sample_xy((-0.1, 0.1), (0.0, 0.1), apart=2.0, avoid=[self.block])


@pytest.fixture
def use(monkeypatch):
    """Let every task name stand for a task class of this file."""
    return lambda kind: monkeypatch.setattr(episode, "task_class", lambda name: kind)


def json_copy(record: dict) -> dict:
    return json.loads(json.dumps(record, allow_nan=False))


def ready(axes=frozenset(), k: int = 0) -> Prepared:
    return prepare("test", ROBOT, episode_seed(0, "test", k), axes, visuals="simple")


# ----------------------------------------------------------------------- scenes


@pytest.mark.parametrize(
    ("kind", "reason"),
    [(Toppling, r"unstable scene \(can\)"), (Solved, "solved before it began"), (Crowded, "no free spot")],
)
def test_unusable_scenes_are_rejected_with_a_reason(use, monkeypatch, kind, reason):
    use(kind)
    monkeypatch.setattr(episode, "MAX_REDRAWS", 2)
    with pytest.raises(SceneRejectedError, match=reason):
        ready()
    rollout = expert_rollout("test", ROBOT, SEED)
    assert not rollout.success
    assert rollout.length == 0
    assert rollout.timing["build"] > 0


def test_a_rejected_scene_is_drawn_anew_and_counted(use):
    class Sometimes(Toppling):
        always = False

    use(Sometimes)
    found = [ready(k=k) for k in range(6)]
    assert all(p.task.block.position[0] >= 0 for p in found)
    assert min(p.redraws for p in found) == 0
    assert max(p.redraws for p in found) > 0
    chosen = max(found, key=lambda p: p.redraws)
    again = restore(json_copy(chosen.record()), visuals="simple")
    assert again.record() == chosen.record()
    np.testing.assert_array_equal(again.sim.data.qpos, chosen.sim.data.qpos)
    np.testing.assert_array_equal(again.task.block.start, chosen.task.block.start)


def test_clutter_that_falls_off_the_table_spoils_a_scene(use, monkeypatch):
    from dataclasses import replace

    from sim.bimanual.spec import Placement

    def off_the_edge(scene, rng):
        lost = Placement("clutter0", "can", 0, (0.6, 0.2, 0.75), (1.0, 0.0, 0.0, 0.0), clutter=True)
        return replace(scene.spec, placements=(*scene.spec.placements, lost))

    use(Shut)
    monkeypatch.setattr(episode, "add_clutter", off_the_edge)
    with pytest.raises(SceneRejectedError, match="clutter fell off the table"):
        ready(frozenset({"clutter"}))


def test_a_scene_is_at_rest_when_it_begins(use):
    use(Shut)
    prepared = ready()
    assert prepared.sim.time == 0.0
    assert np.abs(prepared.sim.data.qvel).max() < 5e-3
    assert prepared.world.on(prepared.task.block, "table")


# ---------------------------------------------------------------------- success


def test_success_is_a_check_that_holds_for_the_dwell_time(use):
    use(Shut)
    prepared = ready()
    task, held = prepared.task, []
    pattern = [0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0]  # one step is 0.04 s, the dwell time is five
    answers = iter(pattern)
    task.check_success = lambda world: bool(next(answers))
    monitor = SuccessMonitor(task, prepared.world)
    for _ in pattern:
        monitor(prepared.sim)
        held.append(monitor.success)
    assert held == [False] * 10 + [True, True, False]


def test_tasks_observe_before_every_check(use):
    log = []

    class Logging(Shut):
        def observe(self, world):
            log.append("observe")

        def check_success(self, world):
            log.append("check")
            return False

    use(Logging)
    prepared = ready()
    log.clear()
    for _ in range(3):
        prepared.sim.step(prepared.sim.action)
    assert log == ["observe", "check"] * 3


# ---------------------------------------------------------------------- rollouts


def test_an_expert_that_succeeds(use):
    use(Shut)
    rollout = expert_rollout("test", ROBOT, SEED, visuals="simple")
    assert rollout.success
    assert (rollout.reason, rollout.detail) == ("", "")
    assert set(rollout.timing) == {"build", "plan", "simulate"}
    assert all(seconds >= 0 for seconds in rollout.timing.values())
    assert rollout.instruction in rollout.instructions["seen"]
    assert not set(rollout.instructions["seen"]) & set(rollout.instructions["unseen"])


def test_a_frame_is_what_its_action_starts_from(use):
    use(Shut)
    rollout = expert_rollout("test", ROBOT, SEED, visuals="simple")
    prepared = restore(rollout.record, visuals="simple")
    for t in range(rollout.length):
        np.testing.assert_array_equal(rollout.qpos[t], prepared.sim.data.qpos)
        np.testing.assert_array_equal(rollout.arrays["observation.state"][t], prepared.sim.state().astype(np.float32))
        hands = rollout.arrays["observation.ee_pose"][t].reshape(2, 8)
        for side, hand in zip(("left", "right"), hands, strict=True):
            np.testing.assert_allclose(hand[:3], prepared.sim.tcp(side)[:3, 3], atol=1e-6)
        prepared.sim.step(rollout.arrays["action"][t])


def wait_too_long(robot):
    robot.do(robot.wait("left", 30.0))


def break_physics(robot):
    robot.sim.data.qvel[:] = 1e12
    robot.do(robot.wait("left", 1.0))


def give_up(robot):
    raise PlanningError("no path", "in this test")


@pytest.mark.parametrize(
    ("expert", "reason"),
    [
        (lambda robot: None, "goal not reached"),
        (give_up, "no path"),
        (wait_too_long, "step limit"),
        (break_physics, "simulation diverged"),
    ],
)
def test_every_failure_has_its_reason(use, monkeypatch, tmp_path, expert, reason):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log file where it stands
    use(Shut)
    monkeypatch.setattr(Shut, "expert", lambda self, robot: expert(robot))
    rollout = expert_rollout("test", ROBOT, SEED, visuals="simple")
    assert not rollout.success
    assert rollout.reason == reason
    assert len(rollout.detail) >= len(reason)
    assert rollout.length <= Shut().limit_steps(25) + 1


def test_a_bug_in_an_expert_is_not_a_failed_attempt(use, monkeypatch):
    use(Shut)
    monkeypatch.setattr(Shut, "expert", lambda self, robot: robot.no_such_skill())
    with pytest.raises(AttributeError):
        expert_rollout("test", ROBOT, SEED, visuals="simple")


@pytest.mark.parametrize("fps", [5, 10, 25, 50])
def test_the_step_limit_is_a_time(fps):
    assert Shut().limit_steps(fps) / fps == pytest.approx(60 * 0.06, abs=0.5 / fps)


def test_success_may_come_to_rest_after_the_expert_is_done(use, monkeypatch):
    use(Shut)
    monkeypatch.setattr(Shut, "check_success", lambda self, world: world.time > DWELL_S + 0.3)
    monkeypatch.setattr(Shut, "expert", lambda self, robot: None)
    rollout = expert_rollout("test", ROBOT, SEED, visuals="simple")
    assert rollout.success
    assert rollout.length / 25 == pytest.approx(2 * DWELL_S + 0.3, abs=0.05)


# ----------------------------------------------------------------------- records

TASK = "click_bell"


@pytest.fixture(scope="module")
def recorded():
    return expert_rollout(
        TASK, ROBOT, episode_seed(0, TASK, 1), frozenset({"clutter", "table", "dynamics", "latency"}), visuals="simple"
    )


def test_replaying_the_actions_repeats_every_bit(recorded):
    assert recorded.success
    again = replay_rollout(json_copy(recorded.record), recorded.arrays["action"])
    assert again.success
    np.testing.assert_array_equal(again.qpos, recorded.qpos)
    for name, array in recorded.arrays.items():
        np.testing.assert_array_equal(again.arrays[name], array)
    assert again.record == recorded.record
    assert again.instructions == recorded.instructions


def test_how_robots_are_drawn_changes_nothing_else(recorded):
    axes = frozenset(recorded.record["axes"])
    drawn = expert_rollout(TASK, ROBOT, episode_seed(0, TASK, 1), axes, visuals="mesh")
    np.testing.assert_array_equal(drawn.qpos, recorded.qpos)
    np.testing.assert_array_equal(drawn.arrays["action"], recorded.arrays["action"])


def test_the_record_wins_over_what_the_code_would_draw_now(recorded):
    record = json_copy(recorded.record)
    clutter = [p for p in record["scene"]["placements"] if p["clutter"]]
    assert clutter
    record["scene"]["placements"] = [p for p in record["scene"]["placements"] if p is not clutter[0]]
    record["scene"]["table_bias"] = 0.0123
    prepared = restore(record, visuals="simple")
    assert prepared.spec.table_bias == 0.0123
    assert len(prepared.spec.placements) == len(recorded.record["scene"]["placements"]) - 1
    assert prepared.record() == record


@pytest.mark.parametrize("task", task_names())
def test_a_recorded_task_chooses_nothing_again(task):
    first, drawn = draw(task, ROBOT, episode_seed(3, task, 0), frozenset({"clutter", "table"}))
    choices = json_copy(drawn.draws.choices)
    again, scene = recorded_scene(task, SceneSpec.from_json(json_copy(drawn.spec.to_json())), choices)
    assert scene.draws.choices == choices
    own = [p for p in drawn.spec.placements if not p.clutter]
    assert list(scene.spec.placements) == own
    for name, actor in drawn.actors.items():
        np.testing.assert_array_equal(scene.actors[name].start, actor.start)
        assert scene.actors[name].asset.key == actor.asset.key
    assert plain(again) == plain(first)


def plain(task) -> dict:
    """What a task decided, in words and numbers."""
    return {name: value for name, value in vars(task).items() if isinstance(value, (str, int, float, tuple))}


def test_a_record_says_what_the_task_chose(recorded):
    assert recorded.record["choices"].keys() == {"xy", "instance bell"}
    _, scene = draw("place_a2b_left", ROBOT, SEED)
    first, second = scene.draws.choices["order"][0]
    assert {scene.actors["thing"].asset.category, scene.actors["landmark"].asset.category} == {first, second}


def test_choices_come_from_the_record_and_not_from_the_seed(recorded):
    record = json_copy(recorded.record)
    record["seed"] = [5, 5, 5, 5]
    prepared = restore(record, visuals="simple")
    assert prepared.record() == record
    np.testing.assert_array_equal(prepared.sim.data.qpos, recorded.qpos[0])


def test_records_of_early_versions_are_drawn_again(recorded):
    record = json_copy(recorded.record)
    del record["choices"]
    prepared = restore(record, visuals="simple")
    np.testing.assert_array_equal(prepared.sim.data.qpos, recorded.qpos[0])
    assert prepared.record() == recorded.record


def without(key):
    def change(record):
        del record[key]

    return change


def lost_bell(record):
    record["scene"]["placements"] = [p for p in record["scene"]["placements"] if p["clutter"]]


def wild_bell(record):
    record["scene"]["placements"][0]["mode"] = "free"
    record["scene"]["placements"][0]["pos"][2] += 0.5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r.update(layout=2), "layout 2; this version reads layout 1"),
        (without("layout"), "layout None; this version reads layout 1"),
        (without("scene"), "damaged: KeyError 'scene'"),
        (without("seed"), "damaged: KeyError 'seed'"),
        (lambda r: r["scene"].pop("latency"), "damaged: KeyError .*SceneSpec with other fields: latency"),
        (lambda r: r.update(task="click_bel"), 'unknown task "click_bel". Did you mean click_bell'),
        (lambda r: r.update(choices=3), "damaged: AttributeError"),
        (lambda r: r["choices"].pop("xy"), 'made by another version: it has 0 draws of "xy", here are more'),
        (lambda r: r.update(fps=24), "fps 24 does not divide"),
        (lost_bell, "made by another version: it lacks bell"),
        (wild_bell, "made by another version: it is rejected here"),
    ],
)
def test_records_that_cannot_be_rebuilt_are_explained(recorded, change, words):
    record = json_copy(recorded.record)
    change(record)
    with pytest.raises(TwinloomError, match=words) as error:
        restore(record, visuals="simple")
    assert "\n" not in str(error.value)


def test_unknown_tasks_and_robots():
    with pytest.raises(UnknownNameError, match="Did you mean click_bell"):
        prepare("click_bel", ROBOT, SEED)
    with pytest.raises(UnknownNameError, match="robot"):
        prepare("click_bell", "franka", SEED)

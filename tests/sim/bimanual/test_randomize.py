"""Domain randomisation keeps its promises: ranges, independent axes, clutter that is in nobody's way."""

from __future__ import annotations

import re
from collections import Counter

import mujoco
import numpy as np
import pytest

from assets.objects import library
from assets.objects.shapes import bounds
from assets.textures.procedural import SPLIT_SIZES, load_background
from sim.bimanual.docs import FACTS, with_facts
from sim.bimanual.episode import draw, prepare
from sim.bimanual.randomize import AXES, RANGES, parse_axes, vary_before
from sim.bimanual.simulation import Simulation
from sim.bimanual.spec import DEFAULT_CAMERAS, TABLE_HALF, SceneSpec
from tests.sim.bimanual.scenes import ROBOT
from twinloom.errors import UnknownNameError
from twinloom.seeding import episode_seed
from twinloom.transforms import quat_to_matrix

ALL = frozenset(AXES)
CLEAN = SceneSpec(ROBOT)
TASKS = ("stack_blocks_two", "place_bread_skillet", "dump_bin_bigbin", "open_microwave")


def seed(k: int, task: str = "stack_blocks_two"):
    return episode_seed(0, task, k)


def draws(axis: str, n: int = 200, split: str = "seen") -> list[SceneSpec]:
    return [vary_before(CLEAN, {axis}, seed(k), split) for k in range(n)]


def fills(values, low: float, high: float, share: float = 0.05) -> bool:
    """Whether numbers keep within a range and come near both of its ends."""
    values = np.asarray(values, float)
    edge = share * (high - low)
    inside = values.min() >= low - 1e-9 and values.max() <= high + 1e-9
    return bool(inside and values.min() < low + edge and values.max() > high - edge)


def within(values, axis: str, quantity: str) -> bool:
    """Whether numbers fill the range that the documentation states."""
    stated = RANGES[axis][quantity]
    return fills(values, stated.low - 1e-5, stated.high + 1e-5)


def test_table_height():
    assert within([s.table_bias for s in draws("table")], "table", "height")


def test_latency():
    counts = Counter(s.latency for s in draws("latency"))
    assert set(counts) == set(range(11))  # physics steps of 4 ms: 0 to 40 ms
    assert max(counts.values()) < 45
    assert within(list(counts), "latency", "delay")


def test_dynamics():
    found = [s.dynamics for s in draws("dynamics")]
    assert within([d.friction for d in found], "dynamics", "friction of every surface")
    assert within([d.mass for d in found], "dynamics", "mass of objects")
    assert within([d.servo_stiffness for d in found], "dynamics", "servo stiffness")
    assert within([d.joint_damping for d in found], "dynamics", "joint damping")
    both = np.corrcoef([d.friction for d in found], [d.mass for d in found])[0, 1]
    assert abs(both) < 0.3


@pytest.mark.parametrize("camera", DEFAULT_CAMERAS)
def test_fixed_cameras(camera):
    nominal = DEFAULT_CAMERAS[camera]
    found = [s.cameras[camera] for s in draws("camera")]
    for k in range(3):
        assert within([c.pos[k] - nominal.pos[k] for c in found], "camera", "x, y and z")
    forward = np.array(nominal.forward) / np.linalg.norm(nominal.forward)
    angles = [np.degrees(np.arccos(np.clip(forward @ c.forward / np.linalg.norm(c.forward), -1, 1))) for c in found]
    assert max(angles) <= RANGES["camera"]["direction"].high + 0.01
    assert np.mean(angles) > 0.25  # less than half: a turn about the direction itself changes nothing
    assert within([c.fovy / nominal.fovy for c in found], "camera", "field of view")


def test_wrist_cameras():
    found = np.array([s.wrist_offset for s in draws("camera")])
    for k in range(3):
        assert within(found[:, k], "camera", "x, y and z on a wrist")
        assert fills(np.degrees(found[:, 3 + k]), -1.001, 1.001)


def test_lighting():
    found, of = draws("lighting"), RANGES["lighting"]
    counts = Counter(len(s.lights) for s in found)
    assert set(counts) == set(range(int(of["lamps"].low), int(of["lamps"].high) + 1))
    assert min(counts.values()) > 40
    lamps = [lamp for s in found for lamp in s.lights]
    for k, axis in enumerate("xyz"):
        assert within([lamp.pos[k] for lamp in lamps], "lighting", axis)
    least = 1 - of["depth of colour"].high
    for kind, some in (
        ("the main lamp", [s.lights[0] for s in found]),
        ("other lamps", [x for s in found for x in s.lights[1:]]),
    ):
        stated = of[f"intensity of {kind}"]
        assert all(least * stated.low < c <= stated.high for lamp in some for c in lamp.diffuse)
        brightest = [max(lamp.diffuse) for lamp in some]
        assert min(brightest) < stated.low + 0.3 * (stated.high - stated.low)
        assert max(brightest) > stated.high - 0.3 * (stated.high - stated.low)
    assert all(0.8 * of["ambient light"].low < c <= of["ambient light"].high for s in found for c in s.ambient)
    assert all([lamp.shadow for lamp in s.lights] == [True] + [False] * (len(s.lights) - 1) for s in found)
    assert 90 < sum(s.lights[0].directional for s in found) < 150
    tints = [max(lamp.diffuse) / min(lamp.diffuse) for lamp in lamps]
    assert min(tints) < 1.05  # white ones
    assert max(tints) > 1.3  # and clearly coloured ones
    assert all(lamp.direction[2] < 0 for lamp in lamps)  # they shine down on the table


@pytest.mark.parametrize("split", ["seen", "unseen"])
def test_background(split):
    found = draws("background", split=split)
    looks = [s.surfaces[name] for s in found for name in ("table", "wall", "floor")]
    textures = [look for look in looks if not look.startswith("#")]
    plain = len(looks) - len(textures)
    assert 1 <= plain <= 30  # 2 % of 600
    assert all(look.startswith(f"{split}/") for look in textures)
    assert len(set(textures)) > 0.7 * len(textures)
    assert load_background(textures[0]).shape == (256, 256, 3)


def test_an_axis_touches_nothing_but_its_own():
    fields = {
        "table": {"table_bias"},
        "lighting": {"lights", "ambient"},
        "background": {"surfaces"},
        "camera": {"cameras", "wrist_offset"},
        "dynamics": {"dynamics"},
        "latency": {"latency"},
    }
    for axis, own in fields.items():
        spec = vary_before(CLEAN, {axis}, seed(1), "seen").to_json()
        assert {k for k, v in CLEAN.to_json().items() if spec[k] != v} == own
    assert vary_before(CLEAN, {"clutter", "language"}, seed(1), "seen") == CLEAN


def parts(spec: SceneSpec) -> dict[str, object]:
    """What each axis decides; heights are taken above what an object stands on, since an axis moves the table."""

    def above(z: float) -> float:
        return round(z - spec.table_z if z > 0.5 else z, 9)

    def objects(clutter: bool):
        return [
            (p.name, p.category, p.index, p.pos[:2], above(p.pos[2]), p.quat, p.mode)
            for p in spec.placements
            if p.clutter == clutter
        ]

    return {
        "scene": objects(False),
        "clutter": objects(True),
        "lighting": (spec.lights, spec.ambient),
        "background": spec.surfaces,
        "table": spec.table_bias,
        "camera": (spec.cameras, spec.wrist_offset),
        "dynamics": spec.dynamics,
        "latency": spec.latency,
    }


@pytest.mark.parametrize("task", TASKS)
def test_switching_an_axis_off_leaves_all_others_as_they_were(task):
    full = parts(draw(task, ROBOT, seed(3, task), ALL)[1].spec)
    clean = parts(draw(task, ROBOT, seed(3, task))[1].spec)
    assert full["scene"] == clean["scene"]
    for axis in AXES:
        found = parts(draw(task, ROBOT, seed(3, task), ALL - {axis})[1].spec)
        assert found == {k: clean[k] if k == axis else v for k, v in full.items()}
        assert axis == "language" or found[axis] != full[axis]


def test_language_differs_between_episodes_only_when_it_is_randomised():
    def sentences(k: int, axes: frozenset[str]) -> list[str]:
        found = prepare("stack_blocks_two", ROBOT, seed(k), axes, visuals="simple").instructions()["seen"]
        return [re.sub("left|right", "some", s) for s in found]  # which arm follows from the scene

    assert sentences(0, frozenset()) == sentences(1, frozenset())
    assert sentences(0, frozenset({"language"})) != sentences(1, frozenset({"language"}))
    assert sentences(0, frozenset({"language"})) == sentences(0, ALL)


# --------------------------------------------------------------------- clutter


@pytest.fixture(scope="module")
def cluttered():
    """(task, scene) of several episodes of every task in TASKS."""
    return [(task, draw(task, ROBOT, seed(k, task), ALL)[1]) for task in TASKS for k in range(6)]


def corners(p) -> np.ndarray:
    """(8, 3) world corners of a placement's bounding box."""
    low, high = bounds(library.load(p.category, p.index))
    box = np.array(np.meshgrid(*zip(low, high, strict=True), indexing="ij")).reshape(3, -1)
    return (quat_to_matrix(p.quat) @ box).T + p.pos


def test_clutter_counts(cluttered):
    counts = [sum(p.clutter for p in scene.spec.placements) for _, scene in cluttered]
    assert max(counts) <= 10
    assert np.mean(counts) > 4


def test_clutter_stays_on_the_table_and_out_of_keep_outs(cluttered):
    for _, scene in cluttered:
        middle = np.array(scene.spec.table_offset)
        for p in scene.spec.placements:
            if not p.clutter:
                continue
            box = corners(p)
            assert (np.abs(box[:, :2] - middle) < TABLE_HALF).all()
            assert box[:, 2].min() == pytest.approx(scene.table_z + 0.001, abs=1e-6)
            for area in scene.keep_outs:
                (x0, y0), (x1, y1) = box[:, :2].min(0), box[:, :2].max(0)
                apart = x1 < area.x[0] or x0 > area.x[1] or y1 < area.y[0] or y0 > area.y[1]
                # rectangles around turned objects may overlap at a corner where the objects do not
                assert apart or not any(area.x[0] < x < area.x[1] and area.y[0] < y < area.y[1] for x, y in box[:, :2])


def test_clutter_touches_neither_task_objects_nor_other_clutter(cluttered):
    for task, scene in cluttered[::2]:
        sim = Simulation(scene.spec, visuals="simple")
        mujoco.mj_forward(sim.model, sim.data)
        names = {body: a.name for a in sim.actors.values() for body in a.bodies.values()}
        clutter = {p.name for p in scene.spec.placements if p.clutter}
        for geoms in sim.data.contact.geom:
            pair = {names.get(int(sim.model.geom_bodyid[g]), "") for g in geoms}
            assert not pair & clutter or pair & {""}, (task, pair)


def test_clutter_cannot_be_taken_for_a_task_object(cluttered):
    for task, scene in cluttered:
        mine = {p.category for p in scene.spec.placements if not p.clutter}
        for p in scene.spec.placements:
            if p.clutter:
                assert p.category not in mine, task
                assert not mine & set(library.synonyms(p.category)), task
                assert not any(p.category in library.synonyms(c) for c in mine - {"block"}), task


def test_tall_clutter_stays_away_from_the_hands(cluttered):
    for _, scene in cluttered:
        for p in scene.spec.placements:
            if p.clutter and np.ptp(corners(p)[:, 2]) > 0.05:
                assert p.pos[1] >= scene.spec.table_offset[1]


# ------------------------------------------------------------------------ words


def test_axes_are_named_all_none_or_by_a_list():
    assert parse_axes("all") == ALL
    assert parse_axes("none") == frozenset()
    assert parse_axes("camera, latency") == {"camera", "latency"}
    with pytest.raises(UnknownNameError, match="Did you mean lighting"):
        parse_axes("camera,lightning")


def test_the_words_of_an_axis_name_its_ranges():
    """What `sim list axes` prints."""
    of = {axis: list(ranges.values()) for axis, ranges in RANGES.items()}
    assert f"up to {of['clutter'][0].high:g} " in AXES["clutter"]
    assert "{:g}-{:g} lamps".format(*of["lighting"][0][:2]) in AXES["lighting"]
    assert f"+-{100 * of['table'][0].high:g} cm" in AXES["table"]
    for quantity, r in RANGES["dynamics"].items():
        assert f"{r.low:g}-{r.high:g}" in AXES["dynamics"], quantity
    shift, turn, view, wrist, _ = of["camera"]
    assert (
        f"+-{100 * shift.high:g} cm, {turn.high:g} degree, field of view +-{100 * (view.high - 1):.0f} %"
        in AXES["camera"]
    )
    assert f"wrist cameras +-{1000 * wrist.high:g} mm" in AXES["camera"]
    assert f"0-{4 * of['latency'][0].high:g} ms" in AXES["latency"]
    assert f"{SPLIT_SIZES['seen']:,} seen or {SPLIT_SIZES['unseen']:,} unseen" in AXES["background"]


def test_the_page_about_the_simulator_is_up_to_date():
    page = FACTS.read_text(encoding="utf-8")
    assert with_facts(page) == page, "run: python -m sim.docs"

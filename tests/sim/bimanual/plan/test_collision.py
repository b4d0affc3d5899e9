"""Collision world against the contacts that MuJoCo's full forward pass reports for the same state."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.bimanual.plan import ArmKinematics, CollisionWorld, Held, rotation_matrix
from tests.sim.bimanual.plan.scenes import PANDA, PANDA_HOME, TABLE_TOP, X5, X5_HOME, two_arms
from twinloom.errors import TwinloomError

OBJECTS = """
<body name="cube" pos="-.15 .05 .765"><freejoint/><geom type="box" size=".02 .02 .025"/></body>
<body name="pile1" pos=".1 .1 .76"><freejoint/><geom type="box" size=".05 .05 .03"/></body>
<body name="pile2" pos=".1 .1 .79"><freejoint/><geom type="sphere" size=".04"/></body>
<body name="box" pos="-.1 .2 .74"><freejoint/><geom type="box" size=".06 .06 .01" pos="0 0 .01"/>
  <body name="lid" pos="0 .06 .02"><joint name="lid" axis="1 0 0" range="-2 0"/>
    <geom type="box" size=".06 .06 .005" pos="0 -.06 0"/></body></body>
<body name="post" pos=".35 0 .9"><geom type="cylinder" size=".03 .16"/></body>
<geom name="ghost" type="box" size="2 2 2" contype="0" conaffinity="0"/>
"""
SCENES = {"panda": (two_arms(PANDA, OBJECTS), PANDA_HOME), "x5": (two_arms(X5, OBJECTS), X5_HOME)}
WORLDS = {name: CollisionWorld(model) for name, (model, _) in SCENES.items()}
BODIES = ["cube", "pile1", "pile2", "box"]


def is_below(model: mujoco.MjModel, body: int, name: str) -> bool:
    while body and model.body(body).name != name:
        body = int(model.body_parentid[body])
    return body != 0


def forbidden(model: mujoco.MjModel, a: int, b: int, held: dict[str, str], touch: dict[str, list[int]]) -> bool:
    """The rule in its slowest and plainest form, for body ids."""

    def moved_by(body: int) -> set[str]:
        return {side for side, name in held.items() if is_below(model, body, name)}

    def arm_of(body: int) -> str | None:
        return next(
            (s for s in ("left", "right") if is_below(model, body, model.body(f"{s}_{ROOT[model]}").name)), None
        )

    if arm_of(a) is None:
        a, b = b, a
    arm_a, arm_b = arm_of(a), arm_of(b)
    hand_a = arm_a is not None and is_below(model, a, f"{arm_a}_hand")
    if arm_a is not None and arm_b is not None:
        return not (arm_a == arm_b and hand_a and is_below(model, b, f"{arm_b}_hand"))
    if arm_a is not None:
        return not (hand_a and (arm_a in moved_by(b) or b in touch.get(arm_a, [])))
    if not moved_by(a) | moved_by(b) or moved_by(a) & moved_by(b):
        return False
    return not (any(b in touch.get(s, []) for s in moved_by(a)) or any(a in touch.get(s, []) for s in moved_by(b)))


ROOT = {SCENES["panda"][0]: "link0", SCENES["x5"][0]: "base"}


@given(name=st.sampled_from(sorted(SCENES)), seed=st.integers(0, 10**6), spread=st.sampled_from([0.3, 1.0, 3.0]))
@settings(max_examples=300, deadline=None)
def test_agrees_with_the_contacts_of_a_full_forward_pass(name: str, seed: int, spread: float) -> None:
    model, home = SCENES[name]
    world = WORLDS[name]
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    chains = {side: ArmKinematics(model, f"{side}_") for side in ("left", "right")}
    arms = {
        side: np.clip(home + spread * rng.uniform(-1, 1, len(home)), c.lower, c.upper) for side, c in chains.items()
    }
    openings = {side: float(rng.uniform()) for side in arms}
    held = {side: str(rng.choice(BODIES)) for side in arms if rng.uniform() < 0.4}
    touch = {side: [int(b) for b in rng.choice(model.nbody, 3, replace=False)] for side in arms if rng.uniform() < 0.5}
    for side, chain in chains.items():
        data.qpos[chain.qpos_ids] = arms[side]
        for i in (1, 2):
            data.joint(f"{side}_finger{i}").qpos = 0.04 * openings[side]
    for body in BODIES:
        address = model.body(body).jntadr[0]
        data.qpos[model.jnt_qposadr[address] : model.jnt_qposadr[address] + 2] += rng.uniform(-0.1, 0.1, 2)
    state = data.qpos.copy()
    grips: dict[str, Held] = {}
    for side, body in reversed(sorted(held.items())):  # right first: an object in both hands follows the left
        T_hand_object = np.eye(4)
        T_hand_object[:3, :3] = rotation_matrix(rng.normal(size=3))
        T_hand_object[:3, 3] = rng.uniform(-0.03, 0.03, 3)
        grips[side] = Held(model.body(body).id, T_hand_object)
        T = chains[side].forward(arms[side]) @ T_hand_object
        joint = data.joint(int(model.body(body).jntadr[0]))
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, T[:3, :3].ravel())
        joint.qpos = [*T[:3, 3], *quaternion]
    mujoco.mj_forward(model, data)
    expected: dict[frozenset[str], float] = {}
    for contact in data.contact:
        a, b = (int(model.geom_bodyid[g]) for g in contact.geom)
        if forbidden(model, a, b, held, touch):
            pair = frozenset(
                model.body(x).name if x else model.geom(g).name for x, g in zip((a, b), contact.geom, strict=True)
            )
            expected[pair] = min(contact.dist, expected.get(pair, np.inf))

    world.set_state(state)
    found = world.first_contact(arms, openings, grips, touch)
    assert world.in_collision(arms, openings, grips, touch) == bool(expected)
    assert (found is not None) == bool(expected)
    if found is not None:
        # depths of convex pairs jump by up to 0.1 mm with the last bits of a held object's pose
        assert found.distance == pytest.approx(min(expected.values()), abs=1e-3)
        assert found.distance == pytest.approx(expected[frozenset(found[:2])], abs=1e-3)


def hover(gap: float) -> tuple[np.ndarray, float]:
    """Left joints with the fingertips ``gap`` above the table, and the gap that was really reached."""
    arm = ArmKinematics(SCENES["panda"][0], "left_", PANDA_HOME)
    height = TABLE_TOP + gap + 0.0584 + 0.055 - 0.1034  # the fingers reach a little beyond the tool centre point
    T = np.array([[0, 1, 0, -0.3], [0, 0, -1, -0.1], [-1, 0, 0, height], [0, 0, 0, 1.0]])
    solution = arm.solve(T)
    assert solution.ok[0]
    return solution.q[0], gap + float(arm.forward(solution.q[0])[2, 3] - T[2, 3])


def test_margin_widens_and_forgives() -> None:
    world = WORLDS["panda"]
    world.set_state(SCENES["panda"][0].qpos0)
    arms = {"right": PANDA_HOME, "left": hover(0.005)[0]}
    assert not world.in_collision(arms)
    assert not world.in_collision(arms, margin=0.003)
    assert world.in_collision(arms, margin=0.008)
    contact = world.first_contact(arms, margin=0.008)
    assert contact is not None
    assert contact.distance == pytest.approx(0.005, abs=1e-3)
    assert not world.in_collision(arms)  # the margin of one query does not stick
    arms["left"] = hover(-0.002)[0]
    assert world.in_collision(arms)
    assert not world.in_collision(arms, margin=-0.004)
    assert world.first_contact(arms, margin=-0.004) is None


def test_names_tell_what_touches() -> None:
    world = WORLDS["panda"]
    world.set_state(SCENES["panda"][0].qpos0)
    contact = world.first_contact({"left": hover(-0.01)[0], "right": PANDA_HOME}, {"left": 0.5})
    assert contact is not None
    assert "table" in contact[:2]
    assert {"left_finger1", "left_finger2"} & set(contact[:2])


def test_queries_leave_no_trace() -> None:
    model, home = SCENES["panda"]
    before = model.geom_contype.tobytes() + model.geom_margin.tobytes() + model.body_contype.tobytes()
    world, fresh = WORLDS["panda"], CollisionWorld(model)
    world.set_state(model.qpos0)
    arms = {"left": home, "right": home}
    cube = Held(model.body("cube").id, np.eye(4))
    low = hover(-0.01)[0]
    for _ in range(3):
        world.in_collision({"left": low, "right": home}, {"left": 1.0}, {"left": cube}, {"left": [0]}, margin=0.01)
    assert world.first_contact(arms) == fresh.first_contact(arms)
    assert model.geom_contype.tobytes() + model.geom_margin.tobytes() + model.body_contype.tobytes() == before


def test_only_free_bodies_can_be_held() -> None:
    model, home = SCENES["panda"]
    with pytest.raises(TwinloomError, match='left hand cannot carry body "lid"'):
        WORLDS["panda"].in_collision({"left": home}, held={"left": Held(model.body("lid").id, np.eye(4))})

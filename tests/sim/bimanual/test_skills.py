"""Skills do what they say, measured afterwards; where they cannot, they say why."""

from __future__ import annotations

import numpy as np
import pytest

from sim.bimanual.motion import Grip, Move
from sim.bimanual.plan import PlanningError
from sim.bimanual.simulation import Simulation
from sim.bimanual.skills import Skills, Turn
from sim.bimanual.world import World
from tests.sim.bimanual.scenes import cube, rest, simulation, thing
from twinloom.transforms import pose, rotation_about, rotation_angle, yaw_quat

LEFT = (-0.2, -0.05)


def skilled(*placements, seed: int = 0) -> Skills:
    sim = simulation(*placements)
    return Skills(sim, rest(sim, 0.2), np.random.default_rng(seed))


def holding(*more, at=LEFT, side="left", **look) -> Skills:
    """A robot that holds the block "a" 7 cm above the table."""
    robot = skilled(cube("a", *at, **look), *more)
    robot.do(robot.grasp(side, robot.sim.actors["a"], "top"))
    robot.do(robot.lift(side, 0.07))
    return robot


def trace(robot: Skills, *steps) -> np.ndarray:
    """(T, 2, 4, 4) hand poses of both sides while steps are carried out."""
    poses = []
    robot.sim.observers.append(lambda sim: poses.append([sim.tcp("left"), sim.tcp("right")]))
    robot.do(*steps)
    robot.sim.observers.pop()
    return np.array(poses)


# ----------------------------------------------------------------- grasp and place


@pytest.mark.parametrize(("side", "x"), [("left", -0.2), ("right", 0.25)])
def test_pick_and_place(side, x):
    robot = holding(at=(x, -0.05), side=side)
    sim, world, a = robot.sim, robot.world, robot.sim.actors["a"]
    assert world.held_by(a, side)
    assert world.height(a) == pytest.approx(0.07, abs=0.01)
    target = pose((0.5 * x, 0.05, world.table_z), yaw_quat(0.4))
    robot.do(robot.place(side, robot.goal(a, target, "bottom", yaw="quarter")))
    rest(sim, 0.3)
    assert world.on(a, "table")
    assert world.near(a, target, xy=0.006, z=0.002)
    turn = rotation_angle(target[:3, :3].T @ a.pose()[:3, :3])
    assert min(abs(turn - k * np.pi / 2) for k in range(3)) < 0.05
    assert side not in robot.motion.held
    assert world.opening(side) > 0.9


def test_the_yaw_of_a_goal_is_kept():
    robot = holding()
    a, target = robot.sim.actors["a"], pose((-0.15, 0.0, robot.world.table_z), yaw_quat(-0.3))
    robot.do(robot.place("left", robot.goal(a, target, yaw="aligned")))
    rest(robot.sim, 0.2)
    assert rotation_angle(target[:3, :3].T @ a.pose()[:3, :3]) < 0.05


def test_placing_without_letting_go():
    robot = holding()
    a = robot.sim.actors["a"]
    robot.do(robot.place("left", robot.goal(a, (-0.1, 0.0, robot.world.table_z + 0.1), above=0.0), release=False))
    assert robot.world.held_by(a, "left")
    assert robot.world.height(a) == pytest.approx(0.1, abs=0.005)


def test_a_grasp_looks_ahead_to_its_goals():
    robot = skilled(cube("a", *LEFT))
    a = robot.sim.actors["a"]
    near = robot.goal(a, (-0.1, 0.0, robot.world.table_z))
    far = robot.goal(a, (0.9, 0.3, robot.world.table_z))
    assert robot.grasp("left", a, "top", then=[near])
    with pytest.raises(PlanningError, match="no feasible grasp: left hand, a: goals out of reach"):
        robot.grasp("left", a, "top", then=[near, far])


def test_out_of_reach():
    robot = skilled(cube("a", 0.55, 0.3))
    with pytest.raises(PlanningError, match="no feasible grasp: left hand, a: out of reach") as error:
        robot.grasp("left", robot.sim.actors["a"], "top")
    assert error.value.reason == "no feasible grasp"


def test_too_wide_for_the_gripper():
    robot = skilled(cube("a", *LEFT, half=(0.06, 0.06, 0.02)))
    with pytest.raises(PlanningError, match="no feasible grasp: a has no grasp top that fits the gripper"):
        robot.grasp("left", robot.sim.actors["a"], "top")


def test_walled_in():
    x, y = LEFT
    walls = [
        cube(f"wall{k}", x + dx, y + dy, half=half, mode="static")
        for k, (dx, dy, half) in enumerate(
            [
                (0.04, 0.0, (0.01, 0.06, 0.06)),
                (-0.04, 0.0, (0.01, 0.06, 0.06)),
                (0.0, 0.04, (0.02, 0.01, 0.06)),
                (0.0, -0.04, (0.02, 0.01, 0.06)),
            ]
        )
    ]
    robot = skilled(cube("a", x, y), *walls)
    with pytest.raises(PlanningError, match="no feasible grasp: left hand, a: approach in collision"):
        robot.grasp("left", robot.sim.actors["a"], "top")


def test_an_object_that_slips_away_is_missed():
    robot = skilled(cube("a", *LEFT))
    a = robot.sim.actors["a"]
    *approach, grip = robot.grasp("left", a, "top")
    robot.do(approach)
    robot.sim.data.joint("a").qpos[0] += 0.3
    with pytest.raises(PlanningError, match="grasp missed: left hand closed beside a"):
        robot.do([grip])
    assert "left" not in robot.motion.held


def test_a_dropped_object_is_noticed():
    robot = holding()
    a = robot.sim.actors["a"]
    goal = robot.goal(a, (-0.1, 0.0, robot.world.table_z))
    robot.do(robot.close("left", 1.0))  # as a slip would, this lets go without anybody saying so
    rest(robot.sim, 0.5)
    assert robot.world.on(a, "table")
    with pytest.raises(PlanningError, match="object dropped: a is not in the left hand"):
        robot.place("left", goal)


def test_what_was_never_taken_cannot_be_placed():
    robot = skilled(cube("a", *LEFT))
    goal = robot.goal(robot.sim.actors["a"], (-0.1, 0.0, robot.world.table_z))
    with pytest.raises(PlanningError, match="object dropped"):
        robot.place("left", goal)


@pytest.mark.parametrize(
    ("xy", "reason"), [((0.8, 0.3), "unreachable"), ((-0.1, 0.05), "in collision: left hand bringing a to its goal")]
)
def test_goals_that_cannot_be_served(xy, reason):
    robot = holding(cube("tower", -0.1, 0.05, half=(0.05, 0.05, 0.1), mode="static"))
    with pytest.raises(PlanningError, match=reason):
        robot.place("left", robot.goal(robot.sim.actors["a"], (*xy, robot.world.table_z)))


# ------------------------------------------------------------------------- motions


def test_lift_goes_straight_up():
    robot = holding()
    poses = trace(robot, robot.lift("left", 0.1))[:, 0]
    start, end = poses[0], poses[-1]
    assert end[2, 3] - start[2, 3] == pytest.approx(0.1, abs=0.005)
    assert np.linalg.norm(poses[:, :2, 3] - start[:2, 3], axis=1).max() < 0.004
    assert max(rotation_angle(start[:3, :3].T @ T[:3, :3]) for T in poses) < 0.03


def test_move_by_is_straight_and_turns_on_the_way():
    robot = skilled()
    offset, R = np.array([0.08, 0.05, -0.05]), rotation_about([0, 0, 1], 0.5)
    before = robot.tcp("left")
    poses = trace(robot, robot.move_by("left", offset, rotation=R))[:, 0]
    along = (poses[:, :3, 3] - before[:3, 3]) @ offset / (offset @ offset)
    beside = poses[:, :3, 3] - before[:3, 3] - along[:, None] * offset
    assert np.linalg.norm(beside, axis=1).max() < 0.005
    rest(robot.sim, 0.3)
    np.testing.assert_allclose(robot.tcp("left")[:3, 3], before[:3, 3] + offset, atol=0.004)
    assert rotation_angle((R @ before[:3, :3]).T @ robot.tcp("left")[:3, :3]) < 0.02


def test_move_to_and_home():
    robot = skilled()
    home, T = robot.tcp("right"), robot.tcp("right")
    T[:3, 3] += [-0.1, 0.1, -0.1]
    robot.do(robot.move_to("right", T))
    rest(robot.sim, 0.3)
    np.testing.assert_allclose(robot.tcp("right"), T, atol=0.01)
    robot.do(robot.home("right"))
    rest(robot.sim, 0.3)
    np.testing.assert_allclose(robot.tcp("right"), home, atol=0.01)
    T[:3, 3] = [5, 0, 1]
    with pytest.raises(PlanningError, match="unreachable: right hand at"):
        robot.move_to("right", T)
    T[:3, 3] = [0.2, 0.0, 0.70]  # inside the table top
    with pytest.raises(PlanningError, match="in collision: right hand at"):
        robot.move_to("right", T)


def test_a_detour_around_an_obstacle():
    wall = cube("wall", -0.25, 0.05, half=(0.02, 0.1, 0.12), mode="static")
    robot = skilled(wall)
    down = np.column_stack([[0, 0, -1.0], [1.0, 0, 0], [0, -1.0, 0]])
    for x in (-0.38, -0.12):  # one side of the wall, then the other
        T = pose((x, 0.05, robot.world.table_z + 0.1), down)
        robot.do(robot.move_to("left", T))
        assert np.linalg.norm(robot.tcp("left")[:3, 3] - T[:3, 3]) < 0.02
        assert robot.world.released(robot.sim.actors["wall"])


def test_two_arms_move_at_the_same_time():
    def steps(robot: Skills, side: str):
        return robot.move_by(side, (0, 0.1, -0.1))

    alone = [len(trace(robot := skilled(), steps(robot, side))) for side in ("left", "right")]
    robot = skilled()
    poses = trace(robot, steps(robot, "left"), steps(robot, "right"))
    assert len(poses) == max(alone)
    moved = np.linalg.norm(poses[-1, :, :3, 3] - poses[0, :, :3, 3], axis=1)
    assert (moved > 0.12).all()


def test_waiting_takes_the_time_it_says():
    robot = skilled()
    before = robot.sim.time
    robot.do(robot.wait("left", 0.4))
    assert robot.sim.time - before == pytest.approx(0.4)


def test_gripper_commands():
    robot = skilled()
    robot.do(robot.close("left", 0.3), robot.close("right"))
    assert robot.world.opening("left") == pytest.approx(0.3, abs=0.03)
    assert robot.world.opening("right") == pytest.approx(0.0, abs=0.03)
    robot.do(robot.open("right", 0.5))
    assert robot.world.opening("right") == pytest.approx(0.5, abs=0.03)


def test_the_same_generator_gives_the_same_motion():
    def actions(seed: int) -> np.ndarray:
        robot = skilled(cube("a", *LEFT), cube("wall", -0.1, 0.0, half=(0.02, 0.1, 0.1), mode="static"), seed=seed)
        log = []
        robot.sim.observers.append(lambda sim: log.append(sim.action))
        robot.do(robot.grasp("left", robot.sim.actors["a"], "top"))
        return np.array(log)

    np.testing.assert_array_equal(actions(3), actions(3))


# ------------------------------------------------------------------------- contact


def test_press_pushes_a_button_and_draws_back():
    robot = skilled(thing("bell", "bell", -0.15, -0.05, mode="fixed"))
    sim, world = robot.sim, robot.world
    bell = sim.actors["bell"]
    touched = []
    sim.observers.append(lambda s: touched.append(world.touched_by(bell, "left")))
    robot.do(robot.press("left", bell, "button"))
    assert any(touched)
    assert not touched[-1]
    assert world.opening("left") < 0.05
    button = bell.grasp_pose(bell.asset.grasps_in("button")[0])[:3, 3]
    assert np.linalg.norm(robot.tcp("left")[:3, 3] - button) > 0.04
    with pytest.raises(PlanningError, match="bell has no grasp handle"):
        robot.press("left", bell, "handle")


@pytest.mark.parametrize("fraction", [0.5, 0.9])
def test_turn_joint_pulls_a_drawer_open(fraction):
    robot = skilled(thing("cabinet", "cabinet", -0.05, 0.155, mode="fixed"))
    cabinet = robot.sim.actors["cabinet"]
    robot.do(robot.grasp("left", cabinet, "handle", lift=0.0, then=[Turn(cabinet, "drawer", fraction)]))
    assert cabinet.joint_fraction("drawer") < 0.1
    robot.do(robot.turn_joint("left", cabinet, "drawer", fraction))
    robot.do(robot.open("left"))
    robot.do(robot.retreat("left"))
    assert cabinet.joint_fraction("drawer") == pytest.approx(fraction, abs=0.1)
    assert robot.world.released(cabinet)


def test_turns_out_of_reach_are_refused_before_anything_moves():
    robot = skilled(thing("cabinet", "cabinet", 0.55, 0.3, mode="fixed"))
    cabinet = robot.sim.actors["cabinet"]
    with pytest.raises(PlanningError, match="no feasible grasp: left hand, cabinet"):
        robot.grasp("left", cabinet, "handle", lift=0.0, then=[Turn(cabinet, "drawer", 0.9)])


def test_steps_can_be_made_by_hand():
    robot = skilled()
    goal = robot.sim.arms["left"].home + 0.1
    robot.do([Move("left", goal), Grip("left", 0.2)])
    rest(robot.sim, 0.3)
    np.testing.assert_allclose(robot.sim.state()[:7], goal, atol=0.01)
    assert isinstance(robot.sim, Simulation)
    assert isinstance(robot.world, World)

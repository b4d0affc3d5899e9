"""Workspace and self-collision: what is refused, what brakes the robot, and that looking away is safe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from real.contract import SelfCollision, Workspace, load_contract
from real.safety.collision import CollisionGuard
from real.safety.filter import SafetyFilter
from real.safety.modes import Mode
from real.safety.workspace import WorkspaceGuard

PANDA = load_contract("franka-panda")
WATCHED = replace(PANDA, self_collision=SelfCollision(margin=0.02), workspace=None)


def drive(safety: SafetyFilter, goal: np.ndarray, seconds: float = 4.0) -> tuple[np.ndarray, str]:
    """Command a slow straight motion of the joints from home; returns where the robot stands, and why."""
    now, q = 0.0, safety.contract.home.copy()
    safety.step(now, q)
    assert safety.arm(now).accepted
    start, reason = q.copy(), ""
    for k in range(round(seconds * 200)):
        now += 0.005
        verdict = safety.command(start + (goal - start) * min(1.0, k / (seconds * 150)), now)
        reason = reason or verdict.reason
        out = safety.step(now, q)
        q = out.q
    return q, reason


def test_hands_do_not_leave_the_box():
    box = Workspace((-0.6, -0.5, 0.85), (0.6, 0.5, 1.5))
    guard = WorkspaceGuard(replace(PANDA, workspace=box))
    down = PANDA.home.copy()
    down[1] += 0.9  # the left hand to the table
    assert guard.excess(PANDA.home)[0] < 0 < guard.excess(down)[0]
    q, reason = drive(SafetyFilter(replace(PANDA, workspace=box)), down)
    assert "the left hand would leave the workspace by" in reason
    assert "along z" in reason
    assert guard.excess(q)[0] <= 5e-3  # it brakes at the wall, not before
    free, reason = drive(SafetyFilter(replace(PANDA, workspace=None)), down)
    assert guard.excess(free)[0] > 0.05


def test_arms_do_not_come_too_near_to_each_other():
    guard = CollisionGuard(WATCHED)
    inward = PANDA.home.copy()
    inward[[0, 8]] += [-0.9, 0.9]
    assert guard.excess(PANDA.home)[0] < 0 < guard.excess(inward)[0]
    q, reason = drive(SafetyFilter(WATCHED), inward)
    assert "would" in reason
    assert "allowed are 20 mm" in reason
    assert guard.excess(q)[0] <= 1e-3


def test_out_of_a_bad_pose_only_the_way_out_is_allowed():
    guard = WorkspaceGuard(replace(PANDA, workspace=Workspace((-0.6, -0.5, 1.2), (0.6, 0.5, 1.6))))
    home, up, down = PANDA.home, PANDA.home.copy(), PANDA.home.copy()
    up[[1, 9]] -= 0.05
    down[[1, 9]] += 0.05
    assert guard.excess(home)[0] > 0
    assert guard.refuses(up, home) == ""
    assert "leave the workspace" in guard.refuses(down, home)


@pytest.mark.parametrize("kind", [WorkspaceGuard, CollisionGuard])
def test_poses_that_are_not_looked_at_keep_the_rule(kind):
    """The shortcut must never call a pose good that is not."""
    guard = kind(replace(PANDA, self_collision=SelfCollision(margin=0.01)))
    rng = np.random.default_rng(0)
    lower, upper = PANDA.soft_limits
    skipped = 0
    for k in range(60):
        q = rng.uniform(lower, upper) if k % 2 else PANDA.home
        for _ in range(10):
            q = np.clip(q + rng.normal(0, 0.004, len(q)), lower, upper)
            amount, _ = guard._look(q)
            truth, _ = guard.excess(q)
            assert (amount > 0) == (truth > 0)
            skipped += amount != truth
    assert skipped > 30


def test_a_guard_brakes_a_moving_robot():
    class Wall:
        kind = "wall"

        def refuses(self, target, present):
            return ""

        def due(self, now):
            return True

        def trips(self, pose):
            return "too far" if pose[0] > 0.1 else ""

    safety = SafetyFilter(PANDA, guards=[Wall()])
    goal = PANDA.home.copy()
    goal[0] = 0.5
    now, q = 0.0, PANDA.home.copy()
    safety.step(now, q)
    safety.arm(now)
    for k in range(200):
        now += 0.005
        safety.command(q + 0.01 * (k < 100) * np.eye(16)[0], now)
        out = safety.step(now, q)
        q = out.q
        if out.mode is Mode.HOLD:
            break
    assert out.reason == "too far"
    assert safety.limiter.stopping_pose()[0] < 0.13

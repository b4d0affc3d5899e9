"""Kinematics of one arm as planning needs them: inverse kinematics, and straight lines of the hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from assets.robots.kinematics import InverseKinematics
from sim.bimanual.plan.errors import PlanningError
from twinloom.transforms import Array, interpolate_poses, rotation_vector


class ArmKinematics(InverseKinematics):
    """Inverse kinematics that can follow lines; see :class:`~assets.robots.chain.SerialChain` for the arguments."""

    def linear_path(self, q_start: Array, goals: Array, step: float = 0.02, max_jump: float = 0.4) -> Array:
        """Joints along straight lines of the tool centre point, orientation interpolated spherically.

        Args:
            q_start: (N,) where the motion begins.
            goals: ``T_world_tcp`` of the goal, (4, 4), or of several corners to pass in order, (G, 4, 4).
            step: largest distance between waypoints in metres; one radian counts as ``ROTATION_LENGTH`` metres.
            max_jump: largest joint motion between neighbouring waypoints, radians.

        Returns:
            (K, N) waypoints, the first is ``q_start``, the last reaches the last goal.

        Raises:
            PlanningError: "unreachable", with the place where the line breaks.
        """
        corners = np.concatenate([self.forward(q_start)[None], self._checked(goals)])
        line = [
            interpolate_poses(a, b, np.linspace(0.0, 1.0, 1 + self._step_count(a, b, step))[1:])
            for a, b in pairwise(corners)
        ]
        poses = np.concatenate(line)
        q, reached = self.follow(np.asarray(q_start, float)[None], poses[None], max_jump)
        if reached[0] < len(poses):
            missed = poses[reached[0]]
            off = np.linalg.norm(self.forward(q[0, reached[0] + 1])[:3, 3] - missed[:3, 3])
            why = f"{1e3 * off:.0f} mm off" if off > self.tolerance.position else "joint jump or wrong orientation"
            x, y, z = missed[:3, 3]
            place = f"waypoint {reached[0] + 1} of {len(poses)} at ({x:.3f}, {y:.3f}, {z:.3f})"
            raise PlanningError("unreachable", f"{self.prefix}tcp on a line, {place}: {why}")
        return q[0]

    def _step_count(self, T_start: Array, T_goal: Array, step: float) -> int:
        turn = np.linalg.norm(rotation_vector(T_start[:3, :3].T @ T_goal[:3, :3])) * self.ROTATION_LENGTH
        length = max(float(np.linalg.norm(T_goal[:3, 3] - T_start[:3, 3])), float(turn))
        return max(1, int(np.ceil(length / step - 1e-9)))

"""Action servers as MoveIt and rqt expect them of a robot's controllers, in front of the same filter as every command.

``<controller>/follow_joint_trajectory`` (control_msgs/FollowJointTrajectory) for each command group of an arm and
``<controller>/gripper_cmd`` (control_msgs/GripperCommand) for each gripper alone. The package control_msgs comes with a
ROS installation, not as a wheel; without it there are no action servers.
"""

from __future__ import annotations

import importlib.util
import time
from typing import Any

import numpy as np
from rclpy.action.server import ActionServer, CancelResponse, GoalResponse
from rclpy.node import Node
from rclpy.task import Future

from real.contract import CommandGroup, RobotContract
from real.ros.commands import Command
from real.ros.convert import to_stamp
from real.ros.motion import INVALID_GOAL, InvalidGoalError, Motion
from real.ros.router import Router
from real.safety.filter import SafetyFilter
from real.safety.modes import Mode

SOURCE = "an action client"
ARMED = (Mode.READY, Mode.ACTIVE, Mode.HOLD)
CHECK_HZ = 20.0


def available() -> bool:
    """Whether this ROS has the action types."""
    return importlib.util.find_spec("control_msgs") is not None


def controller(group: CommandGroup, prefix: str) -> str:
    """ "/left_arm_controller/commands" -> "/left_arm_controller"."""
    return prefix + group.topic.rpartition("/")[0]


class Actions:
    """The action servers of a robot node. Goals are taken by the executor and carried out by the control loop.

    Args:
        node: which offers them; prefix: before the controllers' names.
        filter, router: what every command passes; a goal counts as a sender with the name ``an action client``.
    """

    def __init__(self, node: Node, contract: RobotContract, filter: SafetyFilter, router: Router, prefix: str) -> None:
        from control_msgs.action import FollowJointTrajectory, GripperCommand  # pyright: ignore

        self._node, self._contract, self._filter, self._router = node, contract, filter, router
        self._motions: dict[str, tuple[Motion, Future, Any, Any]] = {}  # by topic; with its goal and its kind
        self._servers = []
        for group in contract.topics.commands:
            gripper = len(group.joints) == 1 and contract.is_gripper[contract.index[group.joints[0]]]
            kind = GripperCommand if gripper else FollowJointTrajectory
            name = controller(group, prefix) + ("/gripper_cmd" if gripper else "/follow_joint_trajectory")
            begin = self._grip if gripper else self._follow
            self._servers.append(
                ActionServer(
                    node,
                    kind,
                    name,
                    execute_callback=self._executor_of(group, begin, kind),
                    goal_callback=lambda _: GoalResponse.ACCEPT if filter.mode in ARMED else GoalResponse.REJECT,
                    cancel_callback=lambda _: CancelResponse.ACCEPT,
                )
            )
        node.create_timer(1.0 / CHECK_HZ, self._check)

    def close(self) -> None:
        """Leave the graph."""
        for server in self._servers:
            server.destroy()

    # ------------------------------------------------- the control loop's side

    def feed(self, now: float, wall: float) -> None:
        """Once per tick, before the router offers: what the motions want at this moment, as messages of a sender."""
        if not self._motions:
            return
        device = self._contract.to_device(self._filter.limiter.q)
        measured = self._filter.state.q
        for topic, (motion, *_) in list(self._motions.items()):
            if motion.outcome is not None:
                self._router.release(topic)
                motion.over = True
                continue
            point = motion.sample(now, device[motion.where])[None]
            times = np.zeros(1) if motion.group.kind == "forward" else np.array([self._filter.period])
            self._router.message(topic, Command(motion.names, point, times, 0, SOURCE), now, wall)
            if measured is not None:
                here = self._contract.to_device(measured)[motion.where]
                motion.judge(now, here, self._filter.mode, self._filter.reason)

    # ----------------------------------------------------- the executor's side

    def _executor_of(self, group: CommandGroup, begin: Any, kind: Any) -> Any:
        """The coroutine function of a server; rclpy awaits nothing else."""

        async def execute(goal: Any) -> Any:
            return await self._execute(goal, group, begin, kind)

        return execute

    async def _execute(self, goal: Any, group: CommandGroup, begin: Any, kind: Any) -> Any:
        try:
            motion = begin(goal.request, group)
        except InvalidGoalError as error:
            goal.abort()
            return self._result(kind, None, error.code, str(error))
        before = self._motions.pop(group.topic, None)
        if before is not None:  # a new goal replaces the one before it, as controllers have it
            before[0].outcome = before[0].outcome or (INVALID_GOAL, "replaced by another goal")
            before[1].set_result(None)
        over: Future = Future()
        self._motions[group.topic] = (motion, over, goal, kind)
        await over
        assert motion.outcome is not None
        code, text = motion.outcome
        if goal.is_cancel_requested:
            goal.canceled()
        elif code == 0:
            goal.succeed()
        else:
            goal.abort()
        return self._result(kind, motion, code, text)

    def _check(self) -> None:
        """Ends what is over and says how far the others are."""
        for topic, (motion, over, goal, kind) in list(self._motions.items()):
            if motion.outcome is None and goal.is_cancel_requested:
                motion.outcome = (INVALID_GOAL, "cancelled")
            elif motion.outcome is not None and motion.over:
                del self._motions[topic]
                over.set_result(None)
            elif motion.outcome is None:
                self._say(goal, motion, kind.Feedback())

    def _say(self, goal: Any, motion: Motion, feedback: Any) -> None:
        here = self._here(motion)
        if hasattr(feedback, "joint_names"):
            feedback.header.stamp, feedback.joint_names = to_stamp(time.time_ns()), list(motion.names)
            feedback.actual.positions = here.tolist()
            feedback.desired.positions = motion.goal.tolist()
            feedback.error.positions = (motion.goal - here).tolist()
        else:
            feedback.position = float(here[0])
        goal.publish_feedback(feedback)

    def _result(self, kind: Any, motion: Motion | None, code: int, text: str) -> Any:
        result = kind.Result()
        if hasattr(result, "error_code"):
            result.error_code, result.error_string = code, text
        elif motion is not None:
            result.position = float(self._here(motion)[0])
            result.stalled, result.reached_goal = motion.stalled, code == 0 and not motion.stalled
        return result

    def _here(self, motion: Motion) -> np.ndarray:
        q = self._filter.state.q
        return self._contract.to_device(self._contract.home if q is None else q)[motion.where]

    def _follow(self, request: Any, group: CommandGroup) -> Motion:
        trajectory = request.trajectory
        points = trajectory.points
        names = tuple(trajectory.joint_names)
        if {len(p.positions) for p in points} != {len(names)}:
            raise InvalidGoalError(INVALID_GOAL, f"every point must have {len(names)} positions")
        times = np.array([p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in points])
        speeds = [p.velocities for p in points]
        whole = all(len(speed) == len(names) for speed in speeds)
        late = request.goal_time_tolerance
        given = [t.position for t in request.goal_tolerance if t.position > 0]
        return Motion(
            self._contract,
            group,
            names,
            times,
            np.array([p.positions for p in points], float),
            np.array(speeds, float) if whole else None,
            tolerance=min(given, default=0.02),
            patience_s=late.sec + 1e-9 * late.nanosec or 1.0,
        )

    def _grip(self, request: Any, group: CommandGroup) -> Motion:
        gripper = next(g for g in self._contract.grippers if g.joint == group.joints[0])
        low, high = sorted((gripper.closed, gripper.open))
        goal = float(np.clip(request.command.position, low, high))
        speed = self._contract.joints[self._contract.index[gripper.joint]].velocity * (high - low)
        here = float(self._contract.to_device(self._filter.limiter.q)[self._contract.index[gripper.joint]])
        seconds = max(abs(goal - here) / speed, 2 * self._filter.period)
        name = self._contract.devices[self._contract.index[gripper.joint]]
        tolerance = 0.02 * (high - low)
        times, points = np.array([seconds]), np.array([[goal]])
        return Motion(self._contract, group, (name,), times, points, tolerance=tolerance, grips=True)

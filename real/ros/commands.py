"""Commands on the wire: chunks as JointTrajectory, single points as Float64MultiArray, as ros2_control takes them.

A Float64MultiArray has neither names nor a stamp. Ours carry both in the labels of its layout, which
forward_command_controller ignores: dim[0] "left_joint1,left_joint2", dim[1] "<sender>@<stamp in ns>". The stamp is that
of the state which the command was computed from, so the robot's side can measure from state to command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from std_msgs.msg import Float64MultiArray, MultiArrayDimension
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from real.ros.convert import NS, doubles, from_stamp, to_stamp

DIGITS = 19  # of nanoseconds since 1970 in 64 bits; what is longer is no stamp
LABEL = 64  # characters of a sender's name that are kept


@dataclass(frozen=True)
class Command:
    """A command of one group as it arrived.

    Attributes:
        names: of the joints; empty where the sender gave none and the group's own order holds.
        points: (H, J) targets; H is 1 for a single point.
        times: (H,) seconds after the stamp at which each target is due; 0 for a single point.
        stamp_ns: of the observation it was computed from, 0 if unknown.
        source: who sent it, "" if unknown.
    """

    names: tuple[str, ...]
    points: np.ndarray
    times: np.ndarray
    stamp_ns: int
    source: str


def point_message(names: tuple[str, ...], q: np.ndarray, stamp_ns: int, source: str) -> Float64MultiArray:
    """One target (J,) for a forward controller."""
    message = Float64MultiArray(data=doubles(q))
    message.layout.dim = [
        MultiArrayDimension(label=",".join(names), size=len(names), stride=len(names)),
        MultiArrayDimension(label=f"{source}@{stamp_ns}", size=1, stride=1),
    ]
    return message


def chunk_message(
    names: tuple[str, ...], points: np.ndarray, times: np.ndarray, stamp_ns: int, source: str
) -> JointTrajectory:
    """Targets (H, J) due at ``times`` (H,) seconds after the stamp, for a joint trajectory controller.

    Velocities are the finite differences, the last one zero: the controller then neither stops at every point nor runs
    on beyond the last.
    """
    rows = []
    velocities = np.gradient(points, times, axis=0) if len(points) > 1 else np.zeros_like(points)
    velocities[-1] = 0.0
    for point, velocity, time in zip(points, velocities, times, strict=True):
        sec, nanosec = divmod(round(time * NS), NS)
        rows.append(
            JointTrajectoryPoint(
                positions=doubles(point),
                velocities=doubles(velocity),
                time_from_start=Duration(sec=sec, nanosec=nanosec),
            )
        )
    message = JointTrajectory(joint_names=list(names), points=rows)
    message.header.stamp, message.header.frame_id = to_stamp(stamp_ns), source
    return message


def read_point(message: Float64MultiArray) -> Command:
    """A forward command, with or without our labels. Nothing is checked: that is the filter's work."""
    names, stamp_ns, source = (), 0, ""
    dim: list[Any] = list(message.layout.dim)
    if len(dim) == 2 and "@" in dim[1].label:
        names = tuple(dim[0].label.split(",")) if dim[0].label else ()
        source, _, digits = dim[1].label.rpartition("@")
        stamp_ns = int(digits) if digits.isdecimal() and len(digits) <= DIGITS else 0
        source = source[:LABEL]
    return Command(names, np.array(message.data, float)[None], np.zeros(1), stamp_ns, source)


def read_chunk(message: JointTrajectory) -> Command:
    """A trajectory. Points of unequal length give a points array of one empty row, which no filter accepts."""
    widths = {len(point.positions) for point in message.points}
    points = np.array([point.positions for point in message.points], float) if len(widths) == 1 else np.empty((1, 0))
    times = np.array([p.time_from_start.sec + p.time_from_start.nanosec / NS for p in message.points])
    if len(times) != len(points):
        times = np.zeros(len(points))
    stamp_ns = from_stamp(message.header.stamp)
    return Command(tuple(message.joint_names), points, times, stamp_ns, message.header.frame_id[:LABEL])


def message_type(kind: str) -> Any:
    """Message class of a command group of kind "forward" or "trajectory"."""
    return Float64MultiArray if kind == "forward" else JointTrajectory

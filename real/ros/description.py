"""What RViz, MoveIt and rqt want of a robot: /robot_description and, where ROS's tf2_msgs is installed, /tf."""

from __future__ import annotations

import importlib.util
import time

import mujoco
import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from std_msgs.msg import String

from real.contract import RobotContract
from real.robots.urdf import link_name, urdf
from real.ros.convert import to_stamp
from real.ros.qos import EVENTS, LATCHED
from real.safety.shadow import Shadow, pose

TF_HZ = 30.0
PUBLISHER = "robot_state_publisher"  # where it runs, it knows the robot from our description, and we keep silent


class Description:
    """Publishes the URDF once, latched, and the frames of its links from our forward kinematics.

    Args:
        node: which publishes; its robot file must name a model.
        contract: the robot.
    """

    def __init__(self, node: Node, contract: RobotContract) -> None:
        self._node, self._contract = node, contract
        node.create_publisher(String, "/robot_description", LATCHED).publish(String(data=urdf(contract)))
        self._state: np.ndarray | None = None
        if importlib.util.find_spec("tf2_msgs") is not None:
            from tf2_msgs.msg import TFMessage  # pyright: ignore

            self._message = TFMessage
            self._model = Shadow(contract).model
            self._data = mujoco.MjData(self._model)
            self._out = node.create_publisher(TFMessage, "/tf", EVENTS)
            node.create_timer(1.0 / TF_HZ, self._publish)

    def take(self, q: np.ndarray | None) -> None:
        """The newest measured joints (J,); kept until the next frames are published."""
        self._state = None if q is None else q.copy()

    def _publish(self) -> None:
        q = self._state
        if q is None or any(name == PUBLISHER for name in self._node.get_node_names()):
            return
        self._out.publish(self._message(transforms=self.frames(q, time.time_ns())))

    def frames(self, q: np.ndarray, stamp_ns: int) -> list[TransformStamped]:
        """Pose of every link in its parent link for joints (J,), as the URDF has them."""
        model, data = self._model, self._data
        pose(self._contract, model, data, q)
        found = []
        for body in range(1, model.nbody):
            parent = int(model.body_parentid[body])
            back, turn, place = np.empty(4), np.empty(4), np.empty(3)
            mujoco.mju_negQuat(back, data.xquat[parent])
            mujoco.mju_mulQuat(turn, back, data.xquat[body])
            mujoco.mju_rotVecQuat(place, data.xpos[body] - data.xpos[parent], back)
            frame = TransformStamped(child_frame_id=link_name(model, body))
            frame.header.frame_id, frame.header.stamp = link_name(model, parent), to_stamp(stamp_ns)
            moved, turned = frame.transform.translation, frame.transform.rotation
            moved.x, moved.y, moved.z = map(float, place)
            turned.w, turned.x, turned.y, turned.z = map(float, turn)
            found.append(frame)
        return found

"""The cameras of the simulated robot, in a process of their own so that drawing never delays the control loop.

The sim_robot node starts it: ``python -m real.ros.cameras MODEL MEMORY ROBOT CAMERAS IMAGES --ros-args ...``. It draws
the newest state of the shared memory and ends with its parent.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import mujoco
import numpy as np
import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from real import signals
from real.contract import Camera, RobotContract
from real.ros import convert
from real.ros.node import release
from real.ros.qos import IMAGE_OUT
from real.ros.shared_state import SharedState
from real.ros.topics import load
from real.stack.processes import die_with_parent
from real.timing import RateLoop
from sim.engine.render import StateRenderer
from twinloom.command import run_command
from twinloom.errors import UnknownNameError


class CameraNode(Node):
    """Publishes one camera: image_raw, image_raw/compressed or both, and camera_info beside it."""

    def __init__(self, camera: Camera, fovy: float, images: str) -> None:
        super().__init__(f"{camera.name}_camera")
        self.camera = camera
        kinds = {"raw": (Image, ""), "jpeg": (CompressedImage, "/compressed")}
        wanted = list(kinds) if images == "both" else [images]
        self._out = [self.create_publisher(kinds[k][0], camera.topic + kinds[k][1], IMAGE_OUT) for k in wanted]
        self._make = [convert.image if k == "raw" else convert.jpeg for k in wanted]
        self._info_out = self.create_publisher(CameraInfo, info_topic(camera.topic), IMAGE_OUT)
        self._info = camera_info(camera.width, camera.height, fovy)
        self._info.header.frame_id = self.frame_id

    @property
    def frame_id(self) -> str:
        """Frame of the images; x right, y down, z forward."""
        return f"{self.camera.name}_optical_frame"

    def publish(self, frame: np.ndarray, stamp_ns: int) -> None:
        """Send one (H, W, 3) uint8 image."""
        for out, make in zip(self._out, self._make, strict=True):
            out.publish(make(frame, stamp_ns, self.frame_id))
        self._info.header.stamp = convert.to_stamp(stamp_ns)
        self._info_out.publish(self._info)


def info_topic(image_topic: str) -> str:
    """ "/head/image_raw" -> "/head/camera_info", as image_transport has it."""
    return image_topic.rpartition("/")[0] + "/camera_info"


def camera_info(width: int, height: int, fovy: float) -> CameraInfo:
    """Intrinsics of a pinhole camera without distortion; ``fovy`` in degrees."""
    focal = height / (2 * np.tan(np.radians(fovy) / 2))
    cx, cy = (width - 1) / 2, (height - 1) / 2
    info = CameraInfo(width=width, height=height, distortion_model="plumb_bob", d=[0.0] * 5)
    info.k = [focal, 0.0, cx, 0.0, focal, cy, 0.0, 0.0, 1.0]
    info.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    info.p = [focal, 0.0, cx, 0.0, 0.0, focal, cy, 0.0, 0.0, 0.0, 1.0, 0.0]
    return info


def _render(node: CameraNode, state: SharedState, renderer: StateRenderer) -> None:
    stamp_ns, qpos = state.read()
    if stamp_ns:
        renderer.set_state(qpos)
        node.publish(renderer.rgb(node.camera.name), stamp_ns)


def chosen_cameras(contract: RobotContract, names: str) -> list[Camera]:
    """Cameras of a robot by "all", "none" or names with commas.

    Raises:
        UnknownNameError: a name that the robot file does not have.
    """
    known = {camera.name: camera for camera in contract.cameras}
    if names in ("all", "none"):
        return list(known.values()) if names == "all" else []
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in known:
            raise UnknownNameError("camera", name, known, f"the cameras of {contract.name} in its robot file")
    return [known[name] for name in wanted]


def _run(model_file: str, memory: str, robot: str, names: str, images: str) -> int:
    cameras = chosen_cameras(load(robot), names)
    model = mujoco.MjModel.from_binary_path(model_file)
    Path(model_file).unlink()
    Path(model_file).parent.rmdir()
    state = SharedState(model.nq, memory)
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    stop = threading.Event()
    try:
        sizes = {(camera.width, camera.height) for camera in cameras}
        renderers = {size: StateRenderer(model, size) for size in sorted(sizes)}
        nodes = [CameraNode(camera, model.camera(camera.name).fovy[0], images) for camera in cameras]
        threading.Thread(target=lambda: (signals.wait(stop), stop.set()), daemon=True).start()
        for node in nodes:  # the first image of each takes long: shaders are compiled, meshes uploaded
            renderers[node.camera.width, node.camera.height].rgb(node.camera.name)
        state.set_ready()
        due = {node.camera.name: 0.0 for node in nodes}
        for _ in RateLoop(max(camera.fps for camera in cameras), stopped=stop):
            now = time.monotonic()
            for node in nodes:
                if now >= due[node.camera.name]:
                    due[node.camera.name] = max(due[node.camera.name], now - 0.01) + 1 / node.camera.fps
                    _render(node, state, renderers[node.camera.width, node.camera.height])
        for renderer in renderers.values():
            renderer.close()
        for node in nodes:
            node.destroy_node()
    finally:
        rclpy.try_shutdown()
    state.close()
    return 0


def main() -> None:
    """Body of ``python -m real.ros.cameras``."""
    signals.block()
    die_with_parent()
    run_command(_body)


def _body() -> int:
    code = _run(*sys.argv[1:6])
    release()
    return code


if __name__ == "__main__":
    main()

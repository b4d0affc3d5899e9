"""``python -m real.ros.sim_robot --ros-args -p task:=click_bell``: a simulated robot on the topics of a real one."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Bool, String

from real.contract import RobotContract
from real.robots.plant import SimPlant
from real.ros.base import BasePublisher
from real.ros.cameras import chosen_cameras
from real.ros.convert import to_stamp
from real.ros.node import run_node
from real.ros.qos import CLOCK, LATCHED
from real.ros.robot_node import RobotNode
from real.ros.shared_state import SharedState
from real.ros.topics import StatePublisher
from real.safety.modes import Output
from real.stack import processes
from twinloom.errors import TwinloomError

CLOCK_TICKS = 4  # of the control loop between two messages on /clock: for tools with use_sim_time
CATCH_UP = 4  # ticks; SafetyFilter.longest_tick
CAMERAS_S = 60.0  # until the first image is drawn; software rendering on a busy machine


class SimDevice:
    """The plant as a device that also publishes its state, and its cameras."""

    exact = True

    def __init__(self, node: SimRobotNode, contract: RobotContract) -> None:
        p = node.p
        self.contract, self.period = contract, 1.0 / contract.rate_hz
        cameras = chosen_cameras(contract, p["cameras"])
        scene = {name: p[name] for name in ("seed", "episode", "randomize")}
        self.plant = SimPlant(contract, p["task"], images=bool(cameras), **scene)
        self.plant.start()
        self._states = StatePublisher(node, contract, node.health)
        self._base = BasePublisher(node, contract, node.health, truth=True) if contract.imu else None
        self.orientation: np.ndarray | None = None
        self._last: float | None = None
        self._memory: SharedState | None = None
        self._cameras: subprocess.Popen | None = None
        if cameras:
            self._start_cameras(node)

    def _start_cameras(self, node: SimRobotNode) -> None:
        model = Path(tempfile.mkdtemp(prefix="twinloom-")) / "scene.mjb"
        scene: Any = self.plant.scene
        if not hasattr(scene, "model"):
            raise TwinloomError("the cameras of this task are not those of a MuJoCo model; go without: cameras:=none")
        mujoco.mj_saveModel(scene.model, str(model), None)
        self._memory = SharedState(scene.model.nq)
        arguments = [str(model), self._memory.name, node.p["robot"], node.p["cameras"], node.p["images"]]
        remaps = ["--ros-args", "-r", f"__ns:={node.get_namespace()}"]
        command = [sys.executable, "-m", "real.ros.cameras", *arguments, *remaps]
        self._cameras = processes.start(command, processes.clean_environment())
        end = time.monotonic() + CAMERAS_S
        while not self._memory.ready and not node.stopping.is_set():
            if self._cameras.poll() is not None or time.monotonic() > end:
                self.close()
                raise TwinloomError("no images: the camera process did not start, see above; go without: cameras:=none")
            time.sleep(0.02)

    def read(self, stamp_ns: int) -> np.ndarray:
        """Measure and publish."""
        q, qd = self.plant.read()
        if self._base is not None and (base := self.plant.base()) is not None:
            self._base.publish(stamp_ns, base)  # before the joints, which wake whoever waits for both
            self.orientation = base.quat
        self._states.publish(stamp_ns, q, qd)
        if self._memory is not None:
            self._memory.write(stamp_ns, self.plant.scene.snapshot())
        return q

    def write(self, out: Output, now: float) -> None:
        """Advance the scene to the next tick, as SimPlant.obey says.

        Where ticks were dropped the scene catches up, as far as the filter moves on at once.
        """
        ticks = 1 if self._last is None else min(max(round((now - self._last) / self.period), 1), CATCH_UP)
        self._last = now
        self.plant.obey(out, ticks * self.period)

    def close(self) -> None:
        """End the camera process."""
        if self._cameras is not None:
            processes.stop(self._cameras)
        if self._memory is not None:
            self._memory.close()


class SimRobotNode(RobotNode):
    """Publishes states, images, ~/scene (JSON: the record that rebuilds it) and ~/success, both latched, and /clock."""

    MODULE, NAME = "real.ros.sim_robot", "robot"

    def load_contract(self) -> RobotContract:
        """The robot file; nobody stands beside a simulated robot to confirm its start."""
        return replace(super().load_contract(), confirm=False)

    def open_device(self, contract: RobotContract) -> SimDevice:
        """A scene of the task. Published with it: its record, and how long after its stamp a command is reached."""
        device = SimDevice(self, contract)
        self._success, self._ticks = False, 0
        self._clock_out = self.create_publisher(Clock, "/clock", CLOCK)
        self._success_out = self.create_publisher(Bool, "~/success", LATCHED)
        self._scene_out = self.create_publisher(String, "~/scene", LATCHED)
        scene = {
            "task": self.p["task"],
            "instruction": device.plant.instruction(),
            "robot": contract.name,
            "record": device.plant.record(),
            "delay_s": 1.0 / contract.rate_hz + device.plant.delay_s,
        }
        self._scene_out.publish(String(data=json.dumps(scene)))
        self._success_out.publish(Bool(data=False))
        return device

    def after_tick(self, out: Output, stamp_ns: int) -> None:
        """Publish the time and success when it changes."""
        super().after_tick(out, stamp_ns)
        self._ticks += 1
        if self._ticks % CLOCK_TICKS == 0:
            self._clock_out.publish(Clock(clock=to_stamp(stamp_ns)))
        success = self.device.plant.success  # type: ignore[attr-defined]
        self._end_with_result(success)
        if success != self._success:
            self._success = success
            self._success_out.publish(Bool(data=success))
            self.get_logger().info("success" if success else "no longer successful")

    def _end_with_result(self, success: bool) -> None:
        """The result of the task as the end of the node, where that is asked for; time counts from the first tick."""
        if self.p["until"] != "success" or self.stopping.is_set():
            return
        now = time.monotonic()
        self._began = getattr(self, "_began", now)
        limit = self.p["time_limit"]
        if success:
            self.get_logger().info(f"result: success after {now - self._began:.1f} s")
            self.stopping.set()
        elif limit and now - self._began > limit:
            self.failure, self.exit_code = f"no success within {limit:g} s", 1
            self.get_logger().error(f"result: {self.failure}")
            self.stopping.set()


if __name__ == "__main__":
    run_node(SimRobotNode)

"""``python -m real.ros.viewer --ros-args -p robot:=franka-panda``: a robot that is running, in the browser."""

from __future__ import annotations

import threading

import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from real.ros.convert import read_positions
from real.ros.node import ManagedNode, run_node
from real.ros.observer import Observer
from real.ros.qos import LATCHED, STATE_IN
from real.ros.topics import load
from real.timing import Mailbox, RateLoop
from real.tools.page import RobotPage
from twinloom.features import IMAGES, image_feature

PAGE_HZ = 15.0


class ViewerNode(ManagedNode):
    """Shows states, what is sent, the mode and the cameras; commands nothing."""

    MODULE, NAME = "real.ros.viewer", "viewer"

    def configure(self) -> None:
        """Open the page and listen."""
        p = self.p
        self.contract = load(p["robot"])
        seen = {IMAGES + c.name: image_feature(c.height, c.width) for c in self.contract.cameras}
        features = {} if p["images"] == "none" else seen
        self.observer = Observer(self, self.contract, features, jpeg=p["images"] == "jpeg", health=self.health)
        self.mode = ""
        self._sent: Mailbox[np.ndarray] = Mailbox()
        self.create_subscription(String, f"{p['robot_node']}/mode", self._mode_is, LATCHED)
        self.create_subscription(JointState, f"{p['robot_node']}/sent", self._was_sent, STATE_IN)
        self.page = RobotPage(self.contract, p["port"])
        self.get_logger().info(f"viewer  {self.page.url}")

    def activate(self) -> None:
        """Start showing."""
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="page", daemon=True)
        self._thread.start()

    def deactivate(self) -> None:
        """The page stands still."""
        self._ending.set()
        self._thread.join(2.0)

    def cleanup(self) -> None:
        """Close the page."""
        if hasattr(self, "page"):
            self.page.close()
            del self.page

    def _mode_is(self, message: String) -> None:
        self.mode = message.data

    def _was_sent(self, message: JointState) -> None:
        self._sent.put(read_positions(message, self.contract.names, "sent"))

    def _run(self) -> None:
        try:
            for now in RateLoop(PAGE_HZ, stopped=self._ending):
                newest = self.observer.state.get()
                if newest is None:
                    continue
                images = {
                    name.removeprefix(IMAGES): value
                    for name, value in self.observer.observe(now)[0].items()
                    if name.startswith(IMAGES)
                }
                sent = self._sent.get()
                fresh = sent is not None and now - sent[0] < Observer.STALE_S
                self.page.update(newest[1][0], sent[1] if sent and fresh else None, self.mode, images)
        except Exception as error:  # its end is the end of the node
            self.fail(error)


if __name__ == "__main__":
    run_node(ViewerNode)

"""The operator's side of a heartbeat: a message in regular intervals for as long as this process lives."""

from __future__ import annotations

import threading
import time

from std_msgs.msg import Header

from real import signals
from real.contract import Heartbeat, RobotContract
from real.ros.convert import to_stamp
from real.ros.qos import EVENTS
from real.ros.session import Session
from real.timing import RateLoop


def beat(contract: RobotContract, hz: float) -> None:
    """Publish on the heartbeat topic of a robot file (the usual one if it asks for none) until a stop signal."""
    topic = (contract.heartbeat or Heartbeat()).topic
    stop = threading.Event()
    with Session("heartbeat") as session:
        publisher = session.node.create_publisher(Header, topic, EVENTS)
        threading.Thread(target=lambda: signals.wait(stop), daemon=True).start()
        print(f"heartbeat on {topic}, {hz:g} Hz   (Ctrl-C ends it)", flush=True)
        for _ in RateLoop(hz, stopped=stop):
            publisher.publish(Header(stamp=to_stamp(time.time_ns()), frame_id=contract.name))

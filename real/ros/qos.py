"""Quality of service of every topic, in one place, and the alarm for publishers and subscribers that cannot talk.

An incompatible pair exchanges nothing and ROS prints one warning; here it becomes a diagnostics ERROR with the name of
the topic and the policy that differs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

OnMismatch = Callable[[str, str], None]  # topic, what differs


def profile(depth: int = 1, *, reliable: bool, latched: bool = False) -> QoSProfile:
    """Keep the newest ``depth`` messages; ``latched`` ones also reach subscribers that come later."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


# What is offered is reliable, so that subscribers of either kind match; what is asked for is best effort where only the
# newest value counts. Images are never reliable: a lost frame is better than a late one.
STATE_OUT = profile(10, reliable=True)
STATE_IN = profile(1, reliable=False)
COMMAND_OUT = profile(1, reliable=True)
COMMAND_IN = profile(1, reliable=True)
IMAGE_OUT = profile(2, reliable=False)
IMAGE_IN = profile(1, reliable=False)
LATCHED = profile(1, reliable=True, latched=True)
ANY_IN = profile(10, reliable=False)  # asks for nothing, so it hears every publisher
CLOCK = profile(1, reliable=False)
EVENTS = profile(10, reliable=True)
DIAGNOSTICS = profile(10, reliable=True)


def recording(latched: bool, reliable: bool) -> QoSProfile:
    """For a recorder: as its publisher offers, with room for messages that arrive while a file is written."""
    return profile(200, reliable=reliable, latched=latched)


def on_subscription(topic: str, report: OnMismatch) -> SubscriptionEventCallbacks:
    """Event callbacks that tell ``report`` when a publisher of the topic cannot reach this subscription."""
    return SubscriptionEventCallbacks(incompatible_qos=lambda event: report(topic, _policy(event)))


def on_publisher(topic: str, report: OnMismatch) -> PublisherEventCallbacks:
    """Event callbacks that tell ``report`` when a subscriber of the topic cannot be reached by this publisher."""
    return PublisherEventCallbacks(incompatible_qos=lambda event: report(topic, _policy(event)))


def _policy(event: Any) -> str:
    """The policy that differs, as "reliability"."""
    return event.last_policy_kind.name.removeprefix("RMW_QOS_POLICY_").lower()


#: for a subscription beside which another one hears the publishers that it cannot
UNASKED = SubscriptionEventCallbacks(incompatible_qos=lambda _: None)

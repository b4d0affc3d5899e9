"""What a node says about itself: /diagnostics once a second and at once when something gets worse."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.duration import Duration
from rclpy.qos import QoSCompatibility, QoSProfile, qos_check_compatible

from real.ros.convert import to_stamp
from real.ros.qos import DIAGNOSTICS

if TYPE_CHECKING:
    from rclpy.node import Node

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
PERIOD_S = 1.0
FOREVER_NS = 10**9 * 10**9
OURS_ONLY = ("/rosout", "/parameter_events", "/diagnostics")


class Health:
    """The diagnostics of one node. Thread-safe.

    Every problem is logged in one line when it appears and in one when it is over; /diagnostics repeats the state.
    """

    def __init__(self, node: Node) -> None:
        self._node, self._lock = node, threading.Lock()
        self._items: dict[str, tuple[bytes, str, dict[str, str]]] = {}
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
        self._peers: set[str] = set()
        node.create_timer(PERIOD_S, self._every_second)

    def set(
        self, what: str, level: bytes, text: str, values: Mapping[str, object] | None = None, log: bool = True
    ) -> None:
        """Say how ``what`` is. A level that differs from the last is published at once, and logged unless it is so
        elsewhere."""
        shown = {key: str(value) for key, value in (values or {}).items()}
        with self._lock:
            before = self._items.get(what, (OK, "", {}))
            self._items[what] = (level, text, shown)
        if level == before[0] and (level == OK or text == before[1]):
            return
        if log:
            self._log(what, level, text, before[0])
        self.publish()

    def _log(self, what: str, level: bytes, text: str, before: bytes) -> None:
        log = self._node.get_logger()
        if level == ERROR:
            log.error(f"{what}: {text}")
        elif level == WARN:
            log.warning(f"{what}: {text}")
        elif before != OK:
            log.info(f"{what}: {text}")

    def level(self, what: str) -> bytes:
        """Present level of an item; OK if it was never set."""
        with self._lock:
            return self._items.get(what, (OK, "", {}))[0]

    def publish(self) -> None:
        """Send the present state of every item."""
        name = self._node.get_fully_qualified_name()
        with self._lock:
            items = list(self._items.items())
        array = DiagnosticArray()
        array.header.stamp = to_stamp(time.time_ns())
        array.status = [
            DiagnosticStatus(
                level=level,
                name=f"{name}: {what}",
                message=text,
                hardware_id=name,
                values=[KeyValue(key=key, value=value) for key, value in values.items()],
            )
            for what, (level, text, values) in items
        ]
        if self._node.context.ok():
            self._publisher.publish(array)

    def check_peers(self) -> None:
        """Find endpoints of others that cannot talk to ours: another quality of service or another message type."""
        found: dict[str, str] = {}
        node = self._node
        for publisher in node.publishers:
            for peer in self._others(publisher.topic_name, node.get_subscriptions_info_by_topic):
                if why := _mismatch(publisher, peer, publisher.qos_profile, peer.qos_profile):
                    found[publisher.topic_name] = f"subscriber {_name(peer)} hears nothing from us: {why}"
        ours: dict[str, list] = {}
        for subscription in node.subscriptions:
            ours.setdefault(subscription.topic_name, []).append(subscription)
        for topic, subscriptions in ours.items():
            for peer in self._others(topic, node.get_publishers_info_by_topic):
                why = [_mismatch(mine, peer, peer.qos_profile, mine.qos_profile) for mine in subscriptions]
                if all(why):
                    found[topic] = f"we hear nothing from publisher {_name(peer)}: {why[0]}"
        for topic, text in found.items():
            self.set(f"qos {topic}", ERROR, text)
        for topic in self._peers - found.keys():
            self.set(f"qos {topic}", OK, "publishers and subscribers match")
        self._peers = set(found)

    def on_mismatch(self, topic: str, policy: str) -> None:
        """For event callbacks: DDS has just refused a pair. The graph knows whose it is, sometimes a moment later."""
        self.check_peers()
        if topic not in self._peers:
            self.set(f"qos {topic}", ERROR, f"a peer asks for or offers another {policy}")
            self._peers.add(topic)

    def _others(self, topic: str, infos) -> list:
        return [] if topic in OURS_ONLY or topic.endswith("/transition_event") else infos(topic)

    def _every_second(self) -> None:
        self.check_peers()
        self.publish()


def _mismatch(mine, peer, offered, asked) -> str:
    """Why a pair exchanges nothing, "" if it does."""
    wanted = f"{mine.msg_type.__module__.split('.')[0]}/msg/{mine.msg_type.__name__}"
    if peer.topic_type != wanted:
        return f"its type is {peer.topic_type}, ours {wanted}"
    compatible, reason = qos_check_compatible(_comparable(offered), _comparable(asked))
    return (
        reason.replace("ERROR: ", "").strip().rstrip(";").replace(";", "; ")
        if compatible == QoSCompatibility.ERROR
        else ""
    )


def _comparable(profile: QoSProfile) -> QoSProfile:
    """The policies that decide; "for ever", as the graph reports a duration that nobody set, becomes "not set"."""
    lasting: dict[str, Any] = {
        name: duration if 0 < duration.nanoseconds < FOREVER_NS else Duration()
        for name in ("deadline", "liveliness_lease_duration")
        for duration in [getattr(profile, name)]
    }
    return QoSProfile(
        depth=1,
        reliability=profile.reliability,
        durability=profile.durability,
        liveliness=profile.liveliness,
        **lasting,
    )


def _name(peer) -> str:
    return f"{peer.node_namespace.rstrip('/')}/{peer.node_name}"

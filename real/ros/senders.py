"""Who sent a message, as the middleware vouches for it: a process, not the name that it gives itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rclpy.node import Node

PARTICIPANT = 12  # bytes of a GID that all endpoints of one participant share (DDS: the GUID's prefix)
KEPT = 256


class Senders:
    """Names senders for the lease and for people.

    Every publisher has a GID that DDS itself puts on each message. Its first twelve bytes are the participant, so the
    controllers' topics of one policy belong together, and two policies of one name do not. Other middleware numbers
    publishers one by one; there the node that the graph knows for the GID is the sender.

    Args:
        node: which hears the messages; asked for the graph when a publisher is heard for the first time.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._known: dict[bytes, str] = {}

    def name(self, info: Mapping[str, Any], topic: str, label: str) -> str:
        """The sender of a message, one text for each: "policy (node /policy, 1a2b3c4d5e6f)".

        Args:
            info: of the message, as rclpy gives it to callbacks of two arguments.
            topic: on which it came, fully qualified.
            label: what the sender calls itself in the message, "" if nothing. Two that share a process differ in it.
        """
        found = info.get("publisher_gid") or {}
        gid, middleware = bytes(found.get("data", b"")), found.get("implementation_identifier", "")
        if gid not in self._known:
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[gid] = self._describe(gid, middleware, topic)
        return f"{label or 'an unnamed sender'} ({self._known[gid]})"

    def _describe(self, gid: bytes, middleware: str, topic: str) -> str:
        infos = self._node.get_publishers_info_by_topic(topic)
        node = next((f"node {_full(peer)}" for peer in infos if bytes(peer.endpoint_gid) == gid), "")
        if "zenoh" in middleware:
            return node or gid.hex()
        # the last bytes of the prefix differ between the processes of a machine, the first between machines
        process = gid[:PARTICIPANT].hex() or "unknown"
        return process if not node else f"{node}, {process}"


def _full(peer: Any) -> str:
    return f"{peer.node_namespace.rstrip('/')}/{peer.node_name}"

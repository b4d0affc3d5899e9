"""Whether a node is there and active, asked through its lifecycle service."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState

from real.ros.session import Session

if TYPE_CHECKING:
    from rclpy.client import Client
    from rclpy.task import Future

    from real.stack import NodeSpec


class Readiness(Session):
    """Asks nodes for their state without waiting for the answer; use as a context manager."""

    def __init__(self, domain_id: int | None = None) -> None:
        super().__init__("runner", domain_id, "single")
        self._clients: dict[str, Client] = {}
        self._asked: dict[str, Future] = {}

    def active(self, node: NodeSpec) -> bool:
        """Whether the node said that it is active; asks again if it has not."""
        name = f"{node.namespace.rstrip('/')}/{node.name}"
        if name not in self._clients:
            self._clients[name] = self.node.create_client(GetState, f"{name}/get_state")
        future = self._asked.get(name)
        if future is not None and future.done():
            del self._asked[name]
            answer = future.result()
            return answer is not None and answer.current_state.id == State.PRIMARY_STATE_ACTIVE
        if future is None and self._clients[name].service_is_ready():
            self._asked[name] = self._clients[name].call_async(GetState.Request())
        return False

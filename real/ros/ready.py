"""Whether a node is there and active, asked through its lifecycle service."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING

import rclpy
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions

from real.ros.executor import Spinner

if TYPE_CHECKING:
    from rclpy.client import Client
    from rclpy.task import Future

    from real.stack import NodeSpec


class Readiness:
    """Asks nodes for their state without waiting for the answer; use as a context manager."""

    def __init__(self, domain_id: int | None = None) -> None:
        self._context = Context()
        rclpy.init(context=self._context, args=[], domain_id=domain_id, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node(
            "runner", context=self._context, enable_rosout=False, start_parameter_services=False
        )
        self.failed = threading.Event()
        self._spinner = Spinner(self._node, kind="single", on_error=lambda _: self.failed.set())
        self._clients: dict[str, Client] = {}
        self._asked: dict[str, Future] = {}

    def active(self, node: NodeSpec) -> bool:
        """Whether the node said that it is active; asks again if it has not."""
        name = f"{node.namespace.rstrip('/')}/{node.name}"
        if name not in self._clients:
            self._clients[name] = self._node.create_client(GetState, f"{name}/get_state")
        future = self._asked.get(name)
        if future is not None and future.done():
            del self._asked[name]
            answer = future.result()
            return answer is not None and answer.current_state.id == State.PRIMARY_STATE_ACTIVE
        if future is None and self._clients[name].service_is_ready():
            self._asked[name] = self._clients[name].call_async(GetState.Request())
        return False

    def close(self) -> None:
        """Leave the graph."""
        self._spinner.close()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def __enter__(self) -> Readiness:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

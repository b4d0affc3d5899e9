"""A short visit to the ROS graph from an ordinary program: a node with its executor thread, gone at the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import rclpy
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

from real.ros.executor import Spinner
from real.ros.shield import Shielded
from twinloom.errors import TwinloomError

DISCOVERY_S = 10.0


class Session:
    """Use as a context manager.

    Args:
        name: of the node.
        domain_id: of DDS; that of the environment if None.
        kind: executor, see make_executor.

    Attributes:
        node: the rclpy node.
    """

    def __init__(self, name: str, domain_id: int | None = None, kind: Any = "events") -> None:
        self._context = Context()
        options = SignalHandlerOptions.NO
        rclpy.init(args=[], context=self._context, domain_id=domain_id, signal_handler_options=options)
        self.node = Shielded(
            name, context=self._context, enable_rosout=False, start_parameter_services=False, use_global_arguments=False
        )
        self._error: BaseException | None = None
        self._spinner = Spinner(self.node, kind=kind, on_error=self._failed)

    def _failed(self, error: BaseException) -> None:
        self._error = error

    def pause(self, seconds: float) -> None:
        """Wait while the executor thread works."""
        threading.Event().wait(seconds)

    def wait(self, for_what: str, ready: Callable[[], bool], seconds: float = DISCOVERY_S) -> None:
        """Until ``ready()``.

        Raises:
            TwinloomError: it took longer; the text says what was waited for.
        """
        end = time.monotonic() + seconds
        while not ready():
            if self._error is not None:
                raise TwinloomError(f"the executor ended: {self._error}") from self._error
            if time.monotonic() > end:
                raise TwinloomError(
                    f"no {for_what} within {seconds:g} s; does the robot run, with the same ROS_DOMAIN_ID?"
                )
            self.pause(0.01)

    def trigger(self, service: str, seconds: float = DISCOVERY_S) -> str:
        """Call a std_srvs/Trigger service. Returns its message.

        Raises:
            TwinloomError: nobody offers it, or it says no.
        """
        client = self.node.create_client(Trigger, service)
        self.wait(f"service {service}", client.service_is_ready, seconds)
        future = client.call_async(Trigger.Request())
        self.wait(f"answer of {service}", future.done, seconds)
        answer = future.result()
        self.node.destroy_client(client)
        if answer is None or not answer.success:
            raise TwinloomError(f"{service}: {answer.message if answer else 'no answer'}")
        return answer.message

    def close(self) -> None:
        """Leave the graph."""
        self._spinner.close()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

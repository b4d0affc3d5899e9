"""No message ends a node: an error in a callback costs that message, one line and a count."""

from __future__ import annotations

import functools
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from rclpy.node import Node

SAY_S = 10.0


class Shielded(Node):
    """A node whose subscriptions, services and timers survive their own errors. Put it before the node's class.

    Attributes:
        errors: how often callbacks failed, by what they serve.
    """

    errors: Counter[str]

    def create_subscription(self, msg_type: Any, topic: str, callback: Callable, *args: Any, **options: Any) -> Any:
        """As rclpy's."""
        return super().create_subscription(msg_type, topic, self._shield(callback, topic), *args, **options)

    def create_service(self, srv_type: Any, srv_name: str, callback: Callable, *args: Any, **options: Any) -> Any:
        """As rclpy's; a request whose handling failed is answered as the callback left it."""
        return super().create_service(srv_type, srv_name, self._shield(callback, srv_name, 1), *args, **options)

    def create_timer(self, timer_period_sec: float, callback: Any = None, *args: Any, **options: Any) -> Any:
        """As rclpy's."""
        shielded = None if callback is None else self._shield(callback, "timer")
        return super().create_timer(timer_period_sec, shielded, *args, **options)

    def _shield(self, callback: Callable, what: str, answer: int | None = None) -> Callable:
        if not hasattr(self, "errors"):
            self.errors, self._said = Counter(), {}

        @functools.wraps(callback)  # rclpy looks at the number of arguments
        def call(*args: Any) -> Any:
            try:
                return callback(*args)
            except Exception as error:  # whatever a stranger may send
                self._note(what, error)
                return None if answer is None else args[answer]

        return call

    def _note(self, what: str, error: Exception) -> None:
        self.errors[what] += 1
        now = time.monotonic()
        if now - self._said.get(what, -SAY_S) >= SAY_S:
            self._said[what] = now
            line = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            self.get_logger().error(f"{what}: a message could not be taken ({line}), {self.errors[what]} so far")

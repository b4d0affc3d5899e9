"""The executor thread: it takes messages and answers services, and nothing else; loops run in threads of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from rclpy.executors import Executor, SingleThreadedExecutor

if TYPE_CHECKING:
    from rclpy.context import Context
    from rclpy.node import Node

Kind = Literal["events", "single"]
POLL_S = 0.1


def make_executor(kind: Kind, context: Context) -> Executor:
    """An executor of one thread.

    "events" costs about a third less than "single" and has the shorter tail. It cannot serve callbacks that ask for the
    message info (it dies of them), so nodes that must know who sent a message use "single". MultiThreadedExecutor is
    not offered: its threads spin on the interpreter lock while a callback runs, which costs rate, tail and, under load,
    messages.
    """
    if kind == "events":
        from rclpy.experimental.events_executor import EventsExecutor

        return EventsExecutor(context=context)  # type: ignore[return-value]  # an Executor by duck typing
    return SingleThreadedExecutor(context=context)


class Spinner:
    """Spins nodes in a daemon thread until closed.

    Args:
        nodes: served by this thread, all of one context.
        kind: see make_executor.
        on_error: called in the thread with an exception that escaped a callback; the thread then ends.
    """

    def __init__(self, *nodes: Node, kind: Kind = "single", on_error: Callable[[BaseException], None]) -> None:
        self._executor = make_executor(kind, nodes[0].context)
        for node in nodes:
            self._executor.add_node(node)
        self._nodes, self._on_error = nodes, on_error
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="executor", daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        try:
            while not self._stop.is_set():
                self._executor.spin_once(timeout_sec=POLL_S)
        except BaseException as error:  # reported; a node without an executor is deaf and must not pretend otherwise
            if not self._stop.is_set():
                self._on_error(error)

    def close(self, timeout: float = 2.0) -> None:
        """End the thread and let go of the nodes."""
        self._stop.set()
        self._thread.join(timeout)
        for node in self._nodes:
            self._executor.remove_node(node)
        self._executor.shutdown()

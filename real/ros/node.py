"""Base of our nodes: declared parameters, lifecycle, diagnostics, an executor thread, a quiet end."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Mapping
from typing import Any, ClassVar

import rclpy
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.context import Context
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter as RosParameter
from rclpy.signals import SignalHandlerOptions

from real import signals
from real.ros.executor import Spinner
from real.ros.health import ERROR, OK, Health
from real.ros.shield import Shielded
from real.stack import processes
from real.stack.parameters import PARAMETERS, Value, check
from twinloom.command import run_command
from twinloom.errors import TwinloomError

SWITCH_S = 0.0005


class ManagedNode(Shielded, LifecycleNode):
    """A lifecycle node.

    Subclasses say what the transitions do: `configure` loads and connects but moves nothing, `activate` begins,
    `deactivate` holds, `cleanup` lets go. Each may raise TwinloomError; it is logged as one line.

    Args:
        context: of rclpy; the default one if None.
        parameters: values that win over the command line, for nodes that live inside another program.

    Attributes:
        p: parameter name to value.
        health: diagnostics.
        stopping: set when the process is to end; ``failure`` then says why, "" if it was asked to.
        exit_code: of the process: 0, 1 after a failure, 2 if a person can cure it.
    """

    MODULE: ClassVar[str]
    NAME: ClassVar[str]

    def __init__(self, context: Context | None = None, parameters: Mapping[str, Value] | None = None) -> None:
        overrides = [RosParameter(name, value=value) for name, value in (parameters or {}).items()]
        super().__init__(self.NAME, context=context, parameter_overrides=overrides)
        self.stopping = threading.Event()
        self.failure, self.exit_code = "", 0
        self.p = self._declare()
        self.health = Health(self)
        self._begin = self.create_timer(0.0, self._bring_up) if self.p["auto_activate"] else None
        self._active = False

    # -------------------------------------------------------- for subclasses

    def configure(self) -> None:
        """Load and connect; no motion."""

    def activate(self) -> None:
        """Begin."""

    def deactivate(self) -> None:
        """Stop what `activate` began."""

    def cleanup(self) -> None:
        """Let go of what `configure` took."""

    # ------------------------------------------------------------- lifecycle

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """See `configure`."""
        return self._try("configure", self.configure)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """See `activate`."""
        result = self._try("activate", self.activate)
        self._active = result == TransitionCallbackReturn.SUCCESS
        gc.collect()
        gc.freeze()  # what lives now lives long: later collections look at new objects only, and are short
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """See `deactivate`."""
        self._active = False
        return self._try("deactivate", self.deactivate)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """See `cleanup`."""
        return self._try("cleanup", self.cleanup)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Whatever the state: hold, let go, end the process."""
        if self._active:
            self.on_deactivate(state)
        result = self._try("cleanup", self.cleanup)
        self.stopping.set()
        return result

    def fail(self, error: BaseException) -> None:
        """End the process because of an error; one line for those a person can cure, a traceback for the others."""
        self.failure = str(error) or type(error).__name__
        self.exit_code = 2 if isinstance(error, TwinloomError) else 1
        if not isinstance(error, TwinloomError):
            import traceback

            self.get_logger().fatal("".join(traceback.format_exception(error)))
        self.health.set("node", ERROR, self.failure)
        self.stopping.set()

    def _bring_up(self) -> None:
        """Once, in the executor thread, as a lifecycle manager would do it."""
        assert self._begin is not None
        self._begin.cancel()
        for step in (self.trigger_configure, self.trigger_activate):
            if step() != TransitionCallbackReturn.SUCCESS:
                self.stopping.set()
                return

    def _try(self, what: str, step) -> TransitionCallbackReturn:
        try:
            step()
        except signals.StoppedError:
            return TransitionCallbackReturn.FAILURE
        except Exception as error:  # rclpy would swallow it without a word
            self.fail(error)
            return TransitionCallbackReturn.ERROR
        if not self.failure:
            self.health.set("node", OK, f"{what}d" if what.endswith("e") else "cleaned up")
        return TransitionCallbackReturn.SUCCESS

    def _declare(self) -> dict[str, Any]:
        for name, spec in PARAMETERS[self.MODULE].items():
            descriptor = ParameterDescriptor(description=spec.doc, read_only=True)
            if spec.allowed:
                descriptor.additional_constraints = f"one of {', '.join(spec.allowed)}"
            if spec.low is not None and spec.high is not None:
                if isinstance(spec.default, float):
                    descriptor.floating_point_range = [FloatingPointRange(from_value=spec.low, to_value=spec.high)]
                else:
                    low, high = int(spec.low), int(spec.high)
                    descriptor.integer_range = [IntegerRange(from_value=low, to_value=high, step=1)]
            try:
                self.declare_parameter(name, spec.default, descriptor)
            except (InvalidParameterValueException, InvalidParameterTypeException) as error:
                raise TwinloomError(f"{self.NAME}: parameter {name}: {error}") from error
        values = {name: self.get_parameter(name).value for name in PARAMETERS[self.MODULE]}
        check(self.MODULE, values)
        return values

    def close(self) -> None:
        """Hold, let go and leave the graph; also after a failure."""
        if self._active:
            self._active = False
            self._try("deactivate", self.deactivate)
        self._try("cleanup", self.cleanup)
        self.destroy_node()


def release() -> None:
    """Let go of what reference cycles still hold: DDS keeps 32 MB of shared memory until its objects are destroyed."""
    gc.unfreeze()
    gc.collect()


def run_node(kind: type[ManagedNode]) -> None:
    """Body of ``python -m real.ros.<node> [--ros-args ...]``.

    Ends with 0 after SIGINT or SIGTERM, however many; 1 if the node failed; 2 if a person can cure it.
    """
    signals.block()
    if processes.LAUNCHED in os.environ:
        processes.die_with_parent()
    run_command(lambda: _run(kind))


def _run(kind: type[ManagedNode]) -> int:
    sys.setswitchinterval(SWITCH_S)  # a control thread must not wait 5 ms, Python's default, for the executor thread
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = kind()
        processes.name_process(node.get_name())
        spinner = Spinner(node, kind=node.p.get("executor", "single"), on_error=node.fail)
        try:
            name = signals.wait(node.stopping)
            if name:
                node.get_logger().info(f"{name}: stopping")
        finally:
            spinner.close(timeout=30.0)  # a scene may still be loading
            node.close()
        code = node.exit_code
        del spinner, node
    finally:
        rclpy.try_shutdown()
        release()
    return code

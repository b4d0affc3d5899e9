"""`real up`: starts the nodes of a stack, watches them, and ends them in reverse order. ROS's launch is not needed.

Each node is the process that ROS's launcher would start: ``python -m MODULE --ros-args -r __node:=NAME -r __ns:=NS
--params-file FILE -r from:=to``.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

import yaml

from real import signals
from real.stack import NodeSpec, processes, segments

READY_S = 90.0  # a scene is compiled, a network loaded
POLL_S = 0.05
CURABLE = 2  # exit code of an error that only a person can cure: starting again would say the same
UNCURED = (0, CURABLE)  # exit codes after which a node is not started again
FORMAT = "[{severity}] {message}"  # of ROS's logger: name and time are put before the line here
ROBOTS = ("real.ros.sim_robot", "real.ros.guard")
COLOURS = (36, 33, 35, 32, 34, 31)


def command_line(node: NodeSpec, params_file: Path, python: str = sys.executable) -> list[str]:
    """What is executed for a node."""
    words = [python, "-m", node.module, "--ros-args", "-r", f"__node:={node.name}", "-r", f"__ns:={node.namespace}"]
    words += ["--params-file", str(params_file)]
    return words + [word for pair in node.remap.items() for word in ("-r", "{}:={}".format(*pair))]


def write_params(node: NodeSpec, path: Path) -> None:
    """Parameters of a node in ROS's file format."""
    path.write_text(yaml.safe_dump({"/**": {"ros__parameters": node.params}}), encoding="utf-8")


class Process:
    """One node of a running stack: started, watched, started again."""

    def __init__(self, node: NodeSpec, environment: Mapping[str, str], params_file: Path, say: Callable) -> None:
        self.node, self._environment, self._params, self._say = node, environment, params_file, say
        self.child: subprocess.Popen | None = None
        self.restarts = 0
        self.again_at: float | None = None  # when a failed one is started again
        self.ready = False  # whether it was ready once
        self._missed = False  # whether it was said that the others go on without it
        self._readers: list[threading.Thread] = []

    def start(self) -> None:
        """Start it and pass on its lines."""
        command = command_line(self.node, self._params)
        pipe = subprocess.PIPE
        self.child = processes.start(command, self._environment, stdout=pipe, stderr=subprocess.STDOUT, text=True)
        self.again_at = None
        reader = threading.Thread(target=self._pass_on, args=(self.child.stdout,), daemon=True)
        reader.start()
        self._readers.append(reader)

    def _pass_on(self, stream: IO[str]) -> None:
        for line in stream:
            self._say(self.node.name, line.rstrip("\n"))

    def check(self, now: float) -> int | None:
        """Start it again if that is due; its exit code once it has ended for good, None while it lives or will."""
        if self.again_at is not None:
            if now >= self.again_at:
                self.start()
            return None
        assert self.child is not None
        code = self.child.poll()
        if code is None:
            return None
        self.join()
        if code not in UNCURED and self.restarts < self.node.restarts:
            pause = self.node.backoff_s * 2**self.restarts
            self.restarts += 1
            self.again_at = now + pause
            text = f"ended with {in_words(code)}; start {self.restarts} of {self.node.restarts} in {pause:g} s"
            self._say("runner", f"{self.node.name} {text}")
            return None
        if code and not self.node.required and not self._missed and (self.ready or code != CURABLE):
            self._missed = True
            self._say("runner", f"{self.node.name} ended with {in_words(code)}; the stack goes on without it")
        return code

    def stop(self) -> int | None:
        """End it; its exit code, None if it was not running."""
        self.again_at = None
        if self.child is None:
            return None
        code = processes.stop(self.child, (self.node.stop_grace_s, 2.0, 5.0))
        self.join()
        return code

    def join(self) -> None:
        """Wait until its last lines are passed on."""
        for reader in self._readers:
            reader.join(2.0)
        self._readers.clear()


def in_words(code: int) -> str:
    """ "exit code 2" or "SIGKILL"."""
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


class Runner:
    """Runs the nodes of a stack until one that is required ends, or until it is told to stop.

    Args:
        nodes: from `Stack.resolve`, in starting order.
        environment: variables besides those of this process.
        out: where the nodes' lines go, each with the node's name before it.
        ready: given a node, whether it answers; None starts all at once.

    Attributes:
        stopping: set it from another thread to end the stack.
        interrupted: whether a signal ended it.
    """

    def __init__(
        self,
        nodes: Sequence[NodeSpec],
        environment: Mapping[str, str],
        out: IO[str] | None = None,
        ready: Callable[[NodeSpec], bool] | None = None,
    ) -> None:
        self._out, self._ready = sys.stdout if out is None else out, ready
        self._lock = threading.Lock()
        self._width = max([len(node.name) for node in nodes] + [6])
        self._folder = tempfile.TemporaryDirectory(prefix="twinloom-run-")
        self.stopping, self.interrupted = threading.Event(), False
        variables = {"RCUTILS_CONSOLE_OUTPUT_FORMAT": FORMAT, **processes.clean_environment(environment)}
        self._colour = {node.name: COLOURS[k % len(COLOURS)] for k, node in enumerate(nodes)}
        self.processes: list[Process] = []
        for position, node in enumerate(nodes):
            path = Path(self._folder.name) / f"{position}-{node.name}.yaml"
            write_params(node, path)
            self.processes.append(Process(node, variables, path, self.say))

    def run(self, seconds: float | None = None) -> int:
        """Start everything, in order, and stay. Signals must be blocked (`signals.block`) so that children inherit it.

        Args:
            seconds: end after this long, counted from when everything runs.

        Returns:
            0 if it was told to stop, or a required node or everything ended well; 1 if any node failed; 2 if one could
            not start for a reason that only a person can cure.
        """
        try:
            code = self._start()
            if code is None and self._ready is not None:
                for line in what_to_look_at([process.node for process in self.processes]):
                    self.say("runner", line)
            end = None if seconds is None else time.monotonic() + seconds
            while code is None and not self._told():
                code = self._watch()
                if end is not None and time.monotonic() >= end:
                    break
                time.sleep(POLL_S)
        finally:
            bad = self._stop()
            segments.clean()  # of nodes that were killed
            self._folder.cleanup()
        return code or bad

    def say(self, name: str, line: str) -> None:
        """One line of a node."""
        label, line = f"{name:>{self._width}}", line.removeprefix("[INFO] ")
        if self._out.isatty():
            label = f"\x1b[{self._colour.get(name, 37)}m{label}\x1b[0m"
        with self._lock, contextlib.suppress(ValueError):  # a closed output loses its lines, not the robot
            print(f"{time.strftime('%H:%M:%S')} {label} | {line}", file=self._out, flush=True)

    def _told(self) -> bool:
        if signals.pending():
            self.say("runner", "stopping")
            self.interrupted = True
            self.stopping.set()
        return self.stopping.is_set()

    def _start(self) -> int | None:
        for process in self.processes:
            process.start()
            began = time.monotonic()
            while self._ready is not None and not self._ready(process.node):
                code = self._watch()
                if code is not None or self._told():
                    return code
                if process.again_at is None and process.child and process.child.poll() == CURABLE:
                    self.say("runner", f"{process.node.name} cannot start: stopping")
                    return CURABLE
                if process.again_at is not None or (process.child and process.child.poll() is not None):
                    break  # it ended and nobody requires it
                if time.monotonic() - began > READY_S:
                    self.say("runner", f"{process.node.name} is not ready after {READY_S:g} s")
                    return 1
                time.sleep(POLL_S)
            else:
                process.ready = True
        return None

    def _watch(self) -> int | None:
        """Exit code of the stack once that is settled."""
        now, alive = time.monotonic(), 0
        started = [process for process in self.processes if process.child is not None]
        for process in started:
            code = process.check(now)
            if code is None:
                alive += 1
            elif process.node.required:
                self.say("runner", f"{process.node.name} is required and ended with {in_words(code)}: stopping")
                return int(code != 0)
        if not alive and len(started) == len(self.processes):
            self.say("runner", "all nodes have ended")
            return int(any(process.child and process.child.returncode for process in started))
        return None

    def _stop(self) -> int:
        """End everything, the last started first; 1 if one did not end well."""
        bad = 0
        for process in reversed(self.processes):
            running = process.child is not None and process.child.poll() is None
            code = process.stop()
            if running and code:
                self.say("runner", f"{process.node.name} ended with {in_words(code)}")
            bad = bad or int(bool(code))
        return bad


def what_to_look_at(nodes: Sequence[NodeSpec]) -> list[str]:
    """Commands for people once a stack runs: its robot's mode, its arm, its stop, its page."""
    robots = [f"{node.namespace.rstrip('/')}/{node.name}" for node in nodes if node.module in ROBOTS]
    lines = [f"runs: {', '.join(node.name for node in nodes)}   (Ctrl-C ends it)"]
    for robot in robots:
        name = "" if robot == "/robot" else f" --robot {robot}"
        lines.append(f"look: real echo {robot}/mode   real hz /joint_states   real topics")
        lines.append(f"act:  real arm{name}   real estop{name}   real reset{name}")
    return lines


def up(
    nodes: Sequence[NodeSpec], environment: Mapping[str, str], seconds: float | None = None, out: IO[str] | None = None
) -> int:
    """Run a stack in this process's foreground; see Runner."""
    from real.ros.ready import Readiness

    signals.block()
    os.environ.update({k: v for k, v in environment.items() if k not in os.environ})  # discovery as for the nodes
    try:
        with Readiness() as readiness:
            return Runner(nodes, environment, out, readiness.active).run(seconds)
    finally:
        signals.unblock()

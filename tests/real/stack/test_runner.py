"""The runner with children that are no ROS nodes: order, prefixes, restarts, exit codes, nothing left behind."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from real import signals
from real.stack import NodeSpec
from real.stack.runner import Runner
from twinloom.machine import REPOSITORY

FAKE = "tests.real.stack.fake_node"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
PROGRAM = f"""
import sys
from real import signals
from real.stack.runner import Runner
from real.stack import NodeSpec
signals.block()
sys.exit(Runner([NodeSpec("robot", "{FAKE}", params={{{{"what": "{{what}}"}}}})], {{{{}}}}, sys.stdout).run())
"""


def node(name: str, what: str, **more) -> NodeSpec:
    return NodeSpec(name, FAKE, params={"what": what}, **more)


class Output(io.StringIO):
    """Keeps the lines, and ends the stack at one that holds a text."""

    def __init__(self, until: str) -> None:
        super().__init__()
        self._until = until

    def write(self, text: str) -> int:
        if self._until and self._until in text:
            self.runner.stopping.set()
        return super().write(text)


def run(*nodes: NodeSpec, seconds: float | None = None, ready=None, until: str = "") -> tuple[int, list[str]]:
    out = Output(until)
    out.runner = runner = Runner(list(nodes), {"PYTHONPATH": str(REPOSITORY)}, out, ready)
    code = runner.run(seconds)
    lines = out.getvalue().splitlines()
    assert all(re.fullmatch(r"\d\d:\d\d:\d\d", line[:8]) for line in lines)
    return code, [line[9:] for line in lines]


@pytest.fixture(autouse=True)
def _blocked():
    signals.block()
    yield
    signals.unblock()


def test_children_get_what_ros_gets_and_their_lines_a_name():
    code, lines = run(node("one", "wait", remap={"a": "b"}), seconds=0.6)
    assert code == 0
    assert lines[0] == '   one | ["--ros-args", "-r", "__node:=one", "-r", "__ns:=/"]'
    assert lines[-1] == "   one | stopped by SIGINT"


@pytest.mark.parametrize("exit_code", [0, 1, 3])
def test_the_end_of_a_required_node_ends_the_stack_with_its_result(exit_code):
    code, lines = run(node("policy", "wait"), node("robot", f"exit {exit_code}", required=True))
    assert code == int(exit_code != 0)
    assert " robot | last words" in lines
    assert f"runner | robot is required and ended with exit code {exit_code}: stopping" in lines
    assert "policy | stopped by SIGINT" in lines


def test_a_node_that_cannot_start_ends_the_stack():
    code, lines = run(node("robot", "wait"), node("policy", "exit 2"), ready=lambda spec: spec.name == "robot")
    assert code == 2
    assert "runner | policy cannot start: stopping" in lines
    assert not any("goes on without it" in line for line in lines)
    assert " robot | stopped by SIGINT" in lines


def test_a_failed_node_is_started_again_with_growing_pauses():
    began = time.monotonic()
    code, lines = run(node("policy", "exit 3", restarts=2, backoff_s=0.1))
    assert code == 1
    assert sum(line.endswith("last words") for line in lines) == 3
    assert "runner | policy ended with exit code 3; start 1 of 2 in 0.1 s" in lines
    assert "runner | policy ended with exit code 3; start 2 of 2 in 0.2 s" in lines
    assert time.monotonic() - began > 0.3


def test_what_only_a_person_can_cure_is_not_started_again():
    _, lines = run(node("policy", "exit 2", restarts=2, backoff_s=0.1), seconds=0.5)
    assert sum(line.endswith("last words") for line in lines) == 1


def test_the_end_of_another_node_does_not_end_the_stack():
    code, lines = run(node("robot", "wait"), node("policy", "crash"), until="goes on without it")
    assert code == 1  # but it is no good end
    assert " robot | stopped by SIGINT" in lines


def test_all_ended_well_is_0():
    code, lines = run(node("recorder", "exit 0"))
    assert code == 0
    assert "  runner | all nodes have ended" in lines


def test_nodes_start_in_order_and_end_in_reverse():
    ready: dict[str, int] = {}

    def answer(spec: NodeSpec) -> bool:
        ready[spec.name] = ready.get(spec.name, 0) + 1
        return ready[spec.name] > 3

    _, lines = run(node("first", "wait"), node("second", "wait"), seconds=0.5, ready=answer)
    assert list(ready) == ["first", "second"]
    stops = [line.split(" | ")[0].strip() for line in lines if "stopped by" in line]
    assert stops == ["second", "first"]


def test_a_node_that_nobody_requires_does_not_vanish_without_a_word():
    code, lines = run(node("recorder", "crash"), node("robot", "wait"), until="goes on without it")
    assert code == 1
    told = "  runner | recorder ended with SIGKILL; the stack goes on without it"
    assert lines.count(told) == 1
    assert "   robot | stopped by SIGINT" in lines


def test_a_node_that_was_stopped_and_continued_goes_on():
    """As Ctrl-Z and fg do; Python then returns from sigtimedwait with a signal that there is not."""
    child = "import threading; from real import signals; signals.block(); print(1, flush=True);"
    child += "print(signals.wait(threading.Event()), flush=True)"
    process = subprocess.Popen([sys.executable, "-c", child], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert process.stdout is not None
    process.stdout.readline()
    for _ in range(3):
        process.send_signal(signal.SIGSTOP)
        time.sleep(2 * signals.POLL_S)
        process.send_signal(signal.SIGCONT)
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=10)[0] == "SIGINT\n"
    assert process.returncode == 0


def test_a_deaf_node_is_killed():
    began = time.monotonic()
    code, lines = run(node("robot", "deaf", stop_grace_s=0.2), seconds=0.4)
    assert code == 1
    assert "runner | robot ended with SIGKILL" in lines
    assert time.monotonic() - began < 10


def test_signals_stop_it_however_many_come():
    """In a process of its own: other threads of a test process do not block signals."""
    runner = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(what="wait")], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    assert runner.stdout is not None
    lines = [runner.stdout.readline()]
    for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM):
        runner.send_signal(number)
    rest, _ = runner.communicate(timeout=30)
    assert runner.returncode == 0
    assert "stopping" in rest
    assert "Traceback" not in "".join([*lines, rest])


def test_nothing_outlives_a_killed_runner():
    program = PROGRAM.format(what="grandchild")
    runner = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert runner.stdout is not None
    lines = [runner.stdout.readline(), runner.stdout.readline()]
    grandchild = int(lines[1].split()[-1])
    runner.kill()
    runner.wait()
    end = time.monotonic() + 5.0
    while time.monotonic() < end and _alive(grandchild):
        time.sleep(0.02)
    assert not _alive(grandchild)


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False

"""Stacks of nodes as processes, for tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.real.ros.conftest import ROBOT, domain


def usual(number: int) -> dict[str, str]:
    """Environment of a person's shell: libraries start threads, which a test process forbids them."""
    forbidden = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    kept = {name: value for name, value in os.environ.items() if name not in forbidden}
    return kept | {"ROS_DOMAIN_ID": str(domain(number)), "PYTHONUNBUFFERED": "1"}


class Stack:
    """``real up`` in a process of its own, with its lines."""

    def __init__(self, number: int, given: dict[str, str], stack: str = "bringup", robot: str = ROBOT) -> None:
        arguments = [f"{name}:={value}" for name, value in {"robot": robot, "auto_arm": "true", **given}.items()]
        environment = usual(number)
        self._child = subprocess.Popen(
            [sys.executable, "-m", "real", "up", stack, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            start_new_session=True,
        )
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._child.stdout is not None
        self._lines.extend(iter(self._child.stdout.readline, ""))

    @property
    def text(self) -> str:
        return "".join(self._lines)

    def __enter__(self) -> Stack:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> int:
        """Ctrl-C, as an impatient person does it. Returns the exit code."""
        for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM):
            if self._child.poll() is None:
                os.killpg(self._child.pid, number)
                time.sleep(0.03)
        code = self._child.wait(60)
        self._reader.join(10)
        return code

    def pid(self, module: str) -> int:
        """Of a child of the runner."""
        children = Path(f"/proc/{self._child.pid}/task/{self._child.pid}/children").read_text().split()
        for child in children:
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if module.encode() in words:
                return int(child)
        raise AssertionError(f"no {module} among {children}")

    def wait(self, text: str, seconds: float = 180.0, times: int = 1) -> None:
        """Until a line has come."""
        end = time.monotonic() + seconds
        while self.text.count(text) < times:
            assert time.monotonic() < end, f"no line with {text!r}:\n{self.text}"
            assert self._child.poll() is None, f"ended before {text!r}:\n{self.text}"
            time.sleep(0.02)

    def active_again(self, seconds: float = 180.0) -> None:
        """Until the robot was active twice; a line that comes again soon is said with its count when it is over."""
        end = time.monotonic() + seconds
        while self.text.count("robot | active") < 2:
            assert time.monotonic() < end, self.text
            time.sleep(0.02)

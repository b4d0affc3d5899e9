"""Hands of a person: single keys from a terminal, axes and buttons of a joystick. Loads no ROS."""

from __future__ import annotations

import contextlib
import os
import select
import struct
import sys
import termios
import tty
from collections.abc import Iterator
from pathlib import Path

from twinloom.errors import TwinloomError

JOYSTICK = Path("/dev/input/js0")
EVENT = struct.Struct("IhBB")  # of linux/joystick.h: milliseconds, value, type, number
BUTTON, AXIS, INITIAL = 1, 2, 0x80
ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}


@contextlib.contextmanager
def keyboard() -> Iterator[Keyboard]:
    """Single keys from the terminal, which is as before afterwards.

    Raises:
        TwinloomError: standard input is no terminal.
    """
    if not sys.stdin.isatty():
        raise TwinloomError("the keyboard needs a terminal: run real teleop in one, or use device:=joystick")
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)  # Ctrl-C still sends SIGINT
        yield Keyboard(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


class Keyboard:
    """Keys that were pressed since the last look."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def pressed(self) -> list[str]:
        """Characters, and "up", "down", "left", "right"."""
        text = b""
        while select.select([self._descriptor], [], [], 0)[0]:
            more = os.read(self._descriptor, 256)
            if not more:
                break
            text += more
        return names(text.decode(errors="ignore"))


def names(text: str) -> list[str]:
    """Keys in what a terminal sent: arrow keys are three characters."""
    found, rest = [], text
    while rest:
        if rest.startswith("\x1b[") and rest[2:3] in ARROWS:
            found.append(ARROWS[rest[2]])
            rest = rest[3:]
        else:
            found.append(rest[0])
            rest = rest[1:]
    return found


class Joystick:
    """The first joystick of Linux.

    Attributes:
        axes: number to position in [-1, 1]; buttons: number to whether it is pressed.

    Raises:
        TwinloomError: there is none, or it may not be read.
    """

    DEAD = 0.08  # of an axis: sticks do not return to zero exactly

    def __init__(self, path: Path = JOYSTICK) -> None:
        try:
            self._file = path.open("rb", buffering=0)
        except OSError as error:
            raise TwinloomError(f"no joystick at {path}: {error.strerror}") from error
        os.set_blocking(self._file.fileno(), False)
        self.axes: dict[int, float] = {}
        self.buttons: dict[int, bool] = {}

    def update(self) -> list[int]:
        """Read what happened since the last look. Returns the buttons that were pressed anew.

        Raises:
            TwinloomError: it was unplugged.
        """
        anew = []
        while True:
            try:
                data = self._file.read(EVENT.size)
            except OSError as error:
                raise TwinloomError(f"the joystick is gone: {error.strerror}") from error
            if not data or len(data) < EVENT.size:
                return anew
            _, value, kind, number = EVENT.unpack(data)
            if kind & ~INITIAL == AXIS:
                share = value / 32767
                self.axes[number] = 0.0 if abs(share) < self.DEAD else max(-1.0, min(1.0, share))
            elif kind & ~INITIAL == BUTTON:
                if value and not kind & INITIAL:
                    anew.append(number)
                self.buttons[number] = bool(value)

    def close(self) -> None:
        """Release the device."""
        self._file.close()

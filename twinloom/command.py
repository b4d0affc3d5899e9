"""What every console script shares: UTF-8 output, one-line errors, exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from twinloom.errors import TwinloomError


def run_command(body: Callable[[], int | None]) -> None:
    """Run a command body and leave the process with its exit code.

    0 success, 1 the work fell short, 2 the user can cure it (one line on stderr), 130 interrupted.
    Output is UTF-8 whatever the locale says, so LC_ALL=C neither crashes nor garbles.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    try:
        code = body() or 0
        sys.stdout.flush()
    except TwinloomError as error:
        print(f"error: {error}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt as error:
        print(f"interrupted: {error}" if str(error) else "interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:  # the reader of a pipe (head, less) went away: not our failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def refuse(problems: dict[str, bool]) -> None:
    """Raise TwinloomError with those texts that apply, all at once."""
    if found := [text for text, applies in problems.items() if applies]:
        raise TwinloomError("; ".join(found))

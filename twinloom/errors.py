"""Errors meant for a person: each says what was given, what is allowed and what to do next."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from types import ModuleType

from twinloom.extras import install_line


class TwinloomError(Exception):
    """Base of every error a user can cause or cure; commands print it as one line and exit with code 2."""

    def __reduce__(self):
        # Exception would hand the message to __init__, which asks for other things in subclasses; a pool of processes
        # waits for ever for an error that cannot be unpickled.
        return _again, (type(self), str(self), self.__dict__)


def _again(kind: type[TwinloomError], message: str, attributes: dict) -> TwinloomError:
    """An error as it was, in another process."""
    error = kind.__new__(kind, message)
    error.__dict__.update(attributes)
    return error


class UnknownNameError(TwinloomError):
    """A name that is in no registry.

    Args:
        kind: what was looked up, in the singular ("task", "robot").
        name: what was given.
        known: every allowed name.
        list_command: the command that prints the allowed names.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], list_command: str) -> None:
        names = sorted(known)
        lowered = {n.lower(): n for n in names}
        close = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
        guess = f" Did you mean {lowered[close[0]]}?" if close else ""
        super().__init__(f'unknown {kind} "{name}".{guess} All {plural(kind)}: {list_command}')
        self.kind, self.name, self.known = kind, name, names


def plural(noun: str) -> str:
    """ "tasks", "axes", "families", "robots or objects"."""
    ends = {"is": "es", "y": "ies"}
    end = {one: next((e for e in ends if one.endswith(e)), "") for one in noun.split(" or ")}
    return " or ".join(one.removesuffix(end[one]) + ends.get(end[one], "s") for one in end)


class InvalidSettingsError(TwinloomError):
    """Several problems of one input, collected and raised at once.

    Args:
        subject: what was being checked, for example a file name or "datagen settings".
        problems: one sentence each, non-empty.
    """

    def __init__(self, subject: str, problems: list[str]) -> None:
        super().__init__(f"{subject}: " + "; ".join(problems))
        self.problems = problems


class MissingAssetError(TwinloomError):
    """A file that set-up should have fetched is not there."""


def require(module: str, extra: str) -> ModuleType:
    """Import an optional dependency, or say which extra of twinloom brings it.

    Raises:
        TwinloomError: the module is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and not module.startswith(error.name):
            raise
        raise TwinloomError(f"{module} is not installed; install it with: {install_line(extra)}") from error

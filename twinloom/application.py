"""A command with subcommands, parsed by tyro: the same look, help and errors for all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import tyro

from twinloom.command import run_command
from twinloom.errors import TwinloomError
from twinloom.plugins import OPTION, VARIABLE, take_option

Body = Callable[..., int | None]
Rest = Callable[[list[str]], int | None]
PLUGINS = f"{OPTION} DIR, on every command, or {VARIABLE}: folders of plug-ins (docs/extend.md)."


class Application:
    """One command.

    Args:
        name: as it is called.
        description: for its help.
    """

    def __init__(self, name: str, description: str) -> None:
        self.name, self.description = name, f"{description} {PLUGINS}"
        self._app = tyro.extras.SubcommandApp()
        self._choosers: dict[str, Callable[[str], Rest]] = {}
        self._names: list[str] = []
        self._default: Body | None = None

    def command(self, function: Any = None, *, name: str | None = None) -> Any:
        """Decorator: the function's arguments are the options of the subcommand of its name."""
        if function is None:
            return lambda body: self.command(body, name=name)
        self._names.append(name or function.__name__)
        return self._app.command(name=self._names[-1])(function)

    def default(self, function: Any) -> Any:
        """Decorator: what is done where the first word is an option, or where there is none."""
        self._default = function
        return function

    def chooser(self, name: str) -> Callable[[Callable[[str], Rest]], Callable[[str], Rest]]:
        """Decorator: a subcommand whose first word decides whose options follow, as in ``sim view TASK --seed 3``.

        The function takes that word, and returns what takes the other words, mostly `options_of`. Its own docstring is
        what help without a first word shows.
        """

        def register(choose: Callable[[str], Rest]) -> Callable[[str], Rest]:
            self._choosers[name] = choose
            return self.command(choose, name=name)

        return register

    def run(self, words: list[str]) -> int | None:
        """Do what the words of a command line say. Returns the exit code.

        Raises:
            TwinloomError: what the user can cure.
            SystemExit: help was asked for, or options are wrong.
        """
        if self._default is not None and not (words and words[0] in self._names):
            if words and not words[0].startswith("-"):
                known = ", ".join(self._names)
                raise TwinloomError(f'unknown command "{words[0]}"; there are {known}; without one: {self.name} --help')
            return tyro.cli(self._default, prog=self.name, args=words)
        if len(words) > 1 and words[0] in self._choosers and not words[1].startswith("-"):
            return self._choosers[words[0]](words[1])(words[2:])
        return self._app.cli(prog=self.name, description=self.description, args=words)

    def main(self) -> None:
        """Entry point: leaves the process with the exit code."""
        run_command(lambda: self.run(take_option(sys.argv[1:])))


def options_of(function: Body, prog: str, *first: str) -> Rest:
    """Parses words for one function and calls it.

    Args:
        prog: how it is called, for its help.
        first: words before those that will be given.
    """

    def parse(words: list[str]) -> int | None:
        asked = any(word in ("-h", "--help") for word in words)
        # tyro leaves out of the help what was given already
        return tyro.cli(function, prog=prog, args=["--help"] if asked else [*first, *words])

    return parse

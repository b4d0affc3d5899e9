"""A command with subcommands, parsed by tyro: the same look, help and errors for all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import tyro

from twinloom.command import run_command
from twinloom.plugins import OPTION, VARIABLE, take_option

Body = Callable[..., int | None]
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
        self._choosers: dict[str, Callable[[str], tuple[Body, str]]] = {}

    def command(self, function: Any = None, *, name: str | None = None) -> Any:
        """Decorator: the function's arguments are the options of the subcommand of its name."""
        return self._app.command(name=name) if function is None else self._app.command(function)

    def chooser(self, name: str) -> Callable[[Callable[[str], tuple[Body, str]]], Any]:
        """Decorator: a subcommand whose first word decides whose options follow, as in ``sim view TASK --seed 3``.

        The function takes that word, and returns the function to call with the options and the word to hand it first.
        Its own docstring is what help without a first word shows.
        """

        def register(choose: Callable[[str], tuple[Body, str]]) -> Callable[[str], tuple[Body, str]]:
            self._choosers[name] = choose
            return self._app.command(name=name)(choose)

        return register

    def run(self, words: list[str]) -> int | None:
        """Do what the words of a command line say. Returns the exit code.

        Raises:
            TwinloomError: what the user can cure.
            SystemExit: help was asked for, or options are wrong.
        """
        if len(words) > 1 and words[0] in self._choosers and not words[1].startswith("-"):
            function, first = self._choosers[words[0]](words[1])
            return call(function, f"{self.name} {words[0]}", [first, *words[2:]])
        return self._app.cli(prog=self.name, description=self.description, args=words)

    def main(self) -> None:
        """Entry point: leaves the process with the exit code."""
        run_command(lambda: self.run(take_option(sys.argv[1:])))


def call(function: Body, prog: str, words: list[str]) -> int | None:
    """Parse the words for one function, and call it."""
    if any(word in ("-h", "--help") for word in words):
        words = ["--help"]  # tyro leaves out of the help what was given already
    return tyro.cli(function, prog=prog, args=words)

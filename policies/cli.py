"""``policies``: train, evaluate, serve, export. The target or the checkpoint decides whose options these are."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import tyro

from twinloom.command import run_command
from twinloom.errors import TwinloomError

HELP = """usage: policies COMMAND ...

Policies: train, evaluate, serve.

  policies train bimanual/TASK    clone the recorded episodes of a dual-arm task (sim list tasks)
  policies train cascade/PROBLEM  reinforcement learning of a spreading problem: adopt_profit, epidemic_mitigate, escape
  policies train humanoid/walk    a network that walks any humanoid, distilled from the model-based controller
  policies eval POLICY ...        success rates or returns of checkpoint folders, experts or baselines, side by side
  policies view POLICY            film or picture of a policy at work on a network
  policies serve POLICY           answer observations over a websocket, for robots on another machine
  policies export FOLDER          copy what a robot needs, without what the training needs
  policies experiment NAME        repeat one of the experiments of docs/results/cascade
  policies list targets|kinds     what can be trained, which kinds of policies there are

POLICY is a folder made by `policies train`, expert:bimanual/TASK, model-based:humanoid, or the name of a baseline.
Options: the same line with --help at its end, for example: policies train cascade/adopt_profit --help
"""

Words = list[str]
MODEL_BASED = "model-based:"


def _train(words: Words) -> int | None:
    if not words or not words[0].startswith(("bimanual/", "cascade/", "humanoid/")):
        wanted = "a target, bimanual/TASK, cascade/PROBLEM or humanoid/walk (policies list targets)"
        return _explain("train", words, wanted)
    room, _, name = words[0].partition("/")
    if room == "humanoid":
        from policies.humanoid.commands import train
    elif room == "cascade":
        from policies.cascade.commands import train
    else:
        from policies.bimanual.commands import train
    return _call(train, f"train {room}/", [name, *words[1:]])


def _evaluate(words: Words) -> int | None:
    from policies.checkpoint import EXPERT

    if not words or words[0].startswith("-"):
        return _explain("eval", words, "a policy: a folder made by policies train, expert:bimanual/TASK, or a baseline")
    if words[0].startswith(EXPERT) or (Path(words[0]).exists() and _room(words[0]) == "bimanual"):
        from policies.bimanual.commands import evaluate
    elif words[0].startswith(MODEL_BASED) or (Path(words[0]).exists() and _room(words[0]) == "humanoid"):
        from policies.humanoid.commands import evaluate
    else:
        from policies.cascade.commands import evaluate
    return _call(evaluate, "eval", words)


def _room(folder: str) -> str:
    from policies.checkpoint import describe
    from policies.kinds import KINDS

    return KINDS[describe(folder)[0].kind].room


def _view(words: Words) -> int | None:
    from policies.checkpoint import EXPERT

    if not words or words[0].startswith("-"):
        return _explain("view", words, "a policy of cascades: a folder made by policies train, or a baseline")
    if words[0].startswith(EXPERT) or (Path(words[0]).exists() and _room(words[0]) == "bimanual"):
        raise TwinloomError(
            f"policies view shows cascades; for {words[0]}: policies eval {words[0]} --episodes 1 --video FOLDER"
        )
    from policies.cascade.view import view

    return _call(view, "view", words)


def _experiment(words: Words) -> int | None:
    from policies.cascade.commands import experiment

    if not words or words[0].startswith("-"):
        return _call(experiment, "experiment", words)
    return experiment(words[0], *words[1:])  # the experiment parses its own options


def _serve(words: Words) -> int | None:
    from policies.commands import serve

    return _call(serve, "serve", words)


def _export(words: Words) -> int | None:
    from policies.commands import export

    return _call(export, "export", words)


def list_names(what: Annotated[Literal["targets", "kinds"], tyro.conf.Positional]) -> int:
    """Print what can be trained, or the kinds of policies.

    Args:
        what: which list.
    """
    from policies.kinds import KINDS
    from sim.catalogue import aligned, lines

    if what == "kinds":
        print("\n".join(aligned({name: KINDS[name].summary for name in KINDS})))
        return 0
    print("\n".join(lines("tasks")))
    return 0


COMMANDS: dict[str, Callable[[Words], int | None]] = {
    "train": _train,
    "eval": _evaluate,
    "view": _view,
    "serve": _serve,
    "export": _export,
    "experiment": _experiment,
    "list": lambda words: _call(list_names, "list", words),
}


def _call(function: Callable[..., int | None], path: str, words: Words) -> int | None:
    """Parse the words for a function; ``path`` is how its command is called, for usage lines."""
    if any(word in ("-h", "--help") for word in words):
        words = ["--help"]  # tyro leaves out of the help what was given already
    return tyro.cli(function, prog=f"policies {path}", args=words)


def _explain(command: str, words: Words, wanted: str) -> int:
    """The general help where it was asked for, else one line."""
    if words and words[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0
    given = f'"{words[0]}" is not' if words else "is missing"
    raise TwinloomError(f"policies {command}: {given} {wanted}" if words else f"policies {command} needs {wanted}")


def run(words: Words) -> int | None:
    """Body of the command for these words."""
    if not words or words[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0
    if words[0] not in COMMANDS:
        raise TwinloomError(f'unknown command "policies {words[0]}"; there are {", ".join(COMMANDS)}')
    return COMMANDS[words[0]](words[1:])


def main() -> None:
    """Entry point of the ``policies`` command."""
    run_command(lambda: run(sys.argv[1:]))


if __name__ == "__main__":
    main()

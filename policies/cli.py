"""``policies``: train, evaluate, watch, serve, export. The task or the policy decides whose options these are."""

from __future__ import annotations

from typing import Annotated, Literal

import tyro

from policies.commands import export, serve
from twinloom.application import Application, Rest, options_of
from twinloom.errors import TwinloomError, UnknownNameError

app = Application("policies", "Policies: train, evaluate, watch, serve.")
Positional = tyro.conf.Positional
TASK, POLICY, NAME = (tyro.conf.arg(metavar=text) for text in ("TASK|KIND", "POLICY", "NAME"))


@app.chooser("train")
def train(target: Annotated[str, Positional, TASK]) -> Rest:
    """Train a policy. Options: policies train TASK --help, or policies train KIND --help.

    Args:
        target: family/task, or a name that is unique (policies list targets); or a kind of policy (policies list
            kinds) before the task, where it is not the one that its family trains.
    """
    from policies.kinds import KINDS
    from sim.families import all_tasks, find

    if target in KINDS:
        if (trainer := KINDS[target].train) is None:
            raise TwinloomError(f"{target} is no kind that is trained by itself; name a task: policies list targets")
        from twinloom.plugins import load_of

        return options_of(load_of(f"policy kind {target}", trainer), f"policies train {target}")
    try:
        family, task = find(target)
    except UnknownNameError:
        names = [name for task in all_tasks() for name in (task, task.partition("/")[2])]
        raise UnknownNameError("task or kind", target, [*names, *KINDS], "policies list targets") from None
    return options_of(family.get("train"), "policies train", f"{family.name}/{task}")


@app.chooser("eval")
def evaluate(policy: Annotated[str, Positional, POLICY]) -> Rest:
    """Success rates or returns of policies, side by side. Options: policies eval POLICY --help.

    Args:
        policy: folder made by policies train, expert:family/task, or a name (policies list policies).
    """
    from policies.lookup import family_of

    return options_of(family_of(policy).get("evaluate"), "policies eval", policy)


@app.chooser("view")
def view(policy: Annotated[str, Positional, POLICY]) -> Rest:
    """Watch a policy at work, as a video or an image. Options: policies view POLICY --help.

    Args:
        policy: folder made by policies train, or a name (policies list policies).
    """
    from policies.lookup import family_of

    family = family_of(policy)
    if family.watch is None:
        raise TwinloomError(
            f"there is no view of policies of {family.name}; "
            f"a video: policies eval {policy} --episodes 1 --video FOLDER"
        )
    return options_of(family.get("watch"), "policies view", policy)


@app.chooser("experiment")
def experiment(name: Annotated[str, Positional, NAME]) -> Rest:
    """Repeat an experiment of the documentation. Options: policies experiment NAME --help.

    Args:
        name: which (policies list experiments).
    """
    from sim.families import families

    every = {one: family for family in families().values() for one in family.names("experiments")}
    if name not in every:
        raise UnknownNameError("experiment", name, every, "policies list experiments")
    return lambda words: every[name].get("experiment")(name, *words)


@app.command(name="list")
def list_names(what: Annotated[Literal["targets", "kinds", "policies", "experiments"], Positional]) -> int:
    """Print what can be trained, the kinds of policies, the policies known by name, or the experiments.

    Args:
        what: which list.
    """
    from policies.lookup import lines

    print("\n".join(lines(what)))
    return 0


app.command(serve)
app.command(export)
main = app.main

if __name__ == "__main__":
    main()

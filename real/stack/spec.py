"""Stacks: which nodes run together, as one YAML file that both `real up` and ROS's launch files start. Loads no ROS."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from real.contract import load_contract
from real.contract.parse import read_yaml
from real.policy.walking import check_truth
from real.stack.parameters import PARAMETERS, check, coerce
from sim.families import find
from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError
from twinloom.machine import REPOSITORY

ARGUMENT = re.compile(r"\$\((\w+)\)")
OFF = ("", "false", "none", "no", "off", "0")
NODE_KEYS = (
    "name",
    "module",
    "namespace",
    "params",
    "remap",
    "when",
    "unless",
    "required",
    "restart",
    "stop_grace_s",
)


@dataclass(frozen=True)
class Argument:
    """What a person may set with ``name:=value``: the default and a line of help."""

    name: str
    default: str
    help: str


@dataclass(frozen=True)
class NodeSpec:
    """One process of a stack, every argument filled in.

    Attributes:
        name, namespace: of the ROS node; module: what ``python -m`` runs.
        params: parameter name to value, checked against what the node declares.
        remap: topic to the topic it is replaced by.
        required: its end is the end of the stack.
        restarts, backoff_s: how often it is started again after a failure, and the first pause, doubled each time.
        stop_grace_s: time to stop after SIGINT.
    """

    name: str
    module: str
    namespace: str = "/"
    params: dict[str, Any] = field(default_factory=dict)
    remap: dict[str, str] = field(default_factory=dict)
    required: bool = False
    restarts: int = 0
    backoff_s: float = 1.0
    stop_grace_s: float = 3.0


@dataclass(frozen=True)
class Stack:
    """A stack file as it was read; `resolve` fills in the arguments."""

    name: str
    path: Path
    description: str
    args: dict[str, Argument]
    env: dict[str, str]
    nodes: list[dict[str, Any]]

    def resolve(self, given: Mapping[str, str]) -> list[NodeSpec]:
        """The nodes that run with these arguments, in their order.

        Raises:
            UnknownNameError: an argument, a parameter, a robot or a task that there is not.
            InvalidSettingsError: values that are not allowed, all of them.
        """
        for name in given:
            if name not in self.args:
                raise UnknownNameError("argument", name, self.args, f"real up {self.name} --args")
        values = {name: str(given.get(name, argument.default)) for name, argument in self.args.items()}
        nodes = [_node(node, values) for node in self.nodes if self._runs(node, values)]
        for node in nodes:
            _look_up(node)
        return nodes

    def environment(self) -> dict[str, str]:
        """Variables for every node: those of the file, and the transport profile for images unless there is one."""
        profile = self.path.parent.parent / "fastdds.xml"
        found = {"FASTDDS_DEFAULT_PROFILES_FILE": str(profile)} if profile.is_file() else {}
        return {name: value for name, value in {**found, **self.env}.items() if name not in os.environ}

    @staticmethod
    def _runs(node: Mapping[str, Any], values: Mapping[str, str]) -> bool:
        def on(word: Any) -> bool:
            return _fill(word, values).lower() not in OFF

        when, unless = node.get("when", True), node.get("unless", False)
        return all(map(on, when if isinstance(when, list) else [when])) and not on(unless)


def folders() -> list[Path]:
    """Where stack files are looked for: the repository, or what an installed wheel brought."""
    return [REPOSITORY / "launch" / "stacks", Path(sys.prefix) / "share" / "twinloom" / "launch" / "stacks"]


def stacks() -> list[str]:
    """Names of all stacks, sorted."""
    return sorted({path.stem for folder in folders() for path in folder.glob("*.yaml")})


def load_stack(name_or_path: str | Path) -> Stack:
    """Read a stack by name (``launch/stacks/<name>.yaml``) or from a file.

    Raises:
        UnknownNameError: there is no such stack.
        InvalidSettingsError: the file is wrong; all its problems are listed.
    """
    text = str(name_or_path)
    own = Path(text).expanduser()
    paths = [own] if text.endswith((".yaml", ".yml")) else [folder / f"{text}.yaml" for folder in folders()]
    for path in paths:
        if path.is_file():
            return _read(path)
    raise UnknownNameError("stack", text, stacks(), "real list stacks")


def parse_arguments(words: list[str]) -> dict[str, str]:
    """``["task:=click_bell"]`` as a dictionary. Raises TwinloomError for anything else."""
    pairs = {}
    for word in words:
        name, sign, value = word.partition(":=")
        if not sign or not name:
            raise TwinloomError(f'"{word}" is no argument; arguments look like task:=click_bell')
        pairs[name] = value
    return pairs


def _read(path: Path) -> Stack:
    table, problems = read_yaml(path), []
    if not isinstance(table, dict):
        raise InvalidSettingsError(path.name, ["must be a table with the keys args, env and nodes"])
    problems += [
        f"unknown key {k}; allowed: description, args, env, nodes"
        for k in table.keys() - {"description", "args", "env", "nodes"}
    ]
    args = {}
    for name, entry in (table.get("args") or {}).items():
        if not isinstance(entry, dict) or set(entry) != {"default", "help"}:
            problems.append(f"argument {name} must be {{default: ..., help: ...}}")
        else:
            args[name] = Argument(name, _text(entry["default"]), str(entry["help"]))
    nodes = table.get("nodes") or []
    if not isinstance(nodes, list) or not nodes:
        problems.append("nodes must be a list of at least one node")
        nodes = []
    for position, node in enumerate(nodes):
        problems += [f"nodes[{position}]: {problem}" for problem in _node_problems(node, args)]
    if problems:
        raise InvalidSettingsError(path.name, problems)
    env = {str(k): str(v) for k, v in (table.get("env") or {}).items()}
    return Stack(path.stem, path, str(table.get("description", "")), args, env, nodes)


def _node_problems(node: Any, args: Mapping[str, Argument]) -> list[str]:
    if not isinstance(node, dict):
        return [f"must be a table, got {node!r}"]
    problems = [f"unknown key {key}; allowed: {', '.join(NODE_KEYS)}" for key in node.keys() - set(NODE_KEYS)]
    problems += [f"{key} is missing" for key in ("name", "module") if key not in node]
    module = node.get("module", "")
    if module and module not in PARAMETERS:
        problems.append(f"{module} is no node; nodes are: {', '.join(PARAMETERS)}")
    for name in (node.get("params") or {}) if module in PARAMETERS else ():
        if name not in PARAMETERS[module]:
            problems.append(f"{module} has no parameter {name}; it has: {', '.join(PARAMETERS[module])}")
    used = ARGUMENT.findall(repr(node))
    problems += [f"$({name}) is no argument of this stack" for name in sorted(set(used) - args.keys())]
    restart = node.get("restart")
    if restart is not None and (not isinstance(restart, dict) or set(restart) - {"max", "backoff_s"}):
        problems.append("restart must be {max: 3, backoff_s: 1}")
    return problems


def _node(node: Mapping[str, Any], values: Mapping[str, str]) -> NodeSpec:
    module = node["module"]
    given = {name: _fill(value, values) for name, value in (node.get("params") or {}).items()}
    params = {name: coerce(module, name, text) for name, text in given.items()}
    check(module, params)
    restart = node.get("restart") or {}
    return NodeSpec(
        name=_fill(node["name"], values),
        module=module,
        namespace=_fill(node.get("namespace", "/"), values),
        params=params,
        remap={_fill(k, values): _fill(v, values) for k, v in (node.get("remap") or {}).items()},
        required=bool(node.get("required", False)),
        restarts=int(restart.get("max", 0)),
        backoff_s=float(restart.get("backoff_s", 1.0)),
        stop_grace_s=float(node.get("stop_grace_s", 3.0)),
    )


def _look_up(node: NodeSpec) -> None:
    """Robots and tasks that a node is given must exist: better said now than by a node that has just been started."""
    if "robot" in node.params:
        load_contract(node.params["robot"])
    named = [node.params.get("task", "")] if node.module == "real.ros.sim_robot" else []
    if node.module == "real.ros.walker":
        check_truth(str(node.params.get("policy", "")), bool(node.params.get("truth", False)))
    kind, _, task = str(node.params.get("policy", "")).partition(":")
    named += [task] if kind == "expert" else []
    for task in filter(None, named):
        find(task)


def _fill(value: Any, values: Mapping[str, str]) -> str:
    return ARGUMENT.sub(lambda match: values[match.group(1)], _text(value))


def _text(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else "" if value is None else str(value)

"""What a policy is: observations in, chunks of actions out, and a description of both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from twinloom.errors import InvalidSettingsError, TwinloomError
from twinloom.features import Feature

Observation = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class PolicySpec:
    """Everything a simulator or a robot must know to run a policy; it is the content of policy.json.

    Attributes:
        kind: which code runs it, a name of policies.checkpoint.KINDS.
        observation: what ``act`` needs, named as in datasets ("observation.state", "observation.images.head").
        action: one action; its names are the joints that are commanded, in order.
        fps: actions per second.
        horizon: actions in a chunk.
        n_action_steps: actions of a chunk that are carried out before the policy is asked again; every runner does so
            unless it is told otherwise. Half a chunk where nobody chose.
        robot: the robot whose joints these are (sim list robots), or None where there is none.
        task: what it was made for, "bimanual/click_bell", or "".
        normalization: feature name to the ranges {"low": [...], "high": [...]} that its network sees as [-1, 1].
        render: image quality that its cameras were drawn with (auto, fast, nice, best).
        extra: whatever else its kind needs, JSON: size of the network, settings and data of the training.
    """

    kind: str
    observation: dict[str, Feature]
    action: Feature
    fps: float
    horizon: int
    n_action_steps: int = 0
    robot: str | None = None
    task: str = ""
    normalization: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    render: str = "auto"
    extra: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises InvalidSettingsError with everything that is wrong."""
        if not self.n_action_steps:
            object.__setattr__(self, "n_action_steps", max(1, self.horizon // 2))
        problems = []
        if not self.kind:
            problems.append("kind is empty")
        if not (math.isfinite(self.fps) and self.fps > 0):
            problems.append(f"fps {self.fps} must be a positive number")
        if self.horizon < 1:
            problems.append(f"horizon {self.horizon} must be at least 1")
        elif not 1 <= self.n_action_steps <= self.horizon:
            problems.append(f"n_action_steps {self.n_action_steps}: a chunk has {self.horizon} actions")
        if len(self.action.shape) != 1 or self.action_dim < 1:
            problems.append(f"an action of shape {self.action.shape} is not one row of numbers")
        elif len(self.action.names) != self.action_dim:
            problems.append(f"{len(self.action.names)} names for {self.action_dim} numbers of an action")
        elif len(set(self.action.names)) != self.action_dim:
            problems.append("two numbers of an action have the same name")
        if problems:
            raise InvalidSettingsError("policy description", problems)

    @property
    def action_dim(self) -> int:
        """Numbers in an action."""
        return self.action.shape[0]

    def to_json(self) -> dict[str, Any]:
        """As JSON; the inverse of from_json."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> PolicySpec:
        """Raises KeyError, TypeError or ValueError where something is missing or of another type."""
        return cls(
            kind=str(value["kind"]),
            observation={str(name): Feature.from_json(one) for name, one in value["observation"].items()},
            action=Feature.from_json(value["action"]),
            fps=float(value["fps"]),
            horizon=int(value["horizon"]),
            n_action_steps=int(value["n_action_steps"]),
            robot=None if value["robot"] is None else str(value["robot"]),
            task=str(value["task"]),
            normalization={str(name): dict(ranges) for name, ranges in value["normalization"].items()},
            render=str(value["render"]),
            extra=dict(value["extra"]),
        )


@runtime_checkable
class Policy(Protocol):
    """Something that acts. Not thread-safe; one object follows one episode at a time."""

    @property
    def spec(self) -> PolicySpec:
        """What it needs and gives."""
        ...

    def reset(self) -> None:
        """A new episode begins."""
        ...

    def act(self, observation: Observation) -> np.ndarray:
        """The next actions, (horizon, action_dim) float; row k is due k + 1 periods of 1 / fps after the observation.

        Args:
            observation: at least the arrays of ``spec.observation``, each of its shape; more are ignored.
        """
        ...


def check_observation(spec: PolicySpec, observation: Observation) -> None:
    """Refuse an observation that does not fit the policy, before it does harm.

    Raises:
        TwinloomError: an array is missing, of another shape or type, or not finite; every problem at once.
    """
    problems = []
    for name, feature in spec.observation.items():
        if name not in observation:
            problems.append(f"{name} is missing")
            continue
        value = np.asarray(observation[name])
        if value.shape != feature.shape:
            problems.append(f"{name} has shape {value.shape}, not {feature.shape}")
        elif feature.dtype in ("video", "image") and value.dtype != np.uint8:
            problems.append(f"{name} is {value.dtype}, not uint8")
        elif not np.issubdtype(value.dtype, np.number):
            problems.append(f"{name} is {value.dtype}, not numbers")
        elif not np.isfinite(value).all():
            problems.append(f"{name} is not finite")
    if problems:
        raise TwinloomError(f"observation for the {spec.kind} policy: {'; '.join(problems)}")


def check_actions(spec: PolicySpec, actions: Any) -> np.ndarray:
    """What ``act`` returned as (horizon, action_dim) float64. Raises TwinloomError if it is not that, or not finite."""
    found = np.asarray(actions)
    shape = (spec.horizon, spec.action_dim)
    if found.shape != shape or not np.issubdtype(found.dtype, np.number):
        raise TwinloomError(f"the {spec.kind} policy gave {found.dtype} of shape {found.shape}, not numbers {shape}")
    if not np.isfinite(found).all():
        raise TwinloomError(f"the {spec.kind} policy gave actions that are not finite")
    return found.astype(float)

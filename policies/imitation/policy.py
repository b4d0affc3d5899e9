"""The cloned policy: a network, the ranges its numbers were scaled with, and the images' size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from policies.base import Observation, PolicySpec
from policies.imitation.data import shrink
from policies.imitation.network import ChunkNetwork
from twinloom.errors import TwinloomError
from twinloom.features import ACTION, IMAGES, STATE

SMALLEST = 1e-4  # a number with a smaller range never changed; it is passed on as it is


@dataclass(frozen=True)
class Scale:
    """Linear map of the recorded range of each number to [-1, 1].

    Attributes:
        low, high: (D,) float32.
    """

    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray) -> Scale:
        """Of recorded rows (N, D). Numbers that never changed keep their unit, with the recorded value as the zero."""
        low, high = rows.min(0).astype(np.float32), rows.max(0).astype(np.float32)
        fixed = high - low < SMALLEST
        return cls(np.where(fixed, low - 1, low), np.where(fixed, low + 1, high))

    def to_json(self) -> dict[str, list[float]]:
        """{"low": [...], "high": [...]}."""
        return {"low": self.low.tolist(), "high": self.high.tolist()}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Scale:
        """Inverse of to_json. Raises TwinloomError for ranges that are none."""
        low, high = (np.asarray(value[name], np.float32) for name in ("low", "high"))
        if low.shape != high.shape or not np.isfinite([low, high]).all() or not (high > low).all():
            raise TwinloomError("the ranges of a policy's normalisation are damaged")
        return cls(low, high)

    def scaled(self, rows: torch.Tensor) -> torch.Tensor:
        """(..., D) to [-1, 1] for what lies within the range."""
        low, high = torch.from_numpy(self.low), torch.from_numpy(self.high)
        return (rows - low) / (high - low) * 2 - 1

    def unscaled(self, rows: torch.Tensor) -> torch.Tensor:
        """Inverse of scaled."""
        low, high = torch.from_numpy(self.low), torch.from_numpy(self.high)
        return (rows + 1) / 2 * (high - low) + low


MOST_PIXELS = 4096  # on a side


class ImitationPolicy:
    """Acts as the recorded episodes suggest; has no memory, so a reset changes nothing.

    Args:
        spec: description; its ``extra`` holds "network" (arguments of ChunkNetwork).
        tensors: weights.

    Raises:
        TwinloomError: weights and description do not belong together.
    """

    def __init__(self, spec: PolicySpec, tensors: Mapping[str, np.ndarray]) -> None:
        self.spec = spec
        arguments, scales = spec.extra["network"], spec.normalization
        self._image_size = (int(arguments["image_size"][0]), int(arguments["image_size"][1]))
        self._images = [name for name in spec.observation if name.startswith(IMAGES)]
        self._state, self._action = (Scale.from_json(scales[name]) for name in (STATE, ACTION))
        _refuse_misfit(spec, tensors)
        self.network = build(spec)
        try:
            self.network.load_state_dict({name: torch.from_numpy(np.array(a)) for name, a in tensors.items()})
        except RuntimeError as error:
            raise TwinloomError(
                f"the weights do not fit the description: {str(error).splitlines()[-1].strip()}"
            ) from error
        self.network.eval()

    def reset(self) -> None:
        """A new episode begins."""

    @torch.inference_mode()
    def act(self, observation: Observation) -> np.ndarray:
        """The next actions, (horizon, action_dim) float32: absolute joint targets and openings in [0, 1].

        Args:
            observation: "observation.state" (S,) and the images of the description, (H, W, 3) uint8.
        """
        state = self._state.scaled(torch.from_numpy(np.array(observation[STATE], np.float32))[None])
        views = [shrink(torch.from_numpy(np.array(observation[name])), self._image_size) for name in self._images]
        images = as_input(torch.stack(views)[None] if views else torch.zeros(1, 0, 3, *self._image_size[::-1]))
        return self._action.unscaled(self.network(clipped(state), images))[0].numpy()


def as_input(images: torch.Tensor) -> torch.Tensor:
    """uint8 to [-1, 1]."""
    return images.float() / 127.5 - 1


def clipped(state: torch.Tensor) -> torch.Tensor:
    """Scaled numbers far outside what was recorded would only mislead the network."""
    return state.clamp(-1.5, 1.5)


def build(spec: PolicySpec) -> ChunkNetwork:
    """An untrained network for a description."""
    arguments = spec.extra["network"]
    return ChunkNetwork(
        state=spec.observation[STATE].shape[0],
        action=spec.action_dim,
        cameras=sum(name.startswith(IMAGES) for name in spec.observation),
        image_size=(int(arguments["image_size"][0]), int(arguments["image_size"][1])),
        horizon=spec.horizon,
        width=int(arguments["width"]),
        channels=int(arguments["channels"]),
    )


def _refuse_misfit(spec: PolicySpec, tensors: Mapping[str, np.ndarray]) -> None:
    """Compare the shapes that a description asks for with those of the weights, before any memory is asked for."""
    if max(map(int, spec.extra["network"]["image_size"])) > MOST_PIXELS:
        raise TwinloomError(f"the description asks for images of {spec.extra['network']['image_size']} pixels")
    try:
        with torch.device("meta"):
            wanted = {name: tuple(tensor.shape) for name, tensor in build(spec).state_dict().items()}
    except RuntimeError as error:  # the size itself is no number any more
        raise TwinloomError(f"the description asks for an impossible network: {error}") from error
    for name in sorted(wanted.keys() | tensors.keys()):
        given = tensors[name].shape if name in tensors else None
        if given != wanted.get(name):
            raise TwinloomError(
                f"the weights do not fit the description: {name} is {given}, the description says {wanted.get(name)}"
            )


def load(spec: PolicySpec, tensors: Mapping[str, np.ndarray]) -> ImitationPolicy:
    """Loader of the kind "imitation"."""
    return ImitationPolicy(spec, tensors)

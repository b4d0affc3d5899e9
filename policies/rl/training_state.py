"""What it takes to continue a training: networks, optimizers, statistics, positions and random states."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from policies.rl.replay import Replay
from policies.rl.vecenv import Normalise
from policies.rl.weight_average import Average
from twinloom.atomic import write_json
from twinloom.errors import TwinloomError

TENSORS, NUMBERS = "state.pt", "state.json"
DAMAGE = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
    EOFError,
    pickle.UnpicklingError,
)
"""What reading a damaged state may raise: it is only data, but of any shape."""


def save(model: BaseAlgorithm, env: Normalise, actor: Average, folder: Path) -> None:
    """Write the state of a learner into a folder.

    Args:
        model: the learner, between two updates.
        env: its environment.
        actor: average of its actor.
    """
    names, _ = model._get_torch_save_params()  # where Stable-Baselines3 keeps what its own zip would hold
    tensors = {name: _part(model, name).state_dict() for name in names}
    if (alpha := getattr(model, "log_ent_coef", None)) is not None:
        tensors["log_ent_coef"] = alpha.detach()
    buffer = io.BytesIO()  # PyTorch's own writer hides why it could not write
    torch.save({"parts": tensors, "torch": torch.get_rng_state(), "actor": actor.state()}, buffer)
    (folder / TENSORS).write_bytes(buffer.getbuffer())
    numbers: dict[str, Any] = {
        "steps": model.num_timesteps,
        "episodes": int(getattr(model, "_episode_num", 0)),
        "updates": int(getattr(model, "_n_updates", 0)),
        "statistics": {n: {k: v.tolist() for k, v in s.items()} for n, s in env.statistics().items()},
    }
    if isinstance(replay := getattr(model, "replay_buffer", None), Replay):
        numbers |= replay.place()
        if hasattr(replay.rows, "flush"):
            replay.rows.flush()  # type: ignore[union-attr]
    write_json(folder / NUMBERS, numbers)


def load(model: BaseAlgorithm, env: Normalise, actor: Average, folder: Path) -> dict[str, Any]:
    """Put a saved state into a fresh learner with the same settings; returns the saved numbers.

    Raises:
        TwinloomError: the state is damaged.
    """
    try:
        numbers = json.loads((folder / NUMBERS).read_text(encoding="utf-8"))
        saved = torch.load(folder / TENSORS, weights_only=True, map_location="cpu")
        _check(model, numbers, saved)
        for name, state in saved["parts"].items():
            if name == "log_ent_coef":
                with torch.no_grad():
                    model.log_ent_coef.copy_(state)  # type: ignore[attr-defined]
            else:
                _part(model, name).load_state_dict(state)
        torch.set_rng_state(saved["torch"])
        actor.restore(saved["actor"])
        env.restore(numbers["statistics"])
        model.num_timesteps = int(numbers["steps"])
        vars(model)["_episode_num"] = int(numbers["episodes"])
        vars(model)["_n_updates"] = int(numbers["updates"])
        if isinstance(replay := getattr(model, "replay_buffer", None), Replay):
            replay.restore(numbers)
    except DAMAGE as error:
        what = " ".join(str(error).split())[:200]  # PyTorch writes paragraphs
        raise TwinloomError(
            f"cannot continue from {folder}: it is damaged ({type(error).__name__}: {what}); train into a new --out"
        ) from error
    return numbers


def _check(model: BaseAlgorithm, numbers: Any, saved: Any) -> None:
    """Refuse what cannot have been saved. Raises an error of `DAMAGE`."""
    for name in ("steps", "episodes", "updates"):
        if type(numbers[name]) is not int or numbers[name] < 0:
            raise ValueError(f"{name} {numbers[name]} in {NUMBERS} is not a whole number from 0")
    wanted = {*model._get_torch_save_params()[0]}
    wanted |= {"log_ent_coef"} if getattr(model, "log_ent_coef", None) is not None else set()
    if {*saved["parts"]} != wanted:
        raise ValueError(f"{TENSORS} holds {', '.join(saved['parts'])} instead of {', '.join(sorted(wanted))}")
    for name, tensor in _tensors(saved, TENSORS):
        if not torch.isfinite(tensor).all():
            raise ValueError(f"{name} is not finite")


def _tensors(value: Any, name: str) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor in nested tables and lists, with where it is."""
    if torch.is_tensor(value):
        yield name, value
    elif isinstance(value, dict | list | tuple):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _tensors(one, f"{name}/{key}")


def _part(model: BaseAlgorithm, name: str) -> Any:
    part: Any = model
    for step in name.split("."):
        part = getattr(part, step)
    return part

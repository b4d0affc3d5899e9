"""Checkpoint folders: policy.json, model.safetensors and, for those who continue, training/. Nothing in it is code."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import assets
from policies.base import Policy, PolicySpec
from policies.experts import EXPERT, make
from policies.kinds import KINDS
from policies.upgrade import from_layout_1
from twinloom.atomic import PARTIAL, atomic_folder, write_json
from twinloom.errors import TwinloomError, require
from twinloom.machine import commit, versions

FORMAT, LAYOUT = "twinloom-policy", 2
DESCRIPTION, WEIGHTS, TRAINING, LAST = "policy.json", "model.safetensors", "training", "last"
SHIPPED = Path(assets.__path__[0]) / "checkpoints"
PACKAGES = ("numpy", "torch", "safetensors")
MOST_TEXT = 16 * 2**20  # bytes of policy.json
MOST_NUMBERS = 2**27  # of an observation or a chunk: more is a damaged number, and is not asked for

Training = Callable[[Path], None]


@dataclass(frozen=True)
class Checkpoint:
    """What was read from a folder.

    Attributes:
        folder: where it is.
        spec: the policy's description.
        tensors: name to array; all finite.
        made: how it came about: "command", "commit" and "versions".
    """

    folder: Path
    spec: PolicySpec
    tensors: dict[str, np.ndarray]
    made: dict[str, Any]


def save(
    folder: Path | str,
    spec: PolicySpec,
    tensors: Mapping[str, np.ndarray],
    training: Training | None = None,
    *,
    command: str | None = None,
) -> Path:
    """Write a checkpoint; the folder appears, or is replaced, as a whole.

    Args:
        tensors: name to array, written to model.safetensors.
        training: called with the empty folder ``training/``, writes there whatever it takes to continue (optimizer,
            random states, replay buffer). Without it the checkpoint can be used, but not continued.
        command: how to make it again; the command line of this process if None.

    Raises:
        UnknownNameError: the kind is not registered.
        TwinloomError: a weight is not finite, the folder holds something else, or nothing can be written there.
    """
    folder = Path(folder)
    _refuse_foreign(folder)
    KINDS[spec.kind]
    arrays = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
    _refuse_non_finite(folder, arrays)
    safetensors = require("safetensors.numpy", "rl")
    recover(folder)
    with atomic_folder(folder) as temporary:
        weights = safetensors.save(arrays)
        (temporary / WEIGHTS).write_bytes(weights)
        if training is not None:
            (temporary / TRAINING).mkdir()
            training(temporary / TRAINING)
        made = {
            "command": command or _command_line(),
            "commit": commit(),
            "versions": versions(*PACKAGES),
        }
        head = {"format": FORMAT, "layout": LAYOUT, "sha256": hashlib.sha256(weights).hexdigest(), "made": made}
        write_json(temporary / DESCRIPTION, head | spec.to_json())
    return folder


def export(folder: Path | str, out: Path | str) -> Path:
    """Copy what it takes to use a policy, byte for byte, without what it takes to continue its training.

    Raises:
        TwinloomError: the checkpoint is damaged, ``out`` holds something else, or cannot be written.
    """
    source, out = read(folder).folder, Path(out)
    _refuse_foreign(out)
    with atomic_folder(out) as temporary:
        for name in (DESCRIPTION, WEIGHTS):
            shutil.copyfile(source / name, temporary / name)
    return out


def find(folder: Path | str) -> Path:
    """The checkpoint meant by a folder: itself, or the newest of a run (its ``last``); or the shipped one of that name.

    Raises:
        TwinloomError: there is none.
    """
    if not (folder := Path(folder)).exists() and str(folder) in shipped():
        return SHIPPED / folder
    for place in (folder, folder / LAST):
        for path in (place, *_leftovers(place)):
            if (path / DESCRIPTION).is_file():
                return path
    if not folder.exists():
        raise TwinloomError(f"there is no folder {folder}; a policy is a folder made by: policies train")
    if (folder / WEIGHTS).exists():
        raise TwinloomError(f"{folder} has weights but no {DESCRIPTION}; it is not a checkpoint of ours, or incomplete")
    raise TwinloomError(f"{folder} is not a policy: it has neither a {DESCRIPTION} nor a checkpoint {LAST}/")


def shipped() -> list[str]:
    """Names of the checkpoints that come with twinloom."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{DESCRIPTION}"))


def exists(name: Path | str) -> bool:
    """Whether a policy of this name could be read: there is such a folder, or it is shipped."""
    return Path(name).exists() or str(name) in shipped()


def recover(folder: Path) -> None:
    """Undo a replacement that a kill cut in two: the checkpoint that was being replaced takes its place again."""
    for old in [] if folder.exists() else _leftovers(folder):
        os.rename(old, folder)
        return


def describe(folder: Path | str) -> tuple[PolicySpec, dict[str, Any]]:
    """Read and check policy.json alone: the description, and the whole file.

    Raises:
        TwinloomError: missing, damaged, not ours, or written by a newer version.
    """
    path = find(folder) / DESCRIPTION
    try:
        if path.stat().st_size > MOST_TEXT:
            raise TwinloomError(f"{path} is no description: it is larger than {MOST_TEXT >> 20} MiB")
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise TwinloomError(f"{path} is not readable: {error}") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise TwinloomError(f"{path} was not written by twinloom: it lacks the mark {FORMAT!r}")
    layout = value.get("layout")
    if not isinstance(layout, int) or not 1 <= layout <= LAYOUT:
        raise TwinloomError(f"{path} has layout {layout!r}; this version reads up to {LAYOUT}: update twinloom")
    KINDS[str(value.get("kind"))]
    if not isinstance(value.get("made", {}), dict):
        raise TwinloomError(f"{path} is damaged: made must be a table")
    try:
        spec = PolicySpec.from_json(value if layout == LAYOUT else from_layout_1(value))
        _refuse_absurd(spec)
        return spec, value
    except TwinloomError as error:
        raise TwinloomError(f"{path} is damaged: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TwinloomError(f"{path} is damaged: {type(error).__name__} {error}") from error


def read(folder: Path | str) -> Checkpoint:
    """Read a checkpoint and check that it is complete, unharmed and finite.

    Raises:
        TwinloomError: it is not, with what is wrong.
    """
    place = find(folder)
    spec, value = describe(place)
    path = place / WEIGHTS
    safetensors = require("safetensors", "rl")
    numpy_format = require("safetensors.numpy", "rl")
    if path.exists() and not path.is_file():
        raise TwinloomError(f"{path} is no file")  # a pipe would be waited for, for ever
    try:
        weights = path.read_bytes()
        arrays = numpy_format.load(weights)
    except FileNotFoundError:
        raise TwinloomError(f"{place} is incomplete: {WEIGHTS} is missing") from None
    except (OSError, KeyError, safetensors.SafetensorError) as error:
        raise TwinloomError(f"{path} is truncated or damaged: {error}") from error
    if hashlib.sha256(weights).hexdigest() != value.get("sha256"):
        raise TwinloomError(f"{path} is not the file that {DESCRIPTION} was written with; copy the folder again")
    _refuse_non_finite(place, arrays)
    return Checkpoint(place, spec, arrays, dict(value.get("made", {})))


def training_of(folder: Path | str) -> Path:
    """The folder with what it takes to continue. Raises TwinloomError if the checkpoint has none."""
    path = find(folder) / TRAINING
    if not path.is_dir():
        raise TwinloomError(
            f"{path.parent} can be used but not continued: it has no {TRAINING}/; train into a new --out"
        )
    return path


def load_policy(policy: Path | str, **options: Any) -> Policy:
    """See policies.load."""
    if isinstance(policy, str) and policy.startswith(EXPERT):
        return make(policy, **options)
    checkpoint = read(policy)
    try:
        return KINDS[checkpoint.spec.kind].loader()(checkpoint.spec, checkpoint.tensors, **options)
    except KeyError as error:
        raise TwinloomError(f"{checkpoint.folder} is damaged: it lacks {error}") from error
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:  # of what "extra" holds
        what = f"its description makes no {checkpoint.spec.kind} policy: {type(error).__name__} {error}"
        raise TwinloomError(f"{checkpoint.folder} is damaged: {what}") from error


def _refuse_absurd(spec: PolicySpec) -> None:
    sizes = {name: feature.shape for name, feature in spec.observation.items()}
    sizes["a chunk of actions"] = (spec.horizon, *spec.action.shape)
    for name, shape in sizes.items():
        if min(shape, default=1) < 0 or math.prod(shape) > MOST_NUMBERS:
            raise TwinloomError(f"{name} of shape {shape} is more than {MOST_NUMBERS:,} numbers")


def _refuse_non_finite(folder: Path, arrays: Mapping[str, np.ndarray]) -> None:
    bad = [name for name, array in arrays.items() if array.dtype.kind == "f" and not np.isfinite(array).all()]
    if bad:
        more = f" and {len(bad) - 3} more" if len(bad) > 3 else ""
        raise TwinloomError(f"{folder}: weights are not finite: {', '.join(bad[:3])}{more}; the training diverged")


def _command_line() -> str:
    """How this process was called; ``python -m policies`` is the ``policies`` command."""
    program = Path(sys.argv[0])
    return shlex.join([program.parent.name if program.name == "__main__.py" else program.name, *sys.argv[1:]])


def _refuse_foreign(folder: Path) -> None:
    """A checkpoint replaces its folder as a whole, and must not replace anything else."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / DESCRIPTION).is_file():
        raise TwinloomError(f"{folder} holds something that is no checkpoint; choose another folder")


def _leftovers(folder: Path) -> list[Path]:
    """What atomic_folder left where it was killed between its two renames."""
    return [] if folder.exists() else sorted(folder.parent.glob(f"{folder.name}.*.old{PARTIAL}"))

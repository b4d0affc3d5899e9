"""A walking network as ONNX, for robots without PyTorch, with everything that it takes to feed it in a JSON beside it.

policies export runs/walker --out walker.onnx                  # for any body: its description is an input
policies export runs/walker --out g1.onnx --robot g1           # for one: its description and mask are built in
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from policies.humanoid.bodies import Walker, real_walker
from policies.humanoid.networks import HISTORY, WalkingNetwork
from policies.humanoid.senses import DESCRIPTION, FRAME, LEGS, TASK
from policies.humanoid.student import FPS, load_network
from twinloom.atomic import atomic_file, write_json
from twinloom.errors import TwinloomError, require

TOLERANCE = 1e-4
"""Of actions, rad, between ONNX Runtime and PyTorch."""
TRIALS = 20
"""Random inputs that both are compared on."""
OPSET = 18


class ForAnyBody(nn.Module):
    """The network itself."""

    inputs = ("frames", "task", "mask", "description")
    outputs = ("action", "velocity")

    def __init__(self, network: WalkingNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, frames: Tensor, task: Tensor, mask: Tensor, description: Tensor) -> tuple[Tensor, Tensor]:
        """See WalkingNetwork."""
        return self.network(frames, task, mask, description)


class ForOneBody(nn.Module):
    """The network with a body's mask and description in it; its third output are joint targets (1, nu), rad."""

    inputs = ("frames", "task")
    outputs = ("action", "velocity", "targets")

    def __init__(self, network: WalkingNetwork, walker: Walker) -> None:
        super().__init__()
        self.network = network
        senses = walker.senses
        rest = senses.targets(np.zeros(LEGS))
        spread = np.array([senses.targets(one) - rest for one in np.eye(LEGS)])
        for name, value in (("mask", senses.mask[None]), ("description", walker.description[None])):
            self.register_buffer(name, torch.from_numpy(value).float())
        self.register_buffer("rest", torch.from_numpy(rest[None]).float())
        self.register_buffer("spread", torch.from_numpy(spread).float())

    def forward(self, frames: Tensor, task: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """[1, HISTORY, FRAME] and [1, TASK] to action, velocity and targets."""
        action, velocity = self.network(frames, task, self.mask, self.description)
        return action, velocity, self.rest + action @ self.spread


def export(policy: Path | str, out: Path, robot: str = "") -> float:
    """Write ``out`` (.onnx) and the JSON of its name, and compare it with the network.

    Args:
        policy: folder of a walking network.
        out: file to write.
        robot: build this robot's description in; "" leaves it an input.

    Returns:
        The largest difference of an output between ONNX Runtime and PyTorch, over random inputs.

    Raises:
        TwinloomError: no such policy or robot, a package of the extra "onnx" is missing, or the two differ.
    """
    require("onnxscript", "onnx")
    network, walker = load_network(policy), real_walker(robot) if robot else None
    model = (ForOneBody(network, walker) if walker else ForAnyBody(network)).eval()
    written = _convert(model)
    difference = compare(written, model)
    if not difference <= TOLERANCE:
        raise TwinloomError(f"ONNX Runtime and PyTorch differ by {difference:.2g}, allowed {TOLERANCE:g}; not written")
    with atomic_file(out) as temporary:
        temporary.write_bytes(written)
    write_json(out.with_suffix(".json"), layout(model, robot, walker, str(policy), difference))
    return difference


def compare(written: bytes, model: ForAnyBody | ForOneBody, trials: int = TRIALS) -> float:
    """Largest difference of outputs on random inputs, ONNX Runtime against PyTorch."""
    runtime = require("onnxruntime", "onnx")
    session = runtime.InferenceSession(written, providers=["CPUExecutionProvider"])
    rng, worst = torch.Generator().manual_seed(0), 0.0
    for _ in range(trials):
        inputs = _inputs(model, rng)
        with torch.inference_mode():
            wanted = model(*inputs)
        feed = {name: value.numpy() for name, value in zip(model.inputs, inputs, strict=True)}
        found = session.run(list(model.outputs), feed)
        pairs = zip(found, wanted, strict=True)
        worst = max(worst, *(float(np.abs(one - other.numpy()).max()) for one, other in pairs))
    return worst


def layout(
    model: ForAnyBody | ForOneBody, robot: str, walker: Walker | None, policy: str, difference: float
) -> dict[str, Any]:
    """What whoever feeds the file must know, JSON."""
    from assets.robots.humanoid.slots import SLOTS

    legs = list(SLOTS[:LEGS])
    about: dict[str, Any] = {
        "format": "twinloom-walking-onnx",
        "policy": policy,
        "robot": robot or None,
        "rate_hz": FPS,
        "largest_difference_to_pytorch": difference,
        "inputs": {
            "frames": {
                "shape": [1, HISTORY, FRAME],
                "order": "oldest first; the first fills the past",
                "frame": FRAMES,
            },
            "task": {"shape": [1, TASK], "numbers": TASKS},
        },
        "outputs": {
            "action": {"shape": [1, LEGS], "names": legs, "unit": "rad from the standing pose, in the leg slots"},
            "velocity": {"shape": [1, 3], "names": ["forward", "left", "up"], "unit": "sqrt(g L), an estimate"},
        },
        "units": "dimensionless: lengths in L (hip to sole), times in sqrt(L / g), g = 9.81 m/s^2",
        "slots": "canonical joint space: docs/humanoid/robot.md",
    }
    if walker is None:
        about["inputs"] |= {
            "mask": {"shape": [1, LEGS], "names": legs, "unit": "1 where the joint exists"},
            "description": {"shape": [1, DESCRIPTION], "unit": "policies.humanoid.senses.Senses.description"},
        }
        return about
    body, gains = walker.body, walker.gains
    names = [body.model.actuator(k).name for k in range(body.model.nu)]
    about["outputs"]["targets"] = {"shape": [1, len(names)], "names": names, "unit": "rad, set points of the servos"}
    about["joints"] = {
        "order": names,
        "default_pose": body.default_targets.tolist(),
        "kp": body.kp.tolist(),
        "kd": body.kd.tolist(),
        "effort": body.effort.tolist(),
    }
    about["body"] = {"leg_length": body.leg_length, "mass": body.mass, "time_unit": body.time_unit}
    about["gait"] = {"step_time": gains.step_time, "shift_time": gains.shift_time, "unit": "sqrt(L / g)"}
    return about


FRAMES = [
    ["angular velocity of the base, in its frame", 3, "1 / sqrt(L / g)"],
    ["direction against gravity, in the frame of the base", 3, "1"],
    ["joint positions from the standing pose, leg slots", LEGS, "rad"],
    ["joint velocities, leg slots", LEGS, "rad / sqrt(L / g)"],
    ["the action before", LEGS, "rad"],
    ["left and right sole from the base, level frame, from the standing pose", 6, "L"],
    ["velocities of the soles against the base, level frame", 6, "sqrt(g L)"],
    ["centre of mass from the base, level frame, from the standing pose", 3, "L"],
]
TASKS = [
    ["clock: standing, shifting, stepping", 3, "one of them 1"],
    ["clock: sides, then phase", 4, "sines and cosines; sim.humanoid.walking.gait.GaitClock.features"],
    ["commanded velocity forward and left", 2, "sqrt(g L)"],
    ["commanded rate of turning", 1, "rad / sqrt(L / g)"],
    ["heading of the command less that of the base", 1, "rad"],
]
if sum(size for _, size, _ in FRAMES) != FRAME or sum(size for _, size, _ in TASKS) != TASK:
    raise AssertionError("the layout does not describe the network's inputs")


def _convert(model: ForAnyBody | ForOneBody) -> bytes:
    inputs = _inputs(model, torch.Generator().manual_seed(0))
    program = torch.onnx.export(
        model,
        inputs,
        input_names=list(model.inputs),
        output_names=list(model.outputs),
        opset_version=OPSET,
        dynamo=True,
        verbose=False,
    )
    assert program is not None
    return program.model_proto.SerializeToString()


def _inputs(model: ForAnyBody | ForOneBody, rng: torch.Generator) -> tuple[Tensor, ...]:
    values = {
        "frames": torch.randn(1, HISTORY, FRAME, generator=rng),
        "task": torch.randn(1, TASK, generator=rng),
        "mask": (torch.rand(1, LEGS, generator=rng) < 0.8).float(),
        "description": torch.randn(1, DESCRIPTION, generator=rng),
    }
    return tuple(values[name] for name in model.inputs)

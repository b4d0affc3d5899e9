"""``real measure``: robot, policy and recorder in three processes over DDS, and how well they keep time."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from real.bags.bag import Bag
from real.contract import RobotContract, load_contract
from real.stack import load_stack
from twinloom.atomic import atomic_file
from twinloom.errors import TwinloomError, require
from twinloom.results import document, save

LIMITS = {  # of the closed loop: name -> (lowest, highest)
    "state_hz": (0.99, 1.01),  # of the contract's rate
    "command_hz": (0.98, 1.02),
    "state_to_command_p99_ms": (0.0, 5.0),
    "lost_states": (0, 0),
    "refused": (0, 0),
}
BEGIN_S = 3.0  # from the last node being active to the first command: discovery, arming
MARGIN_S = 0.5  # at both ends of the commands, where the loop is being started and stopped


@dataclass
class Measured:
    """One run.

    Attributes:
        rows: name to value, as printed; numbers in the units that their names end with.
        latency_ms: (N,) from the stamp of a state to the receipt of a command computed from it.
        period_ms: (T,) between ticks of the robot's loop.
    """

    contract: RobotContract
    rows: dict[str, float] = field(default_factory=dict)
    latency_ms: np.ndarray = field(default_factory=lambda: np.zeros(0))
    period_ms: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def problems(self) -> list[str]:
        """What is outside its limits."""
        found = []
        scale = {"state_hz": self.contract.rate_hz, "command_hz": self.contract.command_hz}
        for name, (low, high) in LIMITS.items():
            value, unit = self.rows[name], scale.get(name, 1.0)
            if not low * unit <= value <= high * unit:
                found.append(f"{name} is {value:.5g}, allowed {low * unit:g} to {high * unit:g}")
        return found

    def table(self) -> str:
        """Aligned lines and a verdict."""
        width = max(map(len, self.rows))
        lines = [f"{name:<{width}}  {value:>12,.4g}" for name, value in self.rows.items()]
        lines += ["", *(self.problems() or ["within all limits"])]
        return "\n".join(lines)


def measure(seconds: float, robot: str, policy: str, task: str, cameras: int, out: Path) -> Measured:
    """Run the stack ``bringup`` and evaluate what it left: measure.json, measure.md, latency.png, run.mcap, robot.npz.

    Args:
        seconds: how long the policy drives.
        robot, policy, task: as of the stack.
        cameras: how many of the robot's cameras stream.
        out: folder.

    Raises:
        TwinloomError: the stack did not run, or nothing was commanded.
    """
    from real.stack.runner import up

    contract = load_contract(robot)
    if not 0 <= cameras <= len(contract.cameras):
        raise TwinloomError(f"--cameras {cameras}: {contract.name} has {len(contract.cameras)}")
    if seconds < 2 * MARGIN_S + 1:
        raise TwinloomError(f"--seconds {seconds:g} is too short; at least {2 * MARGIN_S + 1:g}")
    out.mkdir(parents=True, exist_ok=True)
    bag, timing = out / "run.mcap", out / "robot.npz"
    bag.unlink(missing_ok=True)
    chosen = ",".join(camera.name for camera in contract.cameras[:cameras]) or "none"
    given = {
        "robot": robot,
        "policy": policy,
        "task": task,
        "cameras": chosen,
        "record": str(bag.resolve()),
        "report": str(timing.resolve()),
        "auto_arm": "true",
    }
    stack = load_stack("bringup")
    before = os.times()
    code = up(stack.resolve(given), stack.environment(), seconds + BEGIN_S)
    after = os.times()
    if code:
        raise TwinloomError("the stack did not end well; its lines are above")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    result = evaluate(contract, timing, bag, spent)
    rows = [{"measure": name, "value": value} for name, value in result.rows.items()]
    command = " ".join(["real", *sys.argv[1:]]) if sys.argv[0].endswith("real") else "real measure"
    title = f"Closed loop over DDS: {contract.name}, policy {policy}, {cameras} cameras, {seconds:g} s"
    save(out / "measure.json", document(title, rows, command=command))
    draw(result, out / "latency.png", title)
    return result


def evaluate(contract: RobotContract, timing: Path, bag_file: Path, cpu_s: float) -> Measured:
    """Rates, losses and latencies of one run, from the robot's report and the bag.

    Args:
        cpu_s: processor seconds of all processes together.
    """
    with np.load(timing) as report:
        data = {name: report[name] for name in report.files}
    stamps, received, computed = data["stamp_ns"], data["command_ns"], data["command_stamp_ns"]
    if len(received) < 10:
        raise TwinloomError("the policy commanded nothing; its lines are above")
    begin, end = received[0] + int(MARGIN_S * 1e9), received[-1] - int(MARGIN_S * 1e9)
    inside = (received >= begin) & (received <= end) & (computed > 0)
    latency = (received[inside] - computed[inside]) / 1e6
    ticks = (stamps >= begin) & (stamps <= end)
    period = np.diff(data["tick_s"][ticks]) * 1e3
    first = data["command_topic"] == data["command_topic"][0]
    commands = received[inside & first]
    bag = Bag(bag_file)
    seen = {m.made_ns for m in bag.messages(contract.topics.state[0].topic, decode=False)}
    recorded = stamps[(stamps >= min(seen)) & (stamps <= max(seen))]
    late = np.abs(data["late_s"][ticks]) * 1e3
    made_ns = stamps + np.round(data["late_s"] * 1e9).astype(np.int64)
    answered = np.searchsorted(stamps, computed[inside])
    known = (answered < len(stamps)) & (stamps[np.minimum(answered, len(stamps) - 1)] == computed[inside])
    processing = (received[inside][known] - made_ns[answered[known]]) / 1e6
    p50, p99 = np.percentile(latency, [50, 99])
    rows: dict[str, float] = {
        "seconds": float(end - begin) / 1e9,
        "state_hz": float(1e9 * (ticks.sum() - 1) / np.ptp(stamps[ticks])),
        "command_hz": float(1e9 * (len(commands) - 1) / np.ptp(commands)),
        "state_to_command_p50_ms": float(p50),
        "state_to_command_p99_ms": float(p99),
        "state_to_command_max_ms": float(latency.max()),
        "publication_to_command_p50_ms": float(np.percentile(processing, 50)),
        "publication_to_command_p99_ms": float(np.percentile(processing, 99)),
        "state_period_std_ms": float(period.std()),
        "state_period_p99_ms": float(np.percentile(period, 99)),
        "state_period_max_ms": float(period.max()),
        "robot_late_p99_ms": float(np.percentile(late, 99)),
        "dropped_ticks": int(data["dropped"]),
        "lost_states": int(len(recorded) - np.isin(recorded, list(seen)).sum()),
        "recorded_states": len(seen),
        "refused": int(data["refused"]),
        "cpu_of_one_core": cpu_s / max(float(np.ptp(data["tick_s"])), 1e-9),
        "load_average": os.getloadavg()[0],
    }
    for camera in contract.cameras:
        made = np.array(
            [m.made_ns for m in bag.messages(camera.topic, decode=False)] if camera.topic in bag.topics else []
        )
        made = made[(made >= begin) & (made <= end)]
        if len(made) > 1:
            rows[f"{camera.name}_hz"] = float(1e9 * (len(made) - 1) / np.ptp(made))
    return Measured(contract, rows, latency, period)


def draw(result: Measured, path: Path, title: str) -> None:
    """Histograms of both as a PNG file."""
    require("matplotlib", "viz").use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    figure.suptitle(title, fontsize=10)
    _histogram(left, result.latency_ms, "state to command (ms)", LIMITS["state_to_command_p99_ms"][1])
    _histogram(right, result.period_ms, "period of the robot's loop (ms)", None)
    with atomic_file(path) as temporary:
        figure.savefig(temporary, format="png", dpi=120)
    plt.close(figure)


def _histogram(axes: Any, values: np.ndarray, label: str, limit: float | None) -> None:
    top = float(np.percentile(values, 99.9)) * 1.1
    axes.hist(np.clip(values, 0, top), bins=80, color="#3b6ea8")
    axes.set_yscale("log")
    axes.set_xlabel(label)
    axes.set_ylabel("count")
    for p, style in ((50, "-"), (99, "--")):
        value = float(np.percentile(values, p))
        axes.axvline(value, color="#c0392b", linestyle=style, linewidth=1, label=f"p{p} {value:.2f} ms")
    if limit is not None:
        axes.axvline(limit, color="black", linestyle=":", linewidth=1, label=f"limit of p99 {limit:g} ms")
    axes.legend(fontsize=8, frameon=False)


__all__ = ["LIMITS", "Measured", "draw", "evaluate", "measure"]

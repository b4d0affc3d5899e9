"""A robot file as a table for people."""

from __future__ import annotations

import numpy as np

from real.contract.model import RobotContract


def table(contract: RobotContract) -> str:
    """The robot in words and numbers, for people who look over its file."""
    lines = [f"{contract.name}: {contract.description}", ""]
    lines.append(
        f"{'joint':<28}{'from':>9}{'to':>9}{'velocity':>10}{'acceleration':>14}{'step':>8}{'home':>9}  driver's name"
    )
    grippers = set(np.array(contract.names)[contract.is_gripper])
    for joint in contract.joints:
        numbers = (joint.lower, joint.upper, joint.velocity, joint.acceleration, joint.step, joint.home)
        cells = "".join(f"{value:>{width}.4g}" for value, width in zip(numbers, (9, 9, 10, 14, 8, 9), strict=True))
        name = f"{joint.name} (opening)" if joint.name in grippers else joint.name
        lines.append(f"{name:<28}{cells}  {joint.device or joint.name}")
    lines.append("")
    lines += [f"state    {group.topic}: {len(group.joints)} joints" for group in contract.topics.state]
    lines += [f"command  {g.topic}: {len(g.joints)} joints, {g.kind}" for g in contract.topics.commands]
    lines += [f"camera   {c.name}: {c.topic}, {c.width} x {c.height}, {c.fps:g}/s" for c in contract.cameras]
    lines.append(
        f"backend {contract.backend}, loop {contract.rate_hz:g} Hz, commands {contract.command_hz:g} Hz, held after "
        f"{contract.watchdog.hold_s:g} s and given up after {contract.watchdog.damp_s:g} s without one"
    )
    return "\n".join(lines) + "\n"

"""A humanoid's joints as text."""

from __future__ import annotations

from assets.robots.humanoid.appearance import slot_order
from assets.robots.humanoid.humanoid import Humanoid


def describe(humanoid: Humanoid) -> str:
    """One line about the body and one for each joint; limits are in the slot's convention."""
    lines = [
        f"{humanoid.name}: {humanoid.num_joints} joints, {humanoid.mass:.1f} kg, leg {humanoid.leg_length:.2f} m "
        f"(thigh {humanoid.thigh:.2f}, shank {humanoid.shank:.2f}, ankle {humanoid.ankle_height:.2f}), "
        f"soles {2 * humanoid.feet[0].half[0]:.2f} x {2 * humanoid.feet[0].half[1]:.2f} m"
    ]
    for j in slot_order(humanoid.tree):
        hinge = humanoid.tree.hinges[j]
        low, high = sorted(hinge.sign * (limit - hinge.offset) for limit in hinge.range)
        lines.append(
            f"  {hinge.slot:20} {hinge.name:32} sign {hinge.sign:+d}  offset {hinge.offset:+.3f}  "
            f"cos {humanoid.cosine[j]:.2f}  {low:+.2f} ... {high:+.2f} rad  {hinge.effort:.0f} N m"
        )
    return "\n".join(lines)

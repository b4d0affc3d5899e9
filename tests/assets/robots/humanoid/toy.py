"""A humanoid of our own making, in MJCF and URDF, with conventions of its own: flipped axes, arms held sideways."""

from __future__ import annotations

from pathlib import Path

import mujoco

# body: parent, place in the parent, joint, axis, effort, mass; the arms point sideways at zero (a T-pose)
_LEG = (
    ("thigh_yaw", None, (0.0, 0.09, -0.10), "hip_z", (0, 0, -1), 60, 1.5),
    ("thigh_roll", "thigh_yaw", (0.0, 0.0, -0.04), "hip_x", (1, 0, 0), 80, 1.5),
    ("thigh", "thigh_roll", (0.0, 0.0, 0.0), "hip_y", (0, 1, 0), 120, 3.0),
    ("shank", "thigh", (0.0, 0.0, -0.32), "knee", (0, -1, 0), 150, 2.0),
    ("ankle", "shank", (0.0, 0.0, -0.30), "ankle_y", (0, 1, 0), 60, 0.3),
    ("foot", "ankle", (0.0, 0.0, -0.02), "ankle_x", (1, 0, 0), 40, 0.8),
)
_ARM = (
    ("shoulder", "chest", (0.0, 0.16, 0.30), "arm_1", (0, 1, 0), 30, 0.6),
    ("shoulder_roll", "shoulder", (0.0, 0.05, 0.0), "arm_2", (-1, 0, 0), 30, 0.5),
    ("upper_arm", "shoulder_roll", (0.0, 0.10, 0.0), "arm_3", (0, 1, 0), 25, 0.8),
    ("forearm", "upper_arm", (0.0, 0.16, 0.0), "arm_4", (0, 0, -1), 25, 0.8),
)
BODIES: list[tuple] = [("chest", None, (0.0, 0.0, 0.08), "spine", (0, 0, 1), 80, 9.0)]
for _side, _sign in (("left", 1), ("right", -1)):
    for _name, _parent, (_x, _y, _z), _joint, _axis, _effort, _mass in (*_LEG, *_ARM):
        _above = _parent if _parent in (None, "chest") else f"{_side}_{_parent}"
        BODIES.append((f"{_side}_{_name}", _above, (_x, _sign * _y, _z), f"{_side}_{_joint}", _axis, _effort, _mass))

SLOTS = {
    "hip_yaw": "hip_z",
    "hip_roll": "hip_x",
    "hip_pitch": "hip_y",
    "knee": "knee",
    "ankle_pitch": "ankle_y",
    "ankle_roll": "ankle_x",
    "shoulder_pitch": "arm_1",
    "shoulder_roll": "arm_2",
    "shoulder_yaw": "arm_3",
    "elbow": "arm_4",
}
_RANGES = {"knee": (-2.3, 0.05), "arm_4": (-0.1, 2.4)}


def limits(joint: str) -> tuple[float, float]:
    """Range of a joint; the knee's and the elbow's are one-sided."""
    side, _, kind = joint.partition("_")
    low, high = _RANGES.get(kind, (-2.0, 2.0))
    return (-high, -low) if kind == "arm_4" and side == "right" else (low, high)


def mjcf(effort: bool = True) -> str:
    """The robot as MJCF text."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    bodies = {None: spec.worldbody.add_body(name="pelvis", pos=[0, 0, 1])}
    bodies[None].add_freejoint()
    _matter(bodies[None], (0.08, 0.10, 0.06), (0, 0, 0), 6.0)
    for name, parent, place, joint, axis, torque, mass in BODIES:
        body = bodies[name] = bodies[parent].add_body(name=name, pos=list(place))
        low, high = limits(joint)
        hinge = body.add_joint(name=joint, axis=list(axis), range=[low, high])
        hinge.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        if effort:
            hinge.actfrclimited, hinge.actfrcrange = mujoco.mjtLimited.mjLIMITED_TRUE, [-torque, torque]
        _matter(body, *shape(name), mass)
    return spec.to_xml()


def shape(name: str) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Half extents and centre of a body's box."""
    side = 1 if name.startswith("left") else -1
    if name.endswith("foot"):
        return (0.11, 0.045, 0.02), (0.04, 0.0, -0.03)
    if name.endswith("forearm"):
        return (0.03, 0.09, 0.03), (0.0, 0.09 * side, 0.0)
    if name == "chest":
        return (0.08, 0.13, 0.18), (0.0, 0.0, 0.18)
    return (0.03, 0.03, 0.03), (0.0, 0.0, 0.0)


def _matter(body, half: tuple, centre: tuple, mass: float) -> None:
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=list(half), pos=list(centre), mass=mass)


def urdf(effort: float = 0.0) -> str:
    """The robot as URDF text; ``effort`` replaces every joint's if it is positive."""
    out = ['<robot name="toy">', _urdf_link("pelvis", (0.08, 0.10, 0.06), (0, 0, 0), 6.0)]
    for name, parent, place, joint, axis, torque, mass in BODIES:
        out.append(_urdf_link(name, *shape(name), mass))
        low, high = limits(joint)
        out.append(
            f'<joint name="{joint}" type="revolute"><origin xyz="{_words(place)}"/>'
            f'<parent link="{parent or "pelvis"}"/><child link="{name}"/><axis xyz="{_words(axis)}"/>'
            f'<limit lower="{low}" upper="{high}" effort="{effort or torque}" velocity="12"/></joint>'
        )
    return "\n".join([*out, "</robot>"])


def _urdf_link(name: str, half: tuple, centre: tuple, mass: float) -> str:
    x, y, z = half
    ixx, iyy, izz = (mass / 3 * value for value in (y * y + z * z, x * x + z * z, x * x + y * y))
    size = _words([2 * value for value in half])
    return (
        f'<link name="{name}"><inertial><origin xyz="{_words(centre)}"/><mass value="{mass}"/>'
        f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f'<visual><origin xyz="{_words(centre)}"/><geometry><box size="{size}"/></geometry></visual></link>'
    )


def _words(values) -> str:
    return " ".join(str(value) for value in values)


def write(folder: Path, kind: str) -> Path:
    """The robot as a file: toy.xml or toy.urdf."""
    path = folder / ("toy.urdf" if kind == "urdf" else "toy.xml")
    path.write_text(urdf() if kind == "urdf" else mjcf(), encoding="utf-8")
    return path

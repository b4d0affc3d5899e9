"""A robot's model as URDF, for RViz, MoveIt and robot_state_publisher. Loads no ROS.

Links and joints are the model's bodies and joints; arm joints carry the names of the robot file's drivers where these
are unique, so they are those of /joint_states. A gripper is one joint of the driver's (metres between the pads, or
whatever it counts), which moves nothing itself; the fingers mimic it.
"""

from __future__ import annotations

from xml.etree import ElementTree as Xml

import mujoco
import numpy as np

from real.contract import RobotContract
from real.safety.shadow import Shadow
from twinloom.errors import TwinloomError

WORLD = "world"


def urdf(contract: RobotContract) -> str:
    """The URDF text of a robot; shapes are the model's simple ones, so it needs no mesh files.

    Raises:
        TwinloomError: the robot file names no model, or one that URDF cannot express.
    """
    if not contract.has_hands:
        raise TwinloomError(f"robot {contract.name} has no model with hands, so there is no description of it")
    model = Shadow(contract).model
    robot = Xml.Element("robot", name=contract.name)
    Xml.SubElement(robot, "link", name=WORLD)
    for gripper in contract.grippers:
        _gripper(robot, contract, gripper.joint)
    for body in range(1, model.nbody):
        link = Xml.SubElement(robot, "link", name=link_name(model, body))
        _inertia(link, model, body)
        _shapes(link, model, body)
        _joint(robot, contract, model, body)
    stand = Xml.SubElement(robot, "link", name="stand")
    _shapes(stand, model, 0)
    _fixed(robot, "stand_joint", WORLD, "stand", np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    Xml.indent(robot)
    return Xml.tostring(robot, encoding="unicode")


def joint_names(contract: RobotContract) -> tuple[str, ...]:
    """(J,) names of the driver, or, where both arms' drivers use the same ones, those of the robot file."""
    return contract.devices if len(set(contract.devices)) == len(contract.devices) else contract.names


def link_name(model: mujoco.MjModel, body: int) -> str:
    """Link of a body: "left_hand"; the world's is "world"."""
    return model.body(body).name if body else WORLD


def _joint(robot: Xml.Element, contract: RobotContract, model: mujoco.MjModel, body: int) -> None:
    parent, child = link_name(model, int(model.body_parentid[body])), link_name(model, body)
    pos, quat = model.body_pos[body], model.body_quat[body]
    if not model.body_jntnum[body]:
        _fixed(robot, f"{child}_joint", parent, child, pos, quat)
        return
    k = int(model.body_jntadr[body])
    kinds = {mujoco.mjtJoint.mjJNT_HINGE: "revolute", mujoco.mjtJoint.mjJNT_SLIDE: "prismatic"}
    kind = kinds.get(mujoco.mjtJoint(int(model.jnt_type[k])))
    if model.body_jntnum[body] > 1 or kind is None or model.jnt_pos[k].any():
        raise TwinloomError(f"robot {contract.name}: body {child} moves in a way that URDF has no joint for")
    name = model.joint(k).name
    driven = contract.index.get(name)
    device = name if driven is None else joint_names(contract)[driven]
    joint = Xml.SubElement(robot, "joint", name=device, type=kind)
    _origin(joint, pos, quat)
    Xml.SubElement(joint, "parent", link=parent)
    Xml.SubElement(joint, "child", link=child)
    Xml.SubElement(joint, "axis", xyz=_text(model.jnt_axis[k]))
    low, high = model.jnt_range[k]
    limits = contract.joints[driven] if driven is not None else None
    velocity, effort = (limits.velocity, limits.effort) if limits else (1.0, 0.0)
    Xml.SubElement(
        joint, "limit", lower=f"{low:.9g}", upper=f"{high:.9g}", velocity=f"{velocity:.9g}", effort=f"{effort:.9g}"
    )
    if limits is None:
        _mimic(joint, contract, name, float(high))


def _mimic(joint: Xml.Element, contract: RobotContract, name: str, stroke: float) -> None:
    """A finger follows the gripper of its arm: ``opening * stroke``."""
    for gripper in contract.grippers:
        side = gripper.joint.removesuffix("gripper")
        if side != gripper.joint and name.startswith(side):
            factor = stroke / (gripper.open - gripper.closed)
            device = joint_names(contract)[contract.index[gripper.joint]]
            offset = -factor * gripper.closed
            Xml.SubElement(joint, "mimic", joint=device, multiplier=f"{factor:.9g}", offset=f"{offset:.9g}")


def _gripper(robot: Xml.Element, contract: RobotContract, name: str) -> None:
    """The driver's joint of a gripper, between two links without shape."""
    limits, gripper = contract.joints[contract.index[name]], next(g for g in contract.grippers if g.joint == name)
    Xml.SubElement(robot, "link", name=f"{name}_command")
    device = joint_names(contract)[contract.index[name]]
    joint = Xml.SubElement(robot, "joint", name=device, type="prismatic")
    Xml.SubElement(joint, "parent", link=WORLD)
    Xml.SubElement(joint, "child", link=f"{name}_command")
    Xml.SubElement(joint, "axis", xyz="0 0 1")
    low, high = sorted((gripper.closed, gripper.open))
    velocity = limits.velocity * (high - low)
    Xml.SubElement(
        joint, "limit", lower=f"{low:.9g}", upper=f"{high:.9g}", velocity=f"{velocity:.9g}", effort=f"{limits.effort:g}"
    )


def _fixed(robot: Xml.Element, name: str, parent: str, child: str, pos: np.ndarray, quat: np.ndarray) -> None:
    joint = Xml.SubElement(robot, "joint", name=name, type="fixed")
    _origin(joint, pos, quat)
    Xml.SubElement(joint, "parent", link=parent)
    Xml.SubElement(joint, "child", link=child)


def _inertia(link: Xml.Element, model: mujoco.MjModel, body: int) -> None:
    inertial = Xml.SubElement(link, "inertial")
    _origin(inertial, model.body_ipos[body], model.body_iquat[body])
    Xml.SubElement(inertial, "mass", value=f"{model.body_mass[body]:.9g}")
    moments = dict(zip(("ixx", "iyy", "izz"), (f"{m:.9g}" for m in model.body_inertia[body]), strict=True))
    Xml.SubElement(inertial, "inertia", attrib={"ixy": "0", "ixz": "0", "iyz": "0", **moments})


def _shapes(link: Xml.Element, model: mujoco.MjModel, body: int) -> None:
    """Boxes, spheres and cylinders; a capsule is a cylinder with two spheres."""
    for geom in range(model.ngeom):
        if model.geom_bodyid[geom] != body:
            continue
        size, quat = model.geom_size[geom], model.geom_quat[geom]
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, quat)
        axis, types = R.reshape(3, 3)[:, 2], mujoco.mjtGeom
        kind, here = model.geom_type[geom], model.geom_pos[geom]
        parts: list[tuple[np.ndarray, str, dict[str, str]]] = []
        if kind == types.mjGEOM_BOX:
            parts = [(here, "box", {"size": _text(2 * size)})]
        elif kind == types.mjGEOM_SPHERE:
            parts = [(here, "sphere", {"radius": f"{size[0]:.9g}"})]
        elif kind in (types.mjGEOM_CYLINDER, types.mjGEOM_CAPSULE):
            parts = [(here, "cylinder", {"radius": f"{size[0]:.9g}", "length": f"{2 * size[1]:.9g}"})]
            if kind == types.mjGEOM_CAPSULE:
                ends = (here + size[1] * axis, here - size[1] * axis)
                parts += [(end, "sphere", {"radius": f"{size[0]:.9g}"}) for end in ends]
        colour = model.geom_rgba[geom] if model.geom_matid[geom] < 0 else model.mat_rgba[model.geom_matid[geom]]
        for what in ("visual", "collision"):
            for pos, shape, values in parts:
                entry = Xml.SubElement(link, what)
                _origin(entry, pos, quat)
                Xml.SubElement(Xml.SubElement(entry, "geometry"), shape, attrib=values)
                if what == "visual":
                    Xml.SubElement(Xml.SubElement(entry, "material", name=_text(colour)), "color", rgba=_text(colour))


def _origin(parent: Xml.Element, pos: np.ndarray, quat: np.ndarray) -> None:
    """Position and fixed-axis roll, pitch, yaw of a wxyz quaternion."""
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, quat)
    R = R.reshape(3, 3)
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if np.hypot(R[0, 0], R[1, 0]) > 1e-9:
        roll, yaw = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
    else:  # looking straight up or down: roll and yaw turn about the same axis
        roll, yaw = 0.0, np.arctan2(-R[0, 1], R[1, 1])
    Xml.SubElement(parent, "origin", xyz=_text(pos), rpy=_text(np.array([roll, pitch, yaw])))


def _text(values: np.ndarray) -> str:
    return " ".join(f"{value:.9g}" for value in values)

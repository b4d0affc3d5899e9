"""The URDF of a robot places every link where the model does, for any joints: read back by a reader of its own."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

import mujoco
import numpy as np
import pytest

from real.contract import contracts, load_contract
from real.robots.urdf import joint_names, link_name, urdf
from real.safety.shadow import Shadow
from twinloom.errors import TwinloomError

MODELLED = [name for name in contracts() if load_contract(name).has_hands]


def matrix(origin: Xml.Element | None) -> np.ndarray:
    T = np.eye(4)
    if origin is not None:
        r, p, y = map(float, origin.get("rpy", "0 0 0").split())
        turns = [turn(axis, angle) for axis, angle in zip(np.eye(3)[::-1], (y, p, r), strict=True)]
        T[:3, :3] = turns[0] @ turns[1] @ turns[2]
        T[:3, 3] = list(map(float, origin.get("xyz", "0 0 0").split()))
    return T


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def places(text: str, positions: dict[str, float]) -> dict[str, np.ndarray]:
    """Link name to its pose in the world."""
    robot, found = Xml.fromstring(text), {"world": np.eye(4)}
    waiting = robot.findall("joint")
    while waiting:
        joint = waiting.pop(0)
        parent, child = joint.find("parent").get("link"), joint.find("child").get("link")
        if parent not in found:
            waiting.append(joint)
            continue
        mimic, value = joint.find("mimic"), positions.get(joint.get("name"), 0.0)
        if mimic is not None:
            value = float(mimic.get("multiplier")) * positions[mimic.get("joint")] + float(mimic.get("offset"))
        T = np.eye(4)
        if joint.get("type") != "fixed":
            axis = np.array(list(map(float, joint.find("axis").get("xyz").split())))
            if joint.get("type") == "revolute":
                T[:3, :3] = turn(axis, value)
            else:
                T[:3, 3] = value * axis
        found[child] = found[parent] @ matrix(joint.find("origin")) @ T
    return found


@pytest.mark.parametrize("name", MODELLED)
def test_links_are_where_the_model_has_them(name):
    contract = load_contract(name)
    model, text = Shadow(contract).model, urdf(contract)
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    lower, upper = contract.soft_limits
    for _ in range(3):
        q = rng.uniform(lower, upper)
        for joint, value in zip(contract.names, q, strict=True):
            if not joint.endswith("gripper"):
                data.joint(joint).qpos = value
            else:
                for finger in ("finger1", "finger2"):
                    k = model.joint(joint.replace("gripper", finger))
                    data.joint(k.id).qpos = value * k.range[1]
        mujoco.mj_kinematics(model, data)
        found = places(text, dict(zip(joint_names(contract), contract.to_device(q), strict=True)))
        for body in range(1, model.nbody):
            T = found[link_name(model, body)]
            np.testing.assert_allclose(T[:3, 3], data.xpos[body], atol=1e-6)
            np.testing.assert_allclose(T[:3, :3], data.xmat[body].reshape(3, 3), atol=1e-6)


def test_a_robot_without_a_model_has_no_description():
    with pytest.raises(TwinloomError, match="has no model"):
        urdf(load_contract("g1"))

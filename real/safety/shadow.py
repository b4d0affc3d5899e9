"""The robot of a contract as a MuJoCo model that only places things: no physics, simple shapes."""

from __future__ import annotations

import mujoco
import numpy as np

from assets.robots.chain import SerialChain
from assets.robots.model import robot_model
from real.contract import RobotContract


class Shadow:
    """The chains of the contract's model.

    Attributes:
        robot: the model by its chains; model: compiled.
        arms: for each chain its kinematics and the positions of its joints in the contract.
        reach: (J,) metres that the tool centre point moves at most per radian of each joint; 0 for grippers.
    """

    def __init__(self, contract: RobotContract) -> None:
        assert contract.model is not None
        self.robot = robot = robot_model(contract.model)
        self.model = robot.compile("simple")
        self.arms: dict[str, tuple[SerialChain, np.ndarray]] = {}
        self.reach = np.zeros(len(contract.names))
        for name, links in robot.chains.items():
            chain = SerialChain(self.model, links.prefix)
            where = contract.where(links.names)
            self.arms[name] = (chain, where)
            self.reach[where] = self._lengths(chain)

    def _lengths(self, chain: SerialChain) -> np.ndarray:
        """(N,) lengths of the links behind each joint added up: no point of the hand is further from its axis."""
        origins = chain.frames(chain.home[:, None])[:, 3, :, 0]
        links = np.linalg.norm(np.diff(origins, axis=0), axis=1)
        return np.cumsum(links[::-1])[::-1]


def pose(contract: RobotContract, model: mujoco.MjModel, data: mujoco.MjData, q: np.ndarray) -> None:
    """Place the bodies of a robot's model for joints (J,) in the order of its file."""
    for name, value in zip(contract.names, q, strict=True):
        if name.endswith("gripper"):
            for finger in ("finger1", "finger2"):
                k = model.joint(name.replace("gripper", finger)).id
                data.qpos[model.jnt_qposadr[k]] = value * model.jnt_range[k, 1]
        else:
            data.qpos[model.jnt_qposadr[model.joint(name).id]] = value
    mujoco.mj_kinematics(model, data)

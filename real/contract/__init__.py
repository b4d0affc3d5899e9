"""What a robot is, as data: joints and their limits, topics, cameras, watchdogs. One YAML file, no Python."""

from real.contract.load import contracts, load_contract
from real.contract.model import (
    Camera,
    CommandGroup,
    Fall,
    Gripper,
    Heartbeat,
    Imu,
    JointLimits,
    RobotContract,
    SelfCollision,
    Stamps,
    StateGroup,
    Topics,
    Unitree,
    Watchdog,
    Workspace,
    with_topics,
)

__all__ = [
    "Camera",
    "CommandGroup",
    "Fall",
    "Gripper",
    "Heartbeat",
    "Imu",
    "JointLimits",
    "RobotContract",
    "SelfCollision",
    "Stamps",
    "StateGroup",
    "Topics",
    "Unitree",
    "Watchdog",
    "Workspace",
    "contracts",
    "load_contract",
    "with_topics",
]

"""Dual-arm robots: records (TOML), arm models (MJCF) and their visual meshes. Importing this loads no simulator."""

from assets.robots.load import load_robot, robots
from assets.robots.record import DEFAULT_ROBOT, SIDES, RobotRecord

__all__ = ["DEFAULT_ROBOT", "SIDES", "RobotRecord", "load_robot", "robots"]

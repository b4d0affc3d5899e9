"""What is done: the robot interface, safety, the ROS 2 nodes and the runner that starts them."""

from twinloom.lazy import attach

__getattr__, __dir__ = attach(__name__, {"make_robot": "real.robots.make:make_robot"})

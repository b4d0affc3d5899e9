"""ros2 launch twinloom humanoid.launch.py --show-args: the stack stacks/humanoid.yaml for ROS's own launcher."""

from pathlib import Path

from real.stack.launching import describe


def generate_launch_description():
    """Called by ros2 launch."""
    return describe(Path(__file__).parent / "stacks" / "humanoid.yaml")

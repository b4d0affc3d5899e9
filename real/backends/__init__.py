"""Drivers of robots that are not spoken to through ROS 2 topics."""

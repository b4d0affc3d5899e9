"""Robots behind one interface: simulated, over ROS 2, a mock with faults, Unitree's own topics."""

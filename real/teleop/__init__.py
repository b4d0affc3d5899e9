"""A person drives a robot: keys, sticks, and what they mean. Loads no ROS."""

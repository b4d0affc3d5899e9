"""What is done: the robot interface, safety, the ROS 2 nodes and the runner that starts them."""

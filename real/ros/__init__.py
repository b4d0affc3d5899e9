"""ROS 2 nodes. Only this package imports rclpy; the rest of the project works without it."""

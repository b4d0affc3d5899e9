"""A policy on the robot's side: its process, its server, its chunks on a time line."""

"""Procedural, licence-free objects: shapes, grasp points, functional points and words."""

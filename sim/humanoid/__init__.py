"""Humanoids: bodies, controllers and environments."""

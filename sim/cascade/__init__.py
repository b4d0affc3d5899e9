"""Spreading processes on networks: renewal models, two simulators, control, observers, environments."""

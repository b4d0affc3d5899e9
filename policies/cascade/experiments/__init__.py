"""Experiments of docs/results/cascade: each is a command that can be interrupted and goes on where it was."""

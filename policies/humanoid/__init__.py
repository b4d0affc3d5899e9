"""Policies of humanoids: the model-based walker as a teacher, and networks distilled from it."""

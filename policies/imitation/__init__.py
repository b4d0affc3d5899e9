"""Imitation learning: one policy cloned from recorded episodes."""

"""Recordings: MCAP bags, and the way from them to a dataset and back into motion."""

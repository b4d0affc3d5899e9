"""The exact engine: events in order of time."""

"""Random bodies whose links can exist: ``body.sample_body(index).humanoid`` is of the same type as real robots."""

from sim.humanoid.morphology.config import MorphologyConfig

__all__ = ["MorphologyConfig"]

"""Environments as training and evaluation need them: no resets but those that are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from sim.cascade.env.vector import CascadeVecEnv


class ManualResetVecEnv(CascadeVecEnv):
    """R cascades that start anew only when told: ``reset(options={"reset_mask": bool [R]})``, as Gymnasium's own."""

    metadata = CascadeVecEnv.metadata | {"autoreset_mode": AutoresetMode.DISABLED}
    render_mode = None

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None):
        """All replicas, or those that ``options["reset_mask"]`` marks."""
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return super().reset(seed=seed, options=options)
        self.episodes.restart(np.asarray(mask, bool))
        self._ended = self._ended & ~mask
        return self._out(self.episodes.observe()), self._with_masks(self.episodes.info())

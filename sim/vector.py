"""Many environments at once: one worker process each, or the family's own batched simulator where it has one."""

from __future__ import annotations

import functools
import operator
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, VectorEnv

from twinloom.errors import TwinloomError
from twinloom.machine import threads_shared_among


class WorkerVectorEnv(AsyncVectorEnv):
    """Gymnasium's asynchronous vector environment, whose seeds do not depend on how many environments there are.

    ``reset(seed=s)`` seeds environment i by (s, i) alone, so its episodes are the same in a batch of 4 or of 64, and
    differ from those of every other environment and every other seed. A list of seeds is given out as it is. Without
    a seed every environment goes on, or begins with entropy of its own.
    """

    def reset_async(self, seed: Any = None, options: dict[str, Any] | None = None) -> None:
        """See AsyncVectorEnv."""
        if seed is not None and not isinstance(seed, (list, tuple)):
            seed = [environment_seed(operator.index(seed), i) for i in range(self.num_envs)]
        super().reset_async(seed if seed is None else list(seed), options)


def environment_seed(seed: int, index: int) -> int:
    """Seed of one environment of a batch."""
    return int(np.random.SeedSequence([seed, index]).generate_state(1)[0] >> 1)


def make_vec(task: str, num_envs: int, *, autoreset: str | AutoresetMode = "NextStep", **options: Any) -> VectorEnv:
    """A batch of environments of one task.

    Args:
        task: "bimanual/click_bell", or a name that one family alone has.
        num_envs: how many.
        autoreset: what follows the end of an episode, as Gymnasium names it: "NextStep" (the next action is ignored and
            its observation begins an episode), "SameStep" (the observation begins an episode, the last one is
            ``info["final_obs"]``) or "Disabled". Also in ``metadata["autoreset_mode"]``.
        options: arguments of the environment.

    Returns:
        The batched simulator of the family where it has one, which may know more options and one autoreset mode only;
        else one process for each environment, started by "spawn": a script must call this under
        ``if __name__ == "__main__":``.

    Raises:
        TwinloomError: an unknown task, mode or option, or no environments.
    """
    from sim.envs import identifier

    try:
        count, mode = operator.index(num_envs), AutoresetMode(autoreset)
    except (TypeError, ValueError):
        modes = ", ".join(one.value for one in AutoresetMode)
        raise TwinloomError(
            f"num_envs {num_envs!r} must be a number, autoreset {autoreset!r} one of: {modes}"
        ) from None
    if count < 1:
        raise TwinloomError(f"num_envs {count} must be at least 1")
    name = identifier(task)
    if gymnasium.spec(name).vector_entry_point is not None:
        return gymnasium.make_vec(name, count, vectorization_mode="vector_entry_point", **options)
    make = functools.partial(_make, name, options)
    with threads_shared_among(count):
        return WorkerVectorEnv([make] * count, context="spawn", autoreset_mode=mode)


def _make(name: str, options: dict[str, Any]) -> gymnasium.Env:
    """One environment, in its process."""
    import sim.envs  # noqa: F401 (registers the ids)

    return gymnasium.make(name, **options)

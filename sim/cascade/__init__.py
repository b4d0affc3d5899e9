"""Spreading processes on networks: renewal models, simulators, control, observers, environments.

The public names load on use::

    from sim.cascade import CascadeEnv, CascadeSim, CascadeVecEnv, GraphRange, EnvConfig, TierODE, laws, models
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.cascade.env.options import EnvConfig as EnvConfig
    from sim.cascade.env.scenarios import GraphRange as GraphRange
    from sim.cascade.env.single import CascadeEnv as CascadeEnv
    from sim.cascade.env.vector import CascadeVecEnv as CascadeVecEnv
    from sim.cascade.mean_field.simulator import TierODE as TierODE
    from sim.cascade.process import laws as laws
    from sim.cascade.process import models as models
    from sim.cascade.simulator import CascadeSim as CascadeSim

_PUBLIC = {
    "CascadeEnv": "sim.cascade.env.single",
    "CascadeSim": "sim.cascade.simulator",
    "CascadeVecEnv": "sim.cascade.env.vector",
    "GraphRange": "sim.cascade.env.scenarios",
    "EnvConfig": "sim.cascade.env.options",
    "TierODE": "sim.cascade.mean_field.simulator",
    "laws": "sim.cascade.process.laws",
    "models": "sim.cascade.process.models",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(_PUBLIC[name])
    return getattr(module, name, module)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})

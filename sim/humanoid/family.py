"""The family of humanoids on foot; reading its lists loads no simulator."""

from __future__ import annotations

from typing import Any

from sim.families import Family


def robots() -> dict[str, str]:
    """Humanoids with one line each, the default first."""
    from assets.robots.humanoid import humanoids, load_record

    return {name: load_record(name).description for name in humanoids()}


def environments() -> dict[str, str]:
    """One for each robot, and one for random bodies."""
    return {**robots(), "random": "random bodies, another one in each world of a batch"}


def environment(name: str) -> dict[str, Any]:
    """Arguments of ``gymnasium.register``."""
    return {
        "entry_point": "sim.humanoid.env.single:HumanoidEnv",
        "vector_entry_point": "sim.humanoid.env.vector:HumanoidVecEnv",
        "kwargs": {"robot": name},
    }


FAMILY = Family(
    name="humanoid",
    summary="humanoids of any build: standing, walking and turning",
    tasks={"walk": "stand, walk and turn as told"},
    environment="sim.humanoid.family:environment",
    environments=environments,
    robots=robots,
    train="policies.humanoid.commands:train",
    evaluate="policies.humanoid.commands:evaluate",
    plant="sim.humanoid.plant:HumanoidPlant",
    files=(".yaml", ".yml"),
    baselines={"model-based:humanoid": "the model-based walking controller"},
)

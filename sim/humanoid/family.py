"""The family of humanoids on foot; reading its lists loads no simulator."""

from __future__ import annotations

from sim.families import Family


def robots() -> dict[str, str]:
    """Humanoids with one line each, the default first."""
    from assets.robots.humanoid import humanoids, load_record

    return {name: load_record(name).description for name in humanoids()}


FAMILY = Family(
    name="humanoid",
    summary="humanoids of any build: standing, walking and turning",
    tasks={"walk": "stand, walk and turn as told"},
    robots=robots,
    train="policies.humanoid.commands:train",
    evaluate="policies.humanoid.commands:evaluate",
    plant="sim.humanoid.plant:HumanoidPlant",
    files=(".yaml", ".yml"),
    baselines={"model-based:humanoid": "the model-based walking controller"},
)

"""What a policy of cascades is trained on, in words that fit into a checkpoint and a command line."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from twinloom.errors import TwinloomError

if TYPE_CHECKING:
    from policies.rl.config import LearnerConfig
    from policies.rl.train import TrainingJob

RANGE, OWN = "range", "barabasi_albert"


@dataclass(frozen=True)
class WorldConfig:
    """A training world.

    Attributes:
        problem: name (sim list tasks cascade).
        world: "exact", "renewal" (both the age-dependent process, without and with time steps), "markov" or "ode".
        matching: what the Markov world keeps: "rate" or "transmissibility".
        observer: "tiers", "global" (hub-blind), "oracle" or "gnn".
        features: "full" or "basic".
        tiers: "stub", "top", "pop", with a count as in "stub2".
        graph: "range" for random graphs with random process parameters (for escape Erdos-Renyi ones, for the others as
            below), else a name or a file.
        r0: reproduction number without control around which processes are drawn; None for the problem's.
        beta: contact rates of random processes are log-uniform within a factor 1 +- this. Wide, because on a graph with
            clusters the same nominal R0 spreads far less than on a random one, and a policy must notice.
        m: least and greatest number of edges that a new node of a random graph brings, log-uniform.
        communities: share of the random graphs that are rewired into communities.
    """

    problem: str
    world: str = "exact"
    matching: str = "rate"
    observer: str = "tiers"
    features: str = "full"
    tiers: str = "stub"
    graph: str = RANGE
    r0: float | None = None
    beta: float = 0.6
    m: tuple[int, int] = (2, 24)
    communities: float = 0.5

    def options(self) -> dict[str, Any]:
        """Options of `CascadeVecEnv`."""
        world = {"graph": self.training_graph(), "world": self.world, "matching": self.matching, "r0": self.r0}
        return world | self.view()

    def training_graph(self) -> Any:
        """A GraphRange for "range", else the graph of that name or file."""
        if self.graph != RANGE:
            return evaluation_graph(self.graph)
        from policies.cascade.training_graphs import OWN_RANGES, CommunityRange

        if (name := getattr(self.problem, "name", self.problem)) in OWN_RANGES:
            return OWN_RANGES[name]
        return CommunityRange(m=(self.m[0], self.m[1]), beta=self.beta, communities=self.communities)

    def view(self) -> dict[str, Any]:
        """The part of the options that decides what a policy sees and commands; it goes with the policy everywhere."""
        return {"observer": self.observer, "features": self.features, "tiers": self.tiers}

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def evaluation_graph(name: str) -> Any:
    """Graph of a catalogued name or a file; None, the graph of the problem itself, for "barabasi_albert"."""
    if name == OWN:
        return None
    from assets.networks.catalogue import load

    return load(name)


def job(world: WorldConfig, learner: LearnerConfig) -> TrainingJob:
    """Everything `policies.rl.train.train` needs."""
    from policies.cascade.environment import ManualResetVecEnv
    from policies.rl.train import TrainingJob

    options = world.options()
    probe = ManualResetVecEnv(world.problem, 1, **options)
    problem = probe.problem
    return TrainingJob(
        task=f"cascade/{problem.name}",
        learner=learner,
        make_env=lambda replicas: ManualResetVecEnv(world.problem, replicas, **options),
        world=world.to_json(),
        observation_names=probe.episodes.observer.names(),
        action_names=probe.action_names,
        fps=1.0 / problem.delta,
    )


def trained_view(folder: Path) -> tuple[str, dict[str, Any]]:
    """Problem name and view options of a checkpoint.

    Raises:
        TwinloomError: the checkpoint is not of a cascade problem, or its description of it is damaged.
    """
    from policies.checkpoint import describe

    spec, _ = describe(folder)
    task = spec.task
    if not task.startswith("cascade/") or "world" not in spec.extra:
        raise TwinloomError(f"{folder} was not trained on a cascade problem but on {task or 'something else'}")
    problem, given = task.removeprefix("cascade/"), spec.extra["world"]
    if not isinstance(given, dict) or given.get("problem") != problem:
        what = given.get("problem") if isinstance(given, dict) else given
        raise TwinloomError(f"{folder} is damaged: it was trained on {task}, but extra.world is of {what!r}")
    if unknown := sorted({*given} - {one.name for one in fields(WorldConfig)}):
        names = ", ".join(unknown)
        raise TwinloomError(
            f"{folder} was trained with settings that this version does not know: {names}; update twinloom"
        )
    return problem, WorldConfig(**given).view()


Baseline = Literal["null", "random", "constant", "degree_targeted", "bang_bang", "mpc"]
BASELINES: dict[str, str] = {
    "null": "spends nothing",
    "random": "every entry uniform, anew in every decision",
    "constant": "the best constant action, found by search on training graphs",
    "degree_targeted": "full effort on the hubs while the seeds last; what and how long is found by search",
    "bang_bang": "full effort on one side of a prevalence; threshold and channels are found by search",
    "mpc": "plans on the mean-field equation of the graph at hand, by cross-entropy",
}

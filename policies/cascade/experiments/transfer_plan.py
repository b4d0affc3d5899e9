"""What the transfer experiment computes: methods, places, and the cells of both."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from policies.cascade.experiments import resumable, tasks, transfer_cells
from policies.cascade.experiments.resumable import ExperimentCell
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.results import RESULTS

NAMES = tyro.conf.arg(metavar="NAME ...")
TRAINED: dict[str, dict[str, str]] = {
    "renewal": {"world": "exact"},
    "markov, rate": {"world": "markov", "matching": "rate"},
    "markov, T": {"world": "markov", "matching": "transmissibility"},
    "mean field": {"world": "ode"},
    "mean field, T": {"world": "ode", "matching": "transmissibility"},
    "hub-blind": {"world": "exact", "observer": "global"},
    "SAC": {"world": "exact", "algo": "sac"},
    "PPO": {"world": "exact", "algo": "ppo"},
}
"""Name in tables to what differs from TQC with the tier observer."""
OURS = "renewal"
TOGETHER = "committee of "  # before the method whose trainings act as one policy
JUDGES = tuple(
    name for name, settings in TRAINED.items() if settings.get("algo") != "ppo"
)  # PPO's critics see no action
WORLDS = tuple(TRAINED)[:5]  # the same learner and observer in every training world and matching
CHEAP = ("null", "random", "constant", "degree_targeted", "bang_bang")
BASELINES = (*CHEAP, "mpc")
SWEEP_R0 = (0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0)
SWEEP_GRAPH = [2000, 4, 11]


@dataclass(frozen=True)
class Place:
    """Where policies are deployed.

    Attributes:
        title: in tables.
        graphs: names, or [nodes, edges a node brings, seed] of Barabasi-Albert graphs.
        share: of the episodes that were asked for.
        seconds: processor time of one episode of a policy that spends, about.
        real: whether it needs a file that users bring.
    """

    title: str
    graphs: tuple[Any, ...]
    share: float = 1.0
    seconds: float = 0.005
    real: bool = False


PLACES: dict[str, Place] = {
    "barabasi_albert": Place(
        "4 unseen Barabasi-Albert graphs", ([600, 3, 1], [1500, 5, 2], [3000, 8, 3], [10_000, 4, 4])
    ),
    "facebook_combined": Place("facebook_combined", ("facebook_combined",), real=True),
    "lastfm_asia": Place("lastfm_asia", ("lastfm_asia",), real=True),
    "deezer_europe": Place("deezer_europe", ("deezer_europe",), seconds=0.03, real=True),
    "debian_maintainers": Place("debian_maintainers", ("debian_maintainers",), real=True),
    "twitter-like": Place("twitter-like (synthetic)", ("twitter-like",), share=0.5, seconds=0.12),
    "youtube-like": Place("youtube-like (synthetic)", ("youtube-like",), share=0.16, seconds=0.4),
}
MPC_SECONDS = 0.3  # of planning in one episode
START_MINUTES = 0.04  # of a process


@dataclass(frozen=True)
class TransferConfig:
    """How much is computed.

    Attributes:
        jobs: processes.
        seeds: trainings of each kind.
        steps: of each training.
        episodes: of each policy on each graph; half of them on twitter-like, a sixth on youtube-like.
        graphs: where: barabasi_albert, facebook_combined, lastfm_asia, deezer_europe, debian_maintainers,
            twitter-like, youtube-like.
        r0: reproduction number without control, in training and deployment; the problem's if not given.
        dry: only say what would be done, and how long it may take.
        out: folder of the results.
        work: folder of finished parts.
    """

    jobs: int = 1
    seeds: int = 3
    steps: int = 150_000
    episodes: int = 200
    graphs: Annotated[tuple[str, ...], NAMES] = tuple(PLACES)
    r0: float | None = None
    dry: bool = False
    out: Path = RESULTS
    work: Path = resumable.FOLDER / "transfer"


@dataclass(frozen=True)
class Plan:
    """All cells.

    Attributes:
        trained: by method, one for each seed.
        tuned: baselines tuned on training graphs.
        deployed: by place, evaluations there.
        worlds: by place, the comparison of the training worlds.
        sweep: evaluations over R0.
        skipped: places without their file, and why.
    """

    trained: dict[str, list[ExperimentCell]]
    tuned: ExperimentCell
    deployed: dict[str, list[ExperimentCell]]
    worlds: dict[str, ExperimentCell]
    sweep: list[ExperimentCell]
    skipped: dict[str, str]

    def cells(self) -> list[ExperimentCell]:
        """In the order in which they are started: what others wait for first."""
        every = [cell for runs in self.trained.values() for cell in runs]
        return [self.tuned, *self.worlds.values(), *every, *(c for d in self.deployed.values() for c in d), *self.sweep]


def training(name: str, seed: int, steps: int, r0: float | None = None) -> ExperimentCell:
    """The training cell of a method; other experiments use the same ones."""
    settings = dict(TRAINED[name])
    algo = settings.pop("algo", "tqc")
    label = slug(name) + ("" if r0 is None else f"-r{r0:g}")
    world: dict[str, Any] = settings if r0 is None else {**settings, "r0": r0}
    return tasks.training(label, algo=algo, steps=steps, seed=seed, **world)


def slug(name: str) -> str:
    """A method's name in file names."""
    return name.replace(", ", "-").replace(" ", "_")


def plan(options: TransferConfig) -> Plan:
    """What is computed. Raises TwinloomError for a count below 1, an unknown graph, or if no graph is left."""
    resumable.check_counts(options, "jobs", "steps", "seeds", "episodes")
    places, skipped = {}, {}
    for name in options.graphs:
        if name not in PLACES:
            raise UnknownNameError("graph", name, PLACES, ", ".join(PLACES))
        try:
            if PLACES[name].real:
                transfer_cells.make_graph(name)
            places[name] = PLACES[name]
        except TwinloomError as error:
            skipped[name] = str(error)
            print(f"{name} is left out: {error}", flush=True)
    if not places:
        raise TwinloomError("no graph is left to deploy policies on; see the reasons above")
    trained = {name: [training(name, s, options.steps, options.r0) for s in range(options.seeds)] for name in TRAINED}
    tuned = tasks.tuning(r0=options.r0)
    deployed = {name: _deployed(name, place, trained, tuned, options) for name, place in places.items()}
    worlds = {name: transfer_cells.matching(name, place.graphs[0], options.r0) for name, place in places.items()}
    minutes = START_MINUTES + len(SWEEP_R0) * options.seeds * options.episodes * 0.004 / 60
    sweep = [
        transfer_cells.evaluation(
            f"sweep-{slug(name)}", [SWEEP_GRAPH], options.episodes, minutes, policies=trained[name], r0=SWEEP_R0
        )
        for name in WORLDS
    ]
    return Plan(trained, tuned, deployed, worlds, sweep, skipped)


def _deployed(
    name: str, place: Place, trained: dict[str, list[ExperimentCell]], tuned: ExperimentCell, options: TransferConfig
) -> list[ExperimentCell]:
    """Evaluations at one place: cheap baselines together, the planner, and every method with all its seeds."""
    episodes, r0 = max(1, round(options.episodes * place.share / len(place.graphs))), (options.r0,)
    once, planning = (seconds * episodes * len(place.graphs) / 60 for seconds in (place.seconds, MPC_SECONDS))

    def cell(label: str, minutes: float, **policies: Any) -> ExperimentCell:
        label, minutes = f"eval-{name}-{label}", START_MINUTES + minutes
        return transfer_cells.evaluation(label, place.graphs, episodes, minutes, r0=r0, **policies)

    return [
        cell("baselines", len(CHEAP) * once, tuned=tuned, baselines=CHEAP),
        cell("mpc", once + planning, tuned=tuned, baselines=("mpc",)),
        *(cell(slug(method), len(runs) * once, policies=runs) for method, runs in trained.items()),
        *(
            cell(slug(TOGETHER + m), 2 * once, policies=trained[m], together=True)
            for m in JUDGES
            if len(trained[m]) > 1
        ),
    ]

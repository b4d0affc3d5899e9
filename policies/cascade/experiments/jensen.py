"""Optimism of the mean field: what dropping a variance does to a prevalence, and to policies trained without noise.

``policies experiment jensen [--jobs 2]`` writes docs/results/cascade/jensen (exact, simulated and mean-field
prevalence) and optimism (what policies expect, get in their training world, and get in the deployment world). It uses
the policies of the transfer experiment and trains those that are missing.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from assets.networks.catalogue import NETWORKS, find_file
from policies.cascade.evaluate import Outcomes
from policies.cascade.experiments import resumable, tasks, transfer_plan
from policies.cascade.experiments.resumable import ExperimentCell
from twinloom.atomic import atomic_file
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.results import RESULTS, write_results

HERE = "policies.cascade.experiments.jensen"
R0, RUNS, BATCH = 1.5, 4_000, 500


@dataclass(frozen=True)
class JensenConfig:
    """How much is computed.

    Attributes:
        jobs: processes.
        seeds: trainings of each world.
        steps: of each training; as in transfer, to use the same policies.
        graphs: on which policies are compared.
        episodes: on each.
        train: whether policies are compared at all.
        dry: only say what would be done, and how long it may take.
        out: folder of the results.
        work: folder of finished parts, shared with transfer.
    """

    jobs: int = 1
    seeds: int = 3
    steps: int = 150_000
    graphs: Annotated[tuple[str, ...], transfer_plan.NAMES] = ("barabasi_albert", "facebook_combined", "lastfm_asia")
    episodes: int = 200
    train: bool = True
    dry: bool = False
    out: Path = RESULTS
    work: Path = resumable.FOLDER / "transfer"


def main(words: list[str]) -> int:
    """Body of the command."""
    options = tyro.cli(JensenConfig, prog="policies experiment jensen", args=words)
    resumable.check_counts(options, "jobs", "seeds", "steps", "episodes")
    if options.train:
        options = replace(options, graphs=_there(options.graphs))
    table = ExperimentCell("jensen", f"{HERE}:prevalence", {"runs": RUNS}, 0.5)
    trained: dict[tuple[str, int], ExperimentCell] = {}
    if options.train:
        keys = [(name, s) for name in transfer_plan.WORLDS for s in range(options.seeds)]
        trained = {key: transfer_plan.training(*key, options.steps) for key in keys}
    evaluated: dict[tuple[str, str, int, bool], ExperimentCell] = {}
    for (name, s), cell in trained.items():
        own = {key: value for key, value in transfer_plan.TRAINED[name].items() if key in ("world", "matching")}
        for graph in options.graphs:
            label = cell.name.removeprefix("train-")
            evaluated[graph, name, s, False] = tasks.evaluation(label, graph, options.episodes, 0.3, checkpoint=cell)
            if own["world"] != "exact":
                there = tasks.evaluation(label, graph, options.episodes, 0.3, checkpoint=cell, **own)  # type: ignore[arg-type]
                evaluated[graph, name, s, True] = there
    every = [table, *trained.values(), *evaluated.values()]
    resumable.run(list({cell.stem(): cell for cell in every}.values()), options.work, options.jobs, options.dry)
    if options.dry:
        return 0
    command = shlex.join(["policies", "experiment", "jensen", *words])
    _write_prevalence(resumable.result(table, options.work), options.out, command)
    if trained:
        outcomes = {
            key: Outcomes.from_json(resumable.result(cell, options.work)["episodes"]) for key, cell in evaluated.items()
        }
        _write_optimism(outcomes, options, command)
    return 0


def _there(graphs: Sequence[str]) -> tuple[str, ...]:
    """Those whose files are there; says which are not. Raises TwinloomError for an unknown one, or if none is left."""
    from policies.cascade.config import OWN

    known, found = [OWN, *NETWORKS], []
    for name in dict.fromkeys(graphs):
        if name not in known:
            raise UnknownNameError("graph", name, known, ", ".join(known))
        try:
            if name != OWN and NETWORKS[name].files:
                find_file(NETWORKS[name])
            found.append(name)
        except TwinloomError as error:
            print(f"{name} is left out: {error}", flush=True)
    if not found:
        raise TwinloomError("no graph is left to compare policies on; see the reasons above, or give --no-train")
    return tuple(found)


def prevalence(arguments: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The table of exact against mean-field prevalence with simulated means beside it, and two curves."""
    from sim.cascade.process.markov_chains import SIS_CASES, CompleteSis, complete_sis_table

    rows, curves = [], {}
    for (n, infected, t), row in zip(SIS_CASES, complete_sis_table(R0), strict=True):
        simulated = _simulated(n, infected, t, arguments["runs"])
        error = float(simulated.std(ddof=1) / len(simulated) ** 0.5)
        rows.append(
            {
                "nodes": n,
                "infected at 0": infected,
                "t": t,
                "exact": row["mean"],
                "simulated": float(simulated.mean()),
                "standard errors apart": float(abs(simulated.mean() - row["mean"]) / error),
                "extinct": row["extinct"],
                "mean field": row["ode"],
                "mean field / exact": row["ratio"],
                "residual of the identity": CompleteSis(n, R0, 1.0, infected).residual(t),
            }
        )
    times = np.linspace(0.05, 20, 120)
    for infected in (1, 5):
        chain = CompleteSis(100, R0, 1.0, infected)
        mean, sd, _ = chain.moments(times)
        curves[str(infected)] = {
            "time": times.tolist(),
            "exact": mean.tolist(),
            "sd": sd.tolist(),
            "mean field": chain.ode(times).tolist(),
        }
    return {"rows": rows, "curves": curves}


def _simulated(n: int, infected: int, t: float, runs: int) -> np.ndarray:
    """Prevalence at time t of SIS on the complete graph, [runs]."""
    from assets.networks.generate import complete
    from sim.cascade.process import laws, models
    from sim.cascade.simulator import CascadeSim

    model = models.sis(beta=R0 / (n - 1), recovery=laws.exponential(1.0))
    sim = CascadeSim(complete(n), model, min(BATCH, runs), seed=11)
    found = []
    for episode in range(-(-runs // BATCH)):
        sim.reset(infected, episode=episode)
        sim.advance(t)
        found.append(sim.counts[:, 0, 1] / n)
    return np.concatenate(found)[:runs]


def _write_prevalence(found: dict[str, Any], out: Path, command: str) -> None:
    write_results(
        "cascade",
        "jensen",
        found["rows"],
        command=command,
        seeds={"simulator": 11},
        folder=out,
        title="Mean-field optimism: prevalence of SIS on the complete graph, R0 = 1.5",
        note="*exact* is the master equation. The mean-field equation drops the term - b' Var[x] of the exact identity "
        "d E[x]/dt = b' (E[x](1 - E[x]) - Var[x]) - g E[x], and with it the chance of dying out: with few infected "
        "at the start it is wrong by the same factor however large the population.",
    )
    from sim.cascade.view.style import FAINT, INK, PAPER, figure, tidy

    page = figure(1100, 520)
    page.text(0.05, 0.92, "What the mean field forgets", fontsize=17, color=INK)
    for number, (infected, curve) in enumerate(found["curves"].items()):
        axes = page.add_axes((0.06 + 0.48 * number, 0.12, 0.42, 0.66))
        tidy(axes, f"100 nodes, {infected} infected at the start", 12)
        mean, sd, time = (np.array(curve[key]) for key in ("exact", "sd", "time"))
        axes.fill_between(time, np.maximum(mean - sd, 0), mean + sd, color="#1f5fa8", alpha=0.15, linewidth=0)
        axes.plot(time, mean, color="#1f5fa8", linewidth=2, label="exact mean, one standard deviation")
        axes.plot(time, curve["mean field"], color="#d55e00", linewidth=2, label="mean field")
        axes.set_ylim(0, 0.45)
        axes.set_xlabel("time", color=FAINT, fontsize=9.5, loc="right")
        if number == 0:
            axes.set_ylabel("share infected", color=FAINT, fontsize=9.5)
            axes.legend(frameon=False, fontsize=10, labelcolor=INK, loc="upper left")
    path = out / "cascade" / "jensen.png"
    with atomic_file(path) as temporary:
        page.savefig(temporary, format="png", facecolor=PAPER)


def _write_optimism(outcomes: dict[tuple[str, str, int, bool], Outcomes], options: JensenConfig, command: str) -> None:
    rows = []
    for graph in options.graphs:
        for name in transfer_plan.WORLDS:
            here = [outcomes[graph, name, s, False] for s in range(options.seeds)]
            own = [outcomes.get((graph, name, s, True), one) for s, one in enumerate(here)]
            expected = float(np.mean([one.value.mean() for one in here]))
            trained = float(np.mean([one.discounted.mean() for one in own]))
            realised = float(np.mean([one.discounted.mean() for one in here]))
            rows.append(
                {
                    "graph": graph,
                    "trained in": name,
                    "expected": expected,
                    "in its world": trained,
                    "in deployment": realised,
                    "optimism": expected - realised,
                    "of the world": trained - realised,
                    "of the critic": expected - trained,
                    "optimism by seed": " ".join(f"{one.value.mean() - one.discounted.mean():+.3f}" for one in here),
                }
            )
    write_results(
        "cascade",
        "optimism",
        rows,
        command=command,
        seeds={"trainings": list(range(options.seeds))},
        folder=options.out,
        title="Optimism of policies by training world: discounted return per node",
        note="*expected* is the critics' mean at the start of an episode. *optimism* is what is missing in the "
        "deployment world; part of it is *of the world* (the same policy earns more where it was trained), the rest "
        "*of the critic*: it was trained on other graphs, and its values go on behind the horizon.",
    )

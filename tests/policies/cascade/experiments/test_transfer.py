"""The transfer experiment: its plan, its evaluations, and what its tables say of made-up outcomes."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from policies.cascade.evaluate import SEED, Outcomes, evaluate
from policies.cascade.experiments import hubs, hubs_report, tasks, transfer_cells, transfer_plan, transfer_report
from policies.cascade.experiments.transfer_plan import OURS, SWEEP_R0, TRAINED, WORLDS, TransferConfig, plan
from twinloom.atomic import write_json
from twinloom.errors import TwinloomError, UnknownNameError

EPISODES = 40


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    monkeypatch.setenv("TWINLOOM_NETWORKS", str(tmp_path / "nothing"))


def test_graphs_without_their_file_are_left_out_and_the_reason_is_kept(no_data, capsys):
    found = plan(TransferConfig(graphs=("barabasi_albert", "facebook_combined")))
    assert list(found.deployed) == ["barabasi_albert"]
    assert "facebook_combined.txt" in found.skipped["facebook_combined"]
    assert "facebook_combined is left out" in capsys.readouterr().out
    with pytest.raises(TwinloomError, match="no graph is left"):
        plan(TransferConfig(graphs=("facebook_combined",)))


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"seeds": 0}, {"episodes": -1}, {"jobs": 0}])
def test_counts_begin_at_one(wrong):
    with pytest.raises(TwinloomError, match=f"--{next(iter(wrong))} .* at least 1"):
        plan(TransferConfig(**wrong))


def test_an_unknown_graph_is_named():
    with pytest.raises(UnknownNameError, match="facebook"):
        plan(TransferConfig(graphs=("facebok",)))


def test_every_cell_waits_for_what_it_reads_and_has_its_own_name():
    cells = plan(TransferConfig(graphs=("barabasi_albert", "youtube-like"))).cells()
    names = {cell.name for cell in cells}
    stems = {cell.stem() for cell in cells}
    assert len(names) == len(cells) == len(stems)
    for cell in cells:
        assert set(cell.after) <= names
        assert set(cell.arguments.get("sources", ())) <= stems
    trainings = [cell.arguments for cell in cells if cell.name.startswith("train-")]
    assert len({json.dumps(one, sort_keys=True) for one in trainings}) == 8 * 3


def test_hubs_uses_the_trainings_of_transfer(no_data):
    ours = {cell.stem() for runs in hubs.plan(hubs.HubsConfig(steps=900)).trained.values() for cell in runs}
    theirs = {
        cell.stem()
        for runs in plan(TransferConfig(steps=900, graphs=("youtube-like",))).trained.values()
        for cell in runs
    }
    assert len(ours) == 6
    assert ours < theirs


def test_an_evaluation_plays_the_common_episodes_of_each_graph(tmp_path):
    tuned = {"null": {"kind": "constant", "action": [0.0] * 9}, "random": {"kind": "random", "size": 9}}
    write_json(tmp_path / "tuned.json", {"result": tuned})
    graphs = [[80, 3, 1], [120, 2, 2]]
    arguments = {
        "graphs": graphs,
        "episodes": 3,
        "sources": ["tuned"],
        "baselines": ["null", "random"],
        "r0": [None, 3.0],
    }
    found = transfer_cells.evaluate(arguments | {"every_stage": False}, tmp_path / "cell")
    assert [(one["policy"], one["r0"]) for one in found] == [(p, r) for p in ("null", "random") for r in (None, 3.0)]
    assert not np.any(found[0]["episodes"]["profit"])
    random = Outcomes.from_json(found[3]["episodes"])
    np.testing.assert_array_equal(random.nodes, [80] * 3 + [120] * 3)
    from policies.cascade.baselines import Random

    second = evaluate(
        Random(9),
        "adopt_profit",
        {"graph": transfer_cells.make_graph(graphs[1]), "r0": 3.0},
        3,
        SEED + transfer_cells.APART,
    )
    np.testing.assert_array_equal(random.profit[3:], second.profit)


def test_worlds_differ_as_their_matching_says():
    rows = transfer_cells.compare({"graph": [300, 4, 0], "r0": 3.0}, None)
    found = {(row["world"], row["matching"]): row for row in rows}
    renewal = found["renewal", ""]
    assert renewal["R0"] == pytest.approx(3.0, rel=1e-4)
    for world in "markov", "ode":
        assert found[world, "transmissibility"]["R0"] == pytest.approx(3.0, rel=1e-3)
    assert found["markov", "rate"]["R0"] < 0.99 * renewal["R0"]
    assert found["ode", "rate"]["R0"] > 1.01 * renewal["R0"]
    assert found["markov", "transmissibility"]["generation time"] == pytest.approx(renewal["generation time"], rel=1e-3)


def episodes(mean: float, seed: int) -> dict:
    """Made-up outcomes around a mean; episodes share their luck."""
    luck = np.random.default_rng(0).normal(0, 0.05, EPISODES) + np.random.default_rng(seed).normal(0, 0.005, EPISODES)
    flat = np.full(EPISODES, 0.2)
    return Outcomes(mean + luck, mean + luck, flat, flat, flat, flat, flat).to_json()


MEANS = {name: 0.1 for name in TRAINED} | {"renewal": 0.5, "markov, rate": 0.25, "mean field": -0.2, "SAC": 0.49}
MEANS |= {"markov, T": 0.0005}


@pytest.fixture
def made_up(tmp_path, no_data):
    """A finished experiment whose outcomes are made up."""
    options = TransferConfig(
        graphs=("barabasi_albert", "facebook_combined"), steps=700, out=tmp_path / "out", work=tmp_path
    )
    what = plan(options)
    method_of = {cell.stem(): (name, s) for name, runs in what.trained.items() for s, cell in enumerate(runs)}
    for stem in method_of:
        stages = [{"policy": "", "steps": m, "processor_s": m / 10.0} for m in tasks.marks(700)]
        write_json(tmp_path / f"{stem}.json", {"result": {"checkpoint": "", "steps": 700, "stages": stages}})
    for cell in (*what.deployed["barabasi_albert"], *what.sweep):
        entries = []
        for source in cell.arguments["sources"]:
            for name in cell.arguments["baselines"] or [source]:
                method, seed = method_of.get(name, (name, 0))
                for r0 in cell.arguments["r0"]:
                    mean = MEANS.get(method, 0.0) + (0.4 if r0 == 2.0 and method == OURS else 0.0)
                    entries.append({"policy": name, "seed": seed, "r0": r0, "episodes": episodes(mean, seed + 1)})
        write_json(tmp_path / f"{cell.stem()}.json", {"result": entries})
    for cell in what.worlds.values():
        write_json(tmp_path / f"{cell.stem()}.json", {"result": transfer_cells.compare(cell.arguments, None)})
    return what, options


def test_tables_say_who_wins_and_why(made_up):
    what, options = made_up
    transfer_report.write(what, options, "policies experiment transfer")
    folder = options.out / "cascade"
    rows = json.loads((folder / "transfer.json").read_text())["rows"]
    assert [row["policy"] for row in rows][:2] == ["renewal", "SAC"]
    assert len(rows) == 14
    by_name = {row["policy"]: row for row in rows}
    assert by_name["SAC"]["renewal beats it"].startswith("overlap")
    assert by_name["mpc"]["renewal beats it"] == "yes"
    assert by_name["renewal"]["score"] == pytest.approx(1)
    page = (folder / "transfer.md").read_text()
    assert re.search(r"beats 12 of 13 others, intervals apart; not SAC \(overlap", page)
    assert "A short run" in page
    assert "facebook_combined was left out" in page
    ratios = {
        (r["trained in"], r["matching"]): r for r in json.loads((folder / "transfer_ratio.json").read_text())["rows"]
    }
    assert ratios["Markov world", "rate"]["ratio"] == pytest.approx(2, rel=0.1)
    assert ratios["Markov world", "transmissibility"]["ratio low"] is None
    assert "1 of 2 comparisons" in (folder / "transfer_ratio.md").read_text()
    assert "largest at R0 = 2 " in (folder / "transfer_r0.md").read_text()
    assert len(json.loads((folder / "transfer_r0.json").read_text())["rows"]) == len(SWEEP_R0) * (len(WORLDS) - 1)
    for name in "transfer", "transfer_r0":
        assert (folder / f"{name}.png").stat().st_size > 20_000


def test_learning_curves_of_both_observers(no_data, tmp_path):
    options = hubs.HubsConfig(steps=900, seeds=2, out=tmp_path / "out", work=tmp_path)
    what = hubs.plan(options)
    for observer, cell in what.evaluated.items():
        entries = [
            {
                "policy": "",
                "seed": s,
                "steps": m,
                "episodes": episodes((0.5 if observer == "tiers" else 0.2) * m / 900, s),
            }
            for s in range(2)
            for m in tasks.marks(900)
        ]
        write_json(tmp_path / f"{cell.stem()}.json", {"result": entries})
    hubs_report.write(what, options, "policies experiment hubs")
    results = json.loads((tmp_path / "out" / "cascade" / "hubs.json").read_text())
    assert [row["steps"] for row in results["rows"]] == tasks.marks(900)
    assert results["rows"][-1]["difference"] == pytest.approx(0.3, abs=0.01)
    assert "the observer of tiers is ahead" in results["note"]
    assert "Barabasi-Albert graph of 2,000 nodes" in results["title"]
    assert (tmp_path / "out" / "cascade" / "hubs.png").stat().st_size > 10_000


def test_transfer_names_are_those_of_the_report():
    assert set(transfer_plan.BASELINES).isdisjoint(TRAINED)
    assert WORLDS[0] == OURS

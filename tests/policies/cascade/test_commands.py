"""policies train cascade/..., policies eval: from a tiny training to numbers, and errors that help."""

from __future__ import annotations

import json

import numpy as np
import pytest

import policies
from policies import checkpoint
from policies.cascade import commands
from twinloom.errors import TwinloomError, UnknownNameError

STEPS = 240


@pytest.fixture(scope="module")
def graph(tmp_path_factory) -> str:
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("graph") / "small.txt"
    path.write_text("".join(f"{a} {b}\n" for a, b in rng.integers(0, 80, (300, 2))))
    return str(path)


@pytest.fixture(scope="module")
def trained(graph, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    commands.train("adopt_profit", graph=graph, steps=STEPS, num_envs=4, out=folder)
    return folder


def test_a_checkpoint_says_what_it_was_trained_on_and_is_small(trained):
    spec, raw = checkpoint.describe(trained)
    assert spec.task == "cascade/adopt_profit"
    assert (spec.extra["steps"], spec.extra["algo"], spec.extra["world"]["world"]) == (STEPS, "tqc", "exact")
    assert spec.action.names[0] == "seed/tier0"
    assert "log10_kappa" in spec.observation["observation.state"].names
    assert (trained / "last" / "model.safetensors").stat().st_size < 2e6
    assert raw["made"]["command"].startswith("policies")


def test_the_same_line_again_does_nothing_and_more_steps_go_on(trained, graph, capsys):
    before = (trained / "last" / "model.safetensors").read_bytes()
    commands.train("adopt_profit", graph=graph, steps=STEPS, num_envs=4, out=trained)
    assert (trained / "last" / "model.safetensors").read_bytes() == before
    with pytest.raises(TwinloomError, match=r"learner\.top_quantiles_to_drop_per_net 2"):
        commands.train(
            "adopt_profit", graph=graph, steps=STEPS, num_envs=4, top_quantiles_to_drop_per_net=1, out=trained
        )


def test_evaluation_prints_and_writes_the_same_numbers(trained, graph, tmp_path, capsys):
    commands.evaluate((str(trained), "null"), on=graph, episodes=6, json=tmp_path / "found.json")
    printed = capsys.readouterr().out
    ours, null = json.loads((tmp_path / "found.json").read_text())["policies"]
    (profits,) = [line.split() for line in printed.splitlines() if line.strip().startswith("profit")]
    assert profits == ["profit", f"{ours['profit']:.4g}", "0"]
    assert len(ours["episodes"]["profit"]) == 6
    assert ours["optimism"] is not None
    assert (null["policy"], null["profit"], null["optimism"]) == ("null", 0.0, None)


def test_rows_of_profit_are_left_out_where_there_is_none(graph, capsys):
    commands.evaluate(("null",), problem="epidemic_mitigate", on=graph, episodes=2)
    printed = capsys.readouterr().out
    assert "return" in printed
    assert "loss share" not in printed
    assert "profit" not in printed


def test_the_graph_of_a_problem_is_named(capsys):
    commands.evaluate(("null",), problem="cascade/escape", episodes=1)
    assert "cascade/escape on erdos-renyi n=5000 mean degree 40," in capsys.readouterr().out


def test_a_checkpoint_brings_its_problem(trained, graph):
    with pytest.raises(TwinloomError, match="was trained on adopt_profit, not on escape"):
        commands.evaluate((str(trained),), problem="escape", on=graph, episodes=1)


def test_the_constant_of_escape_is_tuned_where_the_valley_is():
    from policies.cascade import resolve

    found = resolve.tuned("constant", "escape", resolve.training_ground("escape"))
    assert found["action"][0] > 0.5
    assert found["score"] > 0.02


def test_policies_bring_their_view_with_them(graph, tmp_path):
    commands.train(
        "adopt_profit",
        graph=graph,
        steps=80,
        num_envs=4,
        observer="global",
        features="basic",
        world="ode",
        out=tmp_path / "run",
    )
    policy = policies.load(tmp_path / "run")
    assert policy.spec.observation["observation.state"].shape == (8,)
    commands.evaluate((str(tmp_path / "run"),), on=graph, episodes=2)


def test_unknown_names_are_told_apart(tmp_path):
    with pytest.raises(UnknownNameError, match=r"Did you mean constant\?.*folder"):
        commands.evaluate(("constnat",))
    with pytest.raises(TwinloomError, match="no folder"):
        commands.evaluate(("runs/not-there",))
    with pytest.raises(UnknownNameError, match="adopt_profit"):
        commands.train("adopt_profits", out=tmp_path / "x")
    with pytest.raises(UnknownNameError, match="valley"):
        commands.experiment("vally")
    with pytest.raises(TwinloomError, match="--episodes 0"):
        commands.evaluate(("null",), episodes=0)
    with pytest.raises(TwinloomError, match="world"):
        commands.train("adopt_profit", world="moon", out=tmp_path / "x")

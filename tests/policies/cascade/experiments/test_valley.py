"""The valley: what the simulator says of it, and (slow) who crosses and what critics learn."""

from __future__ import annotations

import numpy as np
import pytest

from policies.cascade.experiments import jensen, valley
from policies.cascade.stats import two_groups
from sim.cascade.process.theory import Valley


def test_a_little_spending_loses_and_much_earns():
    returns = {level: valley.simulate(valley.problem(), level, 60).mean() for level in (0.0, 0.3, 0.8)}
    assert returns[0.3] < -0.07
    assert returns[0.8] > 0.03
    assert abs(returns[0.8] - Valley().profit(0.8)) < 0.02
    assert 0 < returns[0.0] < 0.02


def test_with_two_seeds_the_mean_is_hardly_ever_an_outcome():
    returns = valley.simulate(valley.problem(2), 0.5, 150)
    low, high, share = two_groups(returns)
    assert low < returns.mean() - 0.08
    assert high > returns.mean() + 0.08
    assert 0.3 < share < 0.7
    assert (np.abs(returns - returns.mean()) < 0.05).mean() < 0.05


def test_a_dry_run_names_every_cell(tmp_path, capsys):
    valley.main(["--dry", "--seeds", "2", "--work", str(tmp_path)])
    assert "14 cells, 0 of them finished" in capsys.readouterr().out


def test_prevalence_on_the_complete_graph_is_that_of_the_master_equation():
    simulated = jensen._simulated(100, 5, 10.0, 500)
    assert abs(simulated.mean() - 0.24355) < 4 * simulated.std() / 500**0.5


@pytest.mark.slow
def test_an_actor_on_the_upper_tenth_crosses_and_one_on_the_lower_tenth_does_not(tmp_path):
    ends = {}
    for name in "TQC, upper tenth", "TQC, lower tenth":
        arguments = {"learner": valley.METHODS[name] | {"seed": 0, "steps": 12_000}}
        ends[name] = valley.learn(arguments, tmp_path / name)["final"]
    assert ends["TQC, upper tenth"] > 0.5
    assert ends["TQC, lower tenth"] < 0.2


@pytest.mark.slow
def test_critics_learn_both_outcomes(tmp_path):
    rows = valley.fit({"steps": 30_000, "episodes": 1_000}, tmp_path / "fit")["rows"]
    for row in rows:
        assert row["Wasserstein-1"] < 0.1
        assert row["learned bimodality"] > 5 / 9

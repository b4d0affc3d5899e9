"""What tiers are worth: figures of the results, within their noise."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert
from sim.cascade.observe import observability as study


@pytest.fixture(scope="module")
def network():
    return barabasi_albert(10_000, 4, np.random.default_rng(0))


def test_infected_hubs_and_leaves_look_the_same_to_a_global_observer_only(network):
    model = study.process(study.BETA)
    sets = study.infected_sets(network, 100, np.random.default_rng(0))
    means = {name: study.new_infections(network, model, nodes, 40).mean() for name, nodes in sets.items()}
    assert means["highest degree"] == pytest.approx(1003, abs=30)
    assert 150 < means["random"] < 260
    assert 90 < means["lowest degree"] < 150
    assert means["highest degree"] / means["lowest degree"] > 5
    views = {kind: [study.seen(network, model, nodes, kind) for nodes in sets.values()] for kind in ("global", "tiers")}
    assert all(np.array_equal(view, views["global"][0]) for view in views["global"])
    assert views["tiers"][0][0] > 0.05
    assert views["tiers"][2].tolist() == pytest.approx([0, 0, 100 / (study.cut(network).sizes[2])])


def test_tiers_tell_more_of_the_future_than_totals(network):
    model = study.process(study.BETA)
    states = study.reach(network, model, study.TRAINING + study.HELD_OUT)
    target = np.log1p(states.new)
    score = {
        name: study.r_squared(
            study.share_features(study.CUTS[name](network), model, states.state),
            target,
            study.TRAINING,
        )
        for name in ("none (global)", "stub 3")
    }
    assert score["none (global)"] == pytest.approx(0.896, abs=0.03)
    assert score["stub 3"] == pytest.approx(0.921, abs=0.03)
    assert score["stub 3"] > score["none (global)"] + 0.015


def test_regression_finds_a_line_and_nothing_in_noise():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 3))
    assert study.r_squared(x, x @ [1.0, -2.0, 0.5], 400) > 0.999
    assert abs(study.r_squared(x, rng.normal(size=600), 400)) < 0.1


def test_states_do_not_depend_on_who_looks(network):
    model = study.process(study.BETA)
    plain = study.reach(network, model, 60)
    seen = study.reach(network, model, 60, tiers=study.cut(network), kind="oracle")
    assert np.array_equal(plain.state, seen.state)
    assert np.array_equal(plain.new, seen.new)
    assert seen.view.shape == (60, 3 * (3 + 2 + 2 + 1 + 1 + 2) + 4)

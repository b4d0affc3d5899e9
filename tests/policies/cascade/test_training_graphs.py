"""Communities: same degrees, edges within groups."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert
from policies.cascade.training_graphs import CommunityRange, _paired, into_communities


def test_degrees_stay_and_edges_move_into_groups():
    rng = np.random.default_rng(0)
    before = barabasi_albert(2000, 5, rng)
    after = into_communities(before, 50, 0.9, rng)
    assert 0.75 < after.edges / before.edges <= 1
    assert np.corrcoef(before.degree, after.degree)[0, 1] > 0.9
    loose = into_communities(before, 50, 0.0, np.random.default_rng(1))
    assert triangles(after) > 3 * triangles(loose)


def triangles(graph) -> int:
    from scipy.sparse import csr_array

    a = csr_array((np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=(graph.n, graph.n))
    return round(float(((a @ a) * a).sum()) / 6)


def test_pairs_stay_in_their_group_and_use_each_stub_once():
    rng = np.random.default_rng(0)
    stubs, group = np.arange(101), np.arange(101) % 4
    pairs = _paired(stubs, group, rng)
    assert (group[pairs[:, 0]] == group[pairs[:, 1]]).all()
    assert len(np.unique(pairs)) == pairs.size >= 101 - 4


@pytest.mark.parametrize(("share", "name"), [(0.0, "barabasi-albert"), (1.0, "communities")])
def test_a_share_of_the_training_graphs_has_communities(share, name):
    graph = CommunityRange(n=(100, 200), communities=share).graph(np.random.default_rng(0))
    assert name in graph.name
    assert graph.synthetic

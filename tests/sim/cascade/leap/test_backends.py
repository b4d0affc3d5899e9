"""numba, torch and warp find the same epidemic, node by node."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert, star
from assets.networks.graph import from_edges
from assets.networks.tiers import cut
from sim.cascade.process import laws, models
from sim.cascade.simulator import CascadeSim

torch = pytest.importorskip("torch")
pytest.importorskip("warp")

GRAPH = barabasi_albert(1000, 4, np.random.default_rng(0))
TIERS = cut(GRAPH, "stub", k=3)
CASES = {
    "seir": models.seir(),
    "sis": models.sis(0.1, laws.gamma(2.0, 0.6)),
    "seirs": models.seirs(0.2, laws.deterministic(2.0), laws.empirical([1.0, 3.0, 9.0]), laws.weibull(8.0, 0.5)),
    "threshold": models.thresh(2.0, laws.exponential(5.0)),
    "power": models.thresh(0.2, power=2.0),
}
OTHERS = [("torch", "cpu"), ("warp", "cpu")]
OTHERS += [pytest.param(backend, "cuda", marks=pytest.mark.gpu) for backend in ("torch", "warp")]


@pytest.fixture(autouse=True)
def one_thread():
    """Small tensors: more threads only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def epidemic(graph, model, backend, device, days=50, replicas=2):
    """A whole epidemic with controls that change, moves, and a reset of one replica on the way."""
    sim = CascadeSim(graph, model, replicas, engine="leap", backend=backend, device=device, tiers=TIERS, seed=4)
    sim.reset(10)
    for day in range(days):
        if day == 5:
            sim.set_control("out", [[0.3, 1.0, 1.3]])
            sim.set_control("in", [[1.0, 0.6, 1.0]])
        if day == 10:
            sim.move(0, model.entry, [[2, 0, 5]])
        if day == 12 and model.steps:
            sim.set_control(f"speed:{model.compartments[model.infectious]}", [[0.5, 1.0, 2.0]])
        if day == 15:
            sim.reset(10, mask=np.array([False, True]))
        sim.advance(1.0)
    return sim


def assert_same(a, b):
    for name in ("state", "age", "counts", "flows"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    for one, other in zip(a.age_stats(), b.age_stats(), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(a.pressure(), b.pressure())
    names = ("entered", "exposure", "ever", "reached")
    mine, theirs = a._backend._look(*names), b._backend._look(*names)
    for name in names:
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))


@pytest.mark.parametrize(("backend", "device"), OTHERS)
@pytest.mark.parametrize("case", CASES)
def test_backends_agree(case, backend, device):
    model = CASES[case]
    reference = epidemic(GRAPH, model, "numba", "cpu")
    assert reference.flows.sum() > 1000
    assert_same(reference, epidemic(GRAPH, model, backend, device))


@pytest.mark.parametrize(("backend", "device"), OTHERS)
def test_backends_agree_on_weighted_arcs_and_fine_steps(backend, device):
    rng = np.random.default_rng(1)
    arcs = np.column_stack((GRAPH.sources, GRAPH.indices))[rng.random(len(GRAPH.indices)) < 0.7]
    graph = from_edges(GRAPH.n, arcs, directed=True, weights=rng.lognormal(0, 1, len(arcs)))
    sims = []
    for name, where in (("numba", "cpu"), (backend, device)):
        sim = CascadeSim(graph, models.seir(), 2, engine="leap", backend=name, device=where, tiers=TIERS, eps=0.2)
        sim.reset(10)
        for _ in range(12):
            sim.advance(1.0)
        sims.append(sim)
    assert sims[0]._backend._steps.min() > 12 * 8
    assert_same(*sims)


@pytest.mark.parametrize(("backend", "device"), [("numba", "cpu"), *OTHERS])
def test_frequency_of_an_event(backend, device):
    """One million lanes of probability 0.3, within 5 standard deviations: leaves of stars with an infectious centre."""
    leaves, replicas, p = 50_000, 20, 0.3
    model = models.si(-np.log1p(-p))
    sim = CascadeSim(star(leaves + 1), model, replicas, engine="leap", backend=backend, device=device, substeps=1)
    sim.reset([0])
    sim.advance(1.0)
    hits = sim.counts[:, 0, 1] - 1
    assert abs(hits.sum() - p * leaves * replicas) < 5 * np.sqrt(p * (1 - p) * leaves * replicas)
    assert len(np.unique(hits)) > 10  # replicas have streams of their own
    # the share of leaves infected in both of two replicas is p**2: streams are independent
    both = ((sim.state[0, 1:] == 1) & (sim.state[1, 1:] == 1)).sum()
    assert abs(both - p**2 * leaves) < 5 * np.sqrt(p**2 * (1 - p**2) * leaves)


def test_copies_of_a_separate_device_are_kept_up_to_date(monkeypatch):
    """The traffic between host and device, with a device that pretends not to share memory."""
    from sim.cascade.leap import torch_engine

    class Separate(torch_engine.LeapTorch):
        def _upload(self, array):
            return super()._upload(array).clone()

        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            self._shared = False

    reference = epidemic(GRAPH, CASES["seirs"], "torch", "cpu", days=20)
    monkeypatch.setattr(torch_engine, "LeapTorch", Separate)
    separate = epidemic(GRAPH, CASES["seirs"], "torch", "cpu", days=20)
    assert isinstance(separate._backend, Separate)
    assert separate._backend._old
    assert_same(reference, separate)

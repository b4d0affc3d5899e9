"""Philox against its published vectors; numba and NumPy agree; keys are mixed; draws have the right frequency."""

from __future__ import annotations

import numpy as np
import pytest

from sim.cascade.process.rng import CONTACT, key_of, keys, philox, philox_numpy, uniform, uniform_numpy

ONES = 0xFFFFFFFF
# kat_vectors of Random123: counter, key, result of philox4x32 with 10 rounds
VECTORS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((ONES,) * 4, (ONES, ONES), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "expected"), VECTORS)
def test_known_answers(counter, key, expected):
    assert tuple(int(w) for w in philox(*counter, *key)) == expected
    assert tuple(philox_numpy(*counter, *key).tolist()) == expected


def test_numba_and_numpy_agree():
    words = np.random.default_rng(0).integers(0, 2**32, (200, 6), dtype=np.uint64)
    expected = philox_numpy(*words.T)
    assert [tuple(int(w) for w in philox(*row)) for row in words] == [tuple(row) for row in expected.tolist()]
    assert [uniform(w) for w in expected[:, 0]] == uniform_numpy(expected[:, 0]).tolist()


def test_uniforms_exclude_both_ends():
    low, high = uniform(np.uint32(0)), uniform(np.uint32(ONES))
    assert 0 < low < 2**-32
    assert 1 - 2**-32 < high < 1


def test_keys_are_mixed_and_do_not_depend_on_the_batch():
    grid = np.array([(e, r) for e in range(40) for r in range(40)])
    found = {s: keys(s, grid[:, 0], grid[:, 1]) for s in range(3)}
    pool = np.concatenate(list(found.values())).astype(np.uint64)
    assert len(np.unique(pool[:, 0] << np.uint64(32) | pool[:, 1])) == len(pool)
    assert np.array_equal(keys(1, np.array([7]), np.array([3]))[0], found[1][7 * 40 + 3])
    assert tuple(int(w) for w in key_of(1, 7, 3)) == tuple(found[1][7 * 40 + 3].tolist())


@pytest.mark.parametrize("p", [0.3, 0.001])
def test_frequency_of_an_event(p):
    """One million lanes: nodes of one step, then steps of one node."""
    n = 1_000_000
    k0, k1 = key_of(5, 0, 0)
    lanes = np.arange(n)
    for counter in ((lanes, 3, CONTACT, 0), (3, lanes, CONTACT, 0)):
        hits = (uniform_numpy(philox_numpy(*counter, k0, k1)) < p).sum(axis=0)
        assert np.all(np.abs(hits - n * p) < 5 * np.sqrt(n * p * (1 - p)))

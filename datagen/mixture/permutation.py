"""Shuffling without a list: position i of a keyed permutation of n, at once and in no memory."""

from __future__ import annotations

import numpy as np

ROUNDS = 4


def permuted(positions: np.ndarray, length: int, key: tuple[int, ...]) -> np.ndarray:
    """Where a permutation of ``length`` puts these positions.

    A Feistel network over the smallest even number of bits that holds ``length``; what falls outside goes round again
    (cycle walking), so that every position has exactly one image.

    Args:
        positions: (n,) integers in [0, length).
        length: of the permutation, at least 1.
        key: integers that choose the permutation.

    Returns:
        (n,) int64 in [0, length), different for different positions.
    """
    half = max(1, (max(length - 1, 1).bit_length() + 1) // 2)
    keys = np.random.SeedSequence(list(key)).generate_state(ROUNDS, np.uint64)
    values = np.asarray(positions, np.uint64)
    out = _feistel(values, half, keys)
    while (outside := out >= length).any():
        out[outside] = _feistel(out[outside], half, keys)
    return out.astype(np.int64)


def _feistel(values: np.ndarray, half: int, keys: np.ndarray) -> np.ndarray:
    mask = np.uint64((1 << half) - 1)
    left, right = values >> np.uint64(half), values & mask
    for key in keys:
        left, right = right, left ^ (_mix(right + key) & mask)
    return (left << np.uint64(half)) | right


def _mix(x: np.ndarray) -> np.ndarray:
    """The finaliser of SplitMix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))

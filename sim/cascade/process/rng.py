"""Counter-based random numbers: Philox 4x32-10 (Salmon et al., SC 2011), the same bits in numba and in NumPy.

A draw is a pure function of its key and its counter, so it depends on neither the batch, the thread nor the device::

    key     = key_of(seed, episode, replica)          64 bits, mixed
    counter = (node, index, purpose, 0)               index: event number or step of the node
    uniform = (word + 0.5) / 2**32                    strictly between 0 and 1
"""

from __future__ import annotations

import numpy as np

from sim.cascade.compile import kernel

# Third word of the counter: draws for different purposes never share a counter.
RESIDENCE, CONTACT, SEED, MOVE, LEAP, TRAIT = range(6)

ROUNDS = 10
MULTIPLIER_0, MULTIPLIER_1 = 0xD2511F53, 0xCD9E8D57
WEYL_0, WEYL_1 = 0x9E3779B9, 0xBB67AE85

_MASK = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_M0, _M1 = np.uint64(MULTIPLIER_0), np.uint64(MULTIPLIER_1)
_W0, _W1 = np.uint32(WEYL_0), np.uint32(WEYL_1)
_UNIT = 2.0**-32


@kernel
def philox(c0, c1, c2, c3, k0, k1):
    """Four random 32-bit words of one counter and key. All arguments and results are uint32."""
    c0, c1, c2, c3 = np.uint32(c0), np.uint32(c1), np.uint32(c2), np.uint32(c3)
    k0, k1 = np.uint32(k0), np.uint32(k1)
    for _ in range(ROUNDS):
        p0 = _M0 * np.uint64(c0)
        p1 = _M1 * np.uint64(c2)
        c0 = np.uint32(p1 >> _SHIFT) ^ c1 ^ k0
        c1 = np.uint32(p1)
        c2 = np.uint32(p0 >> _SHIFT) ^ c3 ^ k1
        c3 = np.uint32(p0)
        k0 = np.uint32(k0 + _W0)
        k1 = np.uint32(k1 + _W1)
    return c0, c1, c2, c3


@kernel
def uniform(word):
    """A word as float64 in (0, 1), both ends excluded."""
    return (np.float64(word) + 0.5) * _UNIT


@kernel
def mix(z):
    """Finaliser of splitmix64 (Steele et al. 2014): every input bit moves half of the output bits."""
    z = np.uint64(z) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def key_of(seed, episode, replica):
    """Key (two uint32) of one replica's episode. Mixed, not added: seed 1 episode 0 is not seed 0 episode 1."""
    z = mix(mix(mix(np.uint64(seed)) ^ np.uint64(episode)) ^ np.uint64(replica))
    return np.uint32(z & _MASK), np.uint32(z >> _SHIFT)


def keys(seed: int | np.ndarray, episodes: np.ndarray, replicas: np.ndarray) -> np.ndarray:
    """Keys of many replicas.

    Args:
        seed: run seed, 0 <= seed < 2**64; one for all or [R].
        episodes: [R] episode number of each replica.
        replicas: [R] replica numbers.

    Returns:
        uint32 [R, 2], the same words as `key_of`.
    """

    def mixed(z: np.ndarray) -> np.ndarray:
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    with np.errstate(over="ignore"):  # arithmetic modulo 2**64 is meant
        z = mixed(np.atleast_1d(np.asarray(seed, np.uint64)))
        z = mixed(z ^ np.asarray(episodes, np.uint64))
        z = mixed(z ^ np.asarray(replicas, np.uint64))
    return np.stack([z & _MASK, z >> _SHIFT], axis=-1).astype(np.uint32)


def philox_numpy(c0, c1, c2, c3, k0, k1) -> np.ndarray:
    """`philox` for arrays that broadcast; uint32 [..., 4]."""
    words = np.broadcast_arrays(*(np.asarray(x, np.uint64) & _MASK for x in (c0, c1, c2, c3, k0, k1)))
    c0, c1, c2, c3, k0, k1 = words
    for _ in range(ROUNDS):
        p0, p1 = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (p1 >> _SHIFT) ^ c1 ^ k0, p1 & _MASK, (p0 >> _SHIFT) ^ c3 ^ k1, p0 & _MASK
        k0 = (k0 + np.uint64(WEYL_0)) & _MASK
        k1 = (k1 + np.uint64(WEYL_1)) & _MASK
    return np.stack([c0, c1, c2, c3], axis=-1).astype(np.uint32)


def uniform_numpy(words: np.ndarray) -> np.ndarray:
    """`uniform` for arrays."""
    return (np.asarray(words, np.float64) + 0.5) * _UNIT

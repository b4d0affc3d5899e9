"""The embodiment as a graph over slots, for networks that pass messages along the body."""

from __future__ import annotations

import numpy as np

from assets.robots.humanoid.slots import NUM_SLOTS, SLOT_INDEX
from assets.robots.humanoid.tree import LinkTree

ROOT = NUM_SLOTS
"""Index of the extra node that stands for the base; joints that hang from it are its neighbours."""


def adjacency(tree: LinkTree) -> np.ndarray:
    """(33, 33) bool, symmetric, with self-loops: node k is slot k, node 32 the base.

    Two joints are neighbours when one follows the other on the true chain, so a hip that begins with yaw has base -
    hip_yaw - hip_roll - hip_pitch - knee. Slots without a joint are alone with their self-loop.
    Source: Xue et al. 2026 (arXiv 2602.05791); the root node is ours, it keeps the degree of every node bounded.
    """
    edges = np.eye(NUM_SLOTS + 1, dtype=bool)
    for link in tree.links:
        if link.hinge is None:
            continue
        above = tree.links[link.parent].hinge
        node, parent = SLOT_INDEX[link.hinge.slot], ROOT if above is None else SLOT_INDEX[above.slot]
        edges[node, parent] = edges[parent, node] = True
    return edges


def normalized(edges: np.ndarray) -> np.ndarray:
    """D^-1/2 A D^-1/2 of adjacencies (..., n, n) that have self-loops, as graph convolutions use it."""
    scale = edges.sum(axis=-1) ** -0.5
    return edges * scale[..., :, None] * scale[..., None, :]

"""The mirror image of what a walking network sees and does. Bodies are symmetric, so their description stays."""

from __future__ import annotations

import numpy as np

from policies.humanoid.senses import LEGS

_LEG = np.array([1.0, -1.0, -1.0, 1.0, 1.0, -1.0])  # pitch, roll, yaw, knee, pitch, roll
_SIDE = np.array([1.0, -1.0, 1.0])  # y changes its sign
_TURN = -_SIDE  # so do rotations about x and z


def _table(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Concatenate (index, sign) pairs, each index relative to its own part."""
    index, sign, start = [], [], 0
    for part, signs in parts:
        index.append(part + start)
        sign.append(signs)
        start += len(part)
    return np.concatenate(index), np.concatenate(sign).astype(np.float32)


_SWAP_LEGS = (np.roll(np.arange(LEGS), 6), np.tile(_LEG, 2))
_SWAP_SOLES = (np.roll(np.arange(6), 3), np.tile(_SIDE, 2))
_HERE = np.arange(3)

ACTION = _SWAP_LEGS
"""(index, sign) so that ``mirrored = values[..., index] * sign``, for actions."""
FRAME = _table(
    [(_HERE, _TURN), (_HERE, _SIDE), *[_SWAP_LEGS] * 3, *[_SWAP_SOLES] * 2, (_HERE, _SIDE)],
)
"""The same for a step of history."""
TASK = _table([(np.arange(11), np.array([1, 1, 1, -1, -1, 1, 1, 1, -1, -1, -1.0]))])
"""The same for clock, command and heading error."""
VELOCITY = (_HERE, _SIDE.astype(np.float32))
"""The same for the velocity of the base."""

"""How much of a batch should be target data: the closed-form rule of Lei et al. 2026 (arXiv 2604.13645).

``p_target`` is always the probability that a training sample comes from the target (real) data.
"""

from __future__ import annotations

from math import sqrt

from twinloom.errors import TwinloomError

MANY = 5.0
"""Source samples per target sample from which the asymptotic branch of the rule is used."""


def natural_ratio(target: int, source: int) -> float:
    """p_target of plain concatenation: target / (target + source). Raises TwinloomError if there is no data."""
    if min(target, source) < 0 or target + source == 0:
        raise TwinloomError(f"target {target} and source {source} must be counts, not both 0")
    return target / (target + source)


def ratio_range(target: int, source: int, quality: float = 0.8) -> tuple[float, float]:
    """The range of p_target in which to search: low, high.

    Low is the natural ratio. High is where a source sample's pull on a target observation has fallen to p_target:
    sqrt(target / source) if there is much more source data, else target q / ((1 - q) source + target q); at most 0.5.

    Args:
        target, source: numbers of samples (or of episodes of similar length).
        quality: q, share of the pull that the target may have at most, in the second case.

    Raises:
        TwinloomError: counts below 1, a quality outside (0, 1), or less source than target data, where there is no
            reason to mix by this rule.
    """
    if min(target, source) < 1 or not 0.0 < quality < 1.0:
        raise TwinloomError(f"target {target} and source {source} must be at least 1, quality {quality} in (0, 1)")
    if source < target:
        raise TwinloomError(f"there is less source ({source}) than target data ({target}); train on the target alone")
    low = natural_ratio(target, source)
    if source / target > MANY:
        high = sqrt(target / source)
    else:
        high = target * quality / ((1.0 - quality) * source + target * quality)
    return low, max(low, min(high, 0.5))

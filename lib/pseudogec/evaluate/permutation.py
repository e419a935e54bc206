"""Whether two groups of sentences differ in a mean, by SciPy's permutation test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from artefacts.errors import UserError

_NUMBERS_AT_ONCE = 4_000_000
"""How many shuffled values are held at once: some 60 MB."""


class MeanComparison(NamedTuple):
    """What a permutation test found.

    Attributes:
        first: mean of the first group.
        second: mean of the second group.
        p_value: how likely a difference at least as large is if the groups do not differ; two-sided.
        samples: how many permutations were drawn.
    """

    first: float
    second: float
    p_value: float
    samples: int


def compare_means(first: Sequence[float], second: Sequence[float], samples: int = 10_000, seed: int = 1) -> MeanComparison:
    """Test whether the means of two independent groups differ, such as edits per token of sentences (Choe et al. 2019, table 9).

    Args:
        first: one value a sentence.
        second: the same of the other group; the sizes may differ.
        samples: random permutations of the pooled values; where fewer exist, all are taken.
        seed: seed of the draws.

    Raises:
        UserError: a group has fewer than two values.
    """
    from scipy.stats import permutation_test

    groups = (np.asarray(first, dtype=float), np.asarray(second, dtype=float))
    if min(map(len, groups)) < 2:
        raise UserError(f"a permutation test needs two values in each group; these have {len(groups[0])} and {len(groups[1])}")
    batch = max(1, _NUMBERS_AT_ONCE // sum(map(len, groups)))
    found = permutation_test(groups, _difference, n_resamples=samples, batch=batch, vectorized=True, rng=seed)
    return MeanComparison(float(groups[0].mean()), float(groups[1].mean()), float(found.pvalue), samples)


def _difference(first: np.ndarray, second: np.ndarray, axis: int) -> Any:
    return first.mean(axis=axis) - second.mean(axis=axis)

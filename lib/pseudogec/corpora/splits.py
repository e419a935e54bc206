"""Parts of a corpus that keep its proportions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def part_of_each(groups: Sequence[str], share: float, seed: int) -> set[int]:
    """Draw the same share of every group, such as the sentences of each proficiency level (Choe et al. 2019, table 2).

    Args:
        groups: the group of each sentence.
        share: of each group's sentences, rounded to whole ones.
        seed: of the draw.

    Returns:
        The places of the drawn sentences.
    """
    random_numbers = np.random.default_rng(seed)
    names = np.array(groups, dtype=object)
    drawn: set[int] = set()
    for name in sorted(set(groups)):
        places = np.flatnonzero(names == name)
        drawn.update(random_numbers.permutation(places)[: round(share * len(places))].tolist())
    return drawn

"""Which sentences show best what methods do, and how two systems differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pseudogec.evaluate import Score


def instructive_sentences(scores: Mapping[str, Score], each: int) -> dict[str, list[int]]:
    """Choose sentences that two systems correct differently, or both not at all.

    A system is right about a sentence when it makes all edits of the reference and no other; it leaves the errors when it makes
    none; it changes what was right when the reference has no edits.

    Args:
        scores: name -> score of two systems on the same sentences.
        each: how many of each kind, the first of the test set.

    Returns:
        Heading -> sentence numbers (from 0), at most ``each`` under each.
    """
    (first, first_counts), (second, second_counts) = ((name, score.per_sentence()) for name, score in scores.items())
    kinds = {
        f"only {second} is right": _right(second_counts) & ~_right(first_counts),
        f"only {first} is right": _right(first_counts) & ~_right(second_counts),
        f"only {second} changes what was right": _needless(second_counts) & ~first_counts.any(axis=1),
        f"only {first} changes what was right": _needless(first_counts) & ~second_counts.any(axis=1),
        "both leave the errors": _untouched(first_counts) & _untouched(second_counts),
    }
    return {heading: np.flatnonzero(chosen)[:each].tolist() for heading, chosen in kinds.items()}


def _right(counts: np.ndarray) -> np.ndarray:
    return (counts[:, 0] > 0) & (counts[:, 1] == 0) & (counts[:, 2] == 0)


def _needless(counts: np.ndarray) -> np.ndarray:
    return (counts[:, 0] == 0) & (counts[:, 1] > 0) & (counts[:, 2] == 0)


def _untouched(counts: np.ndarray) -> np.ndarray:
    return (counts[:, 0] == 0) & (counts[:, 1] == 0) & (counts[:, 2] > 0)


def typical_example(made: Mapping[str, Sequence[Mapping[str, Any]]]) -> int:
    """The sentence whose numbers of edits are nearest to what each method makes on average.

    Args:
        made: method -> what it did to the same sentences: ``operations``, of which those of kind ``keep`` change nothing.

    Returns:
        Its number, from 0; the deviations are weighed by each method's own spread.
    """
    edits = [[sum(kind != "keep" for kind, *_ in example["operations"]) for example in examples] for examples in made.values()]
    counts = np.array(edits, float)
    spread = np.maximum(counts.std(axis=1, keepdims=True), 1e-9)
    return int(np.abs((counts - counts.mean(axis=1, keepdims=True)) / spread).sum(axis=0).argmin())

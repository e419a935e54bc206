"""Whether one system is better than another, from each sentence's statistics; and whether two groups of sentences differ.

Sentences are drawn, or systems swapped, many times at once, over matrices of statistics. p-values are counted as ``sacrebleu``
does: unbiased, (k + 1) / (samples + 1), and two-sided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from artefacts.errors import UserError
from pseudogec.evaluate.metric import Score

OfSums = Callable[[np.ndarray], np.ndarray]
"""Scores, (...), of summed statistics, (..., statistics): `Measure.of`."""
_CHUNK = 250
"""Samples that are drawn at once: with 3,000 sentences they fill some 20 MB."""
_NUMBERS_AT_ONCE = 4_000_000
"""Shuffled values of groups that are held at once: some 60 MB."""
_TOLERANCE = 1e-12
"""Differences this near count as equal: sums of the same numbers in another order."""


def compare_scores(first: Score, second: Score, samples: int = 10_000, seed: int = 1) -> float:
    """The two-sided p-value of the difference of two systems in the metric's headline measure, by approximate randomisation.

    The statistics are those of the references that the metric chose for each system.

    Raises:
        UserError: the scores are not of the same metric, settings and references.
    """
    if (first.signature, first.sentences) != (second.signature, second.sentences):
        raise UserError(
            "only scores of one metric over the same references can be compared; these are "
            f"{first.signature} ({first.sentences} sentences) and {second.signature} ({second.sentences} sentences)"
        )
    measures = {"headline": first.metric.headline.of}
    return randomisation_p_values(first.per_sentence(), second.per_sentence(), measures, samples, seed)["headline"]


def randomisation_p_values(
    first: np.ndarray, second: np.ndarray, measures: Mapping[str, OfSums], samples: int = 10_000, seed: int = 1
) -> dict[str, float]:
    """The two-sided p-values of several measures, from the same random swaps (Noreen 1989; Riezler and Maxwell 2005).

    Args:
        first: (sentences, statistics) of the first system.
        second: the same of the second system, line for line.
        measures: scores of summed statistics by name.
        samples: how many times the systems' sentences are swapped.
        seed: of the swaps.

    Raises:
        UserError: the shapes differ, or there are no sentences or samples.
    """
    _check(first, second, samples)
    swapped = _swapped_sums(first, second, samples, seed)
    p_values = {}
    for name, measure in measures.items():
        found = abs(float(measure(first.sum(axis=0))) - float(measure(second.sum(axis=0))))
        at_least_as_large = np.count_nonzero(np.abs(measure(swapped[0]) - measure(swapped[1])) >= found - _TOLERANCE)
        p_values[name] = float((at_least_as_large + 1) / (samples + 1))
    return p_values


def confidence_interval(statistics: np.ndarray, measure: OfSums, samples: int = 10_000, seed: int = 1) -> tuple[float, float]:
    """95% confidence interval of one system's score, by the percentiles of a bootstrap over sentences.

    Args:
        statistics: (sentences, statistics), such as ``Score.per_sentence()``.
        measure: the score of summed statistics.
        samples: how many times to draw.
        seed: of the draws.

    Raises:
        UserError: there are no sentences or samples.
    """
    _check(statistics, statistics, samples)
    low, high = np.percentile(measure(_drawn_sums(statistics, samples, seed)), [2.5, 97.5])
    return float(low), float(high)


def _check(first: np.ndarray, second: np.ndarray, samples: int) -> None:
    if first.shape != second.shape:
        raise UserError(f"the systems' statistics have the shapes {first.shape} and {second.shape}; they must be the same")
    if not len(first) or samples < 1:
        raise UserError("a test needs at least one sentence and one sample")


def _drawn_sums(statistics: np.ndarray, samples: int, seed: int) -> np.ndarray:
    """Sums of sentences drawn with replacement, (samples, statistics)."""
    stream = np.random.default_rng([seed, 0])
    sentences = len(statistics)
    values = statistics.astype(float)
    chunks = []
    for done in range(0, samples, _CHUNK):
        rows = min(_CHUNK, samples - done)
        places = stream.integers(sentences, size=(rows, sentences))
        # How often each sentence was drawn, then one product of matrices: faster than gathering the sentences.
        places += np.arange(rows)[:, None] * sentences
        times = np.bincount(places.ravel(), minlength=rows * sentences).reshape(rows, sentences)
        chunks.append(times.astype(float) @ values)
    return np.concatenate(chunks)


def _swapped_sums(first: np.ndarray, second: np.ndarray, samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Both systems' summed statistics, (samples, statistics), after their sentences were swapped at random."""
    stream = np.random.default_rng([seed, 1])
    gain: Any = (second - first).astype(np.float32)  # holds sums of counts exactly, up to 16 million
    chunks = []
    for done in range(0, samples, _CHUNK):
        coins = stream.integers(256, size=(min(_CHUNK, samples - done), -(-len(first) // 8)), dtype=np.uint8)
        chunks.append(np.unpackbits(coins, axis=1, count=len(first)).astype(np.float32) @ gain)
    moved = np.concatenate(chunks).astype(float)
    return first.sum(axis=0) + moved, second.sum(axis=0) - moved


def compare_means(first: Sequence[float], second: Sequence[float], samples: int = 10_000) -> float:
    """The two-sided p-value of the difference of two groups' means, by a permutation test (Choe et al. 2019, table 9).

    Args:
        first: one value a sentence, such as its edits per token.
        second: the same of the other group; the sizes may differ.
        samples: random permutations of the pooled values; where fewer exist, all are taken.

    Raises:
        UserError: a group has fewer than two values.
    """
    from scipy.stats import permutation_test

    def difference(one: np.ndarray, other: np.ndarray, axis: int) -> Any:
        return one.mean(axis=axis) - other.mean(axis=axis)

    groups = (np.asarray(first, dtype=float), np.asarray(second, dtype=float))
    if min(map(len, groups)) < 2:
        raise UserError(f"a permutation test needs two values in each group; these have {len(groups[0])} and {len(groups[1])}")
    batch = max(1, _NUMBERS_AT_ONCE // sum(map(len, groups)))
    return float(permutation_test(groups, difference, n_resamples=samples, batch=batch, vectorized=True, rng=1).pvalue)

"""Whether one system is better than another, from each sentence's statistics; and whether two groups of sentences differ.

The tests of systems draw sentences or swap systems many times at once, over matrices of statistics, and count as ``sacrebleu``
does: an unbiased p-value (k + 1) / (samples + 1), two-sided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from artefacts.errors import UserError
from pseudogec.evaluate.metric import Score

OfSums = Callable[[np.ndarray], np.ndarray]
"""Scores, (...), of summed statistics, (..., statistics): `Measure.of`."""
Test = Literal["bootstrap", "randomisation"]

_CHUNK = 250
"""Samples that are drawn at once: with 3,000 sentences they fill some 20 MB."""
_NUMBERS_AT_ONCE = 4_000_000
"""Shuffled values of groups that are held at once: some 60 MB."""
_TOLERANCE = 1e-12
"""Differences this near count as equal: sums of the same numbers in another order."""


@dataclass(frozen=True)
class Comparison:
    """What a significance test found.

    Attributes:
        test: the test's name.
        first: score of the first system.
        second: score of the second system.
        p_value: how likely a difference at least as large is if the systems do not differ; two-sided.
        interval: 95% confidence interval of the difference (first minus second), by the bootstrap's percentiles.
        samples: how many samples were drawn.
        seed: seed of the draws.
    """

    test: Test
    first: float
    second: float
    p_value: float
    interval: tuple[float, float]
    samples: int
    seed: int

    @property
    def difference(self) -> float:
        """The first system's score minus the second's."""
        return self.first - self.second


def compare_scores(first: Score, second: Score, test: Test = "randomisation", samples: int = 10_000, seed: int = 1) -> Comparison:
    """Test whether two systems differ in the metric's headline measure.

    The statistics are those of the references that the metric chose for each system.

    Raises:
        UserError: the scores are not of the same metric, settings and references.
    """
    if (first.signature, first.sentences) != (second.signature, second.sentences):
        raise UserError(
            "only scores of one metric over the same references can be compared; these are "
            f"{first.signature} ({first.sentences} sentences) and {second.signature} ({second.sentences} sentences)"
        )
    return compare_statistics(first.per_sentence(), second.per_sentence(), first.metric.headline.of, test, samples, seed)


def compare_statistics(
    first: np.ndarray, second: np.ndarray, measure: OfSums, test: Test = "randomisation", samples: int = 10_000, seed: int = 1
) -> Comparison:
    """Test whether two systems differ in a measure of summed statistics.

    Args:
        first: (sentences, statistics) of the first system.
        second: the same of the second system, line for line.
        measure: the score of summed statistics, such as ``f05_of``; it takes many sums at once.
        test: ``bootstrap`` (Koehn 2004: sentences drawn with replacement, the differences centred) or ``randomisation`` (Noreen
            1989; Riezler and Maxwell 2005: the systems' sentences swapped at random).
        samples: how many times to draw.
        seed: seed of the draws.

    Raises:
        UserError: the shapes differ, there are no sentences or samples, or the test is unknown.
    """
    _check(first, second, samples)
    first_score, second_score = float(measure(first.sum(axis=0))), float(measure(second.sum(axis=0)))
    sums = _drawn_sums(np.concatenate([first, second], axis=1), samples, seed)
    drawn = measure(sums[:, : first.shape[1]]) - measure(sums[:, first.shape[1] :])
    if test == "bootstrap":
        # Under the hypothesis of no difference the samples would lie about zero, not about the difference found.
        under_no_difference = drawn - drawn.mean()
    elif test == "randomisation":
        swapped = _swapped_sums(first, second, samples, seed)
        under_no_difference = measure(swapped[0]) - measure(swapped[1])
    else:
        raise UserError(f"no test is called {test!r}; choose bootstrap or randomisation")
    low, high = np.percentile(drawn, [2.5, 97.5])
    p_value = _p_value(first_score - second_score, under_no_difference)
    return Comparison(test, first_score, second_score, p_value, (float(low), float(high)), samples, seed)


def randomisation_p_values(
    first: np.ndarray, second: np.ndarray, measures: Mapping[str, OfSums], samples: int = 10_000, seed: int = 1
) -> dict[str, float]:
    """The two-sided p-values of several measures, from the same random swaps of two systems' sentences.

    Args:
        first: (sentences, statistics) of the first system.
        second: the same of the second system, line for line.
        measures: scores of summed statistics by name.
        samples: how many times to swap.
        seed: seed of the swaps.

    Raises:
        UserError: the shapes differ, or there are no sentences or samples.
    """
    _check(first, second, samples)
    swapped = _swapped_sums(first, second, samples, seed)
    found = {name: float(measure(first.sum(axis=0))) - float(measure(second.sum(axis=0))) for name, measure in measures.items()}
    return {name: _p_value(found[name], measure(swapped[0]) - measure(swapped[1])) for name, measure in measures.items()}


def _p_value(difference: float, under_no_difference: np.ndarray) -> float:
    at_least_as_large = np.count_nonzero(np.abs(under_no_difference) >= abs(difference) - _TOLERANCE)
    return float((at_least_as_large + 1) / (len(under_no_difference) + 1))


def confidence_interval(
    statistics: np.ndarray, measure: OfSums, level: float = 0.95, samples: int = 10_000, seed: int = 1
) -> tuple[float, float]:
    """Confidence interval of one system's score, by the percentiles of a bootstrap over sentences.

    Args:
        statistics: (sentences, statistics), such as ``Score.per_sentence()``.
        measure: the score of summed statistics.
        level: how much of the distribution the interval holds, between 0 and 1.
        samples: how many times to draw.
        seed: seed of the draws.

    Raises:
        UserError: there are no sentences or samples.
    """
    _check(statistics, statistics, samples)
    scores = measure(_drawn_sums(statistics, samples, seed))
    low, high = np.percentile(scores, [50 * (1 - level), 50 * (1 + level)])
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

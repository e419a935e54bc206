"""Intervals and p-values of a score, or of a difference of two, that hold for new sentences and new
seeds.

Two things vary by chance: other sentences could be in the test set, and a model trained with
another seed has another score. A system is therefore given as one matrix of statistics for each of
its seeds, over the same sentences:

1. *Sentences.* The jackknife (Efron and Stein 1981; Miller 1974) gives every sentence a
   pseudo-value, also where the score is not a mean: n times the score minus n - 1 times the score
   without the sentence. A sentence's pseudo-values are averaged over the seeds, since it is equally
   hard for all of them. Their variance over sentences, divided by n, is the sentences' part.
2. *Seeds.* The variance of the scores of a system's seeds, divided by their number.
3. Both parts contain the interaction of model and sentence. It is estimated from the residuals of
   the pseudo-values without the means of sentence and seed (analysis of variance of two crossed
   random factors), and is subtracted once.

A t distribution is used, with the degrees of freedom of Satterthwaite (1946), as by Welch (1947)
for two means. Seeds of the same number are alike: they share their first stage and the order of the
data. Where both sides have the same five seeds or more, they are paired. With fewer, pairs would
cost more in degrees of freedom than they gain. `tests/bench/bench_inference.py` measures how often
the intervals contain the true value.

Each system's spread is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pseudogec.artefacts.errors import UserError
from pseudogec.evaluate.metric import Score

OfSums = Callable[[np.ndarray], np.ndarray]
"""Scores, (...), of summed statistics, (..., statistics): `Measure.of`."""

Versions = Mapping[int, np.ndarray] | Sequence[np.ndarray]
"""A system: the statistics of each of its seeds, (sentences, statistics), with the sentences in one
order. If the numbers of the seeds are given, equal seeds are paired."""

Scores = Mapping[int, Score] | Sequence[Score]
"""The same, as scores."""

PAIRED_FROM = 5
"""With so many seeds on both sides, equal seeds are paired."""

ALPHA = 0.05
"""The share of tests without a true difference that may find one; claims are decided below it,
intervals have the rest.
"""
POWER = 0.8
"""The share of studies that find what is true, for which seeds are planned."""
MOST_SEEDS = 1000
"""The largest number of seeds that is looked at."""
_NUMBERS_AT_ONCE = 4_000_000
"""Number of shuffled values in memory at once: some 60 MB."""


@dataclass(frozen=True, repr=False)
class Estimate:
    """A score or a difference of two, with its uncertainty; printed, in points with the 95%
    interval and p.
    """

    value: float  # of the mean over seeds
    standard_error: float  # over sentences, and over the seeds of each side that has several
    degrees_of_freedom: float  # of the t distribution
    # How many each side has. For a side with one seed the estimate holds for that model only.
    seeds: tuple[int, ...]
    sentences: int = 0  # of the test set
    # The variance from the choice of sentences. If each side has several seeds, more would not
    # lower it; that of one model contains how sentences and models go together.
    of_sentences: float = 0.0
    # For each side with several seeds, their number and the variance of their scores; of pairs,
    # that of their differences
    of_seeds: tuple[tuple[int, float], ...] = ()
    paired: bool = False

    def __repr__(self) -> str:
        value, low, high = (f"{100 * end:+.2f}" for end in (self.value, *self.interval))
        p_value = "p < 0.0001" if self.p_value < 0.0001 else f"p = {self.p_value:.4f}"
        return f"{value} [{low}, {high}], {p_value}"

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends of the 95% interval."""
        # The quantile of `scipy.stats.t`, which takes a second to import
        from scipy.special import stdtrit

        half = float(stdtrit(self.degrees_of_freedom, 1 - ALPHA / 2)) * self.standard_error
        return self.value - half, self.value + half

    @property
    def p_value(self) -> float:
        """Two-sided, against a value of 0."""
        return self.p_value_against(0)

    def p_value_against(self, value: float) -> float:
        """Two-sided; below 0.05 if and only if the 95% interval does not contain the value."""
        return self._two_sided(abs(self.value - value))

    def p_value_of_side(self, margin: float) -> float:
        """The p-value of a test whether the true value's size is on the same side of a margin as
        that of the estimate.

        Below 0.05 if and only if the 95% interval lies within (-margin, margin) or outside of it.
        Within, these are Schuirmann's (1987) two one-sided tests, each at 2.5%.
        """
        return self._two_sided(abs(abs(self.value) - margin))

    def _two_sided(self, distance: float) -> float:
        from scipy.special import stdtr

        if self.standard_error == 0:
            return 0.0 if distance else 1.0
        return float(2 * stdtr(self.degrees_of_freedom, -distance / self.standard_error))


def compare(first: Versions, second: Versions, measure: OfSums) -> Estimate:
    """The first system's score minus the second's, on the same sentences."""
    ours, theirs = _in_order(first), _in_order(second)
    return _estimate([(1, ours), (-1, theirs)], measure, _paired(first, second))


def compare_values(first: Mapping[int, float], second: Mapping[int, float]) -> Estimate:
    """The difference of two means of one value a seed, such as a loss: the test of Welch, or of
    pairs. No sentences take part.
    """
    sides = [np.array(_in_order(side)) for side in (first, second)]
    numbers = tuple(map(len, sides))
    value = float(sides[0].mean() - sides[1].mean())
    spreads = (
        [sides[0] - sides[1]]
        if _paired(first, second)
        else [side for side in sides if len(side) > 1]
    )
    if not spreads:  # nothing follows for other seeds
        return Estimate(value, np.inf, 1.0, numbers)
    parts = [(float(side.var(ddof=1)) / len(side), len(side) - 1) for side in spreads]
    variance = sum(part for part, _ in parts)
    return Estimate(value, variance**0.5, _satterthwaite(variance, parts), numbers)


def _in_order(versions: Mapping[int, Any] | Sequence[Any]) -> list[Any]:
    return (
        [versions[seed] for seed in sorted(versions)]
        if isinstance(versions, Mapping)
        else list(versions)
    )


def _paired(first: Any, second: Any) -> bool:
    known = isinstance(first, Mapping) and isinstance(second, Mapping)
    return known and first.keys() == second.keys() and len(first) >= PAIRED_FROM


def _satterthwaite(variance: float, parts: Sequence[tuple[float, float]]) -> float:
    """Degrees of freedom of a variance with parts whose own are known; infinity if it is zero."""
    squares = sum(part**2 / freedom for part, freedom in parts)
    return max(variance**2 / squares, 1.0) if squares else np.inf


def score_interval(statistics: np.ndarray, measure: OfSums) -> tuple[float, float]:
    """The 95% interval of one output's score, over sentences; within 0 and 1."""
    low, high = np.clip(_estimate([(1, [statistics])], measure).interval, 0, 1)
    return float(low), float(high)


def compare_scores(first: Scores, second: Scores) -> Estimate:
    """The first system's headline measure minus the second's; one score for each seed, paired as by
    `compare`.

    The statistics are those of the references that the metric chose for each system.

    Raises:
        UserError: the scores are not of the same metric, settings and references, or a side has
            none.
    """
    ours, theirs = _in_order(first), _in_order(second)
    if not (ours and theirs):
        raise UserError("each side of a comparison needs a score")
    kinds = {(score.signature, score.sentences): None for score in (*ours, *theirs)}
    if len(kinds) > 1:
        named = " and ".join(
            f"{signature} ({sentences} sentences)" for signature, sentences in kinds
        )
        raise UserError(
            f"only scores of one metric over the same references can be compared; these are {named}"
        )
    sides = [
        (sign, [score.per_sentence() for score in side]) for sign, side in ((1, ours), (-1, theirs))
    ]
    return _estimate(sides, ours[0].metric.headline.of, _paired(first, second))


def _estimate(
    sides: Sequence[tuple[int, Sequence[np.ndarray]]], measure: OfSums, paired: bool = False
) -> Estimate:
    sentences = len(sides[0][1][0])
    parts = [
        (sign, *_pseudo_values(np.stack(versions).astype(float), measure))
        for sign, versions in sides
    ]
    if paired:
        (_, one, ours), (_, other, theirs) = parts
        parts = [(1, one - other, ours - theirs)]
    of_seeds = tuple(
        (len(scores), float(scores.var(ddof=1))) for _, scores, _ in parts if len(scores) > 1
    )
    value = sum(sign * float(scores.mean()) for sign, scores, _ in parts)
    of_sentence = np.sum([sign * shares.mean(axis=0) for sign, _, shares in parts], axis=0)
    several = [(scores, shares) for _, scores, shares in parts if len(scores) > 1]
    both = sum(_interaction(shares) for _, shares in several)
    from_seeds = [
        (float(scores.var(ddof=1)) / len(scores), len(scores) - 1) for scores, _ in several
    ]
    numbers = tuple(len(versions) for _, versions in sides)
    if sentences == 1:  # nothing follows for other sentences
        return Estimate(value, np.inf, 1.0, numbers)
    from_sentences = float(of_sentence.var(ddof=1)) / sentences
    # Few seeds may be close together by chance. Their part contains the interaction, so half of
    # that is its lower limit.
    remaining = max(from_sentences - both, 0.0)
    variance = remaining + max(sum(part for part, _ in from_seeds), both / 2)
    # So few edits that all have one outcome: nothing follows for others
    if value and not variance and len(sides) > 1:
        return Estimate(value, np.inf, 1.0, numbers)
    freedom = min(
        _satterthwaite(variance, [(from_sentences, sentences - 1), *from_seeds]), sentences - 1.0
    )
    return Estimate(value, variance**0.5, freedom, numbers, sentences, remaining, of_seeds, paired)


def _pseudo_values(matrices: np.ndarray, measure: OfSums) -> tuple[np.ndarray, np.ndarray]:
    """The score of each seed, and the pseudo-values of the jackknife, (seeds, sentences)."""
    totals, sentences = matrices.sum(axis=1, keepdims=True), matrices.shape[1]
    scores = measure(totals)  # (seeds, 1)
    return scores[:, 0], sentences * scores - (sentences - 1) * measure(totals - matrices)


def _interaction(shares: np.ndarray) -> float:
    """The part of the variance of a mean of pseudo-values that comes from how models and sentences
    go together.
    """
    seeds, sentences = shares.shape
    rest = shares - shares.mean(axis=0) - shares.mean(axis=1, keepdims=True) + shares.mean()
    return float((rest**2).sum()) / (seeds - 1) / max(sentences - 1, 1) / (sentences * seeds)


def seed_variances(estimates: Sequence[Estimate]) -> list[float | None]:
    """For each difference the variance over seeds of one model of each side, less the other;
    ``None`` where no side has several.

    Of pairs it is their own. Otherwise it is twice a model's variance, pooled over all unpaired
    systems of these estimates: two or three seeds of one system say little. For the planning of
    further seeds, not for tests (above).
    """
    # A system counts once
    sides = {side for estimate in estimates if not estimate.paired for side in estimate.of_seeds}
    freedom = sum(seeds - 1 for seeds, _ in sides)
    pooled = (
        2 * sum((seeds - 1) * variance for seeds, variance in sides) / freedom if sides else None
    )
    return [estimate.of_seeds[0][1] if estimate.paired else pooled for estimate in estimates]


def seeds_to_decide(
    estimate: Estimate, distances: Sequence[float], seed_variance: float, comparisons: int = 1
) -> float:
    """With how many seeds of each side a test finds, in four studies of five, on which side of some
    values the truth is.

    The power of two-sided t tests, by the noncentral t distribution (Cohen 1988, chapter 2), with
    the standard error and degrees of freedom that `compare` would find.

    Args:
        estimate: of the difference, whose sentences stay the same; each side has several seeds.
        distances: of the true difference from each value: one, or for a test of no difference those
            of both margins.
        seed_variance: of the difference of two models, one of each side, over seeds.
        comparisons: tests in the same family, among which 5% are divided (Bonferroni). Holm's
            correction needs no more seeds.

    Returns:
        The number, at most `MOST_SEEDS`; infinity where the choice of sentences alone leaves too
        much open for any number.
    """
    from scipy.special import nctdtr, ndtr, ndtri, stdtrit

    seeds = np.arange(2, MOST_SEEDS + 1)
    from_seeds, freedoms = seed_variance / seeds, (1 if estimate.paired else 2) * (seeds - 1)
    variance = estimate.of_sentences + from_seeds
    two_sided = 1 - ALPHA / 2 / comparisons
    # Models that do nothing have no variance, and nothing is enough
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = variance**2 / (
            estimate.of_sentences**2 / (estimate.sentences - 1) + from_seeds**2 / freedoms
        )
        missed = sum(
            nctdtr(freedom, distance / variance**0.5, stdtrit(freedom, two_sided))
            for distance in distances
        )
        at_best = sum(
            ndtr(ndtri(two_sided) - np.divide(distance, estimate.of_sentences**0.5))
            for distance in distances
        )
    enough = missed <= 1 - POWER
    if enough.any():
        return float(seeds[enough.argmax()])
    return np.inf if at_best > 1 - POWER else MOST_SEEDS


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number: if those below 0.05 are accepted, at most 5% of families
    have a false one (Holm).
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(np.argsort(p_values, kind="stable").tolist()):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected


def compare_means(first: Sequence[float], second: Sequence[float], samples: int = 10_000) -> float:
    """The two-sided p-value of the difference of two groups' means, by a permutation test (Choe et
    al. 2019, table 9).
    """
    from scipy.stats import permutation_test

    def difference(one: np.ndarray, other: np.ndarray, axis: int) -> Any:
        return one.mean(axis=axis) - other.mean(axis=axis)

    groups = (np.asarray(first, dtype=float), np.asarray(second, dtype=float))
    batch = max(1, _NUMBERS_AT_ONCE // sum(map(len, groups)))
    return float(
        permutation_test(
            groups, difference, n_resamples=samples, batch=batch, vectorized=True, rng=1
        ).pvalue
    )


def place_of(level: float, places: Sequence[float], scores: Sequence[float]) -> float:
    """The place at which scores first reach a level, along the straight lines between them;
    infinity if they do not.
    """
    if scores[0] >= level:
        return float(places[0])
    for place in range(1, len(places)):
        if scores[place] >= level:
            return float(
                np.interp(level, scores[place - 1 : place + 1], places[place - 1 : place + 1])
            )
    return np.inf


def over_seeds(statistic: Callable[..., float], *samples: np.ndarray) -> Estimate:
    """A statistic of means over seeds, by the jackknife over seeds and the *t* distribution (Miller
    1974).

    A percentile bootstrap over five seeds would be too short: it covers 84%, this interval 95%.

    Args:
        statistic: of the means of the samples.
        samples: (seeds, ...), with the same seeds in the same order; all arms of a seed are left
            out together.
    """
    seeds = len(samples[0])
    value = statistic(*(sample.mean(axis=0) for sample in samples))
    if seeds == 1 or not np.isfinite(value):
        return Estimate(value, np.inf, 1.0, (seeds,))
    without = [
        statistic(*(np.delete(sample, seed, axis=0).mean(axis=0) for sample in samples))
        for seed in range(seeds)
    ]
    error = (
        (seeds - 1) / seeds**0.5 * float(np.std(without, ddof=1))
        if np.isfinite(without).all()
        else np.inf
    )
    return Estimate(value, error, seeds - 1.0, (seeds,))

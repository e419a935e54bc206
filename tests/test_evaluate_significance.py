"""Significance tests against SciPy and against exact enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.evaluate import ERRANT, Gold, Score, compare_scores, confidence_interval, f05_of, randomisation_p_values


def counts(sentences: int, rate: float, seed: int) -> np.ndarray:
    """Counts of a system that finds each of two errors a sentence with the same probability."""
    found = np.random.default_rng(seed).random((sentences, 3)) < [rate, 0.3, 1 - rate]
    return found.astype(int) * [2, 1, 2]


def p_value(first: np.ndarray, second: np.ndarray, samples: int, seed: int = 1) -> float:
    return randomisation_p_values(first, second, {"f05": f05_of}, samples, seed)["f05"]


FIRST, SECOND, LIKE_FIRST = counts(150, 0.55, 1), counts(150, 0.4, 2), counts(150, 0.55, 3)


@pytest.mark.parametrize("other", [SECOND, LIKE_FIRST], ids=["worse", "alike"])
def test_the_p_value_equals_scipy_s_permutation_test(other):
    both = np.stack([FIRST, other])

    def statistic(first_system: np.ndarray, second_system: np.ndarray) -> float:
        """Of which system (0 or 1) each sentence's counts are."""
        places = np.arange(len(FIRST))
        return float(f05_of(both[first_system, places].sum(axis=0)) - f05_of(both[second_system, places].sum(axis=0)))

    systems = (np.zeros(len(FIRST), dtype=int), np.ones(len(FIRST), dtype=int))
    expected = stats.permutation_test(systems, statistic, permutation_type="samples", n_resamples=10_000, vectorized=False, rng=5)
    assert p_value(FIRST, other, 10_000) == pytest.approx(expected.pvalue, abs=0.03)


def test_the_p_value_equals_exact_enumeration():
    first, second = FIRST[:8], SECOND[:8]
    observed = abs(float(f05_of(first.sum(axis=0)) - f05_of(second.sum(axis=0))))
    larger = []
    for swaps in product([False, True], repeat=8):
        chosen = np.array(swaps)[:, None]
        one, two = np.where(chosen, second, first), np.where(chosen, first, second)
        larger.append(abs(float(f05_of(one.sum(axis=0)) - f05_of(two.sum(axis=0)))) >= observed - 1e-12)
    assert p_value(first, second, 20_000) == pytest.approx(np.mean(larger), abs=0.015)


def test_clear_differences_are_told_from_chance():
    assert p_value(counts(500, 0.7, 1), counts(500, 0.3, 2), 1000) < 0.01
    assert p_value(FIRST, FIRST, 100) == 1


def simulated_pair(stream: np.random.Generator, sentences: int, rates: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Counts of two systems on the same sentences, which are as hard for both; each rate is that of finding an error.

    A sentence has one to three errors. Where a system overlooks one, it makes a wrong edit half of the time.
    """
    errors = stream.integers(1, 4, sentences)
    ease = stream.uniform(0.5, 1.5, sentences)
    tables = []
    for rate in rates:
        tp = stream.binomial(errors, rate * ease)
        tables.append(np.stack([tp, stream.binomial(errors - tp, 0.5), errors - tp], axis=1))
    return tables[0], tables[1]


DRAWS = 1000


def test_a_difference_that_is_not_there_is_found_in_five_percent_of_draws():
    stream = np.random.default_rng(11)
    found = np.array([p_value(*simulated_pair(stream, 150, (0.4, 0.4)), 199, draw) for draw in range(DRAWS)])
    assert 0.03 <= np.mean(found <= 0.05) <= 0.07
    assert stats.kstest(found, "uniform").pvalue > 0.001


def test_the_interval_of_one_system_holds_its_true_score_in_ninety_five_percent_of_draws():
    truth = f05_of(simulated_pair(np.random.default_rng(1), 2_000_000, (0.4, 0.4))[0].sum(axis=0))
    stream = np.random.default_rng(13)
    pairs = (simulated_pair(stream, 150, (0.4, 0.4)) for _ in range(DRAWS))
    intervals = np.array([confidence_interval(first, f05_of, samples=199, seed=draw) for draw, (first, _) in enumerate(pairs)])
    assert 0.93 <= np.mean((intervals[:, 0] <= truth) & (truth <= intervals[:, 1])) <= 0.97


def test_draws_depend_on_the_seed_alone():
    one, again, other = (confidence_interval(FIRST, f05_of, 600, seed) for seed in (4, 4, 5))
    assert one == again != other
    assert p_value(FIRST, LIKE_FIRST, 600, 4) == p_value(FIRST, LIKE_FIRST, 600, 4) != p_value(FIRST, LIKE_FIRST, 600, 5)


def test_the_confidence_interval_of_one_system():
    expected = stats.bootstrap(
        (np.arange(len(FIRST)),),
        lambda places, axis=-1: f05_of(FIRST[places].sum(axis=-2)),
        n_resamples=5000,
        vectorized=True,
        method="percentile",
        rng=7,
    ).confidence_interval
    assert confidence_interval(FIRST, f05_of, samples=5000) == pytest.approx((expected.low, expected.high), abs=0.01)


def test_scores_are_compared_when_they_are_comparable():
    references = [AnnotatedSentence(("a", "b"), {0: (Edit(0, 1, "x", "R:NOUN"),)})] * 40
    good = ERRANT.compare(Gold.annotated(references), [[Edit(0, 1, "x", "R:NOUN")]] * 40)
    bad = ERRANT.compare(Gold.annotated(references), [[Edit(1, 2, "x", "R:NOUN")]] * 40)
    assert compare_scores(good, bad, samples=500) < 0.01
    with pytest.raises(UserError, match="same references can be compared"):
        compare_scores(good, ERRANT.compare(Gold.annotated(references[:39]), [[]] * 39))
    with pytest.raises(UserError, match="must be the same"):
        p_value(FIRST, SECOND[:-1], 100)
    with pytest.raises(UserError, match="at least one sentence"):
        compare_scores(Score.from_rows(ERRANT, "", 0, []), Score.from_rows(ERRANT, "", 0, []))

"""Intervals and p-values against SciPy, and against systems whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.evaluate import (
    ERRANT,
    Estimate,
    Gold,
    Pool,
    compare,
    compare_scores,
    compare_values,
    f05_of,
    holm,
    score_interval,
    seeds_to_decide,
    spread_of_seeds,
)
from simulated_scores import Trial


def mean_of(sums: np.ndarray) -> np.ndarray:
    """The mean of a value a sentence, from statistics (value, 1); not a number of no sentences."""
    with np.errstate(invalid="ignore"):
        return sums[..., 0] / sums[..., 1]


def values(numbers: np.ndarray) -> np.ndarray:
    return np.stack([numbers, np.ones_like(numbers)], axis=-1)


TRIALS = 400
FOUR_ERRORS = 4 * (0.05 * 0.95 / TRIALS) ** 0.5
"""How far a share of trials may be from 5%: four of its standard errors, 4.4%. `bench/bench_inference.py` has more trials."""

DRAWS = np.random.default_rng(1)
ONE, OTHER = DRAWS.normal(1, 2, 40), DRAWS.normal(0, 2, 40)


def test_two_single_outputs_are_compared_by_student_s_test_of_their_sentences() -> None:
    found = compare([values(ONE)], [values(OTHER)], mean_of)
    expected = stats.ttest_rel(ONE, OTHER)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert (found.degrees_of_freedom, found.seeds) == (39, (1, 1))


def test_where_all_sentences_are_alike_seeds_are_compared_by_welch_s_test() -> None:
    ours, theirs = [3.0, 4.0, 4.5], [1.0, 3.0]
    found = compare(*([values(np.full(20, score)) for score in side] for side in (ours, theirs)), mean_of)
    expected = stats.ttest_ind(ours, theirs, equal_var=False)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert found.seeds == (3, 2)


def test_equal_seeds_are_paired_where_both_sides_have_five() -> None:
    theirs = DRAWS.normal(2, 1, 5)
    ours, numbers = theirs + DRAWS.normal(1, 0.3, 5), (7, 3, 1, 9, 4)
    one, other = (
        {seed: values(np.full(20, score)) for seed, score in zip(numbers, side, strict=True)} for side in (ours, theirs)
    )
    for found in (compare(one, other, mean_of), compare_values(dict(enumerate(ours)), dict(enumerate(theirs)))):
        assert found.interval == pytest.approx(tuple(stats.ttest_rel(ours, theirs).confidence_interval(0.95)))
    by_welch = tuple(stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95))
    renamed = {seed + 1: matrix for seed, matrix in other.items()}
    for unpaired in (compare(one, renamed, mean_of), compare([*one.values()], [*other.values()], mean_of)):
        assert unpaired.interval == pytest.approx(by_welch)
    four, four_others = ({seed: side[seed] for seed in (1, 3, 4, 7)} for side in (one, other))
    assert compare(four, four_others, mean_of).degrees_of_freedom != 3


def as_seeds(*scores: float) -> dict[int, float]:
    return dict(enumerate(scores, 1))


def test_a_pool_of_two_systems_is_a_test_of_pairs() -> None:
    ours, theirs = DRAWS.normal(1, 1, 4), DRAWS.normal(0, 1, 4)
    pool = Pool({"ours": as_seeds(*ours), "theirs": as_seeds(*theirs)})
    found = pool.difference(Estimate(0, 1, 1, (4, 4)), "ours", "theirs")
    expected = stats.ttest_rel(ours, theirs)
    assert found is not None
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_a_pool_is_the_analysis_of_variance_of_a_design_in_blocks() -> None:
    table = DRAWS.normal([[0], [1], [2], [3]], size=(4, 3))  # systems, seeds
    names = ["a", "b", "c", "d"]
    pool = Pool({name: as_seeds(*row) for name, row in zip(names, table, strict=True)})
    rest = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    assert (pool.degrees_of_freedom, pool.variance) == (6, pytest.approx((rest**2).sum() / 6))
    assert pool.bartlett == pytest.approx(stats.bartlett(*table).pvalue)
    found = pool.difference(Estimate(0, 1, 1, (3, 3), 1000, 0.04), "d", "a")
    assert found is not None
    assert found.value == pytest.approx(table[3].mean() - table[0].mean())
    assert found.standard_error**2 == pytest.approx(0.04 + pool.variance * 2 / 3)


def test_a_pool_allows_for_seeds_that_a_system_lacks() -> None:
    pool = Pool(
        {"a": as_seeds(1.0, 2.0, 6.0), "b": as_seeds(2.0, 3.5), "c": {8: 1.0, 9: 2.5}, "d": {8: 3.0, 9: 4.0}, "e": {1: 0.0}}
    )
    found = pool.difference(Estimate(0, 1, 1, (3, 2)), "b", "a")
    assert found is not None
    assert found.value == pytest.approx(1.25), "over the seeds that both have; the third says nothing"
    assert pool.degrees_of_freedom == 2
    assert found.standard_error**2 == pytest.approx(pool.variance)
    assert pool.difference(Estimate(0, 1, 1, (3, 2)), "c", "a") is None, "they have no seed in common"
    assert pool.difference(Estimate(0, 1, 1, (1, 3)), "e", "a") is None, "nothing follows for the way of one model"


def test_the_interaction_of_sentence_and_seed_is_counted_once() -> None:
    # Without effects of sentence or seed, every value is a draw of its own, and the mean of n k of them has variance 1 / (n k).
    draws = np.random.default_rng(2).normal(size=(2000, 4, 50))
    nothing = [values(np.zeros(50))]
    squares = [compare([values(seed) for seed in version], nothing, mean_of).standard_error ** 2 for version in draws]
    assert np.mean(squares) >= 1 / 200, "never too small"
    assert np.mean(squares) == pytest.approx(1 / 200, rel=0.35), "both parts alone would add up to twice as much"


def test_a_side_with_one_seed_is_taken_as_it_is() -> None:
    scores = [values(ONE + shift) for shift in (-1, 0, 1)]
    against_one = compare(scores, [values(OTHER)], mean_of)
    against_itself = compare(scores, scores, mean_of)
    assert against_one.seeds == (3, 1)
    single = compare([values(ONE)], [values(OTHER)], mean_of)
    assert against_one.value == pytest.approx(single.value)
    assert against_one.standard_error == pytest.approx((single.standard_error**2 + 1 / 3) ** 0.5)
    assert (against_itself.value, against_itself.p_value) == (0, 1)
    assert against_itself.standard_error == pytest.approx((2 / 3) ** 0.5)


def test_the_interval_of_one_output_is_about_the_bootstrap_s() -> None:
    counts = Trial(1, 0, 0, sentences=400).draw(np.random.default_rng(3))[0][0]
    expected = stats.bootstrap(
        (np.arange(len(counts)),), lambda places, axis=-1: f05_of(counts[places].sum(axis=-2)), n_resamples=4000, rng=7
    ).confidence_interval
    assert score_interval(counts, f05_of) == pytest.approx((expected.low, expected.high), abs=0.01)


@pytest.mark.parametrize("value", [0.0, 0.4, -0.4, 0.9, 1.2, -1.6, 3.0])
@pytest.mark.parametrize("error", [0.05, 0.2, 0.5])
def test_the_side_of_a_margin_is_decided_where_the_interval_lies_on_it(value: float, error: float) -> None:
    found = Estimate(value, error, 30, (3, 3))
    low, high = found.interval
    assert (found.p_value_of_side(1) < 0.05) == (-1 < low < high < 1 or low > 1 or high < -1)


@pytest.mark.parametrize(("distance", "seeds"), [(0.5, 64), (0.8, 26), (1.0, 17), (0.0, np.inf), (0.1, np.inf)])
def test_seeds_to_decide_are_those_of_cohen_s_table(distance: float, seeds: float) -> None:
    """Cohen 1988, table 2.4.1, two-sided 5% and power 0.8, where the choice of sentences does not matter."""
    found = compare([values(np.full(20, score)) for score in (3.0, 4.0)], [values(np.full(20, 1.0))], mean_of)
    assert found.of_sentences == 0
    assert seeds_to_decide(found, [2 * distance], spread=4) == seeds


def test_so_many_seeds_decide_four_simulated_studies_of_five() -> None:
    random = np.random.default_rng(5)
    many = Trial(80, spread=3, correlation=0.25, lead=5)
    plans = [compare(*many.draw(random), f05_of) for _ in range(5)]
    seeds = int(np.median([seeds_to_decide(plan, [0.05], spread_of_seeds([plan]) or 0) for plan in plans]))
    assert 5 < seeds < 15
    decided = [compare(*replace(many, seeds=seeds).draw(random), f05_of).interval[0] > 0 for _ in range(TRIALS)]
    assert np.mean(decided) == pytest.approx(0.8, abs=0.1)


def test_holm_s_correction() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1, 1]
    assert holm([]) == []


def test_scores_are_compared_when_they_are_comparable() -> None:
    references = [AnnotatedSentence(("a", "b"), {0: (Edit(0, 1, "x", "R:NOUN"),)})] * 40
    right, wrong = [Edit(0, 1, "x", "R:NOUN")], [Edit(1, 2, "x", "R:NOUN")]
    good = ERRANT.compare(Gold.annotated(references), [right] * 35 + [wrong] * 5)
    bad = ERRANT.compare(Gold.annotated(references), [right] * 5 + [wrong] * 35)
    assert compare_scores([good], [bad]).value == pytest.approx(0.75)
    assert compare_scores([good], [bad]).p_value < 0.01
    with pytest.raises(UserError, match="references"):
        compare_scores([good], [ERRANT.compare(Gold.annotated(references[:39]), [[]] * 39)])


@pytest.mark.parametrize(
    ("seeds", "spread", "correlation"),
    [(1, 0, 0), (2, 1.6, 0.25), (2, 0.5, 0.5), (3, 1.6, 0), (3, 0, 0.5), (5, 0.5, 0.25), (8, 1.6, 0)],
)
def test_intervals_hold_the_truth_and_tests_find_nothing_else(seeds: int, spread: float, correlation: float) -> None:
    random = np.random.default_rng([seeds, int(10 * spread)])
    trial = Trial(seeds, spread, correlation, lead=2, sentences=300)

    found = [compare(*(dict(enumerate(side)) for side in trial.draw(random)), f05_of) for _ in range(TRIALS)]
    missed = np.mean([not low <= 0.02 <= high for low, high in (each.interval for each in found)])
    assert missed <= 0.05 + FOUR_ERRORS
    assert missed >= 0.005, "intervals are not needlessly long"

"""Intervals and p-values against SciPy, and against systems whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from helpers.simulated_scores import Trial
from pseudogec.artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.evaluate import (
    ERRANT,
    MOST_SEEDS,
    Estimate,
    Gold,
    compare,
    compare_scores,
    compare_values,
    f05_of,
    holm,
    over_seeds,
    place_of,
    score_interval,
    seed_variances,
    seeds_to_decide,
)


def mean_of(sums: np.ndarray) -> np.ndarray:
    """The mean of a value a sentence, from statistics (value, 1); not a number of no sentences."""
    with np.errstate(invalid="ignore"):
        return sums[..., 0] / sums[..., 1]


def values(numbers: np.ndarray) -> np.ndarray:
    return np.stack([numbers, np.ones_like(numbers)], axis=-1)


TRIALS = 400
FOUR_ERRORS = 4 * (0.05 * 0.95 / TRIALS) ** 0.5
"""How far a share of trials may be from 5%: four of its standard errors, 4.4%.
`bench/bench_inference.py` has more trials.
"""

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
    found = compare(
        *([values(np.full(20, score)) for score in side] for side in (ours, theirs)), mean_of
    )
    expected = stats.ttest_ind(ours, theirs, equal_var=False)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert found.seeds == (3, 2)


def test_equal_seeds_are_paired_where_both_sides_have_five() -> None:
    theirs = DRAWS.normal(2, 1, 5)
    ours, numbers = theirs + DRAWS.normal(1, 0.3, 5), (7, 3, 1, 9, 4)
    one, other = (
        {seed: values(np.full(20, score)) for seed, score in zip(numbers, side, strict=True)}
        for side in (ours, theirs)
    )
    for found in (
        compare(one, other, mean_of),
        compare_values(dict(enumerate(ours)), dict(enumerate(theirs))),
    ):
        assert found.interval == pytest.approx(
            tuple(stats.ttest_rel(ours, theirs).confidence_interval(0.95))
        )
    by_welch = tuple(stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95))
    renamed = {seed + 1: matrix for seed, matrix in other.items()}
    for unpaired in (
        compare(one, renamed, mean_of),
        compare([*one.values()], [*other.values()], mean_of),
    ):
        assert unpaired.interval == pytest.approx(by_welch)
    four, four_others = ({seed: side[seed] for seed in (1, 3, 4, 7)} for side in (one, other))
    assert compare(four, four_others, mean_of).degrees_of_freedom != 3


def test_the_interaction_of_sentence_and_seed_is_counted_once() -> None:
    # Without effects of sentence or seed, every value is a draw of its own, and the mean of n k of
    # them has variance 1 / (n k).
    draws = np.random.default_rng(2).normal(size=(2000, 4, 50))
    nothing = [values(np.zeros(50))]
    squares = [
        compare([values(seed) for seed in version], nothing, mean_of).standard_error ** 2
        for version in draws
    ]
    assert np.mean(squares) >= 1 / 200, "never too small"
    assert np.mean(squares) == pytest.approx(1 / 200, rel=0.35), (
        "both parts alone would add up to twice as much"
    )


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
        (np.arange(len(counts)),),
        lambda places, axis=-1: f05_of(counts[places].sum(axis=-2)),
        n_resamples=4000,
        rng=7,
    ).confidence_interval
    assert score_interval(counts, f05_of) == pytest.approx((expected.low, expected.high), abs=0.01)


@pytest.mark.parametrize("value", [0.0, 0.4, -0.4, 0.9, 1.2, -1.6, 3.0])
@pytest.mark.parametrize("error", [0.05, 0.2, 0.5])
def test_the_side_of_a_margin_is_decided_where_the_interval_lies_on_it(
    value: float, error: float
) -> None:
    found = Estimate(value, error, 30, (3, 3))
    low, high = found.interval
    assert (found.p_value_of_side(1) < 0.05) == (-1 < low < high < 1 or low > 1 or high < -1)


@pytest.mark.parametrize(
    ("distance", "seeds"), [(0.5, 64), (0.8, 26), (1.0, 17), (0.1, MOST_SEEDS)]
)
def test_seeds_to_decide_are_those_of_cohen_s_table(distance: float, seeds: float) -> None:
    """Cohen 1988, table 2.4.1, two-sided 5% and power 0.8, where the choice of sentences does not
    matter.
    """
    found = compare(
        [values(np.full(20, score)) for score in (3.0, 4.0)], [values(np.full(20, 1.0))], mean_of
    )
    assert found.of_sentences == 0
    assert seeds_to_decide(found, [2 * distance], seed_variance=8) == seeds


def test_so_many_seeds_decide_four_simulated_studies_of_five() -> None:
    random = np.random.default_rng(5)
    many = Trial(80, spread=3, correlation=0.25, lead=5)
    plans = [compare(*many.draw(random), f05_of) for _ in range(5)]
    seeds = int(
        np.median([seeds_to_decide(plan, [0.05], seed_variances([plan])[0] or 0) for plan in plans])
    )
    assert 5 < seeds < 15
    decided = [
        compare(*replace(many, seeds=seeds).draw(random), f05_of).interval[0] > 0
        for _ in range(TRIALS)
    ]
    assert np.mean(decided) == pytest.approx(0.8, abs=0.1)


def test_pairs_that_go_together_need_fewer_seeds_and_sentences_alone_may_leave_it_open() -> None:
    random = np.random.default_rng(4)
    of_seed, rest = random.normal(0, 1, 6), random.normal(0, 0.3, (2, 6))
    one, other = (
        {seed: values(np.full(20, 3 + of_seed[seed] + part[seed])) for seed in range(6)}
        for part in rest
    )
    paired, apart = (
        compare(one, other, mean_of),
        compare([*one.values()], [*other.values()], mean_of),
    )
    of_pairs, of_models = (seed_variances([each])[0] for each in (paired, apart))
    assert of_pairs == pytest.approx(np.var(rest[0] - rest[1], ddof=1))
    assert seeds_to_decide(paired, [1.0], of_pairs or 0) < seeds_to_decide(
        apart, [1.0], of_models or 0
    )
    noisy = replace(paired, of_sentences=1.0, sentences=4000)  # 2.8 standard errors are needed
    assert [seeds_to_decide(noisy, [size], 0.01) for size in (2.7, 2.9)] == [
        np.inf,
        pytest.approx(2, abs=8),
    ]


def test_the_place_of_a_level_lies_on_the_line_between_two_scores() -> None:
    passes, scores = [5, 10, 15, 20, 30], [10.0, 20.0, 24.0, 23.0, 30.0]
    assert [place_of(level, passes, scores) for level in (15, 22, 3, 31)] == [7.5, 12.5, 5, np.inf]


def test_a_mean_over_seeds_has_student_s_interval_and_a_ratio_covers_the_truth() -> None:
    draws = np.random.default_rng(7)
    sample = draws.normal(3, 1, 5)
    expected = stats.ttest_1samp(sample, 0).confidence_interval(0.95)
    assert over_seeds(float, sample).interval == pytest.approx(tuple(expected))
    held = 0
    for _ in range(400):
        low, high = over_seeds(
            lambda one, other: one / other, *(draws.normal(mean, 1, 5) for mean in (20, 10))
        ).interval
        held += low <= 2 <= high
    assert 0.92 <= held / 400 <= 0.98, "a percentile bootstrap covers 84%"
    assert over_seeds(float, sample[:1]).interval == (-np.inf, np.inf)
    assert over_seeds(lambda mean: np.inf, sample).value == np.inf


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
    [
        (1, 0, 0),
        (2, 1.6, 0.25),
        (2, 0.5, 0.5),
        (3, 1.6, 0),
        (3, 0, 0.5),
        (5, 0.5, 0.25),
        (8, 1.6, 0),
    ],
)
def test_intervals_hold_the_truth_and_tests_find_nothing_else(
    seeds: int, spread: float, correlation: float
) -> None:
    random = np.random.default_rng([seeds, int(10 * spread)])
    trial = Trial(seeds, spread, correlation, lead=2, sentences=300)

    found = [
        compare(*(dict(enumerate(side)) for side in trial.draw(random)), f05_of)
        for _ in range(TRIALS)
    ]
    missed = np.mean([not low <= 0.02 <= high for low, high in (each.interval for each in found)])
    assert missed <= 0.05 + FOUR_ERRORS
    assert missed >= 0.005, "intervals are not needlessly long"

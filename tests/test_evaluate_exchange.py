"""The worth of a gain in passes and in pairs, against simulations whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from pseudogec.evaluate import place_of, resampled, size_of

PASSES = np.array([5, 10, 15, 20, 30])
SIZES = np.array([1000, 4000, 16000, 40000])
TRIALS = 150


def test_the_place_of_a_level_lies_on_the_line_between_two_scores() -> None:
    scores = [10.0, 20.0, 24.0, 23.0, 30.0]
    assert place_of(15, PASSES, scores) == 7.5
    assert place_of(22, PASSES, scores) == 12.5
    assert place_of(3, PASSES, scores) == 5
    assert place_of(31, PASSES, scores) == np.inf


def test_the_size_of_a_level_is_that_of_the_fitted_curve() -> None:
    assert size_of(0.3, SIZES, 0.05 * np.log(SIZES) - 0.2) == pytest.approx(np.exp(10))
    assert size_of(0.3, SIZES, [0.2, 0.2, 0.1, 0.1]) == np.inf


def of_passes(none: np.ndarray, arm: np.ndarray) -> float:
    return place_of(arm[1], PASSES, none) - PASSES[1]


def of_sizes(none: np.ndarray, arm: np.ndarray) -> float:
    return size_of(float(arm), SIZES, none)


@pytest.mark.parametrize(
    ("statistic", "none", "arm", "truth"),
    [
        (of_passes, 0.20 + 0.004 * PASSES, 0.26 + 0 * PASSES, 5.0),
        (of_sizes, 0.05 * np.log(SIZES) - 0.2, np.array(0.05 * np.log(8000) - 0.2), 8000.0),
    ],
)
def test_intervals_over_seeds_hold_the_truth(statistic, none, arm, truth) -> None:
    random, held = np.random.default_rng(3), 0
    for _ in range(TRIALS):
        of_seed = random.normal(0, 0.005, (8, 1))  # what arms of a seed share
        ours, theirs = [side + of_seed + random.normal(0, 0.004, (8, side.size)) for side in (none, arm)]
        found = resampled(statistic, ours, theirs if arm.ndim else theirs[:, 0], draws=200)
        held += found.low <= truth <= found.high
        assert found.low <= found.value <= found.high
    # Percentiles of so few seeds are a little too narrow.
    assert 0.82 <= held / TRIALS <= 0.99


def test_one_seed_says_nothing_of_others_and_what_is_never_reached_is_infinite() -> None:
    one = np.array([[0.1, 0.2, 0.3, 0.35, 0.36]])
    assert resampled(of_passes, one, one) == (0.0, -np.inf, np.inf)
    never = resampled(of_passes, np.repeat(one, 3, axis=0), np.ones((3, 5)))
    assert never == (np.inf, np.inf, np.inf)

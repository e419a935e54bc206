"""Verdicts on claims, what a doubling brings and what a section took, held against small cases made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pseudogec.report import findings
from pseudogec.report.contrasts import Claim, Contrast

CLAIM = Claim("It helps", "a paper", ())


def found(points: list[float], p_value: float) -> Contrast:
    return Contrast("one against other", {"F0.5": np.array(points)}, {"F0.5": p_value})


@pytest.mark.parametrize(
    ("points", "p_value", "direction", "expected"),
    [
        ([1.0, 2.0, 3.0], 0.01, "higher", "yes"),
        ([1.0, 2.0, 3.0], 0.01, "lower", "no"),
        ([-1.0, -2.0, -3.0], 0.01, "lower", "yes"),
        ([1.0, 2.0, 3.0], 0.20, "higher", "open"),  # the sentences may be chance
        ([1.0, -2.0, 9.0], 0.01, "higher", "open"),  # the seeds do not agree
        ([5.0], 0.001, "higher", "open"),  # one seed decides nothing
        ([1.0, -1.0, 0.5], 0.40, "no clear difference", "yes"),
        ([-4.0, -2.0, 0.5], 0.001, "no clear difference", "open"),  # the seeds disagree: that is not the same as no difference
        ([1.0, 2.0, 3.0], 0.01, "no clear difference", "no"),
        ([0.1], 0.9, "no clear difference", "open"),
    ],
)
def test_a_claim_is_decided_by_seeds_and_sentences_together(
    points: list[float], p_value: float, direction: Any, expected: str
) -> None:
    assert replace(CLAIM, direction=direction).verdict(found(points, p_value)) == expected


def test_where_no_difference_was_claimed_the_verdict_says_on_which_side_one_is() -> None:
    none = replace(CLAIM, direction="no clear difference")
    assert none.in_words(found([-16.0, -15.0], 0.001)) == "clearly lower"
    assert none.in_words(found([16.0, 15.0], 0.001)) == "clearly higher"
    assert CLAIM.in_words(found([-16.0, -15.0], 0.001)) == "the opposite"


def test_differences_of_nothing_are_not_clear() -> None:
    assert not found([0.0, 0.0], 0.01).is_clear("F0.5")


def test_a_difference_that_rounds_to_nothing_has_no_direction() -> None:
    assert found([-0.01, -0.03], 0.01).cell("F0.5").startswith("+0.0 ± 0.0")
    falling = pd.DataFrame({"method": "realistic", "pseudo_pairs": [1, 2], "f05": [0.3, 0.29999], "seed": 1, "level": "A"})
    assert "+0.0 points a doubling" in findings.per_doubling(falling)
    assert "**A**: +0.0 from 1 to 2 pairs; +0.0 from 1 pairs on" in findings.more_data_by_level(falling)
    assert "30.0, +0.0 points" in findings.against_baseline(pd.concat([falling.iloc[:1].assign(method="none"), falling.iloc[1:]]))


def test_points_a_doubling_are_the_slope_against_the_logarithm() -> None:
    sizes, f05 = (1000, 2000, 8000), (0.40, 0.42, 0.46)
    table = pd.DataFrame({"method": "direct_noise", "pseudo_pairs": sizes, "f05": f05})
    baseline = pd.DataFrame({"method": ["none"], "pseudo_pairs": [0], "f05": [0.1]})
    text = findings.per_doubling(pd.concat([table, baseline]))
    assert text == (
        "- **DirectNoise**: +2.0 points a doubling, from 40.0 at 1,000 to 46.0 at 8,000. "
        "Step by step +2.0, +2.0 a doubling: not smaller at every step."
    )
    bent = pd.concat([table, table.iloc[-1:].assign(pseudo_pairs=16_000)])
    assert "each smaller" not in findings.per_doubling(bent)
    assert "Step by step +3.0, +1.0 a doubling: each smaller" in findings.per_doubling(table.assign(f05=[0.40, 0.43, 0.45]))
    assert findings.per_doubling(table.iloc[:1]) == ""

"""Verdicts on claims, what a doubling brings and what a section took, held against small cases made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pseudogec.evaluate import Estimate, Pool
from pseudogec.report import findings
from pseudogec.report.contrasts import Claim, Contrast, Side, claims_table, contrast, note_on_claims, note_on_pools
from pseudogec.report.trainings import Budget
from pseudogec.study import System

CLAIM = Claim("It helps", "a paper", ())
PRETRAINED = System(method="direct_noise", seed_corpus="simple", setting="pretrain", pseudo_pairs=3000, upsample=1, seed=1)


def found(points: float, error: float = 0.5, seeds: tuple[int, int] = (3, 3), passes: float = 2.0) -> Contrast:
    difference = Estimate(points / 100, error / 100, 1000, seeds)
    budgets = Budget((300,), 2.0, 6000, 12_000), Budget((300,), passes, 6000, 12_000)
    return Contrast("one against other", {"F0.5": difference}, budgets=budgets)


@pytest.mark.parametrize(
    ("compared", "direction", "expected"),
    [
        (found(2), "higher", "as claimed"),
        (found(2), "lower", "contradicted"),
        (found(-2), "lower", "as claimed"),
        (found(2, error=2), "higher", "not decided"),
        (found(9, seeds=(3, 1)), "higher", "not tested"),  # another seed may do otherwise
        (found(-4), "higher", "contradicted"),
        (found(0.1, error=0.2), "higher", "no difference"),
        (found(0.5, error=0.1), "higher", "no difference"),  # more than nothing, and less than the margin
        (found(1.5, error=0.3), "higher", "as claimed"),
        (found(-9, passes=6), "higher", "not comparable"),
        (found(0.1, error=0.2), "no clear difference", "as claimed"),
        (found(0.1, error=0.6), "no clear difference", "not decided"),  # a large p-value is no proof
        (found(0.9, error=0.2), "no clear difference", "not decided"),
        (found(1.6, error=0.5), "no clear difference", "not decided"),
        (found(4), "no clear difference", "contradicted"),
        (found(-4), "no clear difference", "contradicted"),
        (found(0.1, error=0.2, seeds=(1, 1)), "no clear difference", "not tested"),
        (found(-4), "not higher", "harmful"),
        (found(-0.6, error=0.7), "not higher", "as claimed"),  # a loss is no gain, and this one may be chance
        (found(0.1), "not higher", "not decided"),
        (found(0.1, error=0.2), "not higher", "as claimed"),
        (found(0.9, error=0.2), "not higher", "not decided"),
        (found(4), "not higher", "contradicted"),
    ],
)
def test_a_claim_is_decided_by_an_interval_over_sentences_and_seeds(compared: Contrast, direction: Any, expected: str) -> None:
    (row,) = claims_table([(replace(CLAIM, direction=direction), [compared])])
    assert row["verdict"] == expected


def test_a_claim_is_decided_by_its_own_measure() -> None:
    worse = found(-4)
    compared = replace(worse, differences={**worse.differences, "P": found(4).differences["F0.5"]})
    of_f05, of_precision = claims_table([(CLAIM, [compared]), (replace(CLAIM, measure="P"), [compared])])
    assert (of_f05["verdict"], of_precision["verdict"]) == ("contradicted", "as claimed")
    assert of_precision["here"].startswith("one against other: +4.0 [+3.0, +5.0]")


def test_the_margin_of_no_difference_is_the_claim_s() -> None:
    wide = replace(CLAIM, direction="no clear difference", margin=5.0)
    assert claims_table([(wide, [found(3)])])[0]["verdict"] == "as claimed"
    assert "within 5 points" in note_on_claims([wide])


def at(f05: float, names: tuple[str, str] = ("one", "other"), spread: float = 0.01, passes: float = 2.0) -> Contrast:
    """Two systems of three seeds with about this F0.5 and equally many errors and edits, which differ by four points."""
    draws = np.random.default_rng(5)

    def counts(score: float) -> np.ndarray:
        right = (draws.random(3000) < score + spread * draws.standard_normal()).astype(int)
        return np.stack([right, 1 - right, 1 - right], axis=1)

    sides = (
        Side(name, {"": {seed: counts(each) for seed in (1, 2, 3)}}, {})
        for name, each in zip(names, (f05 + 0.04, f05), strict=True)
    )
    budgets = Budget((300,), 2.0, 6000, 12_000), Budget((500,), passes, 6000, 20_000)
    return contrast("one against other", *sides, budgets=budgets, of_settings=True)


def test_systems_that_correct_next_to_nothing_say_nothing_of_a_claim() -> None:
    low, higher = (claims_table([(CLAIM, [at(f05, spread=0)])])[0] for f05 in (0.005, 0.05))
    assert (low["verdict"], higher["verdict"]) == ("uninformative", "as claimed")
    assert low["here"].endswith("(F0.5 below 5; 300 updates against 500)") or low["here"].endswith("(F0.5 below 5)")


def test_settings_are_compared_at_equal_passes_and_both_budgets_are_told() -> None:
    equal, unequal = (claims_table([(CLAIM, [at(0.3, spread=0, passes=passes)])])[0] for passes in (2.0, 6.0))
    assert (equal["verdict"], unequal["verdict"]) == ("as claimed", "not comparable")
    assert equal["here"].endswith("; 300 updates against 500)")
    other = replace(at(0.3), of_settings=False)
    assert claims_table([(CLAIM, [other])])[0]["verdict"] == "not comparable"


def test_a_claim_may_be_decided_under_equal_variances_alone() -> None:
    compared = at(0.3, spread=0.01)
    others = {f"system {number}": {seed: 0.3 + 0.01 * seed for seed in (1, 2, 3)} for number in range(9)}
    pool = Pool(others | {side.name: side.scores("F0.5") for side in compared.sides})
    (row,) = claims_table([(CLAIM, [compared])], {"F0.5": pool})
    assert (row["verdict"], row["verdict under equal variances"]) == ("not decided", "as claimed")
    assert "Bartlett's p = " in note_on_pools({"F0.5": pool})
    assert note_on_pools({"F0.5": None}) == ""


def test_claims_of_one_table_are_corrected_together() -> None:
    barely = found(1.05)  # p = 0.036
    alone, twice, beside_untested = (
        claims_table([(CLAIM, [barely]), *others]) for others in ([], [(CLAIM, [barely])], [(CLAIM, [found(1, passes=9)])])
    )
    assert alone[0]["here"] == "one against other: +1.1 [+0.1, +2.0] (p = 0.036)"
    assert alone[0]["verdict"] == beside_untested[0]["verdict"] == "as claimed"
    assert [row["verdict"] for row in twice] == ["not decided"] * 2
    assert "(p = 0.072)" in twice[0]["here"]


def spread(points: float, **options: Any) -> Contrast:
    """A difference between systems whose seeds differ by one point (standard deviation), where sentences leave nothing open."""
    compared = found(points, error=0.8, **options)
    return replace(
        compared, differences={"F0.5": replace(compared.differences["F0.5"], sentences=4000, of_seeds=((3, 0.01**2),))}
    )


def test_what_is_not_decided_is_told_with_the_seeds_that_would_decide_it() -> None:
    (alone,) = claims_table([(CLAIM, [spread(1)])])
    assert alone["seeds to decide"] == "one against other: 17"  # Cohen 1988, table 2.4.1
    of_three, no_gain = claims_table(
        [
            (CLAIM, [spread(3), spread(1), spread(1, passes=9)]),
            (replace(CLAIM, direction="not higher"), [spread(-0.5), spread(-0.5, seeds=(1, 3))]),
        ]
    )
    assert of_three["verdict"] == "1 as claimed, 1 not decided, 1 not comparable"
    number = int(of_three["seeds to decide"].removeprefix("one against other: "))
    assert number > 17, "comparisons of one table divide the 5%"
    assert int(no_gain["seeds to decide"].removeprefix("one against other: ")) < number, "1.5 points below the margin"
    (equal,) = claims_table([(replace(CLAIM, direction="no clear difference"), [spread(0)])])
    assert int(equal["seeds to decide"].removeprefix("one against other: ")) > 17, "both margins are a point away"


def test_verdicts_of_several_comparisons_are_counted() -> None:
    row = claims_table([(CLAIM, [found(4), found(0), found(5), found(-3, passes=1)])])[0]
    assert row["verdict"] == "2 as claimed, 1 not decided, 1 not comparable"
    assert row["here"].endswith("-3.0 [-4.0, -2.0] (2.0 passes over the genuine data against 1.0)")
    assert claims_table([(CLAIM, [])])[0]["verdict"] == "not tested"


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        # 40.9 and 37.7; precision 48.3 and 41.7 as printed
        ({"source": "taslp2020:IV", "rows": {"method": ["direct_noise"]}}, "Direct noise against Baseline: +3.2"),
        (
            {"source": "taslp2020:IV", "against": "backtrans_noisy", "measure": "P", "rows": {"method": ["direct_noise"]}},
            "",  # one side alone
        ),
        (
            {"source": "taslp2020:V", "rows": {"method": ["direct_noise"]}, "theirs": ("seed_corpus", "simplewiki")},
            "wikipedia against simplewiki: -0.5; gigaword against simplewiki: +0.1",
        ),
        (
            {
                "source": "taslp2020:VI, taslp2020:Fig.4",
                "rows": {"method": ["backtrans_noisy"], "setting": ["pretrain"]},
                "theirs": ("pseudo_pairs", 1_400_000),
            },
            "14,000,000 pairs against 1,400,000 pairs: +3.3; 70,000,000 pairs against 1,400,000 pairs: +4.4",
        ),
        (
            {"source": "choe2019:7", "against": "random"},
            "DAE pretrain: Realistic noise against Random noise: +19.7; +train: Realistic noise against Random noise: +20.5",
        ),
        ({"source": "Kiyono et al. 2020, section IV-E"}, ""),
        # trained jointly there, pretrained here
        (
            {"source": "taslp2020:IV", "rows": {"method": ["direct_noise"]}, "grid": [PRETRAINED]},
            "joint: Direct noise against Baseline: +3.2",
        ),
        (
            {"source": "taslp2020:VI", "rows": {"method": ["direct_noise"], "setting": ["pretrain"]}, "grid": [PRETRAINED]},
            "1,400,000 pairs: Direct noise against Baseline: +1.4; 14,000,000 pairs: Direct noise against Baseline: +4.3",
        ),
    ],
)
def test_what_a_paper_prints_stands_beside_what_is_found_here(claim: dict[str, Any], told: str) -> None:
    made = replace(CLAIM, **claim)
    (row,) = claims_table([(made, [])])
    assert row["in the paper"] == told
    assert row["made in"].startswith(("Kiyono et al. 2020, ", "Choe et al. 2019, table 7"))


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (Budget((1000, 300), 2.0, 6000, 9000), Budget((1000, 300), 2.4, 6000, 9000), ""),
        (
            Budget((1000, 300), 2.0, 6000, 9000),
            Budget((1000, 300), 2.6, 6000, 9000),
            "2.0 passes over the genuine data against 2.6",
        ),
        (Budget((300,), 6.0, 0, 9000), Budget((900,), 6.0, 6000, 20_000), ""),  # more data, longer training
        (Budget((300,), 6.0, 6000, 9000), Budget((300, 100), 6.0, 6000, 9000), "300 updates against 400"),
        (Budget((300,), 0.0, 6000, 9000), Budget((300,), 0.0, 6000, 9000), ""),  # neither sees genuine data
        (Budget((), 6.0, 6000, 9000), Budget((900,), 6.0, 6000, 30_000), "9,000 pairs read against 30,000"),  # a record is lost
        (Budget((), 6.0, 6000, 9000), Budget((), 6.0, 6000, 10_000), ""),
    ],
)
def test_budgets_are_equal_within_a_quarter(one: Budget, other: Budget, told: str) -> None:
    assert (one.other_passes(other) or one.other_updates(other)) == told


def test_points_a_doubling_are_the_slope_against_the_logarithm() -> None:
    sizes, f05 = (1000, 2000, 8000), (0.40, 0.42, 0.46)
    table = pd.DataFrame({"method": "direct_noise", "pseudo_pairs": sizes, "f05": f05})
    baseline = pd.DataFrame({"method": ["none"], "pseudo_pairs": [0], "f05": [0.1]})
    text = findings.per_doubling(pd.concat([table, baseline]))
    assert text == (
        "- **Direct noise**: +2.0 points a doubling, from 40.0 at 1,000 to 46.0 at 8,000. "
        "Step by step +2.0, +2.0 a doubling: the gain does not fall at every step."
    )
    bent = pd.concat([table, table.iloc[-1:].assign(pseudo_pairs=16_000)])
    assert "the gain falls" not in findings.per_doubling(bent)
    assert "Step by step +3.0, +1.0 a doubling: the gain falls" in findings.per_doubling(table.assign(f05=[0.40, 0.43, 0.45]))
    assert findings.per_doubling(table.iloc[:1]) == ""

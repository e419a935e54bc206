"""Systems against systems: who is compared with whom, by how much they differ, and whether it may
be chance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from pseudogec.artefacts.errors import UserError
from pseudogec.evaluate import Contrast, Estimate, Side, answer, clear, contrast, f05_of
from pseudogec.noise import DirectNoise
from pseudogec.report.contrasts import as_table, opponents
from pseudogec.study import Grid, System


def system(method: str = "direct_noise", seed: int = 1, **changes: object) -> System:
    made = {"seed_corpus": "simple", "setting": "joint", "pseudo_pairs": 1000}
    unmade = {"seed_corpus": None, "setting": "baseline", "pseudo_pairs": 0}
    common = {"method": method, "seed": seed, "upsample": 1}
    return System.model_validate({**common, **(unmade if method == "none" else made), **changes})


def side(seeds: Sequence[np.ndarray], name: str = "a system", losses: Sequence[float] = ()) -> Side:
    return Side(name, {"": dict(enumerate(seeds, 1))}, dict(enumerate(losses, 1)))


def counts(*sentences: tuple[int, int, int]) -> np.ndarray:
    return np.array(sentences)


def test_every_method_is_compared_with_the_baseline_each_with_all_its_seeds() -> None:
    grid = [
        system(method, seed)
        for method, seeds in (("none", 3), ("direct_noise", 2), ("backtrans", 3))
        for seed in range(seeds)
    ]
    found = list(opponents(grid, "method", "none"))
    assert [label for label, *_ in found] == [
        "Direct noise against Baseline",
        "Back-translation against Baseline",
    ]
    assert [[each.seed for each in side] for _, *sides in found for side in sides] == [
        [0, 1],
        [0, 1, 2],
        [0, 1, 2],
        [0, 1, 2],
    ]
    assert all(each.method == "none" for _, _, side in found for each in side)


def test_baselines_of_several_trainings_are_not_taken_for_one() -> None:
    grid = Grid(
        [
            system("none"),
            system("none", setting="baseline_long"),
            system(),
            system(setting="pretrain_long"),
        ]
    )
    with pytest.raises(UserError, match="baseline, baseline_long"):
        list(opponents(grid, "method", "none"))
    ((_, (ours,), (theirs,)),) = opponents(
        grid.only(setting=["baseline_long", "pretrain_long"]), "method", "none"
    )
    assert (ours.setting, theirs.setting) == ("pretrain_long", "baseline_long")


def test_each_architecture_has_a_baseline_of_its_own() -> None:
    grid = [
        system(method, architecture=architecture, seed=seed)
        for method, architecture, seeds in (
            ("none", "default", 1),
            ("direct_noise", "default", 1),
            ("none", "small", 2),
        )
        for seed in range(seeds)
    ]
    small = system("realistic", architecture="small")
    found = {
        label: [each.name for each in sides[0] + sides[1]]
        for label, *sides in opponents([*grid, small], "method", "none")
    }
    assert found == {
        "default: Direct noise against Baseline": [system().name, "baseline"],
        "small: Realistic noise against Baseline": [small.name, "baseline small", "baseline small"],
    }
    assert not list(opponents([system("none"), small], "method", "none"))
    assert not list(opponents(grid, "architecture", "default")), (
        "baselines are no systems of a method"
    )


def test_systems_are_compared_only_with_those_that_are_equal_in_all_else() -> None:
    sizes = [
        system(method, pseudo_pairs=pairs, setting=setting)
        for method in ("direct_noise", "backtrans")
        for setting in ("joint", "pretrain")
        for pairs in (1000, 25_000)
    ]
    found = {
        label: sides for label, *sides in opponents([system("none"), *sizes], "pseudo_pairs", 1000)
    }
    assert list(found) == [
        f"{method}, {setting}: 25,000 pairs against 1,000 pairs"
        for method in ("Direct noise", "Back-translation")
        for setting in ("joint", "pretrain")
    ]
    for (larger,), (smaller,) in found.values():
        assert larger == smaller.model_copy(update={"pseudo_pairs": 25_000})


def test_values_of_a_methods_parameter_are_compared() -> None:
    grid = [
        system(noise=DirectNoise.model_validate({"mu_mask": value}), swept=("mu_mask",))
        for value in (0.1, 0.3, 0.5)
    ]
    assert [label for label, *_ in opponents(grid, "mu_mask", 0.3)] == [
        "mu_mask = 0.1 against mu_mask = 0.3",
        "mu_mask = 0.5 against mu_mask = 0.3",
    ]


def test_a_part_of_a_grid_holds_the_chosen_systems() -> None:
    grid = Grid([system("none"), system(), system(pseudo_pairs=2000), system("backtrans", seed=2)])
    assert grid.only(method=["none", "direct_noise"], pseudo_pairs=[0, 2000]) == (
        system("none"),
        system(pseudo_pairs=2000),
    )
    assert grid.only(method=["realistic"]) == ()
    assert (
        grid.only(method="direct_noise", seed=1)
        == grid.only(method=["direct_noise"], seed=[1])
        != ()
    )


def test_differences_are_of_the_means_over_seeds() -> None:
    # Precision 3/4 against 2/4 and 1/4; recall is the same everywhere. Each side has a sentence
    # without edits.
    first = [counts((3, 1, 3), (0, 0, 0)), counts((3, 1, 3), (0, 0, 0))]
    second = [counts((2, 2, 2), (0, 0, 0)), counts((1, 3, 1), (0, 0, 0))]
    found = contrast("one against other", side(first), side(second)).differences
    assert found["P"].value == pytest.approx(0.375)
    assert found["R"].value == pytest.approx(0)
    # F0.5 = 1.25 P R / (0.25 P + R) with R = 1/2: 15/22 against 1/2 and 5/18.
    assert found["F0.5"].value == pytest.approx(15 / 22 - (1 / 2 + 5 / 18) / 2)


def test_a_gain_less_another_is_tested_on_the_same_sentences_and_seeds() -> None:
    draws = np.random.default_rng(2)
    sides = [
        side([draws.integers(0, 3, (300, 3)) for _ in range(5)], name)
        for name in ("a", "b", "c", "d")
    ]
    early, late = contrast("early", *sides[:2]), contrast("late", *sides[2:])
    found = early.less(late).differences["F0.5"]
    gains = [[f05_of(one.counts[""][seed].sum(axis=0)) for seed in range(1, 6)] for one in sides]
    assert found.value == pytest.approx(
        float(np.mean(gains[0]) - np.mean(gains[1]) - np.mean(gains[2]) + np.mean(gains[3]))
    )
    assert found.seeds == (5, 5) and found.paired
    again = early.less(early).differences["F0.5"]
    assert (again.value, again.interval) == (0, (0, 0))


def test_a_part_of_the_sentences_is_compared_alone() -> None:
    first, second = (
        side([counts((1, 0, 0), (0, right, 1 - right), (2, 1, 0))] * 2) for right in (0, 1)
    )
    alone = contrast("", *(each.only(np.array([True, False, True])) for each in (first, second)))
    assert alone.differences["F0.5"].value == 0


@pytest.mark.parametrize(
    ("values", "seeds", "expected"),
    [
        ((0.02, 0.03), (3, 3), "yes"),
        ((0.02, 0.001), (3, 3), "open"),
        ((-0.02, -0.03), (3, 3), "no, below"),
        ((0.02, 0.03), (1, 1), "one seed"),
    ],
)
def test_a_gain_is_one_on_every_test_corpus(
    values: tuple[float, ...], seeds: tuple[int, int], expected: str
) -> None:
    assert answer(*(Estimate(value, 0.005, 1000, seeds) for value in values)) == expected


def estimated(value: float, error: float, seeds: tuple[int, int] = (3, 3)) -> Contrast:
    return Contrast(
        "one against other", dict.fromkeys(("P", "R", "F0.5"), Estimate(value, error, 1000, seeds))
    )


def test_equal_systems_differ_by_chance_and_clearly_different_ones_do_not() -> None:
    draws = np.random.default_rng(1)
    one = [draws.integers(0, 3, (400, 3)) for _ in range(3)]
    equal, better = (
        contrast("", side(one), side(one)),
        contrast("", side([seed + counts((2, 0, 0)) for seed in one]), side(one)),
    )
    assert [clear([equal, better], measure) for measure in ("P", "R", "F0.5")] == [
        [False, True]
    ] * 3


def test_marks_are_corrected_for_the_number_of_rows() -> None:
    barely = estimated(0.021, 0.01)  # p = 0.036
    assert clear([barely], "F0.5") == [True]
    assert clear([barely, estimated(0, 0.01)], "F0.5") == [False, False]


def test_validation_losses_are_compared_over_seeds_where_they_are_known() -> None:
    draws = np.random.default_rng(1)
    one, other = ([draws.integers(0, 3, (400, 3)) for _ in range(3)] for _ in range(2))
    known = contrast(
        "known", side(one, "one", (0.90, 0.91, 0.92)), side(other, "other", (0.80, 0.81, 0.82))
    )
    lost = contrast("lost", side(one, "third"), side(other, "other"))
    expected = stats.ttest_ind(
        [0.90, 0.91, 0.92], [0.80, 0.81, 0.82], equal_var=False
    ).confidence_interval(0.95)
    assert known.differences["loss"].interval == pytest.approx(tuple(expected))
    table = as_table([known, lost])
    assert "loss +0.100 [+0.077, +0.123] *" in table
    assert [clear([known, lost], "loss"), clear([lost], "loss")] == [[True, False], [False]]

"""Grids, the tidy table, estimates of time, and what the data are."""

from __future__ import annotations

from typing import Any

import pytest

from pseudogec.artefacts.progress import format_duration
from pseudogec.evaluate import ERRANT, Score
from pseudogec.noise import DirectNoise, NoisyBackTranslation
from pseudogec.study import System
from pseudogec.study.grid import expand
from pseudogec.study.profile import GridAxes
from pseudogec.study.results import CHOICES, score_columns, tidy


def system(**changes: Any) -> System:
    values = {
        "method": "direct_noise",
        "seed_corpus": "simple",
        "setting": "joint",
        "pseudo_pairs": 4000,
        "upsample": 1,
        "noise": DirectNoise.model_validate({"mu_mask": 0.3}),
        "swept": ("mu_mask",),
        "seed": 2,
    }
    return System.model_validate({**values, **changes})


# Grids


ANY = {"a": DirectNoise.model_validate({}), "b": NoisyBackTranslation()}


def test_a_grid_is_every_combination_for_every_seed() -> None:
    axes = GridAxes(
        method=("a", "b"),
        seed_corpus=("x", "y"),
        setting=("joint",),
        pseudo_pairs=(10, 20),
        upsample=(1, 2),
    )
    grid = expand(axes, ANY, (1, 2, 3))
    assert len(grid) == len(set(grid)) == 2 * 2 * 1 * 2 * 2 * 3
    assert {
        (item.method, item.seed_corpus, item.pseudo_pairs, item.upsample, item.seed)
        for item in grid
    } == {
        (method, corpus, pairs, upsample, seed)
        for method in "ab"
        for corpus in "xy"
        for pairs in (10, 20)
        for upsample in (1, 2)
        for seed in (1, 2, 3)
    }


def test_a_sweep_has_a_system_for_each_point_and_the_grids_own_seeds() -> None:
    axes = GridAxes(
        method=("b",),
        seed_corpus=("x",),
        setting=("s",),
        pseudo_pairs=(1,),
        sweep={"beam": (2,), "beta_random": (0, 3)},
        seeds=(7,),
    )
    grid = expand(axes, ANY, (1, 2))
    assert [(item.point, item.seed) for item in grid] == [
        ({"beam": 2, "beta_random": 0}, 7),
        ({"beam": 2, "beta_random": 3}, 7),
    ]
    assert [item.noise for item in grid] == [
        NoisyBackTranslation(beam=2, beta_random=value) for value in (0, 3)
    ]
    assert [item.name for item in grid] == [
        "s/b beam=2 beta_random=0/x/1",
        "s/b beam=2 beta_random=3/x/1",
    ]


# The tidy table


@pytest.fixture
def score() -> Score:
    """Four sentences; the last is of a level without any edit."""
    rows = [
        (0, "R:VERB:SVA", 3, 0, 1),
        (0, "M:DET", 1, 2, 0),
        (1, "U:VERB:SVA", 0, 1, 1),
        (2, "UNK", 0, 0, 2),
    ]
    return Score.from_rows(ERRANT, "errant|v:3", 4, rows)


LEVELS = ["A", "B", "B", "C"]


def test_a_row_names_system_data_and_metric(score: Score) -> None:
    table = tidy([(system(), "test", score, LEVELS)])
    parameters = ("sse_rate", "mu_mask", "mu_del", "mu_ins", "mu_keep")
    assert list(table.columns) == [*CHOICES, *parameters, *score_columns()]
    row = table.iloc[0]
    assert (row.method, row.seed_corpus, row.pseudo_pairs, row.mu_mask) == (
        "direct_noise",
        "simple",
        4000,
        0.3,
    )
    assert (row.seed, row.dataset, row.metric, row.level, row.error_type) == (
        2,
        "test",
        "errant",
        "all",
        "all",
    )
    assert (row.tp, row.fp, row.fn) == (4, 3, 4)
    assert row.precision == pytest.approx(4 / 7)
    assert row.recall == pytest.approx(1 / 2)
    assert row.f05 == pytest.approx(1.25 * 4 / 7 / 2 / (0.25 * 4 / 7 + 1 / 2))


@pytest.mark.parametrize("by", ["level", "error_type", "level_and_error_type"])
def test_the_parts_add_up_to_the_whole(score: Score, by: Any) -> None:
    table = tidy([(system(), "test", score, LEVELS)], by)
    assert tuple(table[["tp", "fp", "fn"]].sum()) == tuple(
        score[name] for name in ("tp", "fp", "fn")
    )
    assert not table.duplicated(["level", "error_type"]).any()


def test_the_parts_are_named(score: Score) -> None:
    rows = [(system(), "test", score, LEVELS)]
    by_level = tidy(rows, "level").set_index("level")
    assert list(by_level.index) == ["A", "B", "C"]
    assert tuple(by_level.loc["A", ["tp", "fp", "fn"]]) == (4, 2, 1)
    assert tuple(by_level.loc["C", ["tp", "fp", "fn"]]) == (0, 0, 0)
    by_type = tidy(rows, "error_type").set_index("error_type")
    assert set(by_type.index) == {"VERB:SVA", "DET", "UNK"}
    assert tuple(by_type.loc["VERB:SVA", ["tp", "fp", "fn"]]) == (3, 1, 2)
    both = tidy(rows, "level_and_error_type").set_index(["level", "error_type"])
    assert tuple(both.loc[("B", "VERB:SVA"), ["tp", "fp", "fn"]]) == (0, 1, 1)


# Time


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (45.4, "45 s"),
        (59.7, "1 min 00 s"),
        (100, "1 min 40 s"),
        (3 * 3600 + 5 * 60 + 20, "3 h 05 min"),
        (12 * 86400, "12 days"),
    ],
)
def test_durations_are_said_as_people_say_them(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text

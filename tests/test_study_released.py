"""Corrections that others released: which file is read, what is refused, and that a fresh clone needs none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import write_lines
from pseudogec.artefacts.recipe import with_ancestors
from pseudogec.evaluate import MaxMatch
from pseudogec.study import BuildError, Study
from pseudogec.study.grid import Pipeline

M2 = [
    "S This are a sentence .",
    "A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0",
    "",
    "S I like cat .",
    "A 2 3|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0",
    "",
]
FILES = {
    "test.m2": M2,
    "other.m2": M2[3:],
    "good.txt": ["This is a sentence .", "I like cats ."],
    "poor.txt": ["This is a sentence .", "I like a cat ."],
}
PROFILE = """\
extends: released
data_folder: {folder}
corpora:
  replace: true
  tests: {{one: {{source: m2, files: test.m2, metrics: maxmatch}}, other: {{source: m2, files: other.m2}}}}
  genuine: {{source: m2, files: test.m2}}
  validation: {{source: m2, files: test.m2}}
  seeds: {{none: {{source: world, register: simple}}}}
systems:
  replace: true
  both: {{steps: [{{step: released_output, outputs: {{one: [good.txt, poor.txt]}}}}]}}
  single: {{steps: [{{step: released_output, outputs: {{one: poor.txt}}}}]}}
comparisons: {{replace: true, all: [both, single]}}
notebooks: {{replace: true, 10_todays_systems: [all]}}
"""
BOTH = [Pipeline(name="both", seed=seed) for seed in (1, 2)]
SINGLE = Pipeline(name="single", seed=0)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    for name, lines in FILES.items():
        write_lines(tmp_path / name, lines)
    (tmp_path / "mine.yaml").write_text(PROFILE.format(folder=tmp_path))
    return tmp_path / "mine.yaml"


def opened(profile: Path, *overrides: str, scheduler: str | None = None) -> Study:
    folder = profile.parent
    return Study.open(profile, overrides, store=folder / "store", outputs=folder / "outputs", scheduler=scheduler)


def test_files_are_scored_one_for_each_seed_on_the_test_sets_that_they_correct(profile: Path, scheduler: str) -> None:
    study = opened(profile, scheduler=scheduler)
    assert study.comparison("all") == [*BOTH, SINGLE]
    assert {recipe.label for recipe in study.recipes("all")} == {"good-one", "poor-one"}
    with study.engine:
        scores = study.all_scores(study.comparison("all"))
    assert set(scores.dataset) == {"one"}
    assert scores[["tp", "fp", "fn"]].to_numpy().tolist() == [[2, 0, 0], [1, 1, 1], [1, 1, 1]]
    assert not [recipe for recipe in with_ancestors(study.targets()) if recipe.operations]
    with pytest.raises(UserError, match="no corrections of other were released, only of one"):
        study.planner.score(SINGLE, "other", MaxMatch())


def test_an_equal_file_under_another_name_is_the_same_correction(profile: Path) -> None:
    study = opened(profile)
    assert study.planner.score(SINGLE, "one").key == study.planner.score(BOTH[1], "one").key
    assert study.planner.score(BOTH[0], "one").key != study.planner.score(BOTH[1], "one").key


def test_a_file_with_another_number_of_lines_is_refused_by_name(profile: Path, scheduler: str) -> None:
    write_lines(profile.parent / "poor.txt", FILES["poor.txt"][:1])
    study = opened(profile, scheduler=scheduler)
    with study.engine, pytest.raises(BuildError, match=r"poor\.txt.*has 1 lines and one has 2 sentences; line for line"):
        study.scores([SINGLE])


def test_a_missing_file_is_named(profile: Path) -> None:
    (profile.parent / "good.txt").unlink()
    with pytest.raises(UserError, match=r"good\.txt"):
        opened(profile).targets()


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        ("{one: [good.txt, poor.txt], other: poor.txt}", "equally many files, one for each seed"),
        ("{ones: good.txt}", "no test corpus `ones`"),
    ],
)
def test_a_wrong_list_of_files_is_refused(outputs: str, said: str, profile: Path) -> None:
    with pytest.raises(UserError, match=said):
        opened(profile, f"systems.single.steps=[{{step: released_output, outputs: {outputs}}}]")

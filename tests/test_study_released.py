"""Corrections that others released: which file is read, what is refused, and that a fresh clone
needs none of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.two_sentences import M2
from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import write_lines
from pseudogec.artefacts.recipe import with_ancestors
from pseudogec.edits import load_annotator, read_m2
from pseudogec.evaluate import ERRANT, Gold, MaxMatch
from pseudogec.report.papers import scores_by_spacy_model
from pseudogec.study import BuildError, Study
from pseudogec.study.grid import Pipeline

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
  seeds: {{none: {{source: classroom, text: everyday}}}}
systems:
  replace: true
  both: {{steps: [{{step: released_output, outputs: {{one: [good.txt, poor.txt]}}}}]}}
  single: {{steps: [{{step: released_output, outputs: {{one: poor.txt}}}}]}}
comparisons: {{replace: true, all: [both, single]}}
notebooks: {{replace: true, 11_todays_systems: [all]}}
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
    return Study.open(
        profile, overrides, store=folder / "store", outputs=folder / "outputs", scheduler=scheduler
    )


def test_files_are_scored_one_for_each_seed_on_the_test_sets_that_they_correct(
    profile: Path, scheduler: str
) -> None:
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


def test_a_file_with_another_number_of_lines_is_refused_by_name(
    profile: Path, scheduler: str
) -> None:
    write_lines(profile.parent / "poor.txt", FILES["poor.txt"][:1])
    study = opened(profile, scheduler=scheduler)
    with (
        study.engine,
        pytest.raises(
            BuildError, match=r"poor\.txt.*has 1 lines and one has 2 sentences; line for line"
        ),
    ):
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


def test_the_committed_scores_are_those_of_table_vii(tmp_path: Path) -> None:
    study = Study.open(
        "released", [f"data_folder={tmp_path}"], store=tmp_path / "store", packs=True
    )
    table = (
        study.all_scores(study.comparison("kiyono"))
        .groupby(["system", "dataset", "metric"])[["f05", "gleu"]]
        .mean()
        * 100
    )
    by_m2, by_gleu = (
        table.xs(("conll-2014", "maxmatch"), level=(1, 2)).f05,
        table.xs("gleu", level=2).gleu,
    )
    assert by_m2.round(1).tolist() == [62.2, 65.0, 64.7], "pretlarge + SSE, + R2L, + SED in print"
    assert by_gleu.xs("jfleg-test", level=1).round(1).tolist()[:2] == [60.9, 61.4]


@pytest.fixture(scope="module")
def wi_dev(shared_data: Path) -> tuple[Gold, list[list[str]]]:
    """W&I dev, and Kiyono et al.'s corrections."""
    files = [shared_data / "wi" / f"{level}.dev.gold.bea19.m2" for level in "ABC"]
    lines = (
        (shared_data / "outputs" / "wi.dev.ABC.pretlarge+sse+r2l.txt")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    return Gold.annotated([sentence for file in files for sentence in read_m2(file)]), [
        line.split() for line in lines
    ]


@pytest.mark.slow
def test_released_files_have_the_scores_of_the_published_scorers(
    wi_dev: tuple[Gold, list[list[str]]],
) -> None:
    assert round(MaxMatch().score(*wi_dev).headline, 4) == 0.5740
    found = ERRANT.score(*wi_dev, load_annotator("offline"))
    # Errant_compare's, with the paper's tagger
    assert found.headline == pytest.approx(0.5165, abs=0.003)


@pytest.mark.slow
def test_the_score_by_spacy_s_model_is_the_noted_one(wi_dev: tuple[Gold, list[list[str]]]) -> None:
    try:
        annotator = load_annotator("en_core_web_sm")
    except UserError as error:
        pytest.skip(f"{error}: make model")
    noted = scores_by_spacy_model()["pretlarge+sse+r2l", "wi-dev"]
    assert (
        round(100 * ERRANT.score(*wi_dev, annotator).headline, 2)
        == noted
        == pytest.approx(51.65, abs=0.1)
    )

"""Corrections from files, scored without training: by hand, on the released outputs, and through the notebook."""

from __future__ import annotations

from pathlib import Path

import pytest

from pseudogec.artefacts.files import write_lines
from pseudogec.commands.execute_notebook import execute
from pseudogec.evaluate import MaxMatch, Score
from pseudogec.report import OutputsReport
from pseudogec.report.texts import edits_by_level, permutation_tests, sentence_counts
from pseudogec.study import PROJECT, Study

pytestmark = pytest.mark.slow

LEVEL_A = [
    "S This are a sentence .",
    "A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0",
    "",
    "S I like cat .",
    "A 2 3|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0",
    "",
]
LEVEL_B = ["S He go home .", "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0", ""]
GOOD = ["This is a sentence .", "I like cats .", "He go home ."]
POOR = ["This is a sentence .", "I like cat .", "He goes home ."]


@pytest.fixture
def study(tmp_path: Path, scheduler: str) -> Study:
    return Study.open("smoke", store=tmp_path / "store", outputs=tmp_path / "outputs", scheduler=scheduler)


@pytest.fixture
def scored(study: Study, tmp_path: Path) -> OutputsReport:
    for name, lines in {"a.m2": LEVEL_A, "b.m2": LEVEL_B, "good.txt": GOOD, "poor.txt": POOR}.items():
        write_lines(tmp_path / name, lines)
    outputs = {"good": tmp_path / "good.txt", "poor": tmp_path / "poor.txt"}
    return OutputsReport(study, outputs, {"A": tmp_path / "a.m2", "B": tmp_path / "b.m2"})


def counts(score: Score) -> tuple[float, ...]:
    return tuple(score[name] for name in ("tp", "fp", "fn"))


def test_files_are_scored_against_the_m2_files_of_their_levels(scored: OutputsReport) -> None:
    for scores in (scored.errant, scored.by_metric[MaxMatch()]):
        assert {name: counts(score) for name, score in scores.items()} == {"good": (2, 0, 0), "poor": (1, 1, 1)}
    assert list(scored.levels) == ["A", "A", "B"]
    by_level = scored.scores("level").set_index(["system", "level"])
    assert by_level.loc[("poor", "A"), ["tp", "fp", "fn"]].tolist() == [1, 0, 1]
    assert by_level.loc[("poor", "B"), ["tp", "fp", "fn"]].tolist() == [0, 1, 0]
    by_type = scored.scores("error_type").set_index(["system", "error_type"])
    assert by_type.loc[("poor", "NOUN:NUM"), ["tp", "fp", "fn"]].tolist() == [0, 0, 1]


def test_references_with_other_types_are_typed_again(study: Study, tmp_path: Path) -> None:
    nucle = [line.replace("R:VERB:SVA", "SVA").replace("R:NOUN:NUM", "Nn") for line in LEVEL_A]
    for name, lines in {"a.m2": nucle, "out.txt": POOR[:2]}.items():
        write_lines(tmp_path / name, lines)
    scored = OutputsReport(study, {"out": tmp_path / "out.txt"}, {"A": tmp_path / "a.m2"}, ["errant"])
    assert set(scored.scores("error_type").error_type) == {"VERB:SVA", "NOUN:NUM"}


def test_intervals_hold_the_score_and_are_none_wide_where_nothing_can_vary(scored: OutputsReport) -> None:
    whole = scored.scores().set_index("system")
    assert whole.f05_low["good"] == whole.f05["good"] == whole.f05_high["good"] == 1
    assert 0 == whole.f05_low["poor"] < whole.f05["poor"] < whole.f05_high["poor"]
    by_level = scored.scores("level").set_index(["system", "level"])
    assert (by_level.f05_low["poor", "B"], by_level.f05_high["poor", "B"]) == (0, 1), "one sentence"


def test_notebooks_score_files_without_training(scheduler: str, tmp_path: Path) -> None:
    for name, lines in {"a.m2": LEVEL_A, "good.txt": GOOD[:2], "poor.txt": POOR[:2]}.items():
        write_lines(tmp_path / name, lines)
    write_lines(tmp_path / "mine.yaml", ["extends: smoke", "notebooks: {replace: true}"])
    places = {"PSEUDOGEC_STORE": str(tmp_path / "store"), "PSEUDOGEC_SCHEDULER": scheduler}
    parameters = {
        "profile": str(tmp_path / "mine.yaml"),
        "outputs_to_score": {"good": str(tmp_path / "good.txt"), "poor": str(tmp_path / "poor.txt")},
        "references": {"A": str(tmp_path / "a.m2")},
    }
    for notebook in ("05_top_systems", "06_error_types", "07_proficiency"):
        source, executed = PROJECT / "notebooks" / f"{notebook}.ipynb", tmp_path / f"{notebook}.ipynb"
        execute(source, executed, parameters, environment=places | {"PSEUDOGEC_OUTPUTS": str(tmp_path / notebook)})
        assert "lists no systems for this section" in (tmp_path / f"{notebook}.ipynb").read_text()
        assert (tmp_path / notebook / "tables" / "outputs.csv").read_text().startswith("system,metric,P,R,F0.5")
    assert not list((tmp_path / "store").glob("model/*"))


def test_released_outputs_are_scored_by_level(shared_data: Path, study: Study) -> None:
    references = {level: shared_data / "wi" / f"{level}.dev.gold.bea19.m2" for level in "ABC"}
    names = {"r2l": "wi.dev.ABC.pretlarge+sse+r2l.txt", "sed": "wi.dev.ABC.pretlarge+sse+r2l+sed.txt"}
    scored = OutputsReport(study, {name: shared_data / "outputs" / file for name, file in names.items()}, references)
    assert round(scored.by_metric[MaxMatch()]["r2l"].headline, 4) == 0.5740  # the published scorer's figure
    assert scored.errant["r2l"].headline == pytest.approx(0.5165, abs=0.003)  # errant_compare's, with the paper's tagger
    by_level = scored.scores("level")
    assert by_level.level.tolist() == ["A", "B", "C", "A", "B", "C"]
    of_r2l = by_level[by_level.system == "r2l"]
    assert of_r2l[["tp", "fp", "fn"]].sum().tolist() == list(counts(scored.errant["r2l"]))
    book = (PROJECT / "notebooks" / "05_top_systems.ipynb").read_text(encoding="utf-8")
    for f05 in (*(scored.errant[name].headline for name in names), *by_level.f05):
        assert f"{100 * f05:.1f}" in book, "notebook 05 quotes these scores"


def test_edits_per_token_are_those_of_choe_et_al(shared_data: Path, scheduler: str, tmp_path: Path) -> None:
    def files(part: str) -> str:
        return ", ".join(f"{{path: wi/{level}.{part}.gold.bea19.m2, level: {level}}}" for level in "ABC")

    fce = ", ".join(f"fce/{name}.m2" for name in ("fce.train", "fce.dev", "fce.test.gold.bea19"))
    overrides = [
        f"data_folder={shared_data}",
        f"corpora.genuine.files=[{files('train')}]",
        f"corpora.tests={{fce: {{source: m2, files: [{fce}]}}}}",
    ]
    study = Study.open("learners", overrides, store=tmp_path / "store", outputs=tmp_path / "outputs", scheduler=scheduler)
    with study.engine:
        sentences = sentence_counts(study)
    table = edits_by_level(sentences).set_index(["corpus", "level"])["edits per token"]
    assert round(table["genuine", "all"], 4) == 0.0922  # table 9, W&I-Train
    assert table["fce", "unknown"] == pytest.approx(0.0898, abs=0.0005)  # table 9; the sentences are split otherwise here
    tests = permutation_tests(sentences[sentences.corpus != "validation"], "corpus", against="genuine")
    assert tests.p.iloc[1] < 0.05, "they found the same, with p = .002"

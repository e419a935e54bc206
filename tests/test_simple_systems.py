"""Systems that every table begins with, and how much systems change, held against counts made by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from pseudogec.report import Report, SystemsReport
from pseudogec.report.tables import FIGURE_SPACE, NO_EDITS
from pseudogec.study import Study, sentence_counts
from pseudogec.study.overview import changes_made

SPELLER = "systems.speller.steps=[{step: spelling, language_model: false, casing: false}]"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("simple_systems")
    chosen = ["simple_systems=[as written]", SPELLER, "comparisons.spellers=[speller]"]
    return Study.open("smoke", chosen, store=folder / "store", outputs=folder / "outputs", workers=1)


def test_simple_systems_are_planned_with_every_grid_and_once(study: Study) -> None:
    labels = [recipe.label for recipe in study.recipes("generation_methods") if recipe.kind == "score"]
    assert labels[0] == f"as written-{study.test}"
    (alone,) = study.with_simple_systems(study.simple_systems((), ["restricted"]))
    assert alone.name == "as written"


@pytest.mark.slow
def test_doing_nothing_has_no_precision_and_changes_nothing(study: Study) -> None:
    report, systems = Report(study), study.comparison("spellers")
    mine = {"system": "mine", "method": "mine", "track": "restricted", "seed": 1, "dataset": study.test, "signature": "errant"}
    scores = pd.DataFrame([{**mine, "precision": 0.4, "recall": 0.2, "f05": 0.3, "tp": 4, "fp": 6}])
    with study.engine:
        report.changes(systems, "changes")
        of_models, of_systems = report.compare(scores, "method", "models"), SystemsReport(report, systems).scores("systems")
    made = changes_made(study, study.with_simple_systems(systems)).set_index("system")
    corpus = sentence_counts(study).query("corpus == @study.test")
    assert list(made.index) == ["as written", "speller", "reference"]
    assert tuple(made.loc["as written"]) == (1, 0, 0, 0)
    assert made.loc["reference", "unchanged"] == pytest.approx((corpus.edits == 0).mean())
    assert made.loc["reference", "edits per token"] == pytest.approx(corpus.edits.sum() / corpus.tokens.sum())
    assert 0 < made.loc["speller", "edits per token"] < made.loc["reference", "edits per token"]
    for shown, name in ((of_models, ("", "method")), (of_systems, ("", "", "system"))):
        row = shown.data.set_index(name).loc["as written"].to_list()  # type: ignore[union-attr]
        assert [cell.strip(FIGURE_SPACE) for cell in row if cell][:3] == [NO_EDITS, "0.0", "0.0"]
    assert list(of_models.data["", "method"]) == ["as written", "mine"]  # type: ignore[union-attr]

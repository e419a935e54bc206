"""Systems that every table begins with, and how much systems change, held against counts made by
hand.
"""

from __future__ import annotations

import pandas as pd
import pytest

from pseudogec.report import Report, SystemsReport
from pseudogec.report.tables import NO_EDITS, changes_made
from pseudogec.report.texts import sentence_counts
from pseudogec.study import Study

SPELLER = "systems.speller.steps=[{step: spelling, language_model: false, casing: false}]"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("simple_systems")
    chosen = ["simple_systems=[as written]", SPELLER, "comparisons.spellers=[speller]"]
    return Study.open(
        "smoke", chosen, store=folder / "store", outputs=folder / "outputs", workers=1
    )


def test_simple_systems_are_planned_with_every_grid_and_once(study: Study) -> None:
    labels = [
        recipe.label for recipe in study.recipes("generation_methods") if recipe.kind == "score"
    ]
    assert labels[0] == f"as written-{study.test}"
    (alone,) = study.with_simple_systems(study.simple_systems((), ["restricted"]))
    assert alone.name == "as written"


@pytest.mark.slow
def test_doing_nothing_has_no_precision_and_changes_nothing(study: Study) -> None:
    report, systems = Report(study), study.comparison("spellers")
    mine = {
        "system": "mine",
        "method": "mine",
        "track": "restricted",
        "seed": 1,
        "dataset": study.test,
        "signature": "errant",
    }
    scores = pd.DataFrame([{**mine, "precision": 0.4, "recall": 0.2, "f05": 0.3, "tp": 4, "fp": 6}])
    with study.engine:
        report.changes(systems, "changes")
        report.compare(scores, "method", "models")
        SystemsReport(report, systems).scores("systems")
    made = changes_made(study, study.with_simple_systems(systems)).set_index("system")
    corpus = sentence_counts(study).query("corpus == @study.test")
    assert list(made.index) == ["as written", "speller", "reference"]
    assert tuple(made.loc["as written"]) == (1, 0, 0, 0)
    assert made.loc["reference", "unchanged"] == pytest.approx((corpus.edits == 0).mean())
    assert made.loc["reference", "edits per token"] == pytest.approx(
        corpus.edits.sum() / corpus.tokens.sum()
    )
    assert 0 < made.loc["speller", "edits per token"] < made.loc["reference", "edits per token"]
    tables = study.outputs / "tables"
    of_systems = pd.read_csv(tables / "systems.csv", dtype=str).set_index("system")
    assert of_systems.loc["as written"].to_list()[:3] == [NO_EDITS, "0.0", "0.0"]
    of_models = pd.read_csv(tables / "models.csv").set_index("method")
    assert list(of_models.index) == ["as written", "mine"]
    assert of_models.loc["as written", ["recall", "f05"]].to_list() == [0, 0]

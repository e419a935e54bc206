"""What is committed of studies on real corpora: results, and no sentence that may not be passed
on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from pyarrow import parquet

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.pack import ARTEFACTS, FILES
from pseudogec.edits import annotators
from pseudogec.evaluate import compare, f05_of
from pseudogec.report import Claim, Report
from pseudogec.report.findings import with_interval
from pseudogec.study import PACK, PROJECT, Study

METHODS = ("backtrans_noisy_sse", "backtrans_noisy")

# Our prose has up to six words in a row in common with learners' now and then, and the novels of
# the seed text up to ten.
OF_LEARNERS = [
    ("what-they-buy", 7),
    ("what-they-buy-fp32", 7),
    ("what-they-buy-gpu", 7),
    ("learners", 7),
    ("released", 7),
    ("public", 11),
]


def runs(text: str, length: int) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"[a-z]+", text.lower())
    return zip(*(words[start:] for start in range(length)), strict=False)


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file of a folder that holds text, and the columns of its packs."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".ipynb", ".html", ".csv", ".json", ".md", ".js", ".svg"}:
            yield path.name, path.read_text(encoding="utf-8")
    for path in [path for name in (ARTEFACTS, FILES) for path in (folder / PACK).rglob(name)]:
        for column in parquet.read_table(path).columns:
            values = (
                value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
                for value in column.to_pylist()
            )
            yield path.name, "\n".join(values)


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "length"), OF_LEARNERS)
def test_no_sentence_of_a_learner_corpus_is_committed(
    profile: str, length: int, shared_data: Path
) -> None:
    # Also what systems made of them
    folders = ("wi", "fce", "jfleg", "conll14", "outputs", "seeda/outputs")
    corpora = [
        file
        for folder in folders
        for file in sorted((shared_data / folder).rglob("*"))
        if file.is_file()
    ]
    learners = set[tuple[str, ...]]()
    for file in corpora:
        for line in file.read_text(encoding="utf-8").splitlines():
            learners.update(
                runs(line.split("|||")[2] if "|||" in line else line.removeprefix("S "), length)
            )
    assert len(learners) > 100_000
    said = [
        (name, " ".join(run))
        for name, text in texts(PROJECT / "outputs" / profile)
        for run in runs(text, length)
        if run in learners
    ]
    assert not said


def test_the_study_of_learners_is_read_without_its_corpora(tmp_path: Path) -> None:
    study = Study.open(
        "learners", [f"data_folder={tmp_path}"], store=tmp_path / "store", packs=True
    )
    stock = study.stock(study.targets())
    assert not stock.to_build
    scores = study.scores(list(study.grid("generation_methods")))
    assert scores["f05"].between(0.2, 0.4).all()


def test_grids_are_scored_on_further_test_sets_beside_the_first(tmp_path: Path) -> None:
    options = [f"data_folder={tmp_path}", "grid_tests=[fce-test]"]
    study = Study.open(
        "learners", options, store=tmp_path / "store", outputs=tmp_path / "outputs", packs=True
    )
    grid = study.grid("pretrain_large").only(method=["backtrans_noisy", "backtrans_noisy_sse"])
    scores, on_fce = study.scores(grid), study.scores(grid, test="fce-test")
    assert list(scores["f05 on fce-test"]) == list(on_fce.f05)
    report = Report(study)
    report.compare(scores, "method", "means")
    means = (
        pd.read_csv(tmp_path / "outputs" / "tables" / "means.csv")
        .set_index("method")["f05 on fce-test"]
        .dropna()
    )
    means = means.loc[list(METHODS)]  # the simple systems stand above
    assert means.to_dict() == pytest.approx(
        (100 * on_fce.groupby("method").f05.mean()).to_dict(), abs=1e-4
    )
    table = report.differences(grid, against="backtrans_noisy")
    assert "F0.5 on FCE test" in table
    sides = [
        [study.score(system, "fce-test").per_sentence() for system in grid if system.method == name]
        for name in METHODS
    ]
    assert with_interval(compare(*sides, f05_of)) in table
    claim = Claim("Spelling errors help", "taslp2020:VII", grid, against="backtrans_noisy")
    report.claims([claim], "claims_of_test")
    row, *_ = pd.read_csv(tmp_path / "outputs" / "tables" / "claims_of_test.csv").to_dict("records")
    assert with_interval(compare(*sides, f05_of)) == row[" on fce-test"]
    with pytest.raises(UserError, match="grid_tests"):
        Study.open(
            "learners", [f"data_folder={tmp_path}", "grid_tests=[fce]"], store=tmp_path / "store"
        )


@pytest.mark.parametrize("profile", ["classroom", "learners", "public", "released"])
def test_committed_results_are_read_whether_or_not_spacy_s_model_is_installed(
    profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotators, "_model_version", lambda: "3.8.0")
    study = Study.open(profile, [f"data_folder={tmp_path}"], store=tmp_path / "store", packs=True)
    assert not study.stock(study.targets()).to_build


def test_a_profile_of_one_s_own_reads_the_results_of_those_that_it_extends(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    notebooks = "notebooks: {replace: true, 01_generation_methods: [generation_methods]}"
    own.write_text(f"extends: classroom\nseeds: [1, 2]\n{notebooks}\n")
    study = Study.open(own, store=tmp_path / "store", packs=True)
    assert not study.stock(study.targets()).to_build
    assert set(study.scores(study.grid("generation_methods")).seed) == {1, 2}
    for wrong, said in (
        ({"by": "type"}, "cannot be split by `type`"),
        ({"test": "nowhere"}, "no test corpus `nowhere`"),
    ):
        with pytest.raises(UserError, match=said):
            study.scores(study.grid("generation_methods"), **wrong)


def test_the_front_page_has_the_numbers_of_the_tables(tmp_path: Path) -> None:
    study = Study.open(
        "learners", [f"data_folder={tmp_path}"], store=tmp_path / "store", packs=True
    )
    track = study.scores(study.comparison("restricted_track")).groupby("system").f05.mean()
    baseline, small = (study.grid(name) for name in ("generation_methods", "curricula"))
    small = small.only(method="none", architecture="small")
    last, plain = (
        study.scores(small.only(setting=name)).f05.mean()
        for name in ("baseline_sequential", "baseline")
    )
    page = " ".join((PROJECT / "README.md").read_text(encoding="utf-8").split())
    best, none = track["spellcheck+ensemble"], study.scores(baseline.only(method="none")).f05.mean()
    assert f"reaches {100 * best:.1f} on W&I dev, the plain baseline {100 * none:.1f}." in page
    assert f"gives small models {100 * (last - plain):.1f} points." in page

"""Test sets with several metrics: each gives what the metric gives when it is called by itself."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pseudogec.__main__ import main
from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import write_lines
from pseudogec.edits import apply_edits, load_annotator, read_m2
from pseudogec.evaluate import Gleu, Gold, MaxMatch
from pseudogec.report import Report, SystemsReport
from pseudogec.report.figures import systems as draw_systems
from pseudogec.study import PROJECT, Study

pytestmark = pytest.mark.slow

SOURCES = ["He depend of it .", "I hav a dog .", "All is well ."]
REWRITES = [
    ["He depends on it .", "I have a dog .", "All is well ."],
    ["He relies on it .", "I own a dog .", "Everything is well ."],
]
GOLD = """S He depend of it .
A 1 2|||R:VERB:SVA|||depends|||REQUIRED|||-NONE-|||0
A 2 3|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 1 3|||R:OTHER|||relies on|||REQUIRED|||-NONE-|||1

S I hav a dog .
A 1 2|||R:SPELL|||have|||REQUIRED|||-NONE-|||0

S All is well .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""


@pytest.fixture
def study(tmp_path: Path, scheduler: str) -> Study:
    (tmp_path / "gold.m2").write_text(GOLD)
    (tmp_path / "source").write_text("\n".join(SOURCES) + "\n")
    for number, lines in enumerate(REWRITES):
        (tmp_path / f"reference{number}").write_text("\n".join(lines) + "\n")
    overrides = [
        f"data_folder={tmp_path}",
        "corpora.tests={conll: {source: m2, files: [gold.m2], metrics: [errant, maxmatch, gleu]}, "
        "jfleg: {source: jfleg, files: [source, reference0, reference1], metrics: gleu}}",
        "systems.speller.steps=[{step: spelling, language_model: false, casing: false}]",
        "comparisons.spellers=[speller]",
        "systems.nothing.steps=[{step: as_written}]",
        "comparisons.two=[nothing, speller]",
    ]
    return Study.open("smoke", overrides, store=tmp_path / "store", scheduler=scheduler)


def test_every_metric_of_every_test_set_is_shown(study: Study) -> None:
    systems = study.comparison("spellers")
    with study.engine:
        scores = study.all_scores(systems).set_index(["dataset", "metric"])
    assert set(scores.index) == {
        ("conll", "errant"),
        ("conll", "maxmatch"),
        ("conll", "gleu"),
        ("jfleg", "gleu"),
    }
    hypotheses = {
        name: [
            line.split()
            for line in study.lines(study.planner.correction(systems[0], name), "hypotheses.txt")
        ]
        for name in ("conll", "jfleg")
    }
    assert hypotheses["conll"][1] == hypotheses["jfleg"][1] != SOURCES[1].split(), (
        "hunspell does not know the word"
    )
    gold = list(
        read_m2(
            study.store.folder(study.planner.references(study.planner.tests["conll"]))
            / "references.m2"
        )
    )
    expected = MaxMatch().score(Gold.annotated(gold), hypotheses["conll"])
    assert scores.f05["conll", "maxmatch"] == expected.headline
    sources = [line.split() for line in SOURCES]
    rewrites = [[line.split() for line in lines] for lines in REWRITES]
    assert (
        scores.gleu["jfleg", "gleu"]
        == Gleu().score(Gold.parallel(sources, rewrites), hypotheses["jfleg"]).headline
    )
    assert scores.f05.isna()["jfleg", "gleu"] and scores.gleu.isna()["conll", "errant"]


def test_rewrites_become_references_that_say_the_same(study: Study) -> None:
    corpus = study.planner.tests["jfleg"]
    with study.engine:
        study.build([study.planner.references(study.planner.tests["jfleg"])])
    references = list(
        read_m2(
            study.store.folder(study.planner.references(study.planner.tests["jfleg"]))
            / "references.m2"
        )
    )
    assert study.lines(corpus, "source.txt") == SOURCES
    for number, lines in enumerate(REWRITES):
        assert [
            " ".join(apply_edits(item.source, item.annotators[number])) for item in references
        ] == lines
    assert load_annotator(study.profile.annotator).signature == study.planner.annotator


# A metric from outside the packages

EXAMPLE = re.search(
    r"```python\n([^`]*class ExactMatch.*?)```",
    (PROJECT / "lib" / "README.md").read_text(encoding="utf-8"),
    re.S,
)
assert EXAMPLE is not None
OWN_METRIC = EXAMPLE.group(1)
"""The example of the map of the code."""


@pytest.fixture
def own_metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a metric's class in a module that only this test has."""
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "own_metrics.py").write_text(OWN_METRIC)
    (modules / "broken.py").write_text("class Broken(\n")
    monkeypatch.syspath_prepend(str(modules))
    yield "own_metrics:ExactMatch"
    sys.modules.pop("own_metrics", None)


def own_study(tmp_path: Path, metric: str, scheduler: str) -> Study:
    """A study that scores what is hardly changed by ERRANT and another metric."""
    for name, lines in {
        "source": SOURCES,
        "rewrite": ["He depends on it .", "I HAVE a dog .", "all is well ."],
    }.items():
        write_lines(tmp_path / name, lines)
    overrides = [
        f"data_folder={tmp_path}",
        "corpora.tests={own: {source: parallel, files: [source, rewrite], metrics: [errant, "
        f"{metric}]}}}}",
        "systems.speller.steps=[{step: spelling, language_model: false, casing: false}]",
        "comparisons.spellers=[speller]",
    ]
    return Study.open(
        "smoke",
        overrides,
        store=tmp_path / "store",
        outputs=tmp_path / "outputs",
        scheduler=scheduler,
    )


def test_a_metric_from_outside_is_seen_in_tables_and_figures(
    tmp_path: Path, own_metric: str, scheduler: str
) -> None:
    study = own_study(tmp_path, f"{{metric: '{own_metric}', ignore_case: true}}", scheduler)
    metric = study.metrics[-1]
    report = SystemsReport(Report(study), study.comparison("spellers"))
    with study.engine:
        scores = study.all_scores(study.comparison("spellers")).set_index("metric")
        table = report.scores("own")
        report.figure("own", metric={"metric": own_metric, "ignore_case": True})
        figure = draw_systems(
            study.scores(study.comparison("spellers"), metric=metric), metric.measures
        )
    assert scores.exact["exact_match ignore_case=True"] == pytest.approx(1 / 3)
    saved = (study.outputs / "tables" / "own.csv").read_text()
    assert "own, Exact match ignore_case=True EM" in saved
    assert "33.3" in saved
    assert "exact_match:1|ignore_case:True|tokens:as given|references:1" in table
    assert (study.outputs / "figures" / "own.png").is_file()
    assert "Share of exact matches" in [
        text.get_text() for text in figure.axes[0].get_legend().get_texts()
    ]
    by_level = study.scores(study.comparison("spellers"), by="level", metric=metric)
    assert by_level[["level", "exact"]].to_numpy().tolist() == [["unknown", pytest.approx(1 / 3)]]
    with pytest.raises(UserError, match="exact_match"):
        study.scores(study.comparison("spellers"), by="error_type", metric=metric)


def test_the_program_scores_by_a_metric_from_outside(
    tmp_path: Path,
    own_metric: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in {
        "source": SOURCES,
        "rewrite": REWRITES[0],
        "out": [*REWRITES[0][:2], "All well ."],
    }.items():
        write_lines(tmp_path / name, lines)
    command = (
        f"score --metric {own_metric} --hypothesis source --hypothesis out --reference "
        "rewrite --source source"
    )
    assert main(command.split()) == 0
    head, source, out, *_ = capsys.readouterr().out.splitlines()
    assert (head.split(), source.split()[:2], out.split()[:2]) == (
        ["hypothesis", "EM"],
        ["source", "33.33"],
        ["out", "66.67"],
    )
    assert main(command.replace("Match", "Mach").split()) == 2
    assert "`ExactMach`" in capsys.readouterr().err
    fields = command.replace(own_metric, "%s").split()
    fields[fields.index("%s")] = f"{{metric: {own_metric}, ignore_case: true}}"
    assert main(fields) == 0
    assert "exact_match:1|ignore_case:True" in capsys.readouterr().out
    assert main([item.replace("ignore", "ignor") for item in fields]) == 2
    assert "`ignor_case`" in capsys.readouterr().err


def test_a_study_finds_a_module_beside_its_profile_and_so_do_workers(tmp_path: Path) -> None:
    for name, lines in {
        "source": SOURCES,
        "rewrite": REWRITES[0],
        "beside_profile.py": OWN_METRIC.splitlines(),
    }.items():
        write_lines(tmp_path / name, lines)
    test = (
        "{source: parallel, files: [source, rewrite], metrics: [errant, "
        "'beside_profile:ExactMatch']}"
    )
    profile = [
        "extends: smoke",
        f"data_folder: {tmp_path}",
        f"corpora: {{tests: {{replace: true, own: {test}}}}}",
    ]
    write_lines(tmp_path / "mine.yaml", profile)
    speller = [
        "systems.speller.steps=[{step: spelling, language_model: false, casing: false}]",
        "comparisons.spellers=[speller]",
    ]
    study = Study.open(tmp_path / "mine.yaml", speller, store=tmp_path / "store", workers=1)
    with study.engine:
        scores = study.scores(study.comparison("spellers"), metric="beside_profile:ExactMatch")
    assert scores.exact.tolist() == [pytest.approx(1 / 3)]
    with pytest.raises(UserError, match="metric"):
        study.scores([], metric=3)  # type: ignore[arg-type]

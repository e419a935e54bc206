"""Test sets with several scorers: each gives what the scorer gives when it is called by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from pseudogec.edits import apply_edits, load_annotator, read_m2
from pseudogec.evaluate import GleuScorer, MaxMatchScorer
from pseudogec.study import Study

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
def study(tmp_path: Path) -> Study:
    (tmp_path / "gold.m2").write_text(GOLD)
    (tmp_path / "source").write_text("\n".join(SOURCES) + "\n")
    for number, lines in enumerate(REWRITES):
        (tmp_path / f"reference{number}").write_text("\n".join(lines) + "\n")
    overrides = [
        f"data_folder={tmp_path}",
        "corpora.tests={conll: {source: m2, files: [gold.m2], scorers: [errant, maxmatch, gleu]}, "
        "jfleg: {source: jfleg, files: [source, reference0, reference1], scorers: gleu}}",
        "systems.speller.steps=[{step: spelling, language_model: false, casing: false}]",
        "comparisons.spellers=[speller]",
    ]
    return Study.open("smoke", overrides, store=tmp_path / "store", workers=1)


def test_every_scorer_of_every_test_set_is_shown(study: Study) -> None:
    systems = study.comparison("spellers")
    with study.engine:
        scores = study.all_scores(systems).set_index(["dataset", "scorer"])
    assert set(scores.index) == {("conll", "errant"), ("conll", "maxmatch"), ("conll", "gleu"), ("jfleg", "gleu")}
    hypotheses = {
        name: [line.split() for line in study.lines(study.planner.correction(systems[0], name), "hypotheses.txt")]
        for name in ("conll", "jfleg")
    }
    assert hypotheses["conll"][1] == hypotheses["jfleg"][1] != SOURCES[1].split(), "hunspell does not know the word"
    gold = list(read_m2(study.store.folder(study.planner.references("conll")) / "references.m2"))
    expected = MaxMatchScorer(gold).score(hypotheses["conll"])
    assert scores.f05["conll", "maxmatch"] == expected.f05
    sources = [line.split() for line in SOURCES]
    rewrites = [[line.split() for line in lines] for lines in REWRITES]
    assert scores.gleu["jfleg", "gleu"] == GleuScorer(sources, rewrites).score(hypotheses["jfleg"]).gleu
    assert scores.f05.isna()["jfleg", "gleu"] and scores.gleu.isna()["conll", "errant"]


def test_rewrites_become_references_that_say_the_same(study: Study) -> None:
    corpus = study.planner.tests["jfleg"]
    with study.engine:
        study.build([study.planner.references("jfleg")])
    references = list(read_m2(study.store.folder(study.planner.references("jfleg")) / "references.m2"))
    assert study.lines(corpus, "source.txt") == SOURCES
    for number, lines in enumerate(REWRITES):
        assert [" ".join(apply_edits(item.source, item.annotators[number])) for item in references] == lines
    assert load_annotator(study.profile.annotator).signature == study.planner.annotator


def test_the_first_test_set_is_that_of_all_tables(study: Study) -> None:
    assert study.test == "conll"
    with study.engine:
        scores = study.scores(study.comparison("spellers"))
    assert list(scores.dataset) == ["conll"] and list(scores.scorer) == ["errant"]

"""Error types, levels and example sentences, against cases worked out by hand."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import write_lines
from pseudogec.artefacts.recipe import Recipe
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.evaluate import (
    CUT_OTHERWISE,
    ERRANT,
    Score,
    compare_means,
    f05_of,
    frequent_types,
    type_agreement,
)
from pseudogec.report import ErrorAnalysis, Report, figures, findings
from pseudogec.report.errors import instructive_sentences
from pseudogec.report.markup import marked_corrections
from pseudogec.report.papers import paper_edits_per_token
from pseudogec.report.texts import edits_by_level, permutation_tests, sentence_counts
from pseudogec.study import Study
from pseudogec.study.corpora import Corpus

TENSE = Edit(1, 2, "went", "R:VERB:TENSE")
DETERMINER = Edit(3, 3, "the", "M:DET")
SPELLING = Edit(3, 4, "school", "R:SPELL")
SENTENCE = AnnotatedSentence(
    ("He", "goes", "to", "shcool", "."), {0: (TENSE, DETERMINER, SPELLING)}
)


def sentence(*edits: Edit) -> AnnotatedSentence:
    return AnnotatedSentence(SENTENCE.source, {0: edits})


# Types


def test_frequent_types_are_counted_without_operation_and_without_uncorrected_errors() -> None:
    sentences = [
        sentence(DETERMINER, SPELLING),
        sentence(Edit(2, 3, "", "U:DET"), Edit(0, 1, "", "UNK")),
        AnnotatedSentence(("A",), {0: (), 1: (TENSE, TENSE)}),
        AnnotatedSentence(("A",), {}),
    ]
    assert frequent_types(sentences) == {"DET": 2, "SPELL": 1}
    assert list(frequent_types(sentences, most=1)) == ["DET"]
    assert frequent_types([sentence(Edit(0, 1, "x", "ArtOrDet"))]) == {"ArtOrDet": 1}, (
        "types of CoNLL-2014 have no operation"
    )


def test_true_and_named_types_are_paired_by_span_and_correction() -> None:
    named = sentence(Edit(1, 2, "went", "R:VERB"), Edit(3, 4, "the school", "R:SPELL"))
    pairs = type_agreement([SENTENCE, sentence()], [named, sentence(TENSE)])
    assert list(pairs.itertuples(index=False, name=None)) == [
        ("R:VERB:TENSE", "R:VERB"),
        ("M:DET", CUT_OTHERWISE),
        ("R:SPELL", CUT_OTHERWISE),
    ]


PAIRS = pd.DataFrame(
    [("R:NOUN", "R:NOUN")] * 6
    + [("R:NOUN", "R:MORPH")] * 2
    + [("U:DET", "M:DET"), ("R:ADJ", CUT_OTHERWISE)],
    columns=["true_type", "found_type"],
)


def test_agreement_is_said_of_all_edits_and_of_those_found() -> None:
    text = findings.agreement(PAIRS)
    assert "Of 10 true edits the annotator finds 90.0%" in text
    assert "**70.0%** (with the operation, missing, replacement or unnecessary: 60.0%)" in text
    assert "Of those that it finds, 77.8%" in text


def test_the_heatmap_has_percent_of_each_true_type() -> None:
    axes = figures.type_agreement(PAIRS, "an annotator").figure.axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == [
        "NOUN",
        "DET",
        "ADJ",
        "MORPH",
        CUT_OTHERWISE,
    ]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [
        "NOUN (8)",
        "DET (1)",
        "ADJ (1)",
    ]
    shares = np.asarray(axes.collections[0].get_array()).reshape(3, 5)
    assert shares.tolist() == [[75, 0, 0, 25, 0], [0, 100, 0, 0, 0], [0, 0, 0, 0, 100]]


# Means of groups


def test_a_permutation_test_of_few_values_is_exact() -> None:
    first, second = [0.0, 0.1, 0.2, 0.1], [0.3, 0.2, 0.5]
    pooled = [*first, *second]
    differences = [
        fmean(pooled[place] for place in chosen)
        - fmean(pooled[place] for place in range(7) if place not in chosen)
        for chosen in combinations(range(7), 4)
    ]
    # Two-sided: twice the smaller tail.
    tail = np.mean(np.array(differences) <= fmean(first) - fmean(second) + 1e-12)
    assert compare_means(first, second) == pytest.approx(2 * tail)


def test_means_that_do_not_differ_are_told_apart_in_five_percent_of_draws() -> None:
    stream = np.random.default_rng(3)
    found = [
        compare_means(stream.exponential(size=30), stream.exponential(size=20), samples=199)
        for _ in range(400)
    ]
    assert 0.02 <= np.mean(np.array(found) <= 0.05) <= 0.08


COUNTS = pd.DataFrame(
    [
        ("genuine", "A", 10, 2),
        ("genuine", "A", 2, 1),
        ("genuine", "B", 4, 0),
        ("test", "A", 8, 2),
        ("test", "A", 0, 0),
    ],
    columns=["corpus", "level", "tokens", "edits"],
).assign(**{"edits per token": lambda table: table.edits / table.tokens.where(table.tokens > 0)})


def test_edits_a_token_are_the_mean_over_sentences() -> None:
    table = edits_by_level(COUNTS).set_index(["corpus", "level"])
    assert list(table.index) == [
        ("genuine", "all"),
        ("genuine", "A"),
        ("genuine", "B"),
        ("test", "A"),
    ]
    assert table["edits per token"].tolist() == pytest.approx([0.7 / 3, 0.35, 0, 0.25])
    assert table.loc[("genuine", "all"), ["sentences", "tokens", "edits"]].tolist() == [3, 16, 3]
    assert table["without edits"].tolist() == pytest.approx([1 / 3, 0, 1, 0.5])


def test_groups_are_tested_against_one_of_them() -> None:
    stream = np.random.default_rng(1)
    dense, sparse = (stream.binomial(10, rate, 200) for rate in (0.3, 0.1))
    sentences = pd.DataFrame(
        {"level": ["B"] * 200 + ["A"] * 200, "edits per token": [*dense / 10, *sparse / 10]}
    )
    table = permutation_tests(sentences, "level")
    assert table.level.tolist() == ["A", "B"]
    assert table["edits per token"].tolist() == pytest.approx(
        [sparse.mean() / 10, dense.mean() / 10]
    )
    assert np.isnan(table.p[0])
    assert table.p[1] < 0.01
    assert permutation_tests(sentences, "level", "B").level.tolist() == ["B", "A"]
    with pytest.raises(UserError, match="level `C`"):
        permutation_tests(sentences, "level", "C")


def test_the_published_edits_per_token() -> None:
    table = paper_edits_per_token().set_index("dataset")
    assert table.edits_per_token["W&I-train"] == 0.0922
    assert table.permutation_p["NUCLE"] == "<0.001"


def test_length_against_edits_counts_sentences_and_draws_their_mean() -> None:
    genuine, test, _ = figures.length_against_edits(COUNTS, quantile=1).figure.axes
    cells = np.ma.filled(genuine.collections[0].get_array().reshape(3, 10), 0)
    assert cells.sum() == 3
    assert (cells[2, 9], cells[1, 1], cells[0, 3]) == (1, 1, 1)
    assert genuine.lines[0].get_xydata().tolist() == [[2, 1], [4, 0], [10, 2]]
    assert "2 sentences" in test.get_title()


# Scores by type and level


def test_dots_stand_at_their_values_with_their_intervals() -> None:
    rows = [
        {
            "category": "DET",
            "system": "none",
            "name": "Old",
            "value": 50.0,
            "low": 40.0,
            "high": 70.0,
        }
    ]
    axes = figures.by_category(
        pd.DataFrame(rows), {"DET": "DET (2)", "WO": "WO (1)"}, "", "F0.5", ""
    ).figure.axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["DET (2)", "WO (1)"]
    assert axes.collections[0].get_segments()[0][:, 0].tolist() == pytest.approx([40, 70])


# Sentences


def score(*rows: tuple[int, int, int]) -> Score:
    return Score.from_rows(
        ERRANT, "", len(rows), [(number, "R:NOUN", *counts) for number, counts in enumerate(rows)]
    )


def test_instructive_sentences_are_those_that_tell_systems_apart() -> None:
    old = score((1, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0), (0, 0, 0), (1, 0, 0), (0, 1, 1))
    new = score((0, 0, 1), (1, 0, 0), (0, 0, 2), (0, 0, 0), (0, 2, 0), (1, 0, 0), (1, 1, 0))
    assert instructive_sentences({"old": old, "new": new}, each=1) == {
        "only new is right": [1],
        "only old is right": [0],
        "only new changes what was right": [4],
        "only old changes what was right": [3],
        "both leave the errors": [2],
    }


def words(html: str) -> list[str]:
    """The lines of a table without its tags."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [" ".join(re.sub(r"<[^>]+>", " ", line).split()) for line in rows]


def test_edits_of_systems_are_marked_as_right_wrong_and_missed() -> None:
    systems = {
        "good": (TENSE, DETERMINER, SPELLING),
        "bad": (Edit(1, 2, "gone", "R:VERB:FORM"), SPELLING),
        "none": (),
    }
    heading, reference, good, bad, none = words(marked_corrections([("one", SENTENCE, systems)]))
    assert heading == "one"
    assert reference == "reference He goes went R:VERB:TENSE to the M:DET shcool school R:SPELL ."
    assert good == "good He goes went ✓ R:VERB:TENSE to the ✓ M:DET shcool school ✓ R:SPELL ."
    assert bad == "bad He goes gone ✗ R:VERB:FORM to ‸ M:DET shcool school ✓ R:SPELL ."
    assert none == "none He goes R:VERB:TENSE to ‸ M:DET shcool R:SPELL ."


def test_learners_words_are_escaped() -> None:
    source = AnnotatedSentence(("a<b", "&"), {0: (Edit(0, 1, "<i>", "R:OTHER"),)})
    html = marked_corrections([("<b>", source, {"<u>": (Edit(0, 1, "<i>", "R:OTHER"),)})])
    assert "<i>" not in html
    assert "<u>" not in html
    assert html.count("&lt;i&gt;") == 2


@pytest.mark.slow
def test_methods_are_compared_within_each_type_and_level(scheduler: str, tmp_path: Path) -> None:
    corpus = "corpora.tests={test: {source: classroom, split: test, sentences: 40}}"
    study = Study.open(
        "smoke",
        [corpus],
        store=tmp_path / "store",
        outputs=tmp_path / "outputs",
        scheduler=scheduler,
    )
    choices = {"seed_corpus": "everyday", "setting": "joint", "pseudo_pairs": 0, "seeds": [1, 2]}
    grid = study.grid(
        method=["none", "direct_noise"],
        **choices | {"pseudo_pairs": study.profile.pseudo_data.shard},
    )
    better, worse = ((1, 0, 1), (1, 0, 0)), ((0, 1, 1), (0, 0, 1))
    rows = {
        "direct_noise": [(better[place % 2]) for place in range(40)],
        "none": [worse[place % 3 > 0] for place in range(40)],
    }

    def write(recipe: Recipe, folder: Path) -> dict[str, Any]:
        if isinstance(recipe, Corpus):
            return recipe.build(folder, study.store, lambda done, total, text: None)
        write_lines(folder / "score.json", [score(*rows[method]).to_json()])
        return {}

    study.store.build(study.planner.tests["test"], write)
    for system in grid:
        method = system.method
        study.store.build(study.planner.score(system, "test"), write)
    levels = study.levels(study.planner.tests["test"])
    analysis = ErrorAnalysis(Report(study), "test", [sentence(Edit(1, 2, "went", "R:NOUN"))])
    whole = f05_of(np.array(rows["direct_noise"]).sum(axis=0)) - f05_of(
        np.array(rows["none"]).sum(axis=0)
    )
    for category, expected in (("error_type", {"NOUN"}), ("level", set(levels))):
        analysis.gains(grid, category, "method", category)
        drawn = pd.read_csv(study.outputs / "figures" / f"{category}.csv")
        assert set(drawn.category) == expected
        if category == "error_type":
            assert drawn.value.tolist() == pytest.approx([100 * whole], abs=1e-4)
    assert "lists no systems" in analysis.gains(
        grid.only(method=["random"]), "level", "method", "nothing"
    )


@pytest.mark.slow
def test_edits_per_token_are_those_of_choe_et_al(
    shared_data: Path, scheduler: str, tmp_path: Path
) -> None:
    def files(part: str) -> str:
        return ", ".join(
            f"{{path: wi/{level}.{part}.gold.bea19.m2, level: {level}}}" for level in "ABC"
        )

    fce = ", ".join(f"fce/{name}.m2" for name in ("fce.train", "fce.dev", "fce.test.gold.bea19"))
    overrides = [
        f"data_folder={shared_data}",
        f"corpora.genuine.files=[{files('train')}]",
        f"corpora.tests={{fce: {{source: m2, files: [{fce}]}}}}",
    ]
    study = Study.open(
        "learners",
        overrides,
        store=tmp_path / "store",
        outputs=tmp_path / "outputs",
        scheduler=scheduler,
    )
    with study.engine:
        sentences = sentence_counts(study)
    table = edits_by_level(sentences).set_index(["corpus", "level"])["edits per token"]
    assert round(table["genuine", "all"], 4) == 0.0922  # table 9, W&I-Train
    # Table 9; the sentences are split otherwise here
    assert table["fce", "unknown"] == pytest.approx(0.0898, abs=0.0005)
    tests = permutation_tests(
        sentences[sentences.corpus != "validation"], "corpus", against="genuine"
    )
    assert tests.p.iloc[1] < 0.05, "they found the same, with p = .002"

"""ERRANT's scores against the reference tool, and by hand."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence, Edit, load_annotator, read_m2
from pseudogec.evaluate import ErrantScorer, Score, precision_recall_f05

SHARED = Path(__file__).parents[2] / "shared"
SYSTEMS = ("pretlarge+sse+r2l", "pretlarge+sse+r2l+sed")
MODES = {"": "span_correction", "-ds": "span_detection", "-dt": "token_detection"}
CATEGORIES = {"-cat 1": "operation", "-cat 2": "main", "-cat 3": "full"}

needs_shared = pytest.mark.skipif(
    not (SHARED / "expected" / "errant_compare.txt").is_file(),
    reason=f"the reference scorer's figures are not at {SHARED}/expected",
)


def sentence(text: str, *annotators: tuple[Edit, ...]) -> AnnotatedSentence:
    return AnnotatedSentence(tuple(text.split()), dict(enumerate(annotators)))


def reference_blocks() -> dict[tuple[str, str], str]:
    """Each printed comparison of the reference tool, by options and system."""
    text = (SHARED / "expected" / "errant_compare.txt").read_text()
    blocks = re.split(r"^## errant_compare (.*)$", text, flags=re.MULTILINE)[1:]
    return {tuple(head.strip().rpartition(" ")[::2]): body for head, body in zip(blocks[::2], blocks[1::2], strict=True)}


def gold_of_wi_dev() -> list[AnnotatedSentence]:
    return [one for level in "ABC" for one in read_m2(SHARED / "data" / "wi" / f"{level}.dev.gold.bea19.m2")]


@needs_shared
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_count_and_figure_equals_errant_compare(system):
    hypothesis = [one.annotators.get(0, ()) for one in read_m2(SHARED / "expected" / f"wi.dev.ABC.{system}.hyp.m2")]
    scorer = ErrantScorer(gold_of_wi_dev())
    blocks = {options: body for (options, name), body in reference_blocks().items() if name == system}
    assert set(blocks) == {*MODES, *CATEGORIES}
    for options, body in blocks.items():
        score = scorer.compare(hypothesis, MODES.get(options, "span_correction"))
        rows = [line.split() for line in body.splitlines() if re.search(r"\d+\s+\d+\s+\d+\s+\d\.\d+", line)]
        overall = rows.pop()
        assert overall == [*map(str, score.totals), *(str(round(x, 4)) for x in (score.precision, score.recall, score.f05))]
        if options in CATEGORIES:
            table = score.by_type(CATEGORIES[options])
            ours = [
                [
                    row.Index,
                    str(row.tp),
                    str(row.fp),
                    str(row.fn),
                    *(str(round(x, 4)) for x in (row.precision, row.recall, row.f05)),
                ]
                for row in table.itertuples()
            ]
            assert ours == rows


@needs_shared
def test_scores_from_text_stay_near_those_of_the_paper_s_tagger():
    hypotheses = [
        line.split() for line in (SHARED / "data/outputs/wi.dev.ABC.pretlarge+sse+r2l+sed.txt").read_text().splitlines()
    ]
    score = ErrantScorer(gold_of_wi_dev(), load_annotator("offline")).score(hypotheses)
    given = [one.annotators.get(0, ()) for one in read_m2(SHARED / "expected" / "wi.dev.ABC.pretlarge+sse+r2l+sed.hyp.m2")]
    assert score.f05 == pytest.approx(ErrantScorer(gold_of_wi_dev()).compare(given).f05, abs=0.003)


REFERENCES = [
    sentence("a b c", (Edit(0, 1, "x", "R:NOUN"), Edit(1, 1, "y", "M:DET"), Edit(2, 3, "c", "UNK"))),
    sentence("d e", ()),
    sentence("f g", (Edit(0, 2, "", "U:VERB"),)),
]
HYPOTHESES = [
    (Edit(0, 1, "x", "R:VERB"), Edit(1, 1, "z", "M:PREP"), Edit(2, 3, "w", "R:NOUN")),
    (Edit(0, 1, "", "U:DET"),),
    (),
]


@pytest.mark.parametrize(
    ("mode", "counts"),
    [
        # x is right; z, w and the deletion are wrong; y and the deletion of f g are missed; UNK takes no part.
        ("span_correction", (1, 3, 2)),
        # UNK counts in detection: three spans found, one deletion too many, f g missed.
        ("span_detection", (3, 1, 1)),
        # f g are two tokens; the insertion before b touches b.
        ("token_detection", (3, 1, 2)),
    ],
)
def test_modes_by_hand(mode, counts):
    assert ErrantScorer(REFERENCES).compare(HYPOTHESES, mode).totals == counts


def test_types_come_from_the_reference_when_right_and_from_the_hypothesis_when_wrong():
    score = ErrantScorer(REFERENCES).compare(HYPOTHESES)
    table = score.by_type("full")[["tp", "fp", "fn"]]
    assert {name: tuple(row) for name, *row in table.itertuples()} == {
        "M:DET": (0, 0, 1),
        "M:PREP": (0, 1, 0),
        "R:NOUN": (1, 1, 0),
        "U:DET": (0, 1, 0),
        "U:VERB": (0, 0, 1),
    }
    assert set(score.by_type("operation").index) == {"M", "R", "U"}
    assert tuple(score.by_type("main").loc["DET", ["tp", "fp", "fn"]]) == (0, 1, 1)


def test_groups_of_sentences():
    score = ErrantScorer(REFERENCES).compare(HYPOTHESES)
    table = score.by_group(["A", "C", "A"], "level")
    assert tuple(table.loc["A", ["tp", "fp", "fn"]]) == (1, 2, 2)
    assert tuple(table.loc["C", ["tp", "fp", "fn"]]) == (0, 1, 0)
    assert table.loc["C", "f05"] == 0
    with pytest.raises(UserError, match="2 labels for 3 sentences"):
        score.by_group(["A", "B"])


def test_a_group_without_edits_keeps_its_row():
    table = ErrantScorer([sentence("a", ()), sentence("b", ())]).compare([(), (Edit(0, 1, ""),)]).by_group(["quiet", "loud"])
    assert tuple(table.loc["quiet", ["tp", "fp", "fn", "precision", "recall", "f05"]]) == (0, 0, 0, 1, 1, 1)


def test_the_best_reference_is_chosen_by_the_corpus_so_far():
    right, other = Edit(0, 1, "x", "R:NOUN"), Edit(1, 2, "y", "R:NOUN")
    two = sentence("a b", (right,), (other,))
    assert ErrantScorer([two]).compare([(other,)]).totals == (1, 0, 0)
    assert ErrantScorer([sentence("a b", (right,), ())]).compare([()]).totals == (0, 0, 0)
    # Equal F0.5, since nothing was right before: the reference with fewer misses wins.
    assert ErrantScorer([sentence("a b", (right, other), (right,))]).compare([(Edit(0, 2, "z"),)]).totals == (0, 1, 1)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((0, 0, 0), (1, 1, 1)),
        ((0, 3, 0), (0, 1, 0)),
        ((0, 0, 3), (1, 0, 0)),
        ((0, 1, 1), (0, 0, 0)),
        ((3, 1, 2), (0.75, 0.6, 5 / 7)),
    ],
)
def test_empty_counts_follow_errant(counts, expected):
    assert tuple(map(float, precision_recall_f05(*counts))) == pytest.approx(expected)
    as_arrays = precision_recall_f05(*(np.array([count, count]) for count in counts))
    assert [array.tolist() for array in as_arrays] == [pytest.approx([value, value]) for value in expected]


def test_a_score_survives_storage():
    score = ErrantScorer(REFERENCES).compare(HYPOTHESES)
    copy = Score.from_json(score.to_json())
    assert copy.to_json() == score.to_json()
    assert copy.counts.equals(score.counts)
    assert copy.per_sentence().tolist() == [[1, 2, 1], [0, 1, 0], [0, 0, 1]]
    assert Score.from_rows("errant", "", 2, []).f05 == 1


def test_the_signature_names_scorer_annotator_mode_and_references():
    first = ErrantScorer(REFERENCES).compare(HYPOTHESES).signature
    assert re.fullmatch(
        r"errant:3[\d.]+\|mode:span_correction\|annotator:given\|tokens:as given\|references:1\|digest:[0-9a-f]{12}", first
    )
    other = [*REFERENCES[:2], sentence("f g", (), ())]
    assert "references:1-2" in ErrantScorer(other).compare(HYPOTHESES).signature
    scored = ErrantScorer(REFERENCES, load_annotator("offline")).score([one.source for one in REFERENCES]).signature
    assert load_annotator("offline").signature in scored
    assert scored.rpartition("digest:")[2] == first.rpartition("digest:")[2]


def test_what_cannot_be_scored_is_refused():
    scorer = ErrantScorer(REFERENCES, load_annotator("offline"), reference_name="dev.m2")
    with pytest.raises(UserError, match=r"out\.txt has 1 sentences and dev\.m2 has 3"):
        scorer.score([["a"]], name="out.txt")
    with pytest.raises(UserError, match=r"out\.txt has 1 sentences and dev\.m2 has 3"):
        scorer.compare([()], name="out.txt")
    with pytest.raises(UserError, match="lists of tokens"):
        scorer.score(["a b c", "d e", "f g"])
    with pytest.raises(UserError, match="no annotator"):
        ErrantScorer(REFERENCES).score([["a"]] * 3)
    with pytest.raises(UserError, match="no mode is called"):
        scorer.compare(HYPOTHESES, "spans")
    with pytest.raises(UserError, match="no sentences"):
        ErrantScorer([], load_annotator("offline")).score([])
    with pytest.raises(UserError, match="no categories"):
        scorer.compare(HYPOTHESES).by_type("all")


@pytest.mark.parametrize(
    ("hypothesis", "warning"),
    [
        ([], "1 of 1 hypotheses are empty .the first is line 1"),
        (["I", "don't", "know."], "tokenised otherwise"),
        (["I", "do", "n't", "kn@@", "ow", "."], "byte-pair"),
    ],
)
def test_what_hardly_means_what_it_says_is_warned_of(hypothesis, warning):
    scorer = ErrantScorer([sentence("I do n't know .", ())], load_annotator("offline"))
    with pytest.warns(UserWarning, match=warning):
        scorer.score([hypothesis])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scorer.score([["I", "did", "n't", "know", "."]])

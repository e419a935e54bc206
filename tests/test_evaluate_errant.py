"""ERRANT's scores against the reference tool, and by hand."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence, Edit, load_annotator, read_m2
from pseudogec.evaluate import ERRANT, Errant, Gold, Score, precision_recall_f05

SHARED = Path(__file__).parents[2] / "shared"
SYSTEMS = ("pretlarge+sse+r2l", "pretlarge+sse+r2l+sed")
MODES = {"": "span_correction", "-ds": "span_detection", "-dt": "token_detection"}
CATEGORIES = {"-cat 1": "operation", "-cat 2": "main", "-cat 3": "full"}

SAMPLE = Path(__file__).parent / "data" / "world_sample"

needs_shared = pytest.mark.skipif(
    not (SHARED / "expected" / "errant_compare.txt").is_file(),
    reason=f"the reference scorer's figures are not at {SHARED}/expected",
)


def sentence(text: str, *annotators: tuple[Edit, ...]) -> AnnotatedSentence:
    return AnnotatedSentence(tuple(text.split()), dict(enumerate(annotators)))


def counts(score: Score) -> tuple[float, ...]:
    return tuple(score[name] for name in ("tp", "fp", "fn"))


def reference_blocks() -> dict[tuple[str, str], str]:
    """Each printed comparison of the reference tool, by options and system."""
    text = (SHARED / "expected" / "errant_compare.txt").read_text()
    blocks = re.split(r"^## errant_compare (.*)$", text, flags=re.MULTILINE)[1:]
    return {tuple(head.strip().rpartition(" ")[::2]): body for head, body in zip(blocks[::2], blocks[1::2], strict=True)}


def gold_of_wi_dev() -> list[AnnotatedSentence]:
    return [one for level in "ABC" for one in read_m2(SHARED / "data" / "wi" / f"{level}.dev.gold.bea19.m2")]


def printed(score: Score) -> list[str]:
    """A row of the reference tool's table."""
    return [*map(str, counts(score)), *(str(round(score[name], 4)) for name in ("precision", "recall", "f05"))]


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("baseline", ["126", "217", "106", "0.3673", "0.5431", "0.3928"]),
        ("ensemble", ["193", "27", "45", "0.8773", "0.8109", "0.8631"]),
    ],
)
def test_the_sample_s_figures_equal_errant_compare_s(system, expected):
    gold = Gold.annotated(list(read_m2(SAMPLE / "references.m2")))
    hypothesis = [one.annotators.get(0, ()) for one in read_m2(SAMPLE / f"hypothesis_{system}.m2")]
    assert printed(ERRANT.compare(gold, hypothesis)) == expected
    from_text = [line.split() for line in (SAMPLE / f"hypothesis_{system}.txt").read_text().splitlines()]
    assert printed(ERRANT.score(gold, from_text, load_annotator("offline"))) == expected


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_count_and_figure_equals_errant_compare(system):
    hypothesis = [one.annotators.get(0, ()) for one in read_m2(SHARED / "expected" / f"wi.dev.ABC.{system}.hyp.m2")]
    gold = Gold.annotated(gold_of_wi_dev())
    blocks = {options: body for (options, name), body in reference_blocks().items() if name == system}
    assert set(blocks) == {*MODES, *CATEGORIES}
    for options, body in blocks.items():
        score = Errant(mode=MODES.get(options, "span_correction")).compare(gold, hypothesis)
        rows = [line.split() for line in body.splitlines() if re.search(r"\d+\s+\d+\s+\d+\s+\d\.\d+", line)]
        overall = rows.pop()
        assert overall == printed(score)
        if options in CATEGORIES:
            assert [[name, *printed(part)] for name, part in score.by_type(CATEGORIES[options]).items()] == rows


@pytest.mark.slow
@needs_shared
def test_scores_from_text_stay_near_those_of_the_paper_s_tagger():
    hypotheses = [
        line.split() for line in (SHARED / "data/outputs/wi.dev.ABC.pretlarge+sse+r2l+sed.txt").read_text().splitlines()
    ]
    gold = Gold.annotated(gold_of_wi_dev())
    score = ERRANT.score(gold, hypotheses, load_annotator("offline"))
    given = [one.annotators.get(0, ()) for one in read_m2(SHARED / "expected" / "wi.dev.ABC.pretlarge+sse+r2l+sed.hyp.m2")]
    assert score.headline == pytest.approx(ERRANT.compare(gold, given).headline, abs=0.003)


REFERENCES = [
    sentence("a b c", (Edit(0, 1, "x", "R:NOUN"), Edit(1, 1, "y", "M:DET"), Edit(2, 3, "c", "UNK"))),
    sentence("d e", ()),
    sentence("f g", (Edit(0, 2, "", "U:VERB"),)),
]
GOLD = Gold.annotated(REFERENCES)
HYPOTHESES = [
    (Edit(0, 1, "x", "R:VERB"), Edit(1, 1, "z", "M:PREP"), Edit(2, 3, "w", "R:NOUN")),
    (Edit(0, 1, "", "U:DET"),),
    (),
]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        # x is right; z, w and the deletion are wrong; y and the deletion of f g are missed; UNK takes no part.
        ("span_correction", (1, 3, 2)),
        # UNK counts in detection: three spans found, one deletion too many, f g missed.
        ("span_detection", (3, 1, 1)),
        # f g are two tokens; the insertion before b touches b.
        ("token_detection", (3, 1, 2)),
    ],
)
def test_modes_by_hand(mode, expected):
    assert counts(Errant(mode=mode).compare(GOLD, HYPOTHESES)) == expected


def test_types_come_from_the_reference_when_right_and_from_the_hypothesis_when_wrong():
    score = ERRANT.compare(GOLD, HYPOTHESES)
    assert {name: counts(part) for name, part in score.by_type("full").items()} == {
        "M:DET": (0, 0, 1),
        "M:PREP": (0, 1, 0),
        "R:NOUN": (1, 1, 0),
        "U:DET": (0, 1, 0),
        "U:VERB": (0, 0, 1),
    }
    assert set(score.by_type("operation")) == {"M", "R", "U"}
    assert counts(score.by_type()["DET"]) == (0, 1, 1)


def test_groups_of_sentences():
    score = ERRANT.compare(GOLD, HYPOTHESES)
    groups = score.by_group(["A", "C", "A"])
    assert counts(groups["A"]) == (1, 2, 2)
    assert counts(groups["C"]) == (0, 1, 0)
    assert groups["C"].headline == 0
    assert counts(groups["A"].by_type()["DET"]) == (0, 0, 1)
    with pytest.raises(UserError, match="2 labels for 3 sentences"):
        score.by_group(["A", "B"])


def test_a_group_without_edits_keeps_its_row():
    gold = Gold.annotated([sentence("a", ()), sentence("b", ())])
    quiet = ERRANT.compare(gold, [(), (Edit(0, 1, ""),)]).by_group(["quiet", "loud"])["quiet"]
    assert quiet.figures == {"precision": 1, "recall": 1, "f05": 1, "tp": 0, "fp": 0, "fn": 0}


def test_the_best_reference_of_a_sentence_counts():
    right, other = Edit(0, 1, "x", "R:NOUN"), Edit(1, 2, "y", "R:NOUN")
    two = sentence("a b", (right,), (other,))
    assert counts(ERRANT.compare(Gold.annotated([two]), [(other,)])) == (1, 0, 0)
    assert counts(ERRANT.compare(Gold.annotated([sentence("a b", (right,), ())]), [()])) == (0, 0, 0)
    # Equal F0.5, since nothing was right before: the reference with fewer misses wins.
    gold = Gold.annotated([sentence("a b", (right, other), (right,))])
    assert counts(ERRANT.compare(gold, [(Edit(0, 2, "z"),)])) == (0, 1, 1)


def test_which_reference_is_best_depends_on_the_sentences_before():
    """As in ERRANT's `compare_m2.py`: with ten wrong edits before, a second right edit is worth nine that were missed."""
    text = "a b c d e f g h i j k"
    x, y, *missed = (Edit(place, place + 1, "x", "R:NOUN") for place in range(11))
    two = sentence(text, (x,), (x, y, *missed))
    assert counts(ERRANT.compare(Gold.annotated([two]), [(x, y)])) == (1, 1, 0)
    wrong = [Edit(place, place + 1, "w", "R:NOUN") for place in range(10)]
    gold = Gold.annotated([sentence(text, (), ()), two])
    assert counts(ERRANT.compare(gold, [wrong, (x, y)])) == (2, 10, 9)


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
    score = ERRANT.compare(GOLD, HYPOTHESES)
    copy = Score.from_json(score.to_json())
    assert copy.to_json() == score.to_json()
    assert (copy.metric, copy.figures, set(copy.by_type())) == (ERRANT, score.figures, set(score.by_type()))
    assert copy.per_sentence().tolist() == [[1, 2, 1], [0, 1, 0], [0, 0, 1]]
    empty = Score.from_rows(ERRANT, "", 2, [])
    assert Score.from_json(empty.to_json()).headline == empty.headline == 1


def test_the_signature_names_scorer_annotator_mode_and_references():
    first = ERRANT.compare(GOLD, HYPOTHESES).signature
    assert re.fullmatch(
        r"errant:3[\d.]+\|mode:span_correction\|annotator:given\|tokens:as given\|references:1\|digest:[0-9a-f]{12}", first
    )
    other = [*REFERENCES[:2], sentence("f g", (), ())]
    with pytest.warns(UserWarning, match="2 of 3 sentences lack an annotator"):
        several = ERRANT.compare(Gold.annotated(other), HYPOTHESES)
    assert "references:1-2" in several.signature
    scored = ERRANT.score(GOLD, GOLD.sources, load_annotator("offline")).signature
    assert load_annotator("offline").signature in scored
    assert scored.rpartition("digest:")[2] == first.rpartition("digest:")[2]


def test_what_cannot_be_scored_is_refused():
    gold, annotator = Gold.annotated(REFERENCES, "dev.m2"), load_annotator("offline")
    with pytest.raises(UserError, match=r"out\.txt has 1 sentences and dev\.m2 has 3"):
        ERRANT.score(gold, [["a"]], annotator, name="out.txt")
    with pytest.raises(UserError, match=r"out\.txt has 1 sentences and dev\.m2 has 3"):
        ERRANT.compare(gold, [()], name="out.txt")
    with pytest.raises(UserError, match="lists of tokens"):
        ERRANT.score(gold, ["a b c", "d e", "f g"], annotator)
    with pytest.raises(UserError, match="needs an annotator"):
        ERRANT.score(gold, [["a"]] * 3)
    with pytest.raises(ValidationError, match="mode"):
        Errant(mode="spans")
    with pytest.raises(UserError, match="no sentences"):
        ERRANT.score(Gold.annotated([]), [], annotator)
    with pytest.raises(UserError, match="no categories"):
        ERRANT.compare(gold, HYPOTHESES).by_type("all")
    with pytest.raises(UserError, match="holds whole sentences; give it an annotator"):
        ERRANT.compare(Gold.parallel([["a"]], [[["b"]]]), [()])


@pytest.mark.parametrize(
    ("hypothesis", "warning"),
    [
        ([], "1 of 1 hypotheses are empty .the first is line 1"),
        (["I", "don't", "know."], "tokenised otherwise"),
        (["I", "do", "n't", "kn@@", "ow", "."], "byte-pair"),
    ],
)
def test_what_hardly_means_what_it_says_is_warned_of(hypothesis, warning):
    gold, annotator = Gold.annotated([sentence("I do n't know .", ())]), load_annotator("offline")
    with pytest.warns(UserWarning, match=warning):
        ERRANT.score(gold, [hypothesis], annotator)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ERRANT.score(gold, [["I", "did", "n't", "know", "."]], annotator)

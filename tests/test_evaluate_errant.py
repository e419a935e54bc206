"""ERRANT's scores against the reference tool, and by hand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from pseudogec.artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence, Edit, load_annotator, read_m2
from pseudogec.evaluate import ERRANT, Errant, Gold, Score, precision_recall_f05

SHARED = Path(__file__).parents[2] / "shared"
SYSTEMS = ("pretlarge+sse+r2l", "pretlarge+sse+r2l+sed")
MODES = {"": "span_correction", "-ds": "span_detection", "-dt": "token_detection"}
MAIN_TYPES = "-cat 2"

SAMPLE = Path(__file__).parent / "data" / "scored_sample"

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
    return {
        tuple(head.strip().rpartition(" ")[::2]): body
        for head, body in zip(blocks[::2], blocks[1::2], strict=True)
    }


def gold_of_wi_dev() -> list[AnnotatedSentence]:
    return [
        one
        for level in "ABC"
        for one in read_m2(SHARED / "data" / "wi" / f"{level}.dev.gold.bea19.m2")
    ]


def printed(score: Score) -> list[str]:
    """A row of the reference tool's table."""
    return [
        *map(str, counts(score)),
        *(str(round(score[name], 4)) for name in ("precision", "recall", "f05")),
    ]


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
    from_text = [
        line.split() for line in (SAMPLE / f"hypothesis_{system}.txt").read_text().splitlines()
    ]
    assert printed(ERRANT.score(gold, from_text, load_annotator("offline"))) == expected


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_count_and_figure_equals_errant_compare(system):
    hypothesis = [
        one.annotators.get(0, ())
        for one in read_m2(SHARED / "expected" / f"wi.dev.ABC.{system}.hyp.m2")
    ]
    gold = Gold.annotated(gold_of_wi_dev())
    blocks = {
        options: body for (options, name), body in reference_blocks().items() if name == system
    }
    assert {*MODES, MAIN_TYPES} <= set(blocks)
    for options, body in blocks.items():
        score = Errant(mode=MODES.get(options, "span_correction")).compare(gold, hypothesis)
        rows = [
            line.split()
            for line in body.splitlines()
            if re.search(r"\d+\s+\d+\s+\d+\s+\d\.\d+", line)
        ]
        overall = rows.pop()
        assert overall == printed(score)
        if options == MAIN_TYPES:
            assert [[name, *printed(part)] for name, part in score.by_type().items()] == rows


@pytest.mark.slow
@needs_shared
def test_scores_from_text_stay_near_those_of_the_paper_s_tagger():
    hypotheses = [
        line.split()
        for line in (SHARED / "data/outputs/wi.dev.ABC.pretlarge+sse+r2l+sed.txt")
        .read_text()
        .splitlines()
    ]
    gold = Gold.annotated(gold_of_wi_dev())
    score = ERRANT.score(gold, hypotheses, load_annotator("offline"))
    given = [
        one.annotators.get(0, ())
        for one in read_m2(SHARED / "expected" / "wi.dev.ABC.pretlarge+sse+r2l+sed.hyp.m2")
    ]
    assert score.headline == pytest.approx(ERRANT.compare(gold, given).headline, abs=0.003)


REFERENCES = [
    sentence(
        "a b c", (Edit(0, 1, "x", "R:NOUN"), Edit(1, 1, "y", "M:DET"), Edit(2, 3, "c", "UNK"))
    ),
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
        # x is right; z, w and the deletion are wrong; y and the deletion of f g are missed; UNK
        # takes no part.
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
    assert {name: counts(part) for name, part in score.by_type().items()} == {
        "DET": (0, 1, 1),
        "NOUN": (1, 1, 0),
        "PREP": (0, 1, 0),
        "VERB": (0, 0, 1),
    }


def test_groups_of_sentences():
    score = ERRANT.compare(GOLD, HYPOTHESES)
    groups = score.by_group(["A", "C", "A"])
    assert counts(groups["A"]) == (1, 2, 2)
    assert counts(groups["C"]) == (0, 1, 0)
    assert groups["C"].headline == 0
    assert counts(groups["A"].by_type()["DET"]) == (0, 0, 1)
    with pytest.raises(UserError, match=r"2 .* 3"):
        score.by_group(["A", "B"])


def test_the_best_reference_of_a_sentence_counts():
    right, other = Edit(0, 1, "x", "R:NOUN"), Edit(1, 2, "y", "R:NOUN")
    two = sentence("a b", (right,), (other,))
    assert counts(ERRANT.compare(Gold.annotated([two]), [(other,)])) == (1, 0, 0)
    assert counts(ERRANT.compare(Gold.annotated([sentence("a b", (right,), ())]), [()])) == (
        0,
        0,
        0,
    )
    # Equal F0.5, since nothing was right before: the reference with fewer misses wins.
    gold = Gold.annotated([sentence("a b", (right, other), (right,))])
    assert counts(ERRANT.compare(gold, [(Edit(0, 2, "z"),)])) == (0, 1, 1)


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
    assert [array.tolist() for array in as_arrays] == [
        pytest.approx([value, value]) for value in expected
    ]


def test_a_score_survives_storage():
    score = ERRANT.compare(GOLD, HYPOTHESES)
    copy = Score.from_json(score.to_json())
    assert copy.to_json() == score.to_json()
    assert (copy.metric, copy.figures, set(copy.by_type())) == (
        ERRANT,
        score.figures,
        set(score.by_type()),
    )
    assert copy.per_sentence().tolist() == [[1, 2, 1], [0, 1, 0], [0, 0, 1]]
    empty = Score.from_rows(ERRANT, "", 2, [])
    assert Score.from_json(empty.to_json()).headline == empty.headline == 1


def test_references_of_unk_alone_are_said_to_count_for_nothing() -> None:
    gold = Gold.annotated([sentence("He go home .", (Edit(1, 2, "goes", "UNK"),))], "gold.m2")
    with pytest.warns(UserWarning, match=r"gold\.m2 has no edits but UNK"):
        score = ERRANT.score(gold, [["He", "goes", "home", "."]], load_annotator("offline"))
    assert counts(score) == (0, 1, 0)

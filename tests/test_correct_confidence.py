"""Edits of which the models are sure: their margins, and the threshold that spares correct
sentences.
"""

from __future__ import annotations

import math
from functools import partial

import pytest

from pseudogec.correct import (
    Candidate,
    ConfidentEdits,
    Corrected,
    Models,
    ReadyStep,
    ReleasedModels,
    lowest_threshold,
)
from pseudogec.edits import load_annotator
from pseudogec.text import Bpe

BPE = Bpe(["t h", "th e</w>"])
ANNOTATOR = load_annotator("offline")
WRITTEN = "He depend of the advices ."
CORRECTED = "He depends on the advices ."
PROBABILITIES = {
    CORRECTED: 0.4,
    "He depend on the advices .": 0.04,
    "He depends of the advices .": 0.2,
    WRITTEN: 0.1,
}
"""Margins: depends ln 10 = 2.3, on ln 2 = 0.7."""


def corrected(tokens: str, written: str = WRITTEN) -> Corrected:
    """A sentence as a step of models leaves it."""
    return Corrected(
        tuple(tokens.split()),
        "",
        (Candidate(tuple(BPE.apply(tokens.split())), 0.0),),
        tuple(BPE.apply(written.split())),
    )


def step(threshold: float, longest: int | None = None) -> ReadyStep:
    def score(sources, candidates):
        return [
            [math.log(PROBABILITIES[" ".join(BPE.undo(subwords))]) for subwords in found]
            for found in candidates
        ]

    keep = ConfidentEdits(models="any", threshold=threshold, longest=longest).keep
    return partial(keep, annotator=ANNOTATOR, bpe=BPE, score=score, threshold=threshold)


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0.6, CORRECTED),
        (0.8, "He depends of the advices ."),
        (2.2, "He depends of the advices ."),
        (2.4, WRITTEN),
    ],
)
def test_an_edit_is_kept_from_its_margin_on(threshold, expected):
    (found,) = step(threshold)([WRITTEN.split()], [corrected(CORRECTED)])
    assert " ".join(found.tokens) == expected


def test_what_the_steps_before_the_models_changed_stays_and_long_sentences_keep_no_edit_of_the_models():
    misspelt = "He depand of the advices .".split()
    assert " ".join(step(9.0)([misspelt], [corrected(CORRECTED)])[0].tokens) == WRITTEN
    assert " ".join(step(0.0, longest=5)([misspelt], [corrected(CORRECTED)])[0].tokens) == WRITTEN
    assert " ".join(step(0.0, longest=6)([misspelt], [corrected(CORRECTED)])[0].tokens) == CORRECTED


@pytest.mark.parametrize(
    ("before", "problem"),
    [
        ([], "n_best"),
        ([Models(models="any")], "n_best"),
        (
            [
                ReleasedModels(
                    checkpoints="a.pt",
                    source_dictionary="s",
                    target_dictionary="t",
                    codes="c",
                    n_best=2,
                )
            ],
            "subwords",
        ),
    ],
)
def test_it_needs_corrections_to_choose_from(before, problem):
    step = ConfidentEdits(models="any")
    with pytest.raises(ValueError, match=problem):
        step.check(before)
    step.check([Models(models="any", n_best=2)])


def test_the_threshold_is_the_lowest_that_changes_no_more_than_a_share():
    margins = [-math.inf] * 90 + [float(margin) for margin in range(10)]
    for share, expected in ((0.0, 9.01), (0.02, 7.01), (0.1, 0.0), (0.5, 0.0)):
        assert lowest_threshold(margins, share) == expected
        assert sum(margin >= expected for margin in margins) <= max(share, 0) * 100
    assert lowest_threshold([math.inf, math.inf, 3.0, *margins[:90]], 0.02) == 3.01, (
        "two sentences are changed at any threshold"
    )

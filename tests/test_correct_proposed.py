"""Edits that the n best corrections share: their shares of probability, and the choice among
them.
"""

from __future__ import annotations

import math
import random

import pytest

from pseudogec.correct import Candidate, Corrected, edit_shares, proposed_edits
from pseudogec.edits import Edit, apply_edits, load_annotator
from pseudogec.text import Bpe

BPE = Bpe(["t h", "th e</w>"])
ANNOTATOR = load_annotator("offline")
WRITTEN = "He depend of the advices ."


def n_best(written: str, corrections: dict[str, float], length_penalty: float = 1.0) -> Corrected:
    """A sentence with the given corrections and their probabilities, as a step of models leaves
    it.
    """
    candidates = []
    for correction, probability in corrections.items():
        subwords = tuple(BPE.apply(correction.split()))
        candidates.append(
            Candidate(subwords, math.log(probability) / (len(subwords) + 1) ** length_penalty)
        )
    return Corrected(
        tuple(next(iter(corrections)).split()),
        "",
        tuple(candidates),
        tuple(BPE.apply(written.split())),
    )


def corrected(
    written: str, before: Corrected, threshold: float, length_penalty: float = 1.0
) -> str:
    (shares,) = proposed_edits([before], ANNOTATOR, BPE, length_penalty)
    return " ".join(
        apply_edits(
            written.split(), [edit for edit, share in shares.items() if share >= threshold - 1e-9]
        )
    )


FOUND = {
    "He depends on the advices .": 0.3,
    "He depends of the advices .": 0.1,
    "He depend on the advices .": 0.08,
    "He depends on the advice .": 0.02,
}
"""Shares of the edits: depends 0.84, on 0.8, advice 0.04."""


@pytest.mark.parametrize("length_penalty", [0.0, 1.0])
@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0.9, WRITTEN),
        (0.82, "He depends of the advices ."),
        (0.8, "He depends on the advices ."),
        (0.05, "He depends on the advices ."),
        (0.04, "He depends on the advice ."),
    ],
)
def test_edits_are_kept_from_their_share_on(threshold, expected, length_penalty):
    assert (
        corrected(WRITTEN, n_best(WRITTEN, FOUND, length_penalty), threshold, length_penalty)
        == expected
    )


def test_shares_follow_their_definition():
    numbers = random.Random(1)
    for _ in range(200):
        edits = [
            [
                Edit(place, place + 1, "new", numbers.choice(("A", "B")))
                for place in range(4)
                if numbers.random() < 0.5
            ]
            for _ in range(5)
        ]
        probabilities = [numbers.random() for _ in edits]
        shares = edit_shares(edits, [math.log(probability) - 900 for probability in probabilities])
        found = {edit.start: share.probability for edit, share in shares.items()}
        assert list(found.values()) == sorted(found.values(), reverse=True)
        for place in range(4):
            with_it = [
                p
                for p, made in zip(probabilities, edits, strict=True)
                if any(edit.start == place for edit in made)
            ]
            assert found.get(place, 0.0) == pytest.approx(sum(with_it) / sum(probabilities))


def test_of_edits_that_overlap_the_most_probable_is_kept():
    found = n_best(
        "She go .", {"She went .": 0.4, "She goes .": 0.35, "She has gone .": 0.2, "She go .": 0.05}
    )
    assert corrected("She go .", found, 0.1) == "She went ."
    insertions = n_best("In end .", {"In the end .": 0.5, "In an end .": 0.4})
    assert corrected("In end .", insertions, 0.1) == "In the end ."


@pytest.mark.parametrize(
    ("written", "corrections", "expected"),
    [
        (
            "I look forward see you .",
            {"to see": 0.45, "to seeing": 0.4, "see": 0.15},
            "I look forward to see you .",
        ),
        ("Go a the end .", {"a": 0.45, "the": 0.45, "a the": 0.1}, "Go a end ."),
    ],
)
def test_edits_that_touch_and_that_no_correction_makes_together_exclude_each_other(
    written, corrections, expected
):
    place = "see" if "see" in written else "a the"
    found = n_best(
        written,
        {written.replace(f" {place} ", f" {text} "): share for text, share in corrections.items()},
    )
    assert corrected(written, found, 0.3) == expected

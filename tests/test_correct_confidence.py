"""Edits that enough of the n best corrections share: their shares, the choice among them, and the threshold."""

from __future__ import annotations

import math
import random
from functools import partial
from typing import Any

import numpy as np
import pytest

from pseudogec.correct import (
    Candidate,
    ConfidentEdits,
    Corrected,
    Models,
    ReadyStep,
    ReleasedModels,
    confident_edits,
    edit_shares,
)
from pseudogec.correct.step import Built, Development
from pseudogec.edits import AnnotatedSentence, Edit, apply_edits, load_annotator
from pseudogec.text import Bpe

BPE = Bpe(["t h", "th e</w>"])
ANNOTATOR = load_annotator("offline")
WRITTEN = "He depend of the advices ."


def n_best(written: str, corrections: dict[str, float], length_penalty: float = 1.0) -> Corrected:
    """A sentence with the given corrections and their probabilities, as a step of models leaves it."""
    candidates = []
    for correction, probability in corrections.items():
        subwords = tuple(BPE.apply(correction.split()))
        candidates.append(Candidate(subwords, math.log(probability) / (len(subwords) + 1) ** length_penalty))
    return Corrected(tuple(next(iter(corrections)).split()), "", tuple(candidates), tuple(BPE.apply(written.split())))


def step(threshold: float, length_penalty: float = 1.0) -> ReadyStep:
    keep = ConfidentEdits(threshold=threshold).keep
    return partial(keep, annotator=ANNOTATOR, bpe=BPE, length_penalty=length_penalty, threshold=threshold)


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
    (found,) = step(threshold, length_penalty)([WRITTEN.split()], [n_best(WRITTEN, FOUND, length_penalty)])
    assert " ".join(found.tokens) == expected


def test_a_higher_threshold_makes_a_part_of_the_edits_of_a_lower_one():
    overlapping = {"She went .": 0.4, "She goes .": 0.35, "She has gone .": 0.2, "She go .": 0.05}
    for written, found in ((WRITTEN, FOUND), ("She go .", overlapping)):
        before = n_best(written, found)
        (shares,) = confident_edits([before], ANNOTATOR, BPE, length_penalty=1.0)
        for threshold in (0.0, 0.05, 0.2, 0.35, 0.4, 0.82, 1.0):
            made = [edit for edit, share in shares.items() if share >= threshold - 1e-9]
            (expected,) = step(threshold)([written.split()], [before])
            assert tuple(apply_edits(written.split(), made)) == expected.tokens


def test_a_note_names_the_edits_that_were_almost_certain_enough():
    (found,) = step(0.82)([WRITTEN.split()], [n_best(WRITTEN, FOUND)])
    assert found.note == "less certain: of → on (R:PREP) 0.80"


def test_shares_follow_their_definition():
    numbers = random.Random(1)
    for _ in range(200):
        edits = [
            [Edit(place, place + 1, "new", numbers.choice(("A", "B"))) for place in range(4) if numbers.random() < 0.5]
            for _ in range(5)
        ]
        probabilities = [numbers.random() for _ in edits]
        shares = edit_shares(edits, [math.log(probability) - 900 for probability in probabilities])
        found = {edit.start: share.probability for edit, share in shares.items()}
        assert list(found.values()) == sorted(found.values(), reverse=True)
        for place in range(4):
            with_it = [p for p, made in zip(probabilities, edits, strict=True) if any(edit.start == place for edit in made)]
            assert found.get(place, 0.0) == pytest.approx(sum(with_it) / sum(probabilities))


def test_an_edit_has_the_type_that_it_has_in_the_most_probable_correction():
    shares = edit_shares([[Edit(0, 1, "x", "A")], [Edit(0, 1, "x", "B")]], [-2.0, -1.0])
    (edit,) = shares
    assert edit.type == "B"
    assert shares[edit].probability == pytest.approx(1.0)


def test_of_edits_that_overlap_the_most_probable_is_kept():
    found = n_best("She go .", {"She went .": 0.4, "She goes .": 0.35, "She has gone .": 0.2, "She go .": 0.05})
    assert step(0.1)(["She go .".split()], [found])[0].tokens == ("She", "went", ".")
    insertions = n_best("In end .", {"In the end .": 0.5, "In an end .": 0.4})
    assert step(0.1)(["In end .".split()], [insertions])[0].tokens == ("In", "the", "end", ".")


@pytest.mark.parametrize(
    ("written", "corrections", "expected"),
    [
        ("I look forward see you .", {"to see": 0.45, "to seeing": 0.4, "see": 0.15}, "I look forward to see you ."),
        ("Go a the end .", {"a": 0.45, "the": 0.45, "a the": 0.1}, "Go a end ."),
    ],
)
def test_edits_that_touch_and_that_no_correction_makes_together_exclude_each_other(written, corrections, expected):
    place = "see" if "see" in written else "a the"
    found = n_best(written, {written.replace(f" {place} ", f" {text} "): share for text, share in corrections.items()})
    assert " ".join(step(0.3)([written.split()], [found])[0].tokens) == expected


def test_edits_that_touch_are_both_made_where_a_correction_makes_both():
    found = n_best("He depend of him .", {"He depends on him .": 0.9, "He depend of him .": 0.1})
    assert step(0.3)(["He depend of him .".split()], [found])[0].tokens == tuple("He depends on him .".split())


def test_a_threshold_above_a_half_makes_no_edit_that_the_best_correction_lacks_where_it_has_most_of_the_probability():
    corrections = {"He depends of the advices .": 0.6, "He depends on the advices .": 0.4}
    (found,) = step(0.55)([WRITTEN.split()], [n_best(WRITTEN, corrections)])
    assert found.tokens == tuple("He depends of the advices .".split())


def test_sentences_without_several_corrections_stay_as_the_models_left_them():
    left = [Corrected((), ""), Corrected(("@@",), "left as it was: too long", (Candidate(("@@",), 0.0),), ("@@",))]
    # The models' step has told its reason.
    assert step(0.5)([[], ["@@"]], left) == [Corrected(one.tokens) for one in left]
    assert step(0.5)([], []) == []


def test_what_the_steps_before_the_models_changed_stays():
    (found,) = step(0.9)(["He depand .".split()], [n_best("He depend .", {"He depends .": 0.5, "He depend .": 0.5})])
    assert found.tokens == ("He", "depend", ".")


@pytest.mark.parametrize(
    ("before", "problem"),
    [
        ([], "n_best"),
        ([Models(models="any")], "n_best"),
        ([ReleasedModels(checkpoints="a.pt", source_dictionary="s", target_dictionary="t", codes="c", n_best=2)], "subwords"),
    ],
)
def test_it_needs_corrections_to_choose_from(before, problem):
    with pytest.raises(ValueError, match=problem):
        ConfidentEdits().check(before)
    ConfidentEdits().check([Models(models="any", n_best=2)])


class _Built(Built):
    """With the subwords of these tests, which no artefact holds."""

    @property
    def bpe(self) -> Bpe:
        return BPE


def tuned(before: list[Corrected], references: list[str]) -> dict[str, Any]:
    sources = [BPE.undo(sentence.corrected_subwords) for sentence in before]
    edits = ANNOTATOR.annotate(sources, [reference.split() for reference in references])
    annotated = [AnnotatedSentence(tuple(source), {0: tuple(found)}) for source, found in zip(sources, edits, strict=True)]
    built = _Built({"length_penalty": 1.0}, folder=lambda _: None)
    return ConfidentEdits().tune(Development(annotated, before, ANNOTATOR), built, lambda *_: None)


def test_the_threshold_is_the_best_on_development_data():
    # Right edits have shares of 0.4 and more, wrong ones 0.35 and less.
    right = [n_best("She go .", {"She go .": 1 - share, "She goes .": share}) for share in np.linspace(0.4, 0.9, 6)]
    wrong = [n_best("I am .", {"I am .": 1 - share, "I was .": share}) for share in np.linspace(0.05, 0.35, 6)]
    found = tuned(right + wrong, ["She goes ."] * 6 + ["I am ."] * 6)
    assert found["threshold"] == pytest.approx(0.4)
    assert found["f05"] == pytest.approx(1.0)
    assert found["f05_of_best"] < 1.0
    assert "from a share of 0.40 on" in ConfidentEdits().tell(found)

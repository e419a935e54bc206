"""GLEU against the figures of the JFLEG repository's script, and by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.evaluate import Gleu, Gold, Score, gleu_of
from pseudogec.evaluate.gleu import _draw

JFLEG = Path(__file__).parents[2] / "shared" / "data" / "jfleg"
SAMPLE = Path(__file__).parent / "data" / "world_sample"


def read(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("hypothesis", "gleu", "deviation"),
    [("hypothesis_baseline.txt", 0.708617, 0.009054), ("hypothesis_ensemble.txt", 0.820731, 0.011837)],
)
def test_the_sample_s_figures_equal_the_script_s(hypothesis, gleu, deviation):
    gold = Gold.parallel(read(SAMPLE / "source.txt"), [read(SAMPLE / f"reference_{number}.txt") for number in range(2)])
    score = Gleu().score(gold, read(SAMPLE / hypothesis))
    assert (round(score["gleu"], 6), round(score["std"], 6)) == (gleu, deviation)


@pytest.mark.skipif(not JFLEG.is_dir(), reason=f"JFLEG is not at {JFLEG}")
@pytest.mark.parametrize(
    ("hypothesis", "gleu", "deviation"),
    [
        ("dev.src", 0.381965, 0.009597),
        ("dev.spellchecked.src", 0.434253, 0.009212),
        ("dev.ref0", 0.672755, 0.010892),
    ],
)
def test_figures_equal_the_script_s(hypothesis, gleu, deviation):
    gold = Gold.parallel(read(JFLEG / "dev.src"), [read(JFLEG / f"dev.ref{number}") for number in range(4)])
    score = Gleu().score(gold, read(JFLEG / hypothesis))
    assert (round(score["gleu"], 6), round(score["std"], 6)) == (gleu, deviation)


SOURCE = "there is a cats on the mat".split()
REFERENCE = "there are cats on the mat".split()


def test_edits_of_a_later_annotator_that_overlap_are_named_with_their_sentence():
    overlapping = {0: (Edit(0, 1, "x", "R:OTHER"),), 1: (Edit(0, 2, "x", "R:OTHER"), Edit(1, 3, "y", "R:OTHER"))}
    right = dict.fromkeys((0, 1), ())
    gold = Gold.annotated([AnnotatedSentence(("a", "b", "c"), right), AnnotatedSentence(("a", "b", "c"), overlapping)], "dev.m2")
    with pytest.raises(UserError, match=r"dev\.m2, sentence 2, annotator 1: the edit 1 3 .* overlaps"):
        Gleu().score(gold, [["a"]] * 2)


def test_by_hand():
    """The hypothesis keeps *is a cats* and shares it with the source alone."""
    score = Gleu().score(Gold.parallel([SOURCE], [[REFERENCE]]), [SOURCE])
    assert score.statistics.tolist() == [[[7, 6, 5 - 2, 7, 3 - 3, 6, 0, 5, 0, 4]]]
    assert score["gleu"] == 0, "a statistic is 0"
    assert score.per_sentence().tolist() == [[7, 6, 3, 7, 0, 6, 0, 5, 0, 4]]


def test_a_perfect_and_a_short_hypothesis():
    gold = Gold.parallel([SOURCE], [[REFERENCE]])
    assert Gleu().score(gold, [REFERENCE])["gleu"] == pytest.approx(1)
    # All n-grams agree, but 5 of 6 tokens are there: the brevity penalty alone.
    assert Gleu().score(gold, [REFERENCE[:5]])["gleu"] == pytest.approx(math.exp(1 - 6 / 5))


def test_references_are_drawn_by_sentence():
    gold = Gold.parallel([SOURCE], [[REFERENCE], [SOURCE]])
    score = Gleu().score(gold, [REFERENCE])
    assert 0 < score["gleu"] < 1
    assert score["std"] > 0
    _draw.cache_clear()
    assert Gleu().score(gold, [REFERENCE])["gleu"] == score["gleu"], "draws are seeded"
    assert Gleu(iterations=1).score(gold, [REFERENCE])["std"] == 0
    assert Gleu().score(Gold.parallel([SOURCE], [[REFERENCE]]), [REFERENCE])["std"] == 0


def test_differences_rest_on_the_mean_over_references():
    alone = [Gleu().score(Gold.parallel([SOURCE], [[rewrite]]), [REFERENCE]).per_sentence() for rewrite in (REFERENCE, SOURCE)]
    both = Gleu().score(Gold.parallel([SOURCE], [[REFERENCE], [SOURCE]]), [REFERENCE])
    assert both.per_sentence().tolist() == np.mean(alone, axis=0).tolist()


def test_the_longest_n_grams_are_of_the_order():
    """Of the 5 words of the hypothesis all are in the reference, and 1 of its 4 bigrams."""
    gold = Gold.parallel([["f"]], [["a b c d e".split()]])
    found = Gleu(order=2).score(gold, ["a b d c e".split()])
    assert found["gleu"] == pytest.approx((5 / 5 * 1 / 4) ** 0.5)


def test_gleu_of_takes_many_sums_at_once():
    sums = np.array([[6, 6, 6, 6, 5, 5, 4, 4, 3, 3], [6, 6, 0, 6, 5, 5, 4, 4, 3, 3]])
    assert gleu_of(sums).tolist() == [1, 0]
    assert gleu_of(sums[0]).shape == ()


def test_storage_and_signature():
    score = Gleu().score(Gold.parallel([SOURCE], [[REFERENCE], [SOURCE]]), [REFERENCE])
    copy = Score.from_json(score.to_json())
    assert (copy["gleu"], copy.signature, copy.sentences) == (score["gleu"], score.signature, 1)
    assert "references:2" in score.signature


def test_bad_input_is_refused():
    with pytest.raises(UserError, match="at least one reference"):
        Gold.parallel([SOURCE], [])
    with pytest.raises(UserError, match=r"the reference 2 has 0 sentences and the source has 1"):
        Gold.parallel([SOURCE], [[REFERENCE], []])
    with pytest.raises(UserError, match=r"out\.txt has 2 sentences"):
        Gleu().score(Gold.parallel([SOURCE], [[REFERENCE]]), [SOURCE, SOURCE], name="out.txt")

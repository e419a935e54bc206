"""GLEU against the figures of the JFLEG repository's script, and by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from pseudogec.evaluate import Gleu, Gold, Score
from pseudogec.evaluate.gleu import _draw

JFLEG = Path(__file__).parents[2] / "shared" / "data" / "jfleg"
SAMPLE = Path(__file__).parent / "data" / "scored_sample"


def read(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("hypothesis", "gleu", "deviation"),
    [
        ("hypothesis_baseline.txt", 0.708617, 0.009054),
        ("hypothesis_ensemble.txt", 0.820731, 0.011837),
    ],
)
def test_the_sample_s_figures_equal_the_script_s(hypothesis, gleu, deviation):
    gold = Gold.parallel(
        read(SAMPLE / "source.txt"),
        [read(SAMPLE / f"reference_{number}.txt") for number in range(2)],
    )
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
    gold = Gold.parallel(
        read(JFLEG / "dev.src"), [read(JFLEG / f"dev.ref{number}") for number in range(4)]
    )
    score = Gleu().score(gold, read(JFLEG / hypothesis))
    assert (round(score["gleu"], 6), round(score["std"], 6)) == (gleu, deviation)


SOURCE = "there is a cats on the mat".split()
REFERENCE = "there are cats on the mat".split()


def test_by_hand():
    """The hypothesis keeps *is a cats* and shares it with the source alone."""
    score = Gleu().score(Gold.parallel([SOURCE], [[REFERENCE]]), [SOURCE])
    assert score.statistics.tolist() == [[[7, 6, 5 - 2, 7, 3 - 3, 6, 0, 5, 0, 4]]]
    assert score["gleu"] == 0, "a statistic is 0"
    assert score.per_sentence().tolist() == [[7, 6, 3, 7, 0, 6, 0, 5, 0, 4]]


def test_an_empty_reference_is_that_of_another_annotator():
    sources, hypothesis = [SOURCE, REFERENCE], [REFERENCE, REFERENCE]
    first, absent = [REFERENCE, REFERENCE], [[], []]
    alone = Gleu().score(Gold.parallel(sources, [first]), hypothesis)
    assert (
        Gleu().score(Gold.parallel(sources, [first, absent]), hypothesis)["gleu"] == alone["gleu"]
    )
    assert (
        Gleu().score(Gold.parallel(sources, [absent, first]), hypothesis)["gleu"] == alone["gleu"]
    )
    assert Gold.parallel(sources, [absent]).rewrites == [sources], "nobody corrected anything"


def test_references_are_drawn_by_sentence():
    gold = Gold.parallel([SOURCE], [[REFERENCE], [SOURCE]])
    score = Gleu().score(gold, [REFERENCE])
    assert 0 < score["gleu"] < 1
    assert score["std"] > 0
    _draw.cache_clear()
    assert Gleu().score(gold, [REFERENCE])["gleu"] == score["gleu"], "draws are seeded"
    assert Gleu(iterations=1).score(gold, [REFERENCE])["std"] == 0
    assert Gleu().score(Gold.parallel([SOURCE], [[REFERENCE]]), [REFERENCE])["std"] == 0


def test_storage_and_signature():
    score = Gleu().score(Gold.parallel([SOURCE], [[REFERENCE], [SOURCE]]), [REFERENCE])
    copy = Score.from_json(score.to_json())
    assert (copy["gleu"], copy.signature, copy.sentences) == (score["gleu"], score.signature, 1)
    assert "references:2" in score.signature

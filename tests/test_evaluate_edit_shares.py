"""Edits with their shares: scores at a threshold, the curve and its measures."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.evaluate import ERRANT, Curve, Gold, SharedEdits


def drawn(sentences: int, seed: int) -> tuple[list[AnnotatedSentence], list[dict[Edit, float]]]:
    random = np.random.default_rng(seed)
    references, proposed = [], []
    for _ in range(sentences):
        wanted = [
            Edit(place, place + 1, "x", f"R:{random.choice(['NOUN', 'VERB'])}")
            for place in np.flatnonzero(random.random(5) < 0.4)
        ]
        others = [
            Edit(place, place + 1, random.choice(["x", "y"]), "R:OTHER")
            for place in np.flatnonzero(random.random(5) < 0.5)
        ]
        references.append(AnnotatedSentence(tuple("abcde"), {0: (*wanted, Edit(0, 2, "", "UNK"))}))
        proposed.append({edit: random.integers(1, 21) / 20 for edit in others})
    return references, proposed


def test_a_score_at_a_threshold_is_that_of_the_edits_with_such_shares() -> None:
    references, proposed = drawn(40, seed=1)
    shared = SharedEdits.of(references, proposed, "annotator")
    for threshold in (0.0, 0.05, 0.5, 0.95, 1.0):
        found = shared.at(threshold)
        expected = ERRANT.compare(
            Gold.annotated(references),
            [[edit for edit, share in shares.items() if share >= threshold] for shares in proposed],
        )
        assert (found.per_sentence() == expected.per_sentence()).all()
        assert {name: part.figures for name, part in found.by_type().items()} == {
            name: part.figures for name, part in expected.by_type().items()
        }
    tried = np.arange(1, 20) / 20
    curve = Curve.from_json(shared.curve.to_json())
    assert [curve.f05(threshold) for threshold in tried] == [
        shared.at(threshold).headline for threshold in tried
    ]
    assert curve.f05(curve.best_threshold(tried)) == max(map(curve.f05, tried))


def test_of_several_references_the_one_counts_that_the_system_is_most_sure_of() -> None:
    one, other = Edit(0, 1, "x", "R:NOUN"), Edit(1, 2, "y", "R:VERB")
    references = [AnnotatedSentence(("a", "b"), {0: (one,), 1: (other,)})]
    shared = SharedEdits.of(references, [{one: 0.2, other: 0.7}], "annotator")
    assert shared.at(0.5).figures["f05"] == 1
    assert shared.curve.references == 1


def test_precision_of_most_is_the_mean_over_all_orders_of_edits_with_equal_shares() -> None:
    edits = [Edit(place, place + 1, "x", "R:NOUN") for place in range(5)]
    shares = dict(zip(edits, (0.9, 0.5, 0.5, 0.5, 0.1), strict=True))
    curve = SharedEdits.of(
        [AnnotatedSentence(tuple("abcde"), {0: (edits[1], edits[4])})], [shares], "annotator"
    ).curve
    orders = [[0, *middle, 4] for middle in itertools.permutations([1, 2, 3])]
    for number in range(1, 6):
        right = [sum(place in (1, 4) for place in order[:number]) for order in orders]
        assert curve.precision_of_most(number) == pytest.approx(np.mean(right) / number)
    assert np.isnan(curve.precision_of_most(6))


def test_the_area_is_the_mean_precision_at_all_recalls() -> None:
    edits = [Edit(place, place + 1, "x", "R:NOUN") for place in range(6)]
    wanted = (edits[0], edits[2], edits[3], Edit(5, 6, "other", "R:NOUN"))
    shares = dict(zip(edits, (0.9, 0.8, 0.7, 0.6, 0.5, 0.4), strict=True))
    curve = SharedEdits.of(
        [AnnotatedSentence(tuple("abcdef"), {0: wanted})], [shares], "annotator"
    ).curve
    assert curve.highest_recall == 0.75
    assert curve.area(0.75) == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)
    assert curve.area(0.5) == pytest.approx((1 + 2 / 3) / 2)
    assert np.isnan(curve.area(1.0)) and np.isnan(curve.area(0.1))

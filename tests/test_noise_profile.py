"""What is said of noise: counts, edits of a text by type, the distance of types, the edit dictionary of real learners."""

from __future__ import annotations

import math

import pytest

from pseudogec.edits import Edit, EditProfile, type_distance


def test_a_profile_counts_the_edits_of_a_text() -> None:
    profile = EditProfile.of(
        [["a", "b", "c"], ["d"]], [(Edit(0, 1, "x", "R:NOUN"), Edit(3, 3, "y", "M:DET")), (Edit(0, 1, "e", "R:NOUN"),)]
    )
    assert (profile.sentences, profile.tokens, profile.edits) == (2, 4, 3)
    assert list(profile.types.items()) == [("R:NOUN", 2), ("M:DET", 1)]
    assert profile.edits_per_token == 0.75
    assert EditProfile.of([], []).edits_per_token == 0


def test_the_distance_of_types_is_jensen_and_shannons() -> None:
    one, both = {"NOUN": 7}, {"NOUN": 5, "VERB": 5}
    assert type_distance(both, {"NOUN": 20, "VERB": 20}) == 0
    assert type_distance(one, {"VERB": 3}) == pytest.approx(1)
    # P = (1, 0), Q = (1/2, 1/2), M = (3/4, 1/4): half of KL(P, M) + KL(Q, M), and its root.
    divergence = (math.log2(4 / 3) + 0.5 * math.log2(2 / 3) + 0.5 * math.log2(2)) / 2
    assert type_distance(one, both) == pytest.approx(math.sqrt(divergence)) == type_distance(both, one)
    assert math.isnan(type_distance({}, one))
    assert math.isnan(type_distance({}, {}))

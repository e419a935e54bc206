"""What systems are tuned to on development data: dropped types of edits, and members of an
ensemble.
"""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from pseudogec.correct import greedy_search, search_types
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.evaluate import ERRANT, Gold

TYPES = ["R:OTHER", "M:DET", "U:PREP", "R:SPELL", "R:NOUN:NUM", "M:PUNCT"]


def make_development_data(
    seed: int, types: int = 5, annotators: int = 1, sentences: int = 60
) -> tuple[list[list[Edit]], list[AnnotatedSentence]]:
    """A system's edits and the references', which agree in some; each type has a precision of its
    own.
    """
    numbers = random.Random(seed)
    precision = {name: numbers.random() for name in TYPES}
    system, references = [], []
    for _ in range(sentences):
        edits = [
            Edit(place, place + 1, f"new{place}", numbers.choice(TYPES[:types]))
            for place in range(8)
            if numbers.random() < 0.4
        ]
        annotated = {}
        for annotator in range(annotators):
            agreed = [
                Edit(edit.start, edit.end, edit.correction, numbers.choice(TYPES))
                for edit in edits
                if numbers.random() < precision[edit.type]
            ]
            missed = [
                Edit(place, place, "more", "M:OTHER")
                for place in range(8)
                if numbers.random() < 0.1
            ]
            annotated[annotator] = (*agreed, *missed)
        system.append(edits)
        references.append(AnnotatedSentence(tuple("abcdefgh"), annotated))
    return system, references


def f05_without(
    system: list[list[Edit]], references: list[AnnotatedSentence], dropped: tuple[str, ...]
) -> float:
    return ERRANT.compare(
        Gold.annotated(references),
        [[edit for edit in edits if edit.type not in dropped] for edits in system],
    ).headline


@pytest.mark.parametrize("annotators", [0, 1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_the_type_search_equals_brute_force_over_few_types(annotators, seed):
    system, references = make_development_data(seed, types=4, annotators=annotators, sentences=25)
    present = sorted({edit.type for edits in system for edit in edits})
    subsets = [subset for size in range(len(present) + 1) for subset in combinations(present, size)]
    best = max(f05_without(system, references, subset) for subset in subsets)
    found = search_types(system, references, rounds=len(subsets), at_most=len(present), seed=1)
    assert found.f05 == pytest.approx(best, abs=1e-12)
    assert f05_without(system, references, tuple(found.types)) == pytest.approx(best, abs=1e-12)
    assert found.tried == len(subsets)


def test_the_ensemble_search_follows_its_definition():
    f05 = {
        (0,): 0.30, (1,): 0.35, (2,): 0.34, (3,): 0.10,
        (0, 1): 0.36, (1, 2): 0.40, (1, 3): 0.41,
        (0, 1, 3): 0.42, (1, 2, 3): 0.42,
        (0, 1, 2, 3): 0.42,
    }  # fmt: skip
    asked = []

    def f05_of(members: tuple[int, ...]) -> float:
        asked.append(members)
        return f05[members]

    choice = greedy_search(4, f05_of)
    assert choice.members == (0, 1, 3), "the first of equals; a model that adds nothing stays out"
    assert choice.f05 == 0.42
    assert choice.tried == [(members, f05[members]) for members in asked] == list(f05.items())
    assert len(asked) == len(set(asked))

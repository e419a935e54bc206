"""What systems are tuned to on development data: dropped types of edits, and members of an ensemble."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pytest

from artefacts.errors import UserError
from pseudogec.correct import greedy_search, search_types
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.evaluate import ERRANT, Gold
from pseudogec.report import Report, SystemsReport
from pseudogec.study import Study

TYPES = ["R:OTHER", "M:DET", "U:PREP", "R:SPELL", "R:NOUN:NUM", "M:PUNCT"]


def make_development_data(
    seed: int, types: int = 5, annotators: int = 1, sentences: int = 60
) -> tuple[list[list[Edit]], list[AnnotatedSentence]]:
    """A system's edits and the references', which agree in some; each type has a precision of its own."""
    numbers = random.Random(seed)
    precision = {name: numbers.random() for name in TYPES}
    system, references = [], []
    for _ in range(sentences):
        edits = [
            Edit(place, place + 1, f"new{place}", numbers.choice(TYPES[:types])) for place in range(8) if numbers.random() < 0.4
        ]
        annotated = {}
        for annotator in range(annotators):
            agreed = [
                Edit(edit.start, edit.end, edit.correction, numbers.choice(TYPES))
                for edit in edits
                if numbers.random() < precision[edit.type]
            ]
            missed = [Edit(place, place, "more", "M:OTHER") for place in range(8) if numbers.random() < 0.1]
            annotated[annotator] = (*agreed, *missed)
        system.append(edits)
        references.append(AnnotatedSentence(tuple("abcdefgh"), annotated))
    return system, references


def f05_without(system: list[list[Edit]], references: list[AnnotatedSentence], dropped: tuple[str, ...]) -> float:
    return ERRANT.compare(
        Gold.annotated(references), [[edit for edit in edits if edit.type not in dropped] for edits in system]
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


@pytest.mark.parametrize("annotators", [1, 3])
@pytest.mark.parametrize("seed", range(12))
def test_dropping_never_lowers_the_development_score(annotators, seed):
    system, references = make_development_data(seed, types=6, annotators=annotators, sentences=20)
    found = search_types(system, references, rounds=1 + seed, at_most=1 + seed % 4, seed=seed)
    assert found.f05 >= found.f05_with_all == f05_without(system, references, ())
    assert found.f05 == pytest.approx(f05_without(system, references, tuple(found.types)), abs=1e-12)
    assert len(found.types) <= 1 + seed % 4
    assert found.tried <= 2 + seed


def test_the_search_depends_on_its_seed_alone():
    system, references = make_development_data(3, types=6)
    searches = [search_types(system, references, rounds=4, at_most=3, seed=seed) for seed in (1, 1, 2, 3, 4)]
    assert searches[0] == searches[1]
    assert len({tuple(search.types) for search in searches}) > 1


def test_of_equal_sets_the_smallest_is_dropped():
    source = tuple("abcd")
    right, other = Edit(0, 1, "x", "R:SPELL"), Edit(2, 3, "y", "UNK")
    references = [AnnotatedSentence(source, {0: (right,)})]
    assert search_types([[right, other]], references, rounds=50, at_most=2, seed=0).types == []


def test_a_system_without_edits_drops_nothing():
    references = [AnnotatedSentence(("a",), {0: (Edit(0, 1, "b", "R:OTHER"),)}), AnnotatedSentence((), {})]
    assert search_types([[], []], references, rounds=10, at_most=2, seed=0) == ([], 0.0, 0.0, 1)


def test_a_search_for_types_that_cannot_be_made_is_refused():
    system, references = make_development_data(1)
    with pytest.raises(UserError, match="at least 1 round"):
        search_types(system, references, rounds=0, at_most=2, seed=0)
    with pytest.raises(UserError, match="sentences"):
        search_types(system[1:], references, rounds=5, at_most=2, seed=0)


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


def test_the_ensemble_search_ends_at_the_best_single_model_where_none_helps():
    choice = greedy_search(3, lambda members: 0.5 - 0.1 * len(members) + 0.01 * members[0])
    assert choice.members == (2,)
    assert len(choice.tried) == 3 + 2


def test_the_ensemble_search_can_take_all_models():
    assert greedy_search(5, lambda members: float(len(members))).members == (0, 1, 2, 3, 4)
    assert greedy_search(1, lambda members: 0.0) == ((0,), 0.0, [((0,), 0.0)])
    with pytest.raises(UserError, match="no model"):
        greedy_search(0, lambda members: 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_the_ensemble_is_at_least_as_good_as_any_single_model(seed):
    scores: dict[tuple[int, ...], float] = {}

    def f05_of(members: tuple[int, ...]) -> float:
        assert members not in scores
        return scores.setdefault(members, random.Random(f"{seed} {members}").random())

    choice = greedy_search(6, f05_of)
    assert choice.f05 == scores[choice.members] == max(f05 for _, f05 in choice.tried)
    assert choice.f05 >= max(f05 for members, f05 in scores.items() if len(members) == 1)


@pytest.mark.slow
def test_what_was_chosen_is_told_for_the_model_of_each_seed(shared_store: Path, scheduler: str, tmp_path: Path) -> None:
    changes = [
        "systems.after one={after: pretlarge, steps: [{step: type_dropping}]}",
        "comparisons.mine=[pretlarge, after one]",
        "notebooks.05_top_systems=[mine]",
    ]
    study = Study.open("smoke", changes, store=shared_store, outputs=tmp_path / "outputs", scheduler=scheduler)
    with study.engine:
        told = SystemsReport(Report(study), study.comparison("mine", notebook="05_top_systems")).tuned()
    assert [line.partition(":")[0] for line in str(told).splitlines() if line.startswith("-")] == [
        f"- **after one**, seed {seed}" for seed in study.profile.seeds
    ]

"""Filters and sampling, against their definitions."""

from __future__ import annotations

import pytest

from pseudogec.artefacts.errors import UserError
from pseudogec.corpora import Pair, clean_seed_text, drop_identical, is_clean_seed_text, sample


def test_identical_pairs_are_dropped() -> None:
    different = Pair(["a"], ["b"])
    assert list(drop_identical([Pair(["a"], ["a"]), different, Pair([], [])])) == [different]


@pytest.mark.parametrize(
    ("line", "clean"),
    [
        ("one two", False),
        ("one two three", True),
        (" ".join(["a"] * 80), True),
        (" ".join(["a"] * 81), False),
        ("a b c d e f g h . ,", False),  # 2 of 10 are punctuation
        ("a b c d e f g h i . ,", True),  # 2 of 11
        ("a b c d e f . , !", True),  # shorter than 10
        ("a b c d e f g h ... --", True),  # not single characters
        ("the caf\u00e9 is open", False),
        ("the cafe is\topen", True),
        ("too   wide spaces here", False),
        ("they sold 1,000 of them", False),  # 1 of 5
        ("they sold 1,000 of them in a single day last year", True),  # 1 of 11
        ("in 1999 they sold most of them one day last year", True),
        # One of two neighbours counts: 1 of 16
        ("it was 4 5 of a day in may when all of them had left us", True),
        ("they sold A4 of them", True),
    ],
)
def test_the_authors_seed_filter(line: str, clean: bool) -> None:
    assert is_clean_seed_text(line) == clean
    assert list(clean_seed_text([line.split(" ")])) == ([line.split(" ")] if clean else [])


def test_a_sample_is_drawn_once_kept_in_order_and_nested() -> None:
    numbers = range(1000)
    small, large = sample(numbers, 50, seed=3), sample(numbers, 400, seed=3)
    assert len(set(small)) == 50
    assert small == sorted(small)
    assert set(small) < set(large)
    assert small == sample(iter(numbers), 50, seed=3)
    assert small != sample(numbers, 50, seed=4)
    assert sample(numbers, 1000, seed=1) == list(numbers)
    assert sample(numbers, 0, seed=1) == []


def test_a_sample_larger_than_its_corpus_is_refused() -> None:
    with pytest.raises(UserError, match=r"11 .* 10"):
        sample(range(10), 11, seed=1)

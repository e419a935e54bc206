"""What a check says of answers: not done, right, or where they go wrong, and never the right
answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pseudogec.play import check


def mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)


def untouched(numbers: list[float]) -> Any:
    return ...


CASES = [([1.0, 2.0, 6.0],), ([7.25],)]


@pytest.mark.parametrize("answer", [..., None])
def test_an_untouched_value_is_not_done_yet(answer: object) -> None:
    assert "Not done yet" in check(answer, 3)


def test_an_untouched_function_is_not_done_yet() -> None:
    assert "Not done yet" in check(untouched, mean, on=CASES)
    assert "Not done yet" in check(..., mean, on=CASES)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (3.0000001, 3),
        (np.float64(0.5), 0.5),
        (("He", "goes"), ["He", "goes"]),
        (np.array([1.0, 2.0]), [1, 2]),
        (pd.Series({"a": 1.0}), {"a": 1}),
        ({"a": (1, 2)}, {"a": [1, 2]}),
    ],
)
def test_a_right_value_is_right_whatever_holds_it(answer: object, wanted: object) -> None:
    assert check(answer, wanted).startswith("✓")


@pytest.mark.parametrize(
    ("answer", "wanted", "told"),
    [
        (4.5, 3.75, "too large"),
        (0.5, 3.75, "too small"),
        (float("nan"), 3.75, "not a number"),
        ("3.75", 3.75, "a number is wanted"),
        (62.5, 0.625, "in percent"),
        (0.625, 62.5, "percent are wanted"),
        (0.375, 0.625, "the share of all others"),
        (["a"], ["a", "zebra"], "too few items, 1"),
        (["a", "b"], ["a", "zebra"], "item 1"),
        ("a", ["zebra"], "a list is wanted"),
        ({"a": 1}, {"a": 1, "b": 3.75}, "'b' is missing"),
        ({"a": 2}, {"a": 3.75}, "at 'a', it is too small"),
    ],
)
def test_a_wrong_value_is_told_where_it_is_wrong_and_not_what_is_right(
    answer: object, wanted: object, told: str
) -> None:
    said = check(answer, wanted)
    assert said.startswith("✗")
    assert told in said
    assert "3.75" not in said.replace(repr(answer), "")
    assert "zebra" not in said


def test_a_function_is_compared_on_every_case() -> None:
    def largest(numbers: list[float]) -> float:
        return max(numbers)

    assert check(mean, mean, on=CASES) == "✓ Right in all 2 cases."
    said = check(largest, mean, on=CASES)
    assert "largest([1.0, 2.0, 6.0])" in said
    assert "`6.0` is not right: it is too large" in said


def test_a_known_mistake_is_named() -> None:
    mistakes = {"This is the sum: divide it by how many there are.": sum}
    assert check(lambda numbers: sum(numbers), mean, on=CASES, mistakes=mistakes).endswith(
        "divide it by how many there are."
    )
    assert check(9, 3, mistakes={"That is the sum.": 9}) == "✗ That is the sum."


def test_an_exception_is_told_with_its_line() -> None:
    def broken(numbers: list[float]) -> float:
        total = sum(numbers)
        return total / 0

    assert ("raises ZeroDivisionError: float division by zero, on line 2 below `def`") in check(
        broken, mean, on=CASES
    )
    assert "on line" not in check(lambda numbers: sum(numbers) / 0, mean, on=CASES)


def test_both_functions_draw_the_same_random_numbers_and_may_change_what_they_are_given() -> None:
    def shuffle(items: list[int], random: np.random.Generator) -> list[int]:
        random.shuffle(items)
        return items

    cases = [(list(range(20)), np.random.default_rng(seed)) for seed in range(3)]
    assert check(shuffle, shuffle, on=cases).startswith("✓")

"""What a class gets: exercises with solutions folded away, and notebooks without them."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from helpers.exercises import CHECK_TAG, STUB_TAG, has_tag, is_solution
from pseudogec import METADATA
from pseudogec.commands.execute_notebook import as_read
from pseudogec.study import PROJECT

PLAN = (PROJECT / "notebooks" / "README.md").read_text(encoding="utf-8")

NOTEBOOKS = sorted((PROJECT / "notebooks").glob("*.ipynb"))


def cells(path: Path) -> list[dict[str, Any]]:
    return nbformat.read(path, as_version=4).cells


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_exercises_are_numbered_and_each_is_followed_by_its_folded_solution(path: Path) -> None:
    read = cells(path)
    asked = [place for place, cell in enumerate(read) if "**Exercise " in "".join(cell["source"])]
    for number, place in enumerate(asked, start=1):
        exercise, *parts = read[place : place + 4]
        if has_tag(parts[0], STUB_TAG):
            assert has_tag(parts[1], CHECK_TAG)
            parts = parts[2:]
        solution = parts[0]
        assert re.findall(r"\*\*Exercise (\d+)\.\*\*", "".join(exercise["source"])) == [str(number)]
        text = "".join(solution["source"])
        assert is_solution(solution)
        assert text.startswith(f"<details><summary>Solution of exercise {number}</summary>\n\n")
        assert text.endswith("\n\n</details>"), (
            "without an empty line Markdown inside is not read as such"
        )


def test_without_solutions_everything_else_is_as_it_was() -> None:
    kept, left_out = (
        {"metadata": {"tags": ["claims"]}, "source": "1"},
        {"metadata": {"tags": ["solution"]}, "source": "2"},
    )
    plain = {"metadata": {}, "source": "3"}
    notebook = {"cells": [kept, left_out, plain], "metadata": {"kernelspec": {}}, "nbformat": 4}
    assert as_read(copy.deepcopy(notebook)) == notebook
    given = as_read(copy.deepcopy(notebook), course=True)["cells"]
    assert [cell["source"] for cell in given] == ["1", "3"]


@pytest.mark.parametrize(
    "path", [path for path in NOTEBOOKS if path.stem != "index"], ids=lambda path: path.stem
)
def test_a_notebook_has_at_most_15_slides_and_the_title_is_the_first(path: Path) -> None:
    given = as_read({"cells": cells(path), "metadata": {}}, course=True)["cells"]
    shown = [cell["metadata"]["slideshow"]["slide_type"] for cell in given]
    assert shown[0] == "slide"
    assert 5 <= shown.count("slide") <= 15
    assert set(shown) == {"slide", "-", "skip"}


def test_what_is_true_while_a_notebook_runs_is_not_kept() -> None:
    kept = {"output_type": "display_data", "data": {"text/plain": "a table"}, "metadata": {}}
    passing = {**kept, "metadata": {METADATA: {"while_running": True}}}
    notebook = {
        "cells": [{"metadata": {}, "source": "", "outputs": [passing, kept]}],
        "metadata": {},
    }
    assert as_read(notebook)["cells"][0]["outputs"] == [kept]


def test_the_course_plan_names_only_exercises_that_there_are() -> None:
    assert set(re.findall(r"\b\d\d\.\d+\b", PLAN)) <= set(minutes())


def minutes() -> dict[str, int]:
    """How long each exercise takes, by its number as the plan names it."""
    pattern = re.compile(r"\*\*Exercise (\d+)\.\*\* \((\d+) (minute|hour)")
    return {
        f"{path.stem[:2]}.{number}": int(time) * (60 if unit == "hour" else 1)
        for path in NOTEBOOKS
        for cell in cells(path)
        for number, time, unit in pattern.findall("".join(cell["source"]))
    }

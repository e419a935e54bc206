"""What a class gets: exercises with solutions folded away, and notebooks without them."""

from __future__ import annotations

import ast
import re
from typing import Any

import nbformat
import pytest

from pseudogec.report.course import is_solution, solution_code, without_solutions
from pseudogec.study import PROJECT

NOTEBOOKS = sorted((PROJECT / "notebooks").glob("*.ipynb"))
EXERCISES = 3


def cells(name: str) -> list[dict[str, Any]]:
    return nbformat.read(PROJECT / "notebooks" / f"{name}.ipynb", as_version=4).cells


@pytest.mark.parametrize("name", [path.stem for path in NOTEBOOKS])
def test_a_notebook_has_three_exercises_each_followed_by_its_folded_solution(name: str) -> None:
    asked = [place for place, cell in enumerate(cells(name)) if "**Exercise " in "".join(cell["source"])]
    numbers = [re.findall(r"\*\*Exercise (\d)\.\*\*", "".join(cells(name)[place]["source"])) for place in asked]
    assert numbers == [[str(number)] for number in range(1, EXERCISES + 1)]
    for place, number in zip(asked, range(1, EXERCISES + 1), strict=True):
        solution = cells(name)[place + 1]
        text = "".join(solution["source"])
        assert is_solution(solution)
        assert text.startswith(f"<details><summary>Solution of exercise {number}</summary>\n\n")
        assert text.endswith("\n\n</details>"), "without an empty line Markdown inside is not read as such"


@pytest.mark.parametrize("name", [path.stem for path in NOTEBOOKS])
def test_solutions_are_markdown_and_nothing_else_is_folded(name: str) -> None:
    for cell in cells(name):
        folded = "<details>" in "".join(cell["source"])
        assert is_solution(cell) == folded
        assert cell["cell_type"] == "markdown" or not folded
        ast.parse(solution_code(cell))


def test_without_solutions_everything_else_is_as_it_was() -> None:
    kept, left_out = {"metadata": {"tags": ["claims"]}, "source": "1"}, {"metadata": {"tags": ["solution"]}, "source": "2"}
    plain = {"metadata": {}, "source": "3"}
    notebook = {"cells": [kept, left_out, plain], "metadata": {"kernelspec": {}}, "nbformat": 4}
    assert without_solutions(notebook) == {**notebook, "cells": [kept, plain]}
    assert len(notebook["cells"]) == 3, "the notebook itself is left alone"


def test_the_code_of_a_solution_is_what_stands_between_its_fences() -> None:
    text = "<details>\n\n```python\na = 1\n```\n\nProse.\n\n```yaml\nb: 2\n```\n\n```python\nc = 3\n```\n\n</details>"
    assert solution_code({"source": text}) == "a = 1\n\nc = 3\n"
    assert solution_code({"source": "No code."}) == ""


def test_the_course_plan_names_every_notebook_and_exercise() -> None:
    plan = (PROJECT / "notebooks" / "README.md").read_text(encoding="utf-8")
    for path in NOTEBOOKS:
        assert path.stem[:2] in plan
    assert plan.count("## Session ") == 4
    asked = {f"{path.stem[:2]}.{number}" for path in NOTEBOOKS for number in range(1, EXERCISES + 1)}
    named = set(re.findall(r"\b0\d\.\d\b", plan))
    assert asked == named

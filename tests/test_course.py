"""What a class gets: exercises with solutions folded away, and notebooks without them."""

from __future__ import annotations

import ast
import copy
import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from exercises import CHECK_TAG, STUB_TAG, has_tag, is_solution, solution_code
from pseudogec import METADATA
from pseudogec.commands.execute_notebook import as_read, leave_solutions_out
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
        assert text.endswith("\n\n</details>"), "without an empty line Markdown inside is not read as such"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_only_solutions_and_hints_are_folded_and_both_are_markdown(path: Path) -> None:
    for cell in cells(path):
        text = "".join(cell["source"])
        folds = re.findall(r"<details>(<summary>\w+)", text)
        assert set(folds) == ({"<summary>Solution"} if is_solution(cell) else {"<summary>Hint"} if folds else set())
        assert text.count("\n\n</details>") == len(folds) == text.count("</summary>\n\n")
        assert cell["cell_type"] == "markdown" or not folds
        ast.parse(solution_code(cell))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stubs_hold_no_answer_and_checks_look_at_one(path: Path) -> None:
    for cell in cells(path):
        if has_tag(cell, STUB_TAG):
            assert re.search(r"(return|=) \.\.\.( *#.*)?$", "".join(cell["source"]), re.MULTILINE)
        if has_tag(cell, CHECK_TAG):
            assert "play.check(" in "".join(cell["source"])


def test_without_solutions_everything_else_is_as_it_was() -> None:
    kept, left_out = {"metadata": {"tags": ["claims"]}, "source": "1"}, {"metadata": {"tags": ["solution"]}, "source": "2"}
    plain = {"metadata": {}, "source": "3"}
    notebook = {"cells": [kept, left_out, plain], "metadata": {"kernelspec": {}}, "nbformat": 4}
    assert as_read(copy.deepcopy(notebook)) == notebook
    given = as_read(copy.deepcopy(notebook), course=True)["cells"]
    assert [cell["source"] for cell in given] == ["1", "3"]


@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path.stem != "index"], ids=lambda path: path.stem)
def test_a_notebook_has_at_most_15_slides_and_the_title_is_the_first(path: Path) -> None:
    given = as_read({"cells": cells(path), "metadata": {}}, course=True)["cells"]
    shown = [cell["metadata"]["slideshow"]["slide_type"] for cell in given]
    assert shown[0] == "slide"
    assert 5 <= shown.count("slide") <= 15
    assert set(shown) == {"slide", "skip"}


def test_solutions_that_an_earlier_run_wrote_are_taken_out(tmp_path: Path) -> None:
    cells = [{"metadata": {"tags": tags}, "source": source} for tags, source in ((["solution"], "2"), ([], "3"))]
    executed = tmp_path / "executed.ipynb"
    executed.write_text(json.dumps({"cells": cells, "metadata": {}}))
    leave_solutions_out(executed)
    assert [cell["source"] for cell in json.loads(executed.read_text())["cells"]] == ["3"]
    before = executed.stat().st_mtime_ns
    leave_solutions_out(executed)
    assert executed.stat().st_mtime_ns == before


def test_what_is_true_while_a_notebook_runs_is_not_kept() -> None:
    kept = {"output_type": "display_data", "data": {"text/plain": "a table"}, "metadata": {}}
    passing = {**kept, "metadata": {METADATA: {"while_running": True}}}
    notebook = {"cells": [{"metadata": {}, "outputs": [passing, kept]}], "metadata": {}}
    assert as_read(notebook)["cells"][0]["outputs"] == [kept]


def test_the_code_of_a_solution_is_what_stands_between_its_fences() -> None:
    text = "<details>\n\n```python\na = 1\n```\n\nProse.\n\n```yaml\nb: 2\n```\n\n```python\nc = 3\n```\n\n</details>"
    assert solution_code({"source": text}) == "a = 1\n\nc = 3\n"
    assert solution_code({"source": "No code."}) == ""


def test_the_course_plan_names_only_exercises_that_there_are() -> None:
    assert set(re.findall(r"\b\d\d\.\d+\b", PLAN)) <= set(minutes())


def test_a_session_lasts_90_minutes_and_its_exercises_fit() -> None:
    asked = minutes()
    sessions = PLAN.split("\n## Session ")[1:]
    assert len(sessions) == 4
    for session in sessions:
        slots = re.findall(r"^- (\d+) min(.*)$", session.partition("\n## ")[0], re.MULTILINE)
        assert sum(int(length) for length, _ in slots) == 90, session.splitlines()[0]
        for length, text in slots:
            alone = [name for name in re.findall(r"\b\d\d\.\d+\b", text) if "demonstration" not in text]
            assert sum(asked[name] for name in alone) <= int(length), text


def minutes() -> dict[str, int]:
    """How long each exercise takes, by its number as the plan names it."""
    pattern = re.compile(r"\*\*Exercise (\d+)\.\*\* \((\d+) (minute|hour)")
    return {
        f"{path.stem[:2]}.{number}": int(time) * (60 if unit == "hour" else 1)
        for path in NOTEBOOKS
        for cell in cells(path)
        for number, time, unit in pattern.findall("".join(cell["source"]))
    }

"""Exercises of the notebooks: stubs, checks, and the Python code of their solutions."""

from __future__ import annotations

import re
from typing import Any

from pseudogec.commands.execute_notebook import SOLUTION_TAG

STUB_TAG, CHECK_TAG = "exercise", "check"
"""Tags of the cell that a reader fills in, and of the cell that looks at the answer."""

_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def has_tag(cell: dict[str, Any], tag: str) -> bool:
    return tag in cell["metadata"].get("tags", [])


def is_solution(cell: dict[str, Any]) -> bool:
    """Whether a cell of a notebook holds the solution of an exercise."""
    return has_tag(cell, SOLUTION_TAG)


def solution_code(cell: dict[str, Any]) -> str:
    """The Python code of a solution; empty where it has none."""
    return "\n".join(_CODE.findall("".join(cell["source"])))

"""Exercises of the notebooks, and the Python code of their solutions."""

from __future__ import annotations

import re
from typing import Any

from pseudogec.commands.execute_notebook import SOLUTION_TAG

_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def is_solution(cell: dict[str, Any]) -> bool:
    """Whether a cell of a notebook holds the solution of an exercise."""
    return SOLUTION_TAG in cell["metadata"].get("tags", [])


def solution_code(cell: dict[str, Any]) -> str:
    """The Python code of a solution; empty where it has none."""
    return "\n".join(_CODE.findall("".join(cell["source"])))

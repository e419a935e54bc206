"""Notebooks for a class: the same, without the solutions of their exercises.

A solution is a Markdown cell of its own with the tag ``solution``, folded away in the source notebooks. It is never a code
cell, so that executed notebooks with and without solutions are the same but for these cells.
"""

from __future__ import annotations

import re
from typing import Any

SOLUTION_TAG = "solution"

_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def is_solution(cell: dict[str, Any]) -> bool:
    """Whether a cell of a notebook holds the solution of an exercise."""
    return SOLUTION_TAG in cell["metadata"].get("tags", [])


def without_solutions(notebook: dict[str, Any]) -> dict[str, Any]:
    """A notebook without the cells that hold solutions; the rest as it is."""
    return {**notebook, "cells": [cell for cell in notebook["cells"] if not is_solution(cell)]}


def solution_code(cell: dict[str, Any]) -> str:
    """The Python code of a solution; empty where it has none."""
    return "\n".join(_CODE.findall("".join(cell["source"])))

"""Checks of exercises: an answer is compared with the wanted one, and a sentence says where it is
wrong.
"""

from __future__ import annotations

import copy
import math
import reprlib
import traceback
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pseudogec.report.display import Finding


class _Short(reprlib.Repr):
    """Writes numbers with six digits at most."""

    def repr_float(self, value: float, level: int) -> str:
        return repr(float(f"{value:.6g}"))


_SHORT = _Short()
_SHORT.maxlist = _SHORT.maxtuple = 4
_NOT_YET = Finding(
    "○ Not done yet: write your answer in place of `...` in the cell above, then "
    "run this cell again."
)


def check(
    answer: object,
    wanted: object,
    on: Iterable[tuple[Any, ...]] = (),
    *,
    mistakes: Mapping[str, object] | None = None,
    within: float = 1e-6,
) -> Finding:
    """Say whether an answer is right and, if not, what is wrong with it; the right answer is never
    printed.

    An answer of `...` or None, or a function that returns `...`, is not done yet, so that a
    notebook with untouched stubs runs to its end.

    Args:
        wanted: the right value, or a function that returns the right values.
        on: tuples of arguments on which both functions are called, if the answer is one. Each call
            gets copies of its own: two functions that are given a random generator draw the same
            numbers.
        mistakes: message for a known mistake -> the value, or the function, that the mistake leads
            to.
        within: by how much numbers may differ, absolutely.
    """
    known = mistakes or {}
    if answer is ... or answer is None:
        return _NOT_YET
    if not callable(wanted):
        return _verdict(answer, wanted, known, within, "") or Finding("✓ Right.")
    if not callable(answer):
        return Finding(f"✗ A function is wanted here, not `{_short(answer)}`.")
    cases = list(on)
    for number, case in enumerate(cases):
        call = f"`{getattr(answer, '__name__', 'answer')}({', '.join(map(_short, case))})`"
        try:
            value = _call(answer, case)
        except Exception as error:  # whatever a reader's code may raise
            return Finding(
                f"✗ {call} raises {type(error).__name__}: {error}{_line_of(error, answer)}."
            )
        if number == 0 and value is ...:
            return _NOT_YET
        if value is None:
            return Finding(
                f"✗ {call} returns nothing. Does the function end with `return` and the result?"
            )
        results = {message: _call(function, case) for message, function in known.items()}
        if wrong := _verdict(value, _call(wanted, case), results, within, f"{call}: "):
            return wrong
    return Finding(f"✓ Right in all {len(cases)} cases." if len(cases) > 1 else "✓ Right.")


def _call(function: Any, case: tuple[Any, ...]) -> object:
    return function(*copy.deepcopy(case))


def _verdict(
    answer: object, expected: object, mistakes: Mapping[str, object], within: float, where: str
) -> Finding | None:
    """The difference between a value and the expected one, in words; None if there is none."""
    wrong = _difference(_plain(answer), _plain(expected), within)
    if not wrong:
        return None
    for message, value in mistakes.items():
        if not _difference(_plain(answer), _plain(value), within):
            return Finding(f"✗ {where}{message}")
    return Finding(f"✗ {where}`{_short(answer)}` is not right: {wrong}.")


def _kind(value: object) -> str:
    kinds = {
        float: "a number",
        int: "a number",
        dict: "a dictionary or a Series",
        list: "a list",
        str: "a string",
        bool: "True or False",
    }
    return kinds.get(type(value), "another kind of value")


def _difference(answer: Any, expected: Any, within: float) -> str:
    """Where two plain values differ, without naming the right one; empty if they are equal."""
    kind = _kind(expected)
    if _kind(answer) != kind:
        return f"{kind} is wanted"
    if kind == "a number":
        if math.isclose(answer, expected, rel_tol=0, abs_tol=within):
            return ""
        if math.isnan(answer):
            return "it is not a number"
        meant = {
            "it is in percent, and a share from 0 to 1 is wanted": answer / 100,
            "it is a share, and percent are wanted": answer * 100,
            "it is the share of all others": 1 - answer,
            "it is the percentage of all others": 100 - answer,
        }
        likely = (
            message
            for message, value in meant.items()
            if abs(expected) > within and abs(value - expected) <= within
        )
        return next(likely, f"it is too {'large' if answer > expected else 'small'}")
    if isinstance(expected, dict):
        if lacking := [key for key in expected if key not in answer]:
            return f"{_short(lacking[0])} is missing"
        if further := [key for key in answer if key not in expected]:
            return f"{_short(further[0])} does not belong there"
        return _first(
            ((f"at {_short(key)}", answer[key], value) for key, value in expected.items()), within
        )
    if isinstance(expected, list):
        if len(answer) != len(expected):
            return (
                f"it has too {'many' if len(answer) > len(expected) else 'few'} items, "
                f"{len(answer)}"
            )
        return _first(
            (
                (f"item {place}", *pair)
                for place, pair in enumerate(zip(answer, expected, strict=True))
            ),
            within,
        )
    return (
        ""
        if type(answer) is type(expected) and answer == expected
        else f"{_short(answer)} is wrong"
    )


def _first(parts: Iterable[tuple[str, Any, Any]], within: float) -> str:
    return next(
        (
            f"{where}, {wrong}"
            for where, value, expected in parts
            if (wrong := _difference(value, expected, within))
        ),
        "",
    )


def _plain(value: Any) -> Any:
    """A value with Python's own types in place of NumPy's and pandas', and lists in place of
    tuples.
    """
    if isinstance(value, pd.Series):
        value = value.to_dict()
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def _short(value: object) -> str:
    if isinstance(value, pd.DataFrame):
        return f"<table of {len(value):,} rows>"
    return (
        "<random generator>"
        if isinstance(value, np.random.Generator)
        else _SHORT.repr(_plain(value))
    )


def _line_of(error: Exception, function: Any) -> str:
    """On which line of the reader's function an error arose, counted from its ``def``; empty for a
    function of one line.
    """
    code = getattr(function, "__code__", None)
    lines = [
        line - code.co_firstlineno
        for frame, line in traceback.walk_tb(error.__traceback__)
        if code is frame.f_code
    ]
    return f", on line {lines[-1]} below `def`" if lines and lines[-1] else ""

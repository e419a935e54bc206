"""Checks of exercises: an answer is compared with the wanted one, and a sentence says where it is wrong."""

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
_NOT_YET = Finding("○ Not done yet: write your answer in place of `...` in the cell above, then run this cell again.")


def check(
    answer: object,
    wanted: object,
    on: Iterable[tuple[Any, ...]] = (),
    *,
    mistakes: Mapping[str, object] | None = None,
    within: float = 1e-6,
) -> Finding:
    """Say whether an answer is right and, if not, what is wrong with it; the right answer is never printed.

    An answer of `...` or None, or a function that returns `...`, is not done yet, so that a notebook with untouched stubs runs to
    its end.

    Args:
        wanted: the right value, or a function that returns the right values.
        on: tuples of arguments on which both functions are called, if the answer is one. Each call gets copies of its own: two
            functions that are given a random generator draw the same numbers.
        mistakes: message for a known mistake -> the value, or the function, that the mistake leads to.
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
            given = _call(answer, case)
        except Exception as error:  # whatever a reader's code may raise
            return Finding(f"✗ {call} raises {type(error).__name__}: {error}{_line_of(error, answer)}.")
        if number == 0 and given is ...:
            return _NOT_YET
        if given is None:
            return Finding(f"✗ {call} returns nothing. Does the function end with `return` and the result?")
        results = {told: _call(function, case) for told, function in known.items()}
        if wrong := _verdict(given, _call(wanted, case), results, within, f"{call}: "):
            return wrong
    return Finding(f"✓ Right in all {len(cases)} cases." if len(cases) > 1 else "✓ Right.")


def _call(function: Any, case: tuple[Any, ...]) -> object:
    return function(*copy.deepcopy(case))


def _verdict(given: object, wanted: object, mistakes: Mapping[str, object], within: float, where: str) -> Finding | None:
    """The difference between a value and the wanted one, in words; None if there is none."""
    wrong = _difference(_plain(given), _plain(wanted), within)
    if not wrong:
        return None
    for told, value in mistakes.items():
        if not _difference(_plain(given), _plain(value), within):
            return Finding(f"✗ {where}{told}")
    return Finding(f"✗ {where}`{_short(given)}` is not right: {wrong}.")


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


def _difference(given: Any, wanted: Any, within: float) -> str:
    """Where two plain values differ, without naming the right one; empty if they are equal."""
    kind = _kind(wanted)
    if _kind(given) != kind:
        return f"{kind} is wanted"
    if kind == "a number":
        if math.isclose(given, wanted, rel_tol=0, abs_tol=within):
            return ""
        if math.isnan(given):
            return "it is not a number"
        meant = {
            "it is in percent, and a share from 0 to 1 is wanted": given / 100,
            "it is a share, and percent are wanted": given * 100,
            "it is the share of all others": 1 - given,
            "it is the percentage of all others": 100 - given,
        }
        likely = (told for told, value in meant.items() if abs(wanted) > within and abs(value - wanted) <= within)
        return next(likely, f"it is too {'large' if given > wanted else 'small'}")
    if isinstance(wanted, dict):
        if lacking := [key for key in wanted if key not in given]:
            return f"{_short(lacking[0])} is missing"
        if further := [key for key in given if key not in wanted]:
            return f"{_short(further[0])} does not belong there"
        return _first(((f"at {_short(key)}", given[key], value) for key, value in wanted.items()), within)
    if isinstance(wanted, list):
        if len(given) != len(wanted):
            return f"it has too {'many' if len(given) > len(wanted) else 'few'} items, {len(given)}"
        return _first(((f"item {place}", *pair) for place, pair in enumerate(zip(given, wanted, strict=True))), within)
    return "" if type(given) is type(wanted) and given == wanted else f"{_short(given)} is wrong"


def _first(parts: Iterable[tuple[str, Any, Any]], within: float) -> str:
    return next((f"{where}, {wrong}" for where, given, wanted in parts if (wrong := _difference(given, wanted, within))), "")


def _plain(value: Any) -> Any:
    """A value with Python's own types in place of NumPy's and pandas', and lists in place of tuples."""
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
    return "<random generator>" if isinstance(value, np.random.Generator) else _SHORT.repr(_plain(value))


def _line_of(error: Exception, function: Any) -> str:
    """On which line of the reader's function an error arose, counted from its ``def``; empty for a function of one line."""
    code = getattr(function, "__code__", None)
    lines = [line - code.co_firstlineno for frame, line in traceback.walk_tb(error.__traceback__) if code is frame.f_code]
    return f", on line {lines[-1]} below `def`" if lines and lines[-1] else ""

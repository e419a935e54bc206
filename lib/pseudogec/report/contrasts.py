"""Comparisons of systems in tables: who is compared with whom, how large a difference is, and what
the papers print.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pseudogec.artefacts.errors import UserError
from pseudogec.evaluate import ERRANT, LOSS, Contrast, Estimate, clear
from pseudogec.report.display import Html, Nothing
from pseudogec.report.findings import with_interval
from pseudogec.report.intervals import Dot, Row, interval_table
from pseudogec.report.methods import method_label, readable
from pseudogec.report.papers import paper_scores
from pseudogec.study import System

_NAMES = {measure.label: measure.name for measure in ERRANT.measures}

NOTE = (
    "In points, with 95% intervals over test sentences and seeds; validation loss in bits per "
    "subword, over seeds alone. *: "
    "more than chance (p < 0.05, corrected by Holm's method for the number of rows). Models: how "
    "many each side has, one for "
    "each seed; equal seeds are paired where both sides have five or more. Where a side has a "
    "single model, the result "
    "holds for this model only: other seeds are not allowed for. Differences are of "
    "unrounded scores."
)

NOTE_ON_MARKS = (
    "*: differs from the baseline by more than chance, over sentences and seeds (p < 0.05, "
    "corrected by Holm's method for the "
    "number of rows tested; rows of one seed and rows without a baseline are not tested)."
)

MARK = " *"
"""Marks a difference that is more than chance."""

NOT_COMPARED = Nothing("This profile has nothing to compare here.")

_Kind = tuple[tuple[str, Any], ...]
"""The choices that make up a system, as names and values, without the seed; the method is the
first.
"""

_NO_METHOD = ("method", "none")

_TOGETHER = ("architecture", "track")
"""Choices in which a system and its baseline are the same."""


def as_table(contrasts: Iterable[Contrast], note: str = "") -> Nothing | Html:
    """Contrasts with their intervals in F0.5; other measures open below each.

    Args:
        note: a further sentence below.
    """
    listed = list(contrasts)
    if not listed:
        return NOT_COMPARED
    headline = ERRANT.headline.label
    marks = {
        name: clear(listed, name)
        for name in dict.fromkeys(name for item in listed for name in item.differences)
    }
    rows = []
    for place, item in enumerate(listed):
        texts = {
            name: (as_loss if name == LOSS else with_interval)(difference)
            + (MARK if marks[name][place] else "")
            for name, difference in item.differences.items()
        }
        details = [
            f"{_readable_measure(name)} {text}" for name, text in texts.items() if name != headline
        ]
        details += [
            f"models: {' against '.join(map(str, item.seeds))}",
            *filter(None, [item.remark]),
        ]
        shown = [texts[headline], *([f"loss {texts[LOSS]}"] if LOSS in texts else [])]
        dot = _dot(item.differences[headline], "clear" if marks[headline][place] else "open")
        rows.append(Row(item.label, "<br>".join(shown), [dot], details=details))
    told_of = (
        f"{headline} with 95% intervals. *: more than chance. Open a row for the other measures."
    )
    return Html(
        interval_table(rows, ("Difference", "Points", headline), f"{told_of} {note}".strip(), NOTE)
    )


def _readable_measure(name: str) -> str:
    measure, on, test = name.partition(" on ")
    return measure + on + readable(test)


def _dot(difference: Estimate, look: str) -> Dot:
    low, high = (100 * end for end in difference.interval)
    return Dot(100 * difference.value, low, high, look)


def as_loss(difference: Estimate) -> str:
    """A difference of losses with its 95% interval; alone, if a side has one seed and nothing
    follows for others.
    """
    low, high = difference.interval
    return f"{difference.value:+.3f}" + (
        f" [{low:+.3f}, {high:+.3f}]" if high - low < float("inf") else ""
    )


def opponents(
    grid: Iterable[System], column: str, against: Any
) -> Iterator[tuple[str, list[System], list[System]]]:
    """Pair each kind of system of a grid with the one that differs from it in one choice.

    Args:
        column: the choice: ``method``, ``seed_corpus``, ``setting``, ``pseudo_pairs``,
            ``upsample``, ``architecture``, ``track``, or a method's parameter.
        against: the value that all others are paired with; the method ``none``, the baseline, is
            paired with every system of its architecture and track.

    Yields:
        A label such as ``Direct noise against Baseline``, and the systems of both sides, one for
        each seed.

    Raises:
        UserError: systems are to be paired with the baseline, and the grid has several of one
            architecture and track.
    """
    kinds: dict[_Kind, list[System]] = {}
    for system in grid:
        kinds.setdefault(_kind(system), []).append(system)
    if (column, against) == _NO_METHOD:
        for kind in filter(_is_baseline, kinds):
            baselines = dict.fromkeys(system.name for system in kinds[kind])
            if len(baselines) > 1:
                names = ", ".join(baselines)
                raise UserError(
                    f"the grid has several baselines ({names}); keep one, with "
                    "`grid.only(setting=[...])`"
                )
    for label, kind, opponent in _pairs(kinds, column, against):
        yield label, kinds[kind], kinds[opponent]


def _pairs(
    kinds: Collection[_Kind], column: str, against: Any
) -> Iterator[tuple[str, _Kind, _Kind]]:
    varying = _varying(kinds) - {column}
    for kind in kinds:
        choices = dict(kind)
        paired = (column, against) == _NO_METHOD
        opponent = _baseline(choices) if paired else tuple({**choices, column: against}.items())
        if _is_baseline(kind) or choices.get(column, against) == against or opponent not in kinds:
            continue
        context = ", ".join(_shown(name, value) for name, value in kind if name in varying)
        label = f"{_shown(column, choices[column])} against {_shown(column, against)}"
        yield (f"{context}: {label}" if context else label), kind, opponent


def _kind(system: System) -> _Kind:
    if system.method == "none":
        return _baseline(system.choices)
    names = ("method", "seed_corpus", "setting", "pseudo_pairs", "upsample", *_TOGETHER)
    return (*((name, getattr(system, name)) for name in names), *system.point.items())


def _baseline(choices: Mapping[str, Any]) -> _Kind:
    """The system without pseudo data that one with these choices is paired with; papers do not
    print all choices.
    """
    return (_NO_METHOD, *((name, choices[name]) for name in _TOGETHER if name in choices))


def _is_baseline(kind: _Kind) -> bool:
    return kind[0] == _NO_METHOD


def _varying(kinds: Iterable[_Kind]) -> set[str]:
    """The choices in which systems with pseudo data differ, and which a label must therefore
    name.
    """
    values: dict[str, set[Any]] = {}
    for kind in kinds:
        if not _is_baseline(kind):
            for name, value in kind:
                values.setdefault(name, set()).add(value)
    return {name for name, distinct in values.items() if len(distinct) > 1}


def _shown(name: str, value: Any) -> str:
    if name == "method":
        return method_label(value)
    if name == "pseudo_pairs":
        return f"{value:,} pairs"
    return f"{name} = {value:g}" if isinstance(value, int | float) else readable(str(value))


def paper_differences(
    tables: Iterable[str],
    measure: str,
    column: str,
    against: Any,
    rows: Mapping[str, Sequence[Any]],
) -> dict[str, float]:
    """Differences, in points, between rows of published tables that differ in one choice.

    The papers print means over seeds without their spread, so no interval can be given.

    Args:
        tables: such as ``taslp2020:IV``; a row that several have is taken once.
        measure: ``P``, ``R`` or ``F0.5``.
        column: the choice; ``against`` is the value that the others are compared with, as of
            :func:`opponents`.
        rows: column -> values; other rows except the baseline are left out.

    Returns:
        Label of the comparison -> the difference; comparisons of which the papers print only one
        side are left out.
    """
    printed: dict[_Kind, float] = {}
    for table in map(paper_scores, tables):
        names = ["method", "seed_corpus", "setting", "pseudo_pairs"]
        # Where these do not tell the rows apart, their names do: stages of training, kinds of
        # models.
        names += ["system"] if table.duplicated(names).any() else []
        table = table.astype({"pseudo_pairs": int})
        for row in table.to_dict("records"):
            baseline = row["method"] == "none"
            if baseline or all(row[name] in values for name, values in rows.items()):
                kind = _baseline({}) if baseline else tuple((name, row[name]) for name in names)
                printed.setdefault(kind, row[_NAMES[measure]])
    differences = {
        label: printed[kind] - printed[opponent]
        for label, kind, opponent in _pairs(printed, column, against)
    }
    return {
        label: difference for label, difference in differences.items() if difference == difference
    }

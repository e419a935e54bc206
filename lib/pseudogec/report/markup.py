"""Example sentences with marked changes, readable without colours too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from pseudogec.correct import Trace
from pseudogec.edits import AnnotatedSentence, Annotator, Edit
from pseudogec.report.display import Html

# Kind of operation -> background colour (light tints of the figures' palette) and text decoration.
LOOKS = {
    "mask": ("#d6e6f2", "none"),
    "delete": ("#f6dcc8", "line-through"),
    "insert": ("#d3ede3", "underline"),
    "replace": ("#f3e3f0", "none"),
    "swap": ("#efe9c9", "none"),
    "shuffle": ("#efe9c9", "none"),
    "spell": ("#fbe3c2", "none"),
}


LEFT = "text-align:left"


def marked_operations(examples: Iterable[tuple[object, Sequence[Sequence[str]]]]) -> Html:
    """A table of sentences, each a heading and operations as (kind, before, after), marked by
    colour and by line.
    """
    rows = "".join(
        f"<tr><th scope='row' style='{LEFT}; white-space:nowrap'>{escape(str(heading))}</th>"
        f"<td style='{LEFT}'>{' '.join(_step(*step) for step in steps)}</td></tr>"
        for heading, steps in examples
    )
    legend = " ".join(_span(kind, kind) for kind in LOOKS)
    return Html(f"<table>{rows}</table><p style='font-size:0.9em'>Operations: {legend}</p>")


def typical_example(methods: Mapping[str, Sequence[Mapping[str, Any]]]) -> int:
    """The number (from 0) of the sentence whose numbers of edits are nearest to the methods'
    averages.

    Deviations are divided by each method's own spread. Operations of kind ``keep`` change nothing.
    """
    edits = [
        [sum(kind != "keep" for kind, *_ in example["operations"]) for example in examples]
        for examples in methods.values()
    ]
    counts = np.array(edits, float)
    spread = np.maximum(counts.std(axis=1, keepdims=True), 1e-9)
    return int(np.abs((counts - counts.mean(axis=1, keepdims=True)) / spread).sum(axis=0).argmin())


def marked_edits(sentences: Iterable[tuple[str, AnnotatedSentence]]) -> Html:
    """A table of sentences under headings with the edits of their first annotator marked in place,
    each with its error type.
    """
    rows = "".join(
        f"<tr><th scope='row' style='{LEFT}'>{escape(heading)}</th><td "
        f"style='{LEFT}'>{_edited(sentence)}</td></tr>"
        for heading, sentence in sentences
    )
    return Html(f"<table>{rows}</table>")


def marked_corrections(
    examples: Iterable[tuple[str, AnnotatedSentence, Mapping[str, Sequence[Edit]]]],
) -> Html:
    """A table of sentences under headings as the reference (its first annotator) and several
    systems correct them, each edit marked as right, wrong or missed.
    """
    rows = []
    for heading, sentence, systems in examples:
        gold = sentence.annotators.get(0, ())
        rows.append(
            f"<tr><th scope='rowgroup' colspan='2' style='{LEFT}; "
            f"padding-top:1em'>{escape(heading)}</th></tr>"
        )
        rows.append(_example_row("reference", _edited(sentence)))
        rows += [
            _example_row(name, _compared(sentence.source, edits, gold))
            for name, edits in systems.items()
        ]
    legend = " ".join([_RIGHT, "right", _WRONG, "wrong", "·", _missed("missed", "")])
    return Html(f"<table>{''.join(rows)}</table><p style='font-size:0.9em'>Edits: {legend}</p>")


def marked_traces(annotator: Annotator, traces: Iterable[tuple[str, Trace]]) -> Html:
    """A table of sentences under headings after each step of a system; each step's edits are marked
    in its input.
    """
    rows = []
    for heading, trace in traces:
        rows.append(
            f"<tr><th scope='rowgroup' colspan='2' style='{LEFT}; "
            f"padding-top:1em'>{escape(heading)}</th></tr>"
        )
        rows.append(_example_row("as written", escape(" ".join(trace.source))))
        before = trace.source
        for name, corrected in trace.steps:
            marked = marked_change(annotator, before, corrected.tokens)
            rows.append(
                _example_row(
                    name,
                    f"{marked} <small>{escape(corrected.note)}</small>"
                    if corrected.note
                    else marked,
                )
            )
            before = corrected.tokens
    return Html(f"<table>{''.join(rows)}</table>")


def marked_change(annotator: Annotator, before: Sequence[str], after: Sequence[str]) -> str:
    edits = annotator.annotate([before], [after])[0]
    return (
        _edited(AnnotatedSentence(tuple(before), {0: tuple(edits)}))
        if edits
        else "<i>nothing changed</i>"
    )


_RIGHT = "<b style='color:#00694d'>✓</b>"
_WRONG = "<b style='color:#a63d00'>✗</b>"


def _example_row(name: str, content: str) -> str:
    look = f"{LEFT}; white-space:nowrap; font-weight:normal; color:#555"
    return (
        f"<tr><th scope='row' style='{look}'>{escape(name)}</th><td "
        f"style='{LEFT}'>{content}</td></tr>"
    )


def _missed(words: str, error_type: str) -> str:
    return (
        "<span style='border-bottom:2px dotted #a63d00' "
        f"title='missed'>{escape(words or '‸')}</span>{_type(error_type)}"
    )


def _type(error_type: str) -> str:
    return f"<sub>{escape(error_type)}</sub>" if error_type else ""


def _compared(source: Sequence[str], edits: Sequence[Edit], gold: Sequence[Edit]) -> str:
    """A system's correction: its edits with their verdicts, and the errors that it missed."""
    gold_keys = {(edit.start, edit.end, edit.correction) for edit in gold}
    touched = [edit for edit in gold if any(_overlap(edit, other) for other in edits)]
    pieces = [(edit.start, edit.end, _verdict(source, edit, gold_keys)) for edit in edits]
    pieces += [
        (edit.start, edit.end, _missed(" ".join(source[edit.start : edit.end]), edit.type))
        for edit in gold
        if edit not in touched
    ]
    parts, position = [], 0
    for start, end, text in sorted(pieces, key=lambda piece: piece[:2]):
        parts += [*(escape(token) for token in source[position:start]), text]
        position = end
    return " ".join([*parts, *(escape(token) for token in source[position:])])


def _overlap(first: Edit, second: Edit) -> bool:
    """Whether two edits concern the same words or, both insertions, the same place."""
    same_place = (first.start, first.end) == (second.start, second.end)
    return same_place or (first.start < second.end and second.start < first.end)


def _verdict(source: Sequence[str], edit: Edit, gold_keys: set[tuple[int, int, str]]) -> str:
    verdict = _RIGHT if (edit.start, edit.end, edit.correction) in gold_keys else _WRONG
    return f"{_changed(source, edit)}{verdict}{_type(edit.type)}"


def _changed(source: Sequence[str], edit: Edit) -> str:
    struck = (
        f"<s>{escape(' '.join(source[edit.start : edit.end]))}</s>" if edit.end > edit.start else ""
    )
    return " ".join(
        filter(None, [struck, _span("insert", edit.correction) if edit.correction else ""])
    )


def _edited(sentence: AnnotatedSentence) -> str:
    parts, position = [], 0
    for edit in sorted(sentence.annotators.get(0, ()), key=lambda edit: (edit.start, edit.end)):
        parts += [escape(token) for token in sentence.source[position : edit.start]]
        parts.append(f"{_changed(sentence.source, edit)} {_type(edit.type)}".strip())
        position = edit.end
    return " ".join([*parts, *(escape(token) for token in sentence.source[position:])])


def _step(kind: str, before: str, after: str) -> str:
    if kind == "keep":
        return escape(after)
    if kind == "delete":
        return _span(kind, before)
    if kind in {"replace", "spell"}:
        return f"<s>{escape(before)}</s> {_span(kind, after)}"
    return _span(kind, after)


def _span(kind: str, text: str) -> str:
    colour, decoration = LOOKS.get(kind, ("#eeeeee", "none"))
    look = f"background:{colour}; text-decoration:{decoration}; padding:0 0.15em"
    return f"<span style='{look}' title='{escape(kind)}'>{escape(text)}</span>"

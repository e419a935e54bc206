"""Example sentences with what was done to them marked, readable without colours too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from pseudogec.edits import AnnotatedSentence

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


class Html(str):
    """Text that a notebook shows as HTML."""

    def _repr_html_(self) -> str:
        return str(self)


def marked_operations(examples: Iterable[tuple[object, Sequence[Sequence[str]]]]) -> Html:
    """A table of sentences with every operation marked by colour and by line.

    Args:
        examples: for each a heading, and operations as (kind, before, after).
    """
    rows = "".join(
        f"<tr><th style='{LEFT}; white-space:nowrap'>{escape(str(heading))}</th><td style='{LEFT}'>{_marked(steps)}</td></tr>"
        for heading, steps in examples
    )
    legend = " ".join(_span(kind, kind) for kind in LOOKS)
    return Html(f"<table>{rows}</table><p style='font-size:0.9em'>Operations: {legend}</p>")


def marked_edits(sentences: Iterable[tuple[str, AnnotatedSentence]]) -> Html:
    """A table of sentences with the edits of their first annotator marked in place, each with its error type.

    Args:
        sentences: for each a heading (such as the writer's level) and the annotated sentence.
    """
    rows = "".join(
        f"<tr><th style='{LEFT}'>{escape(heading)}</th><td style='{LEFT}'>{_edited(sentence)}</td></tr>"
        for heading, sentence in sentences
    )
    return Html(f"<table>{rows}</table>")


def _edited(sentence: AnnotatedSentence) -> str:
    parts, position = [], 0
    for edit in sorted(sentence.annotators.get(0, ()), key=lambda edit: (edit.start, edit.end)):
        parts += [escape(token) for token in sentence.source[position : edit.start]]
        if edit.end > edit.start:
            parts.append(f"<s>{escape(' '.join(sentence.source[edit.start : edit.end]))}</s>")
        if edit.correction:
            parts.append(_span("insert", edit.correction))
        parts.append(f"<sub>{escape(edit.type)}</sub>")
        position = edit.end
    return " ".join([*parts, *(escape(token) for token in sentence.source[position:])])


def _marked(steps: Sequence[Sequence[str]]) -> str:
    return " ".join(_step(kind, before, after) for kind, before, after in steps)


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
    return f"<span style='{look}' title='{kind}'>{escape(text)}</span>"

"""A text of one's own, corrected by every system."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from html import escape
from itertools import chain

from pseudogec.correct import Trace
from pseudogec.edits import Annotator, load_annotator
from pseudogec.play.controls import box_of_text, choice
from pseudogec.play.panel import Panel
from pseudogec.play.typed_text import read_text, remark_on_strange_characters
from pseudogec.report.markup import LEFT, marked_change, marked_traces
from pseudogec.study import Pipeline, Study, missing
from pseudogec.study.corrector import Corrector, needed

EVERY_SYSTEM = "every system, the result"
NO_SYSTEMS = "The profile lists no systems for this notebook."


def own_text(study: Study, systems: Sequence[Pipeline], text: str) -> Panel:
    """A text corrected by systems, each edit with its type; or by one of them, step by step.

    Args:
        study: gives the store with the models; what is missing there is named, not trained.
        systems: of a comparison; of several versions the first is shown.
        text: what to begin with.
    """
    versions: dict[str, Pipeline] = {}
    for system in systems:
        versions.setdefault(system.name, system)

    @functools.cache
    def corrector(name: str) -> Corrector:
        return Corrector(study, versions[name])

    @functools.lru_cache(maxsize=64)
    def corrected(name: str, sentences: tuple[tuple[str, ...], ...]) -> list[Trace]:
        return corrector(name)(sentences)

    def render(text: str, shown: str) -> str:
        sentences = tuple(map(tuple, read_text(text)))
        names = list(versions) if shown == EVERY_SYSTEM else [shown]
        absent = [name for name in names if missing(needed(study, versions[name]), study.store)]
        traces = [(name, trace) for name in names if name not in absent for trace in corrected(name, sentences)]
        annotator = load_annotator(study.profile.annotator)
        steps = ((f"sentence {number}", trace) for number, (_, trace) in enumerate(traces, start=1))
        table = _results(annotator, traces) if shown == EVERY_SYSTEM else marked_traces(annotator, steps)
        remark = remark_on_strange_characters(study, chain.from_iterable(sentences))
        return (table if traces else "") + "".join(map(_absent, absent)) + remark

    if not versions:
        return Panel({"text": box_of_text("Text", text)}, lambda text: f"<p>{NO_SYSTEMS}</p>")
    controls = {"text": box_of_text("Text", text), "shown": choice("Show", [EVERY_SYSTEM, *versions])}
    return Panel(controls, render)


def _results(annotator: Annotator, traces: Sequence[tuple[str, Trace]]) -> str:
    """A table of what the systems make of the sentences in the end."""
    shown: dict[str, list[str]] = {}
    for name, trace in traces:
        shown.setdefault(name, []).append(marked_change(annotator, trace.source, trace.tokens))
    rows = "".join(
        f"<tr><th scope='row' style='{LEFT}; white-space:nowrap'>{escape(name)}</th>"
        f"<td style='{LEFT}'>{'<br>'.join(sentences)}</td></tr>"
        for name, sentences in shown.items()
    )
    return f"<table>{rows}</table>"


def _absent(name: str) -> str:
    return (
        f"<p role='alert'><b>{escape(name)}</b>: its models are not in the store yet. Run the notebook's cells with its scores, "
        "then this one again.</p>"
    )

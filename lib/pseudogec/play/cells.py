"""The interactive cells: noise by sliders, every method side by side, a text of one's own."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape

from pseudogec.artefacts.errors import UserError
from pseudogec.correct import Trace
from pseudogec.edits import Annotator, load_annotator
from pseudogec.noise import DirectNoise, NoisyBackTranslation
from pseudogec.play.corruption import Corruptor, Operations
from pseudogec.play.panel import (
    Panel,
    box_of_text,
    choice,
    draw_number,
    line_of_text,
    read_sentence,
    read_text,
    slider,
)
from pseudogec.report.markup import LEFT, marked_change, marked_operations, marked_traces
from pseudogec.report.methods import method_label, show_methods
from pseudogec.study import Pipeline, Study
from pseudogec.study.corrector import Corrector, default_system, find_system, to_train

_MOST_MASKED = 0.8  # what mu_keep leaves, 0.2 as in the paper's sweep
_MOST_NOISE = 10.0

PUBLIC = "public"
"""The profile whose models learnt real English from freely licensed text."""

_EVERY_SYSTEM = "every system, the result"


def noise_sliders(study: Study, sentence: str) -> Panel:
    """A sentence under direct noise and from a noisy beam, with a slider for the strength of each.

    As in the paper's sweep (TASLP section IV-B), mu_keep is 0.2 unless the profile has another, and
    deletion and insertion share what mu_mask leaves. The random numbers stay the same while a
    slider moves, so that the slider alone changes the outcome.
    """
    corruptor = Corruptor(study)

    def render(sentence: str, mu_mask: float, beta_random: float, draw: int) -> str:
        tokens = read_sentence(sentence)

        def direct() -> Operations:
            return corruptor.corrupt(
                tokens, corruptor.named(DirectNoise), draw, {"mu_mask": mu_mask}
            )

        def noisy() -> Operations:
            return corruptor.corrupt(
                tokens, corruptor.named(NoisyBackTranslation), draw, {"beta_random": beta_random}
            )

        try:
            method = corruptor.recipe(corruptor.named(DirectNoise), {"mu_mask": mu_mask}).method
            assert isinstance(method, DirectNoise)
            shares = _shares(direct(), method)
        except UserError:
            shares = ""  # the line about the method says why
        shown = _side_by_side(
            [
                (f"direct noise, μ_mask {mu_mask:g}", direct),
                (f"noisy beam, β_random {beta_random:g}", noisy),
            ]
        )
        return shown + shares

    controls = {
        "sentence": line_of_text("Sentence", sentence),
        "mu_mask": slider("μ_mask", 0.3, _MOST_MASKED, 0.05),
        "beta_random": slider("β_random", 6.0, _MOST_NOISE, 0.5, at_once=False),
        "draw": draw_number(),
    }
    return Panel(controls, render)


def every_method(study: Study, sentence: str) -> Panel:
    """A sentence corrupted by every method of the profile, side by side."""
    corruptor = Corruptor(study)
    show_methods(study.profile.methods)

    def render(sentence: str, draw: int) -> str:
        tokens = read_sentence(sentence)
        corrupt = functools.partial(corruptor.corrupt, tokens, draw=draw)
        rows = [
            (method_label(name), functools.partial(corrupt, name)) for name in study.profile.methods
        ]
        return _side_by_side(rows)

    return Panel({"sentence": line_of_text("Sentence", sentence), "draw": draw_number()}, render)


def taken_actions(operations: Operations) -> dict[str, int]:
    """How many subwords direct noise masked, deleted, kept with an insertion after them, and
    kept.
    """
    kinds = Counter(kind for kind, *_ in operations)
    return {
        "mask": kinds["mask"],
        "delete": kinds["delete"],
        "insert": kinds["insert"],
        "keep": kinds["keep"] - kinds["insert"],
    }


def _shares(operations: Operations, probabilities: DirectNoise) -> str:
    taken = taken_actions(operations)
    expected = (
        probabilities.mu_mask,
        probabilities.mu_del,
        probabilities.mu_ins,
        probabilities.mu_keep,
    )
    text = ", ".join(
        f"{kind} {share:.3g} ({count})"
        for (kind, count), share in zip(taken.items(), expected, strict=True)
    )
    return (
        "<p>Direct noise: probability of each operation, and how many of the "
        f"{sum(taken.values())} subwords drew it: {text}.</p>"
    )


def _side_by_side(rows: Sequence[tuple[str, Callable[[], Operations]]]) -> str:
    """A table of the methods' outputs, and lines about methods that have none."""
    shown, unable = [], dict[str, list[str]]()
    for heading, corrupt in rows:
        try:
            shown.append((heading, corrupt()))
        except UserError as error:
            unable.setdefault(str(error), []).append(heading)
    alerts = (
        f"<p role='alert'><b>{escape(', '.join(named))}</b>: {escape(why)}</p>"
        for why, named in unable.items()
    )
    return (marked_operations(shown) if shown else "") + "".join(alerts)


def own_text(study: Study, systems: Sequence[Pipeline], text: str) -> Panel:
    """A text corrected by systems, each edit with its type; or by one of them, step by step.

    Of several versions of a system the first is shown. The corrector of real English, of the
    profile ``public``, comes last. Models that the store lacks are named, not trained.
    """
    versions: dict[str, tuple[Study, Pipeline]] = {}
    for system in systems:
        versions.setdefault(system.name, (study, system))
    if study.profile.name != PUBLIC:
        public = Study.open(PUBLIC, store=study.store.root, packs=True)
        versions["for real English"] = (public, find_system(public, default_system(public)))

    @functools.cache
    def corrector(name: str) -> Corrector:
        return Corrector(*versions[name])

    @functools.lru_cache(maxsize=64)
    def corrected(name: str, sentences: tuple[tuple[str, ...], ...]) -> list[Trace]:
        return corrector(name)(sentences)

    def render(text: str, shown: str) -> str:
        sentences = tuple(map(tuple, read_text(text)))
        names = list(versions) if shown == _EVERY_SYSTEM else [shown]
        absent = [name for name in names if to_train(*versions[name])]
        traces = [
            (name, trace)
            for name in names
            if name not in absent
            for trace in corrected(name, sentences)
        ]
        annotator = load_annotator(study.profile.annotator)
        steps = ((f"sentence {number}", trace) for number, (_, trace) in enumerate(traces, start=1))
        table = (
            _results(annotator, traces)
            if shown == _EVERY_SYSTEM
            else marked_traces(annotator, steps)
        )
        return (table if traces else "") + (_absent(absent) if absent else "")

    controls = {
        "text": box_of_text("Text", text),
        "shown": choice("Show", [_EVERY_SYSTEM, *versions]),
    }
    return Panel(controls, render)


def _results(annotator: Annotator, traces: Sequence[tuple[str, Trace]]) -> str:
    """The systems' final corrections of the sentences."""
    shown: dict[str, list[str]] = {}
    for name, trace in traces:
        shown.setdefault(name, []).append(marked_change(annotator, trace.source, trace.tokens))
    rows = "".join(
        f"<tr><th scope='row' style='{LEFT}; white-space:nowrap'>{escape(name)}</th>"
        f"<td style='{LEFT}'>{'<br>'.join(sentences)}</td></tr>"
        for name, sentences in shown.items()
    )
    return f"<table>{rows}</table>"


def _absent(names: Sequence[str]) -> str:
    return (
        f"<p role='alert'><b>{escape(', '.join(names))}</b>: their models are not in the store "
        "yet. Run the cells with their "
        "scores, or <code>pseudogec correct --train --system NAME</code> where these come from a "
        "pack.</p>"
    )

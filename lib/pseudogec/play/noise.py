"""A sentence noised at once: by sliders, and by every method side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from artefacts.errors import UserError
from pseudogec.noise import DirectNoiseParameters
from pseudogec.play.controls import draw_number, line_of_text, slider
from pseudogec.play.corruption import Corruptor, Operations
from pseudogec.play.panel import Panel
from pseudogec.play.typed_text import read_sentence, remark_on_strange_characters
from pseudogec.report.markup import marked_operations
from pseudogec.report.tables import METHOD_NAMES
from pseudogec.study import Study

_MOST_MASKED = 0.8  # what mu_keep leaves, 0.2 as in the paper's sweep
_MOST_NOISE = 10.0


def noise_sliders(study: Study, sentence: str) -> Panel:
    """A sentence under direct noise and from a noisy beam, with a slider for the strength of each.

    As in the paper's sweep (TASLP section IV-B), mu_keep is 0.2 unless the profile has another, and deletion and insertion share
    what mu_mask leaves. The random numbers stay the same while a slider moves, so that what changes is its doing.

    Args:
        study: gives the methods, and the store with the reverse model.
        sentence: a grammatical one to begin with.
    """
    corruptor = Corruptor(study)

    def render(sentence: str, mu_mask: float, beta_random: float, draw: int) -> str:
        tokens = read_sentence(sentence)

        def direct() -> Operations:
            return corruptor.corrupt(tokens, corruptor.named("direct_noise"), draw, {"mu_mask": mu_mask})

        def noisy() -> Operations:
            return corruptor.corrupt(tokens, corruptor.named("backtrans_noisy"), draw, {"beta_random": beta_random})

        try:
            drawn_from = corruptor.recipe(corruptor.named("direct_noise"), {"mu_mask": mu_mask}).parameters
            shares = _shares(direct(), DirectNoiseParameters.model_validate(drawn_from))
        except UserError:
            shares = ""  # the line about the method says why
        shown = _side_by_side([(f"direct noise, μ_mask {mu_mask:g}", direct), (f"noisy beam, β_random {beta_random:g}", noisy)])
        return shown + shares + remark_on_strange_characters(study, tokens)

    controls = {
        "sentence": line_of_text("Sentence", sentence),
        "mu_mask": slider("μ_mask", 0.3, _MOST_MASKED, 0.05),
        "beta_random": slider("β_random", 6.0, _MOST_NOISE, 0.5, at_once=False),
        "draw": draw_number(),
    }
    return Panel(controls, render)


def every_method(study: Study, sentence: str) -> Panel:
    """A sentence corrupted by every method of the profile, side by side.

    Args:
        study: gives the methods, and the store with the reverse model and the genuine data's edits.
        sentence: a grammatical one to begin with.
    """
    corruptor = Corruptor(study)

    def render(sentence: str, draw: int) -> str:
        tokens = read_sentence(sentence)

        def by(name: str) -> Callable[[], Operations]:
            return lambda: corruptor.corrupt(tokens, name, draw)

        rows = [(METHOD_NAMES.get(name, name), by(name)) for name in study.profile.methods]
        return _side_by_side(rows) + remark_on_strange_characters(study, tokens)

    return Panel({"sentence": line_of_text("Sentence", sentence), "draw": draw_number()}, render)


def taken_actions(operations: Operations) -> dict[str, int]:
    """How many pieces direct noise masked, deleted, kept with an insertion after them, and kept."""
    kinds = [kind for kind, *_ in operations]
    inserted = kinds.count("insert")
    return {
        "mask": kinds.count("mask"),
        "delete": kinds.count("delete"),
        "insert": inserted,
        "keep": kinds.count("keep") - inserted,
    }


def _shares(operations: Operations, probabilities: DirectNoiseParameters) -> str:
    """What was drawn beside the probabilities."""
    expected = {
        "mask": probabilities.mu_mask,
        "delete": probabilities.mu_del,
        "insert": probabilities.mu_ins,
        "keep": probabilities.mu_keep,
    }
    taken = taken_actions(operations)
    told = ", ".join(f"{kind} {expected[kind]:.3g} ({taken[kind]})" for kind in expected)
    return (
        f"<p>Direct noise: probability of each operation, and how many of the {sum(taken.values())} pieces drew it: {told}.</p>"
    )


def _side_by_side(rows: Sequence[tuple[str, Callable[[], Operations]]]) -> str:
    """A table of what the methods do, and a line about each that cannot."""
    shown, unable = [], []
    for heading, corrupt in rows:
        try:
            shown.append((heading, corrupt()))
        except UserError as error:
            unable.append(f"<p role='alert'><b>{escape(heading)}</b>: {escape(str(error))}</p>")
    return (marked_operations(shown) if shown else "") + "".join(unable)

"""A noisy beam, step by step."""

from __future__ import annotations

import functools
from html import escape

from pseudogec.play.controls import counter, draw_number, line_of_text, slider
from pseudogec.play.corruption import Corruptor
from pseudogec.play.panel import Panel
from pseudogec.play.typed_text import read_sentence, remark_on_strange_characters
from pseudogec.report.markup import LEFT
from pseudogec.seq2seq import BeamStep, BeamTrace, Expansion
from pseudogec.study import Study
from pseudogec.text import Bpe

_SHOWN_IN_BATCH = 3  # so that a reader without widgets sees how one step follows from the other
_FATES = {"kept": "goes on", "finished": "is finished", "dropped": "is dropped"}
_HEAD = "text-align:right; padding-left:1em"
_NUMBER = f"{_HEAD}; white-space:nowrap; font-variant-numeric:tabular-nums"
_GREEN = "#00694d"


def noisy_beam(study: Study, sentence: str) -> Panel:
    """The search of `backtrans_noisy`, to be stepped through.

    At each step every hypothesis in the beam is expanded by every piece; r * beta_random, r ~ U[0, 1], is added to the score of
    each expansion, and the best go on (Kiyono et al. 2019, section 2.2; 2020, section III-A).

    Args:
        study: gives the method's parameters, and the store with the reverse model.
        sentence: a grammatical one to begin with.
    """
    corruptor = Corruptor(study)

    @functools.lru_cache(maxsize=8)
    def trace(tokens: tuple[str, ...], beta_random: float, draw: int) -> BeamTrace:
        return corruptor.trace(tokens, corruptor.named("backtrans_noisy"), draw, {"beta_random": beta_random})

    def render(sentence: str, beta_random: float, draw: int, step: int) -> str:
        tokens = read_sentence(sentence)
        found = trace(tuple(tokens), beta_random, draw)
        controls["step"].limit(len(found.steps))
        number = min(step, len(found.steps))
        return step_table(found, number, beta_random) + outcome(found) + remark_on_strange_characters(study, tokens)

    controls = {
        "sentence": line_of_text("Sentence", sentence),
        "beta_random": slider("β_random", 6.0, 10.0, 0.5, at_once=False),
        "draw": draw_number(),
        "step": counter("Step of the search", _SHOWN_IN_BATCH),
    }
    return Panel(controls, render)


def step_table(trace: BeamTrace, number: int, beta_random: float) -> str:
    """A step of a search as HTML.

    Args:
        trace: of the search.
        number: of the step, from 1.
        beta_random: the noise's strength, for the caption.
    """
    step = trace.steps[number - 1]
    title = "log-probability|noise of this step|score with all noise|rank|rank without it|then"
    heads = "".join(f"<th scope='col' style='{_HEAD}'>{text}</th>" for text in title.split("|"))
    rows = "".join(_row(step, expansion, rank) for rank, expansion in enumerate(step.expansions, start=1))
    lost = [expansion for expansion in step.without_noise if expansion.fate == "dropped"]
    names = "; ".join(f"<b>{escape(_written(step, expansion))}</b> (rank {expansion.rank_without})" for expansion in lost)
    told = (
        f"Without this step's noise these would have gone on instead: {names}." if lost else "This step's noise dropped nothing."
    )
    return (
        f"<table><caption style='{LEFT}; caption-side:top'>Step {number} of {len(trace.steps)}: the best expansions, each with "
        f"r &times; {beta_random:g} added</caption>"
        f"<tr><th scope='col' style='{LEFT}'>hypothesis <span style='color:{_GREEN}'>+ next piece</span></th>{heads}</tr>{rows}"
        f"</table><p>{told}</p>"
    )


def _row(step: BeamStep, expansion: Expansion, rank: int) -> str:
    prefix = escape(" ".join(step.hypotheses[expansion.hypothesis].pieces))
    look = "color:#555555" if expansion.fate == "dropped" else f"color:{_GREEN}; font-weight:bold"
    written = f"{prefix} <span style='{look}'>{escape(expansion.piece)}</span>"
    numbers = [f"{expansion.log_probability:.2f}", f"+{expansion.noise:.2f}", f"{expansion.score:.2f}"]
    numbers += [str(rank), str(expansion.rank_without), _FATES[expansion.fate]]
    cells = "".join(f"<td style='{_NUMBER}'>{number}</td>" for number in numbers)
    return f"<tr><td style='{LEFT}'>{written}</td>{cells}</tr>"


def _written(step: BeamStep, expansion: Expansion) -> str:
    return " ".join([*step.hypotheses[expansion.hypothesis].pieces, expansion.piece])


def outcome(trace: BeamTrace) -> str:
    """What a search found in the end, as HTML."""
    rows = "".join(
        f"<li>{escape(' '.join(Bpe.undo(output.pieces)))} <small>({output.score:.2f} a piece)</small></li>"
        for output in trace.outputs
    )
    return f"<p>Finished in the end, best first (score with noise divided by the number of pieces):</p><ol>{rows}</ol>"

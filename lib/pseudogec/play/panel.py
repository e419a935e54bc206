"""Controls above their output; where widgets do not run, the output of their first values. And the
text that people type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from ipywidgets import (
    HTML,
    BoundedIntText,
    Dropdown,
    FloatSlider,
    Layout,
    Text,
    Textarea,
    VBox,
    Widget,
)

from pseudogec.artefacts.errors import UserError
from pseudogec.text import sentence_spans, token_spans

_WHOLE_LINE = "min(60em, 98%)"

MOST_TOKENS = 60
"""The longest sentence that is taken: it is decoded while somebody waits, and must fit on the
screen.
"""


class Panel:
    """Widgets, and HTML that ``render`` makes of their values whenever one of them changes; a
    `UserError` is shown in its place.

    A notebook keeps both the widgets and the output of their first values, which a reader without a
    kernel sees.
    """

    def __init__(self, controls: Mapping[str, Widget], render: Callable[..., str]) -> None:
        self.controls, self._render = dict(controls), render
        self._shown = HTML(layout=Layout(width="100%", overflow="auto"))
        self._box = VBox([*self.controls.values(), self._shown], layout=Layout(width="100%"))
        for control in self.controls.values():
            control.observe(self._show, names="value")
        self._show()
        values = ", ".join(
            f"{control.description}: {control.value}" for control in self.controls.values()
        )
        note = f"{values}. Open the notebook in JupyterLab to change them."
        self._plain = {
            "text/html": f"{self.content}<p style='font-size:0.9em'><i>With {escape(note)}</i></p>",
            "text/plain": f"Made with {note}",
        }

    @property
    def content(self) -> str:
        return str(self._shown.value)

    def _show(self, _change: object = None) -> None:
        try:
            content = self._render(
                **{name: control.value for name, control in self.controls.items()}
            )
        except UserError as error:
            content = f"<p role='alert'>{escape(str(error))}</p>"
        # Read out by screen readers when it changes.
        self._shown.value = f"<div aria-live='polite' style='line-height:1.5'>{content}</div>"

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        only_alerts = "role='alert'" in self.content and "<table" not in self.content
        return {**self._box._repr_mimebundle_(), **self._plain}, {
            "text/html": {"nothing": True}
        } if only_alerts else {}


# Controls, all labelled and worked by mouse or keyboard


def _look(width: str) -> dict[str, Any]:
    return {"layout": Layout(width=width), "style": {"description_width": "11em"}}


def line_of_text(label: str, text: str) -> Text:
    """A line that is read when Enter is pressed or the cursor leaves it."""
    return Text(value=text, description=label, continuous_update=False, **_look(_WHOLE_LINE))


def box_of_text(label: str, text: str) -> Textarea:
    """Several lines, read when the cursor leaves them."""
    return Textarea(
        value=text, description=label, continuous_update=False, rows=3, **_look(_WHOLE_LINE)
    )


def slider(label: str, value: float, most: float, step: float, at_once: bool = True) -> FloatSlider:
    """A number from 0; with ``at_once`` every value counts while the slider is dragged, not only
    the last.
    """
    limits = {"value": value, "min": 0.0, "max": most, "step": step}
    return FloatSlider(description=label, continuous_update=at_once, **limits, **_look(_WHOLE_LINE))


def draw_number() -> BoundedIntText:
    """Which random numbers are drawn; the next number draws others."""
    return BoundedIntText(value=1, min=1, max=9999, description="Random draw", **_look("20em"))


def choice(label: str, options: Sequence[str]) -> Dropdown:
    return Dropdown(options=list(options), description=label, **_look("34em"))


# Sentences as people type them


def read_sentence(text: str) -> list[str]:
    """The tokens of one sentence; control characters and white space of any kind separate words.

    Raises:
        UserError: there is no word in it, or it is too long.
    """
    tokens = [text[start:end] for start, end in token_spans(text)]
    if not tokens:
        raise UserError("There is no word to work with; type a sentence.")
    if len(tokens) > MOST_TOKENS:
        raise UserError(
            f"That is {len(tokens)} words and marks; type a sentence of at most {MOST_TOKENS}."
        )
    return tokens


def read_text(text: str) -> list[list[str]]:
    """The sentences of a short text, each in tokens; raises as `read_sentence`."""
    printable = "".join(
        character if character.isprintable() or character == "\n" else " " for character in text
    )
    spans = sentence_spans(printable) or [(0, len(printable))]
    return [read_sentence(printable[start:end]) for start, end in spans]

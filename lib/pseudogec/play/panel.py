"""Controls above their output; where widgets do not run, the output of their first values. And the text that people type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ipywidgets import (
    HTML,
    BoundedFloatText,
    BoundedIntText,
    Dropdown,
    FloatSlider,
    HBox,
    IntSlider,
    Layout,
    Text,
    Textarea,
    VBox,
    Widget,
)
from traitlets import Any as AnyValue
from traitlets import link

from artefacts.errors import UserError
from pseudogec.seq2seq import read_dictionary
from pseudogec.study import Study
from pseudogec.text import sentence_spans, token_spans

_WHOLE_LINE, _NUMBER, _SLIDER = "min(60em, 98%)", "20em", "min(34em, 40%)"

MOST_CHARACTERS = 400
MOST_TOKENS = 60
"""The longest sentence that is taken: it is decoded while somebody waits, and must fit on the screen."""

LONGEST_WORD = 40


class Panel:
    """Widgets, and HTML made from their values whenever one of them changes.

    A notebook keeps both the widgets and the output of their first values, which a reader without a kernel sees.

    Args:
        controls: widgets by the names under which ``render`` takes their values; each has a value and a description, its label.
        render: makes HTML of the values; a `UserError` is shown in its place.
    """

    # ipywidgets.interactive_output was tried in place of `_show` and the loop that observes. It saves 6 lines, but keeps what is
    # made in the state of an Output widget: a notebook executed in batch, whose widgets are dropped, then shows nothing, and
    # screen readers are not told of changes.
    def __init__(self, controls: Mapping[str, Widget], render: Callable[..., str]) -> None:
        self.controls, self._render = dict(controls), render
        self._shown = HTML(layout=Layout(width="100%", overflow="auto"))
        self._box = VBox([*self.controls.values(), self._shown], layout=Layout(width="100%"))
        for control in self.controls.values():
            control.observe(self._show, names="value")
        self._show()
        values = ", ".join(f"{control.description}: {control.value}" for control in self.controls.values())
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
            content = self._render(**{name: control.value for name, control in self.controls.items()})
        except UserError as error:
            content = f"<p role='alert'>{escape(str(error))}</p>"
        # Read out by screen readers when it changes.
        self._shown.value = f"<div aria-live='polite' style='line-height:1.5'>{content}</div>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {**self._box._repr_mimebundle_(), **self._plain}


# Controls, all labelled and worked by mouse or keyboard


def _look(width: str) -> dict[str, Any]:
    return {"layout": Layout(width=width), "style": {"description_width": "11em"}}


def line_of_text(label: str, text: str) -> Text:
    """A line that is read when Enter is pressed or the cursor leaves it."""
    return Text(value=text, description=label, continuous_update=False, **_look(_WHOLE_LINE))


def box_of_text(label: str, text: str) -> Textarea:
    """Several lines, read when the cursor leaves them."""
    return Textarea(value=text, description=label, continuous_update=False, rows=3, **_look(_WHOLE_LINE))


class SliderWithField(HBox):
    """A number to be typed, and a slider beside it for the same number.

    Jupyter's sliders have no name that screen readers could say; the field, whose description labels both, has one.
    """

    value = AnyValue()

    def __init__(self, field: BoundedFloatText | BoundedIntText, slider: FloatSlider | IntSlider) -> None:
        super().__init__([field, slider])
        self.field, self.slider, self.description = field, slider, field.description
        self.value = field.value
        for part in (field, slider):
            link((self, "value"), (part, "value"))

    def limit(self, most: int) -> None:
        self.slider.max = self.field.max = most


def slider(label: str, value: float, most: float, step: float, at_once: bool = True) -> SliderWithField:
    """A number from 0; with ``at_once`` every value counts while the slider is dragged, not only the last."""
    limits: dict[str, Any] = {"value": value, "min": 0.0, "max": most, "step": step}
    field = BoundedFloatText(description=label, **limits, **_look(_NUMBER))
    return SliderWithField(field, FloatSlider(continuous_update=at_once, readout=False, layout=Layout(width=_SLIDER), **limits))


def counter(label: str, most: int) -> SliderWithField:
    limits: dict[str, Any] = {"value": 1, "min": 1, "max": most}
    field = BoundedIntText(description=label, **limits, **_look(_NUMBER))
    return SliderWithField(field, IntSlider(continuous_update=False, readout=False, layout=Layout(width=_SLIDER), **limits))


def draw_number() -> BoundedIntText:
    """Which random numbers are drawn; the next number draws others."""
    return BoundedIntText(value=1, min=1, max=9999, description="Random draw", **_look(_NUMBER))


def choice(label: str, options: Sequence[str]) -> Dropdown:
    return Dropdown(options=list(options), description=label, **_look("34em"))


# Sentences as people type them


def read_sentence(text: str) -> list[str]:
    """The tokens of one sentence; control characters and white space of any kind separate words.

    Raises:
        UserError: there is no word in it, or it is too long.
    """
    if len(text) > MOST_CHARACTERS:
        raise UserError(f"That is {len(text)} characters; type a sentence of at most {MOST_CHARACTERS}.")
    tokens = [text[start:end] for start, end in token_spans(text)]
    if not tokens:
        raise UserError("There is no word to work with; type a sentence.")
    if len(tokens) > MOST_TOKENS:
        raise UserError(f"That is {len(tokens)} words and marks; type a sentence of at most {MOST_TOKENS}.")
    if longest := [token for token in tokens if len(token) > LONGEST_WORD]:
        raise UserError(
            f"{longest[0][:LONGEST_WORD]}... is {len(longest[0])} characters long; words have at most {LONGEST_WORD}."
        )
    return tokens


def read_text(text: str) -> list[list[str]]:
    """The sentences of a short text, each in tokens; raises as `read_sentence`."""
    if len(text) > MOST_CHARACTERS:
        raise UserError(f"That is {len(text)} characters; type at most {MOST_CHARACTERS}.")
    printable = "".join(character if character.isprintable() or character == "\n" else " " for character in text)
    spans = sentence_spans(printable) or [(0, len(printable))]
    return [read_sentence(printable[start:end]) for start, end in spans]


def remark_on_strange_characters(study: Study, tokens: Iterable[str]) -> str:
    """A paragraph about characters that the study's models have never seen; empty where there are none."""
    if not study.store.can_read(study.planner.bpe, in_full=True):
        return ""
    known = set().union(*read_dictionary(study.store.folder(study.planner.bpe) / "dict.txt"))
    strange = dict.fromkeys(character for token in tokens for character in token if character not in known)
    if not strange:
        return ""
    return f"<p>No model here has ever seen {escape(' '.join(strange))}: to a model all unknown characters are the same.</p>"

"""The controls of panels: labelled, worked by mouse or keyboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ipywidgets import BoundedFloatText, BoundedIntText, Dropdown, FloatSlider, HBox, IntSlider, Layout, Text, Textarea
from traitlets import Any as AnyValue
from traitlets import link

_WHOLE_LINE, _NUMBER, _SLIDER = "min(60em, 98%)", "20em", "min(34em, 40%)"


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

    Jupyter's sliders have no name that screen readers could say; the field has one.

    Args:
        field: where the number is typed; its description is the label of both.
        slider: moves it.
    """

    value = AnyValue()

    def __init__(self, field: BoundedFloatText | BoundedIntText, slider: FloatSlider | IntSlider) -> None:
        super().__init__([field, slider])
        self.field, self.slider, self.description = field, slider, field.description
        self.value = field.value
        for part in (field, slider):
            link((self, "value"), (part, "value"))

    def limit(self, most: int) -> None:
        """Set the largest number."""
        self.slider.max = self.field.max = most


def slider(label: str, value: float, most: float, step: float, at_once: bool = True) -> SliderWithField:
    """A number from 0.

    Args:
        label: what is read beside it and by screen readers.
        value: where it stands at first.
        most: its largest value.
        step: how far an arrow key moves it.
        at_once: whether the slider tells of every value while it is dragged, or only of where it is let go.
    """
    limits: dict[str, Any] = {"value": value, "min": 0.0, "max": most, "step": step}
    field = BoundedFloatText(description=label, **limits, **_look(_NUMBER))
    return SliderWithField(field, FloatSlider(continuous_update=at_once, readout=False, layout=Layout(width=_SLIDER), **limits))


def counter(label: str, most: int) -> SliderWithField:
    """A whole number from 1."""
    limits: dict[str, Any] = {"value": 1, "min": 1, "max": most}
    field = BoundedIntText(description=label, **limits, **_look(_NUMBER))
    return SliderWithField(field, IntSlider(continuous_update=False, readout=False, layout=Layout(width=_SLIDER), **limits))


def draw_number() -> BoundedIntText:
    """Which random numbers are drawn; the next number draws others."""
    return BoundedIntText(value=1, min=1, max=9999, description="Random draw", **_look(_NUMBER))


def choice(label: str, options: Sequence[str]) -> Dropdown:
    """One of several names, the first at first."""
    return Dropdown(options=list(options), description=label, **_look("34em"))

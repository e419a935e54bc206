"""The controls of panels: labelled, worked by mouse or keyboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ipywidgets import BoundedIntText, Dropdown, FloatSlider, IntSlider, Text, Textarea


def _look(width: str) -> dict[str, Any]:
    from ipywidgets import Layout

    return {"layout": Layout(width=width, max_width="100%"), "style": {"description_width": "11em"}}


def line_of_text(label: str, text: str) -> Text:
    """A line that is read when Enter is pressed or the cursor leaves it."""
    from ipywidgets import Text

    return Text(value=text, description=label, continuous_update=False, **_look("48em"))


def box_of_text(label: str, text: str) -> Textarea:
    """Several lines, read when the cursor leaves them."""
    from ipywidgets import Textarea

    return Textarea(value=text, description=label, continuous_update=False, rows=3, **_look("48em"))


def slider(label: str, value: float, most: float, step: float, at_once: bool = True) -> FloatSlider:
    """A number from 0.

    Args:
        label: what is read beside it and by screen readers.
        value: where it stands at first.
        most: its largest value.
        step: how far an arrow key moves it.
        at_once: whether it tells of every value while it is dragged, or only where it is let go.
    """
    from ipywidgets import FloatSlider

    options: dict[str, Any] = {"min": 0.0, "max": most, "step": step, "readout_format": ".2f"}
    return FloatSlider(value=value, description=label, continuous_update=at_once, **options, **_look("34em"))


def counter(label: str, most: int) -> IntSlider:
    """A whole number from 1."""
    from ipywidgets import IntSlider

    return IntSlider(value=1, min=1, max=most, description=label, continuous_update=False, **_look("34em"))


def draw_number() -> BoundedIntText:
    """Which random numbers are drawn; the next number draws others."""
    from ipywidgets import BoundedIntText

    return BoundedIntText(value=1, min=1, max=9999, description="Random draw", **_look("18em"))


def choice(label: str, options: Sequence[str]) -> Dropdown:
    """One of several names, the first at first."""
    from ipywidgets import Dropdown

    return Dropdown(options=list(options), description=label, **_look("34em"))

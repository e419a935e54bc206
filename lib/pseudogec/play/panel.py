"""Controls above what they make; where widgets do not run, what their first values make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from ipywidgets import HTML, Layout, VBox, Widget

from artefacts.errors import UserError


class Panel:
    """Widgets whose values make a piece of HTML, again whenever one of them changes.

    A notebook keeps both the widgets and what their first values made, so that a reader without a kernel sees the latter.

    Args:
        controls: widgets by the names under which ``render`` takes their values; each has a value and a description, which is
            its label.
        render: makes HTML of the values; a `UserError` is shown in its place.

    Attributes:
        controls: the widgets, to be moved from Python, too.
    """

    def __init__(self, controls: Mapping[str, Widget], render: Callable[..., str]) -> None:
        self.controls, self._render = dict(controls), render
        self._shown = HTML(layout=Layout(width="100%", overflow="auto"))
        self._box = VBox([*self.controls.values(), self._shown], layout=Layout(width="100%"))
        for control in self.controls.values():
            control.observe(self._show, names="value")
        self._show()
        self._first_values = ", ".join(f"{control.description}: {control.value}" for control in self.controls.values())
        self._first_content = self.content

    @property
    def content(self) -> str:
        """The HTML that the values of now make."""
        return str(self._shown.value)

    def _show(self, _change: object = None) -> None:
        try:
            content = self._render(**{name: control.value for name, control in self.controls.items()})
        except UserError as error:
            content = f"<p role='alert'>{escape(str(error))}</p>"
        # Read out by screen readers when it changes.
        self._shown.value = f"<div aria-live='polite' style='line-height:1.5'>{content}</div>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        values = escape(self._first_values)
        note = f"<p style='font-size:0.9em'><i>With {values}. Open the notebook in JupyterLab to change them.</i></p>"
        return {
            **self._box._repr_mimebundle_(),
            "text/html": self._first_content + note,
            "text/plain": f"Made with {self._first_values}. Open the notebook in JupyterLab to change them.",
        }

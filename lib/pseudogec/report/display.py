"""How a notebook shows results: sentences as Markdown, HTML, and pictures with their captions and
descriptions.

Jupyter keeps a picture's name, caption and description in the metadata of the output. The book of a
run (:mod:`pseudogec.report.book`) makes captions, alternative texts and links of them.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pseudogec import METADATA
from pseudogec.evaluate import FLOOR

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

TABLE_ATTRIBUTE = "data-table"
"""Attribute of an HTML table: the name under which it was saved."""

_FORMULA = re.compile(r"[=@\t\r]|[+-](?![-+\d\s.,\[\]()±*%]*$)")  # not +2.1 [-0.4, +4.6] *

_MOST_NAMES = 12  # that a description lists one by one


class Finding(str):
    """A sentence that a notebook shows as Markdown without HTML: names in it, such as a profile's,
    may be anything.
    """

    def _repr_markdown_(self) -> str:
        return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", self)


class Nothing(Finding):
    """Says why there is nothing to show; the book leaves it out, and sections that have nothing
    else.
    """

    def _repr_markdown_(self) -> tuple[str, dict[str, bool]]:  # type: ignore[override]
        return super()._repr_markdown_(), {"nothing": True}


class Html(str):
    """Text that a notebook shows as HTML."""

    def _repr_html_(self) -> str:
        return str(self)


def csv_cell(value: Any) -> Any:
    """A cell of a CSV file: a text that a spreadsheet would compute is quoted as text, by the
    apostrophe that they know.
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


NOT_LISTED = Nothing(
    "*The profile lists no systems for this section under `notebooks`, so there "
    "is nothing to show.*"
)

NOT_WRITTEN = Nothing("*No conclusions are written for these results.*")

LEARNT_NOTHING = Finding(
    f"*These models learnt nothing: no F0.5 reaches {FLOOR:g}. Raise the amounts under `scale`, or "
    "train for longer.*"
)

NO_SIMULATION = Nothing(
    "*The genuine data of this profile are no simulation that could be compared with W&I.*"
)


def show_figure(png: bytes, name: str, caption: str, description: str) -> None:
    """Show a picture and its caption in the notebook; outside of one, only print the
    description.
    """
    from IPython.display import display

    about = {
        "image/png": {"alt": f"{caption} {description}".strip()},
        METADATA: {"figure": name, "caption": caption},
    }
    encoded = base64.b64encode(png).decode("ascii")
    display(
        {"image/png": encoded, "text/plain": f"<Figure {name}: {description}>"},
        metadata=about,
        raw=True,
    )
    if caption:
        display(
            {"text/markdown": Finding(f"*{caption}*")._repr_markdown_(), "text/plain": caption},
            metadata={METADATA: {"caption_of": name}},
            raw=True,
        )


def show_while_running(text: str) -> None:
    """Show a text that holds only now; it is left out of the notebook that is kept."""
    from IPython.display import display

    display({"text/plain": text}, metadata={METADATA: {"while_running": True}}, raw=True)


def describe(figure: Figure) -> str:
    """The meaning of a figure's axes and colours, and the range of its values."""
    panels = [
        _panel(axes)
        for axes in figure.axes
        if axes.get_xlabel() or axes.get_ylabel() or axes.get_title()
    ]
    legends = [legend for axes in figure.axes if (legend := axes.get_legend())] + list(
        figure.legends
    )
    keys = [
        f"{legend.get_title().get_text() or 'Shown'}: "
        f"{_listed([text.get_text() for text in legend.get_texts()])}."
        for legend in legends
    ]
    return " ".join(dict.fromkeys(filter(None, [*panels, *keys])))


def _panel(axes: Axes) -> str:
    title = axes.get_title()
    sides = (
        ("horizontal", axes.get_xlabel(), axes.xaxis),
        ("vertical", axes.get_ylabel(), axes.yaxis),
    )
    shown = [
        (f"{direction}:", label, _span(axis))
        for direction, label, axis in sides
        if label or _categories(axis)
    ]
    spoken = [" ".join(filter(None, parts)) for parts in shown]
    return f"{title + ': ' if title else 'Axes, '}{'; '.join(spoken)}." if spoken else ""


def _span(axis: Axis) -> str:
    """The names along an axis of categories, or the range of an axis of numbers."""
    if names := _categories(axis):
        return f"({_listed(names)})"
    low, high = sorted(axis.get_data_interval())
    # The difference of equal scores may be 1e-15.
    low, high = (0.0 if abs(end) < 1e-9 * (high - low) else end for end in (low, high))
    return f"({low:,.4g} to {high:,.4g})" if low < high else ""


def _categories(axis: Axis) -> list[str]:
    names = [label.get_text() for label in axis.get_ticklabels()]
    return (
        []
        if any(_is_number(name) for name in names if name)
        else [" ".join(name.split()) for name in names if name]
    )


def _is_number(text: str) -> bool:
    plain = text.replace("mathdefault", "")  # matplotlib writes powers as formulas
    return any(map(str.isdigit, plain)) and not any(map(str.isalpha, plain))


def _listed(names: Sequence[str]) -> str:
    shown = list(dict.fromkeys(names))
    more = f" and {len(shown) - _MOST_NAMES} more" if len(shown) > _MOST_NAMES else ""
    return ", ".join(shown[:_MOST_NAMES]) + more

"""What a notebook shows says of itself which files hold the same, and in words what a picture shows.

Jupyter keeps this with each output: a picture's words as metadata that JupyterLab and nbconvert read, too; a table's name as an
attribute. The site of a run (:mod:`pseudogec.report.site`) makes captions, alternative texts and links of it.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from pseudogec.report.styled_tables import StyledTable

METADATA = "pseudogec"
"""Key of what the metadata of an output say for us: ``figure`` and ``caption``, or ``caption_of``."""

TABLE_ATTRIBUTE = "data-table"

_MOST_NAMES = 12  # that a description lists one by one


def show_figure(png: bytes, name: str, caption: str, description: str) -> None:
    """Show a picture and its caption in the notebook; outside of one, only print the description.

    Args:
        png: the picture.
        name: file name of the figure, without an ending.
        caption: what readers who see the picture need beside it.
        description: what the picture shows, for those who do not see it.
    """
    from IPython.display import display

    about = {"image/png": {"alt": f"{caption} {description}".strip()}, METADATA: {"figure": name, "caption": caption}}
    encoded = base64.b64encode(png).decode("ascii")
    display({"image/png": encoded, "text/plain": f"<Figure {name}: {description}>"}, metadata=about, raw=True)
    if caption:
        display({"text/markdown": f"*{caption}*", "text/plain": caption}, metadata={METADATA: {"caption_of": name}}, raw=True)


def kept_as(styler: StyledTable, name: str) -> StyledTable:
    """Have a table say under which name it was saved; the same table gives the same HTML."""
    styler.set_uuid(name).set_table_attributes(f'{TABLE_ATTRIBUTE}="{name}"')
    return styler


def describe(figure: Figure) -> str:
    """Say in words what a figure's axes and colours stand for, and what range its values span."""
    parts = [_panel(axes) for axes in figure.axes if axes.get_xlabel() or axes.get_ylabel() or axes.get_title()]
    legends = [legend for axes in figure.axes if (legend := axes.get_legend())] + list(figure.legends)
    told = []
    for legend in legends:
        title = legend.get_title().get_text()
        names = [text.get_text() for text in legend.get_texts()]
        told.append(f"{title or 'Shown'}: {_listed(names)}.")
    return " ".join(dict.fromkeys(filter(None, [*parts, *told])))


def _panel(axes: Axes) -> str:
    title = axes.get_title()
    spoken = [
        f"{direction}: {label}{_span(axis)}"
        for direction, label, axis in (
            ("horizontal", axes.get_xlabel(), axes.xaxis),
            ("vertical", axes.get_ylabel(), axes.yaxis),
        )
        if label or _categories(axis)
    ]
    return f"{title + ': ' if title else 'Axes, '}{'; '.join(spoken)}." if spoken else ""


def _span(axis: Axis) -> str:
    """The names along an axis of categories, or the range of an axis of numbers."""
    names = _categories(axis)
    if names:
        return f" ({_listed(names)})"
    low, high = sorted(axis.get_data_interval())
    return f" ({low:,.4g} to {high:,.4g})" if low < high else ""


def _categories(axis: Axis) -> list[str]:
    names = [label.get_text() for label in axis.get_ticklabels()]
    return [] if any(_is_number(name) for name in names if name) else [" ".join(name.split()) for name in names if name]


def _is_number(text: str) -> bool:
    """Whether a tick is a number, if need be one that matplotlib writes as a formula."""
    plain = text.replace("mathdefault", "")
    return any(map(str.isdigit, plain)) and not any(map(str.isalpha, plain))


def _listed(names: Sequence[str]) -> str:
    shown = list(dict.fromkeys(names))
    more = f" and {len(shown) - _MOST_NAMES} more" if len(shown) > _MOST_NAMES else ""
    return ", ".join(shown[:_MOST_NAMES]) + more

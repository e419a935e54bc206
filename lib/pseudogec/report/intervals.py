"""Rows of a table with their intervals drawn beside the words: what is compared, a dot with its
interval, what follows.

The numbers of a row are in its text, so that nothing is lost where a viewer of notebooks leaves
drawings out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _ROW = 200, 16

_COLOURS = {
    "clear": "#222222",
    "agrees": "#00694d",
    "disagrees": "#a63d00",
    "open": "#6b6b6b",
    "missing": "#9a9a9a",
}
"""Look of a dot -> its colour; the style sheet of the book has others for the dark."""

_TICKS = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Dot:
    """A difference in points, with the ends of its 95% interval and a look, a key of
    ``_COLOURS``.
    """

    points: float
    low: float
    high: float
    look: str = "open"


@dataclass(frozen=True)
class Row:
    """A row of :func:`interval_table`.

    Attributes:
        text: what is compared.
        said: what follows, as HTML.
        ours: our differences, one below the other.
        theirs: differences that a paper prints.
        details: lines of HTML that open below the text.
    """

    text: str
    said: str
    ours: Sequence[Dot]
    theirs: Sequence[float] = ()
    details: Sequence[str] = ()


def interval_table(
    rows: Sequence[Row], heads: tuple[str, str, str], note: str = "", more: str = ""
) -> str:
    """HTML of rows on one scale; intervals that are longer than the scale are cut off.

    Args:
        heads: of the columns: text, plot, and what follows.
        note: a line below.
        more: a longer text, folded.
    """
    values = [dot.points for row in rows for dot in row.ours] + [
        value for row in rows for value in row.theirs
    ]
    most = max(4.0, 1.4 * sorted(map(abs, values))[int(0.9 * (len(values) - 1))] if values else 0.0)
    tick = max(at for at in _TICKS if at <= max(0.8 * most, 1))
    ticks = "".join(
        f"<text x='{_place(at, most)}' y='12' text-anchor='middle' font-size='11' "
        f"fill='currentColor'>{at:+d}</text>"
        for at in (-tick, tick)
    )
    text, plot, said = heads
    head = "".join(
        f"<th scope='col'>{title}</th>" for title in (text, f"{plot}{_svg(ticks, 14)}", said)
    )
    body = "".join(_row(row, most) for row in rows)
    notes = f"<p>{note}</p>" if note else ""
    return (
        f"<table class='intervals'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"{notes}{folded('How to read this', more) if more else ''}"
    )


def folded(summary: str, text: str) -> str:
    return f"<details><summary>{summary}</summary><p>{text}</p></details>"


def _row(row: Row, most: float) -> str:
    text = escape(row.text)
    if row.details:
        listed = "".join(f"<li>{line}</li>" for line in row.details)
        text = f"<details><summary>{text}</summary><ul>{listed}</ul></details>"
    height = _ROW * max(len(row.ours), 1)
    zero = _place(0, most)
    drawn = [
        f"<line x1='{zero}' x2='{zero}' y1='0' y2='{height}' stroke='currentColor' "
        "stroke-dasharray='2 2'/>"
    ]
    for number, dot in enumerate(row.ours):
        y, colour = _ROW * (number + 0.5), _COLOURS[dot.look]
        drawn.append(
            f"<g class='{dot.look}' fill='{colour}' stroke='{colour}'><line "
            f"x1='{_place(dot.low, most)}' "
            f"x2='{_place(dot.high, most)}' y1='{y}' y2='{y}' stroke-width='2.5'/>"
            f"<circle cx='{_place(dot.points, most)}' cy='{y}' r='4'/></g>"
        )
    drawn += [
        f"<path d='M{_place(value, most)} {height / 2 - 5}l5 5l-5 5l-5 -5z' fill='none' "
        "stroke='currentColor'/>"
        for value in row.theirs
    ]
    picture = _svg("".join(drawn), height)
    return f"<tr><th scope='row'>{text}</th><td>{picture}</td><td>{row.said}</td></tr>"


def _svg(drawn: str, height: int) -> str:
    return f"<svg viewBox='0 0 {_WIDTH} {height}' width='100%' aria-hidden='true'>{drawn}</svg>"


def _place(points: float, most: float) -> float:
    """Where a number of points stands in a plot that ends at ``most`` points either way."""
    return round(_WIDTH * (0.5 + 0.48 * max(-1.0, min(1.0, points / most))), 1)

"""Tables as notebooks and pages show them: figures below each other, the best in bold, headings that a screen reader can tell."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Mapping, Sequence
from html import escape
from typing import Any, Self

import pandas as pd
from pandas.io.formats.style import Styler

FIGURE_SPACE = "\N{FIGURE SPACE}"
"""As wide as a digit: what stands before a short number, so that points stand below each other."""

_LOOKS: list[Any] = [
    {"selector": "caption", "props": "caption-side: bottom; text-align: left; font-size: 0.9em; padding-top: 0.5em"},
    {"selector": "th.col_heading", "props": "text-align: left"},
    {"selector": "th.col_heading.level0", "props": "border-bottom: 1px solid #999"},
    {"selector": "th.data", "props": "text-align: left; font-weight: normal"},
    {"selector": "td", "props": "text-align: left; vertical-align: top"},
]
_HEAD = re.compile(r'<th (id="[^"]*" class="col_heading[^"]*"(?: colspan="(\d+)")?)')


class StyledTable(Styler):
    """A pandas Styler without an index whose first columns name the rows.

    Args:
        table: what to show.
        caption: what it is and how it came about; stands below it.
        headings: how many columns name a row.
    """

    def __init__(self, table: pd.DataFrame, caption: str = "", headings: int = 1) -> None:
        # pandas draws the identifiers of a table's cells at random; from its content, a notebook run again has the same bytes.
        content = hashlib.sha256(f"{caption}\n{table.to_csv()}".encode()).hexdigest()
        super().__init__(table, uuid=content[:8])
        self._table, self._headings = table, headings
        self.hide(axis="index").set_caption(escape(caption, quote=False)).set_table_styles(_LOOKS)
        self.format(escape="html")

    def __repr__(self) -> str:
        """The table as text, for a terminal; without an address in memory, for the same reason."""
        return self._table.to_string(index=False, na_rep="")

    def in_figures(self, columns: Sequence[Hashable], end: bool = False) -> Self:
        """Set columns in figures of equal width.

        Args:
            columns: of numbers, or of texts that begin with a number.
            end: at the right edge, for whole numbers and columns whose texts end alike.
        """
        if columns:
            place = "right" if end else "left"
            looks = {"font-variant-numeric": "tabular-nums", "white-space": "nowrap", "text-align": place}
            self.set_properties(subset=list(columns), **looks)
        if end:
            heads = [f"th.col_heading.col{place}" for place, name in enumerate(self._table.columns) if name in set(columns)]
            self.set_table_styles([{"selector": head, "props": "text-align: right"} for head in heads], overwrite=False)
        return self

    def best(self, values: Mapping[Hashable, pd.Series]) -> Self:
        """Print the largest value of each column in bold; equal ones together.

        Args:
            values: column -> its values as they are printed.
        """
        for column, numbers in values.items():
            if numbers.notna().sum() > 1:
                bold = ["font-weight: bold" if item else "" for item in numbers == numbers.max()]
                self.apply(lambda _, bold=bold: bold, subset=[column])
        return self

    def best_in_rows(self, values: pd.DataFrame) -> Self:
        """Print the largest value of each row in bold; equal ones together.

        Args:
            values: the columns that are compared, as they are printed.
        """
        best = values.eq(values.max(axis="columns"), axis="index")
        for column in best:
            bold = ["font-weight: bold" if item else "" for item in best[column]]
            self.apply(lambda _, bold=bold: bold, subset=[column])
        return self

    def to_html(self, *arguments: Any, **options: Any) -> Any:
        """As pandas writes it, with the scope of every heading (WCAG 1.3.1), and the cells that name a row as headings."""
        written = super().to_html(*arguments, **options)
        if not isinstance(written, str):
            return written
        written = _HEAD.sub(lambda match: f'<th scope="col{"group" if match[2] else ""}" {match[1]}', written)
        for column in range(self._headings):
            cell = rf'<td (id="[^"]*_row\d+_col{column}" [^>]*)>(.*?)</td>'
            written = re.sub(cell, r'<th scope="row" \1>\2</th>', written, flags=re.DOTALL)
        return written

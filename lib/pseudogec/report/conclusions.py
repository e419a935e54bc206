"""Conclusions that were written by hand for a run; each of their numbers is checked against the
run's tables.

``notebooks/conclusions/<profile>.md`` has a section for each notebook. It begins with a list, the
answer in short. A number is a link to its cell:

    Direct noise reaches [30.3](generation_methods.csv?method=direct_noise#f05).

The path is a table in the run's folder ``tables``, the query names its row, the fragment its
column. A cell with words, such as the interval of a claim, agrees if it contains the text of the
link.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from pseudogec.artefacts.errors import UserError
from pseudogec.report.display import Finding, csv_cell
from pseudogec.study.study import PROJECT

FOLDER = PROJECT / "notebooks" / "conclusions"
"""A Markdown file for each profile that has conclusions."""

NUMBER = re.compile(
    r"\[(?P<text>[^\[\]]*(?:\[[^\[\]]*\])?[^\[\]]*)\]\((?P<link>[^()\s]+\.csv\?[^()\s]*#[^()\s]+)\)"
)
"""A link to a cell of a table."""


class Number(NamedTuple):
    """A number in a text.

    Attributes:
        text: as it is written, rounded.
        table: name of a CSV file.
        row: column -> its value in the row.
        column: of the number's cell.
    """

    text: str
    table: str
    row: Mapping[str, str]
    column: str

    def disagreement(self, tables: Path) -> str:
        """How the number differs from the table; empty where it agrees to its last digit."""
        cell = self._cell(tables / self.table)
        try:
            written, in_table = float(_plain(self.text)), float(cell)
        except ValueError:
            agrees = _plain(self.text) in _plain(cell)
        else:
            decimals = len(_plain(self.text).partition(".")[2])
            agrees = abs(written - in_table) <= 0.5 * 10**-decimals + 1e-9
        return "" if agrees else f"{self.text} is {cell} in {self.table}"

    def _cell(self, path: Path) -> str:
        """The cell's text.

        Raises:
            UserError: no such column, or not one such row.
        """
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        unknown = {self.column, *self.row} - set(rows[0] if rows else ())
        if unknown:
            raise UserError(f"{path} has no column {', '.join(sorted(unknown))}")
        matches = [
            row
            for row in rows
            if all(row[name] == csv_cell(value) for name, value in self.row.items())
        ]
        if len(matches) != 1:
            raise UserError(
                f"{path} has {len(matches)} rows with {dict(self.row)}; a number must "
                "name exactly one"
            )
        return matches[0][self.column]


def numbers(text: str) -> Iterator[Number]:
    """The numbers of a text, in order."""
    for match in NUMBER.finditer(text):
        link = urlsplit(match["link"])
        yield Number(
            match["text"], link.path, dict(parse_qsl(link.query)), unquote_plus(link.fragment)
        )


def sections(profile: str) -> dict[str, str]:
    """Notebook to what is concluded there; empty for a profile without conclusions."""
    path = FOLDER / f"{profile}.md"
    if not path.is_file():
        return {}
    parts = re.split(r"^## +(\S+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}


def conclusion(profile: str, section: str, outputs: Path) -> tuple[Finding, Finding] | None:
    """The list at the start of a section and the text behind it, or None if there is none or if it
    was written for other results.

    Args:
        outputs: folder of the results.
    """
    text = sections(profile).get(section)
    if text is None or disagreements(text, outputs):
        return None
    shown = NUMBER.sub(
        lambda match: f"[{match['text']}](../tables/{urlsplit(match['link']).path})", text
    )
    paragraphs = shown.split("\n\n")
    return Finding(paragraphs[0]), Finding("\n\n".join(paragraphs[1:]))


def disagreements(text: str, outputs: Path) -> list[str]:
    """How a text's numbers differ from the results; tables of notebooks that were not executed yet
    are not compared.
    """
    problems = []
    for number in numbers(text):
        if not (outputs / "tables" / number.table).is_file():
            continue
        try:
            problems.append(number.disagreement(outputs / "tables"))
        except UserError as error:
            problems.append(str(error))
    return [said for said in problems if said]


def _plain(text: str) -> str:
    return text.replace("\N{MINUS SIGN}", "-").replace(",", "").strip()

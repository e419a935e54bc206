"""An executed notebook as a page: nbconvert's exporter with a template of ours, and what tables of contents list of it.

nbconvert's own templates were measured on notebook 01: `lab` makes a page of 848 kB, `classic` one of 826 kB, both with scripts
from elsewhere; ours has 164 kB and needs no network, because pictures are files and formulas MathML. So nbconvert serves with its
preprocessors, its filters and `display_priority.j2`, on which `templates/cells.html` builds. What no template can know (headings,
where tables were saved, which cells head what) is read from the HTML that it makes.
"""

from __future__ import annotations

import base64
import csv
import io
import itertools
import re
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from bs4 import BeautifulSoup, Tag
from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from traitlets import Any as AnyTrait
from traitlets import Unicode

from artefacts.files import write_atomically
from pseudogec import METADATA
from pseudogec.report.display import TABLE_ATTRIBUTE, csv_cell
from pseudogec.report.site.run_record import PAGES

FINDING_TAG = "finding"
"""Tag of cells whose sentences the index repeats."""

SENTENCE_TAG = "sentence"
"""Tag of the cell that shows a sentence as several systems correct it; the index repeats its output."""

_SENTENCE = "one-sentence"

_SIGNATURE = re.compile(r" Metrics?: \S+\|.*$", re.DOTALL)

_LONGEST_NUMBER = 32  # characters of "+25.0 [+10.0, +40.0] *" and the like

CLAIMS = "claims_"
"""How the file names of tables of claims begin."""

_UPRIGHT = 12
"""Columns of a table that fit on an upright sheet of paper."""

_DOTS_A_PIXEL = 1.5
"""Pictures are drawn for dense screens and print: how many of their dots make a pixel of the page."""

_OTHERWISE_ALT = "A figure without a description; the text around it and the code above say what it shows."


@dataclass(frozen=True)
class Entry:
    """A heading, figure or table of a page.

    Attributes:
        depth: of a heading: 2 is a section, 3 one within.
        links: kind of file -> the file, as the page links to it.
    """

    anchor: str
    text: str
    depth: int = 2
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Headline:
    """A sentence with numbers for the index, from a cell tagged ``finding``; ``data`` links to the numbers behind the figure or
    table above it, if there are any.
    """

    html: str
    anchor: str
    data: str


@dataclass(frozen=True)
class ClaimTable:
    """A table of :meth:`pseudogec.report.Report.claims`, for the index: its rows as printed, and a link to its CSV file."""

    rows: tuple[dict[str, str], ...]
    anchor: str
    data: str


@dataclass(frozen=True)
class NotebookPage:
    """A notebook's page, and the parts of it that the index repeats.

    Attributes:
        sentence: a table as HTML, of a sentence as several systems correct it; empty if the notebook has none.
    """

    name: str
    title: str
    html: str
    headings: tuple[Entry, ...]
    figures: tuple[Entry, ...]
    tables: tuple[Entry, ...]
    headlines: tuple[Headline, ...]
    claims: tuple[ClaimTable, ...]
    sentence: str

    @property
    def verdicts(self) -> dict[str, int]:
        """How many of the notebook's claims have each verdict, the most frequent first."""
        return count_verdicts(row["verdict"] for table in self.claims for row in table.rows)

    @property
    def tells_findings(self) -> bool:
        return bool(self.claims or self.headlines)


def count_verdicts(given: Iterable[str]) -> dict[str, int]:
    """How often each verdict is given, the most frequent first; several comparisons of one claim may have several."""
    return dict(Counter("of several verdicts" if "," in verdict else verdict for verdict in given).most_common())


def read_page(outputs: Path, name: str) -> NotebookPage:
    """Make the executed notebook ``notebooks/NAME.ipynb`` of a folder of results ready for its page."""
    notebook = nbformat.read(outputs / "notebooks" / f"{name}.ipynb", as_version=4)
    _mark_headlines(notebook)
    _mark_sentence(notebook)
    html, _ = PageExporter(outputs, name).from_notebook_node(notebook)
    page = BeautifulSoup(html, "html.parser")
    title = page.h1.get_text() if page.h1 else name
    headings = tuple(_headings(page))
    tables = tuple(_tables(page, outputs, name))
    figures, headlines, claims = tuple(_figures(page)), tuple(_headlines(page)), tuple(_claim_tables(outputs, tables))
    for code in page.find_all("pre"):
        code["tabindex"] = "0"  # scrollable by keyboard, too
    return NotebookPage(name, title, str(page), headings, figures, tables, headlines, claims, _sentence(page))


def _mark_headlines(notebook: NotebookNode) -> None:
    """Give each finding an element of its own; one without a number says only that the profile has nothing to say here."""
    number = 0
    for cell in notebook.cells:
        if FINDING_TAG in cell.metadata.get("tags", []):
            for output in cell.outputs:
                text = output.get("data", {}).get("text/markdown", "")
                if any(map(str.isdigit, text)):
                    number += 1
                    output.data["text/markdown"] = f"<div class='finding' id='finding-{number}'>\n\n{text}\n\n</div>"


def _mark_sentence(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if SENTENCE_TAG in cell.metadata.get("tags", []):
            for output in cell.outputs:
                if table := output.get("data", {}).get("text/html"):
                    output.data["text/html"] = f"<div id='{_SENTENCE}'>{table}</div>"


def _sentence(page: BeautifulSoup) -> str:
    """The marked sentence for the index, one folder above: with links from there, and without anchors."""
    marked = page.find(id=_SENTENCE)
    if not isinstance(marked, Tag) or marked.parent is None:
        return ""
    copied = BeautifulSoup(str(marked.parent), "html.parser")
    for element in copied.find_all(id=True):
        del element["id"]
    return str(copied).replace('"../', '"')


def _headlines(page: BeautifulSoup) -> Iterator[Headline]:
    for element in page.select(".finding"):
        data = element.find_previous("a", href=re.compile(r"\.csv$"))
        yield Headline(element.decode_contents().strip(), str(element["id"]), str(data["href"]) if data else "")


def _claim_tables(outputs: Path, tables: Sequence[Entry]) -> Iterator[ClaimTable]:
    for table in tables:
        [(_, data)] = table.links
        if Path(data).name.startswith(CLAIMS):
            with (outputs / PAGES / data).open(encoding="utf-8", newline="") as stream:
                yield ClaimTable(tuple(csv.DictReader(stream)), table.anchor, data)


def _headings(page: BeautifulSoup) -> list[Entry]:
    entries: list[Entry] = []
    for heading in page.find_all(["h2", "h3"]):
        words = heading.get_text()
        anchor = _unused(re.sub(r"[^\w]+", "-", words.lower()).strip("-") or "section", {entry.anchor for entry in entries})
        heading["id"] = anchor
        entries.append(Entry(anchor, words, int(heading.name[1])))
    return entries


def _figures(page: BeautifulSoup) -> Iterator[Entry]:
    for figure in page.find_all("figure", id=True):
        links = tuple((link.get_text(), str(link["href"])) for link in figure.select(".files a"))
        anchor = str(figure["id"])
        yield Entry(anchor, anchor.removeprefix("figure-").replace("_", " "), links=links)


def _tables(page: BeautifulSoup, outputs: Path, name: str) -> list[Entry]:
    """Put each table into a box that scrolls by itself, with a link to its data."""
    entries: list[Entry] = []
    for number, table in enumerate(page.find_all("table"), start=1):
        if table.find_parent("table"):
            continue
        saved = str(table.get(TABLE_ATTRIBUTE, ""))
        path = outputs / "tables" / f"{saved}.csv"
        if not saved or not path.is_file():
            path = outputs / PAGES / "tables" / f"{name}-{number}.csv"
            write_as_shown(table, path)
        anchor = _unused(f"table-{saved or number}", {entry.anchor for entry in entries})
        section = table.find_previous(["h2", "h1"])
        text = saved.replace("_", " ") or (section.get_text() if section else name)
        link = relative(path, outputs)
        _mark_headers(table)
        _mark_numbers(table)
        columns = max(map(_columns, table.find_all("tr")), default=0)
        box = page.new_tag("div", attrs={"class": "table wide" if columns > _UPRIGHT else "table", "id": anchor})
        scroller = {"class": "scroll", "tabindex": "0", "role": "group", "aria-label": f"Table: {text}"}
        table.wrap(box)
        table.wrap(page.new_tag("div", attrs=scroller))
        files = page.new_tag("p", attrs={"class": "files"})
        if table.caption:
            files.append(_moved_caption(page, table))
        files.append(page.new_tag("a", attrs={"href": link}, string="data (CSV)"))
        box.append(files)
        entries.append(Entry(anchor, text, links=(("data (CSV)", link),)))
    return entries


def _columns(row: Tag) -> int:
    return sum(int(str(cell.get("colspan", "1"))) for cell in row.find_all(["th", "td"]))


def _moved_caption(page: BeautifulSoup, table: Tag) -> Tag:
    """The caption as a line below the box, which does not grow as wide as the table; the table is described by it."""
    assert table.caption is not None
    caption = page.new_tag("span", attrs={"class": "caption"})
    caption.extend(list(table.caption.contents))
    # The signature of a metric names versions and options: for those who compare scores, on a line of its own.
    text = caption.get_text()
    if found := _SIGNATURE.search(text):
        caption.string = text[: found.start()]
        caption.append(page.new_tag("span", attrs={"class": "signature"}, string=found[0].strip()))
    table.caption.decompose()
    caption["id"] = f"{table.find_parent(class_='table')['id']}-caption"  # type: ignore[index]
    table["aria-describedby"] = caption["id"]
    return caption


def _mark_headers(table: Tag) -> None:
    for cell in table.find_all("th"):
        in_head = cell.find_parent("thead") is not None
        if not cell.get_text(strip=True):
            cell.name = "td"  # a corner or a filler heads nothing
            cell.attrs.pop("scope", None)
        elif not cell.get("scope"):
            wide = int(str(cell.get("colspan", "1"))) > 1
            cell["scope"] = ("colgroup" if wide else "col") if in_head else ("rowgroup" if wide else "row")


def _mark_numbers(table: Tag) -> None:
    """Mark cells with a number, if need be with its spread and chance, which must not be torn apart."""
    for cell in table.select("tbody td"):
        words = cell.get_text(strip=True)
        if re.match(r"[+\-\N{MINUS SIGN}\N{FIGURE SPACE}]*\d", words) and len(words) <= _LONGEST_NUMBER:
            cell["class"] = " ".join([*(cell.get("class") or []), "number"])


def write_as_shown(table: Tag, path: Path) -> None:
    """Write a table that was not saved as data as it is shown, for readers who want to compute with it.

    A cell over several rows, such as that of a group, is written in each of them.
    """
    rows = table.find_all("tr")
    grid: list[dict[int, str]] = [{} for _ in rows]
    for number, row in enumerate(rows):
        for cell in row.find_all(["th", "td"]):
            first = next(column for column in itertools.count() if column not in grid[number])
            high, wide = (int(str(cell.get(span, "1"))) for span in ("rowspan", "colspan"))
            for below in grid[number : number + high]:
                below |= {first: " ".join(cell.get_text(" ").split()), **dict.fromkeys(range(first + 1, first + wide), "")}
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([csv_cell(cells[column]) for column in sorted(cells)] for cells in grid)
    with write_atomically(path) as stream:
        stream.write(text.getvalue().encode())


def _unused(anchor: str, used: set[str]) -> str:
    number = 2
    free = anchor
    while free in used:
        free, number = f"{anchor}-{number}", number + 1
    return free


# nbconvert


class Pictures(Preprocessor):
    """Finds or writes the file of each PNG among a notebook's outputs; drops captions, which go with their pictures."""

    outputs = AnyTrait(help="The folder of results, a Path.")
    notebook = Unicode(help="The notebook's name, for files of pictures that have no name of their own.")

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        """Say in each picture's metadata where its files are, and how large it is."""
        if cell.cell_type != "code":
            return cell, resources
        cell.outputs = [output for output in cell.outputs if not _about(output).get("caption_of")]
        for place, output in enumerate(cell.outputs):
            if "image/png" in output.get("data", {}):
                output.metadata["picture"] = self._picture(output, f"{self.notebook}-{index + 1}-{place + 1}")
        return cell, resources

    def _picture(self, output: NotebookNode, otherwise: str) -> dict[str, Any]:
        about = _about(output)
        name = about.get("figure", "")
        stem = self.outputs / "figures" / name
        if not name or not stem.with_name(f"{name}.png").is_file():
            name, stem = otherwise, self.outputs / PAGES / "pictures" / otherwise
            with write_atomically(stem.with_name(f"{name}.png")) as stream:
                stream.write(base64.b64decode(output.data["image/png"]))
        files = {kind: stem.with_name(f"{name}.{kind}") for kind in ("png", "svg", "csv")}
        links = {kind: relative(path, self.outputs) for kind, path in files.items() if path.is_file()}
        with files["png"].open("rb") as stream:  # the size stands behind the signature of a PNG and the name of its first chunk
            width, height = struct.unpack(">II", stream.read(24)[16:])
        return {
            "name": name,
            "links": links,
            "width": round(width / _DOTS_A_PIXEL),
            "height": round(height / _DOTS_A_PIXEL),
            "alt": output.metadata.get("image/png", {}).get("alt") or _OTHERWISE_ALT,
            "caption": about.get("caption", ""),
        }


def relative(path: Path, outputs: Path) -> str:
    return f"../{path.relative_to(outputs).as_posix()}"


def _about(output: NotebookNode) -> Any:
    return output.get("metadata", {}).get(METADATA, {})


class _Renderer(IPythonRenderer):
    """Markdown with formulas as MathML; links to notebooks lead to their pages."""

    def block_math(self, body: str) -> str:
        return mathml(body, block=True)

    def inline_math(self, body: str) -> str:
        return mathml(body, block=False)

    def latex_environment(self, name: str, body: str) -> str:
        return mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", block=True)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        page = re.fullmatch(r"(\w+)\.ipynb(#.*)?", url)
        if page:
            return str(super().link(text, f"{page[1]}.html{(page[2] or '').lower()}", title))
        # A file beside the notebooks' sources is none of the results; the tables are.
        return str(super().link(text, url, title)) if re.match(r"https?:|#|\.\./tables/", url) else text


class PageExporter(HTMLExporter):
    """Makes the content of a page of an executed notebook."""

    exclude_anchor_links = True

    def __init__(self, outputs: Path, notebook: str) -> None:
        super().__init__(template_name="classic", preprocessors=[Pictures(outputs=outputs, notebook=notebook, enabled=True)])
        self.raw_template = (Path(__file__).parent / "templates" / "cells.html").read_text(encoding="utf-8")
        self.config.NbConvertBase.display_data_priority = ["text/html", "text/markdown", "image/png", "text/plain"]

    @pass_context
    def markdown2html(self, context: Context, source: str) -> str:
        """Markdown to HTML; the name is nbconvert's."""
        return str(MarkdownWithMath(renderer=_Renderer(escape=False, exclude_anchor_links=True)).render(source))


# Formulas

_KNOWN_OTHERWISE = {r"\arg": r"\operatorname{arg}", r"\textsc": r"\text"}
"""Commands that the converter does not know -> what stands for them."""

_LONG = 60
"""Characters of LaTeX from which a formula within a line may be wider than a small screen, and scrolls by itself."""

_COMMAND = re.compile(r"\\[A-Za-z]+")

_UNREAD = re.compile(rf'{_COMMAND.pattern}|<mi>&</mi>|linebreak="newline"|href=')
"""What the converter leaves of commands and environments (``aligned``) that it does not know; no browser breaks such lines. And
links, which may hold a script."""


def mathml(formula: str, block: bool) -> str:
    """A formula, LaTeX without dollars, as MathML; as code where it cannot be converted."""
    from latex2mathml.converter import convert

    known = _COMMAND.sub(lambda command: _KNOWN_OTHERWISE.get(command[0], command[0]), formula.strip())
    try:
        converted = convert(known, display="block" if block else "inline")
    except Exception:  # whatever a typing error in a formula may lead to
        converted = None
    if converted is None or _UNREAD.search(converted):
        return f"<code class='formula'>{escape(formula.strip())}</code>"
    if block:
        return f"<div class='formula' tabindex='0' role='group' aria-label='Formula'>{converted}</div>"
    if len(formula) > _LONG:
        return f"<span class='formula long' tabindex='0' role='group' aria-label='Formula'>{converted}</span>"
    return converted

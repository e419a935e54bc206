"""Slides of a notebook for a lesson.

Each figure, table, algorithm (with its output), finding and exercise has a slide of its own, with the paragraph before it. A
section without any of these has a slide with its first paragraph. Everything else is only on the notebook's page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

_LEAD = 330
"""Characters of the text above a figure, table or algorithm; of a longer text the first sentences are shown."""

_TEXT = 750
"""Characters of a slide of text alone."""

_ROWS = 9
"""Rows of a table that can be read from the back of a room; the others are on the notebook's page."""

_LINES = 18
"""Most lines of code on a slide; longer code is divided between functions, where two lines are empty."""

_EXERCISE = re.compile(r"Exercise \d+\.")

_NOTES = re.compile(r"○|Compute:|This notebook needs")
"""How those notes begin that only help to run the notebook."""

_REST = re.compile(r"^<p>[a-z][^.<]*\.\s+")
"""The end of a sentence that a formula interrupts."""


@dataclass(frozen=True)
class Slide:
    title: str
    html: str


@dataclass
class _Section:
    """A part of a notebook below one heading, or one exercise.

    Attributes:
        text: paragraphs since the last slide.
        opening: whether the notebook begins with it.
        shown: whether it has a slide.
    """

    title: str
    text: list[Tag] = field(default_factory=list)
    opening: bool = False
    shown: bool = False

    def slide(self, *things: Tag) -> Slide:
        """A slide of these things below their text: the last paragraph, or all of an exercise.

        On the first slide it is the first paragraph, which asks the notebook's question.
        """
        exercise = any(_EXERCISE.match(part.get_text()) for part in self.text)
        if exercise or not things:
            parts = self.text
        elif self.opening and not self.shown:
            parts = self.text[:1]
        else:
            parts = self.text[-1:]
        lead = "".join(_REST.sub("<p>", _shortened(part, _LEAD if things and not exercise else _TEXT)) for part in parts)
        self.text, self.shown = [], True
        return Slide(self.title, lead + "".join(map(str, things)))


def slides(html: str) -> list[Slide]:
    """The slides of a notebook's page, from its content as HTML."""
    return list(_slides(BeautifulSoup(html, "html.parser")))


def _slides(page: BeautifulSoup) -> Iterator[Slide]:
    section = _Section("")
    for block in _blocks(page):
        if block.name in {"h1", "h2", "h3"}:
            yield from _left_over(section)
            section = _Section(block.get_text(), opening=block.name == "h1")
        elif _EXERCISE.match(block.get_text()):
            yield from _left_over(section)
            section = _Section(section.title, [block])
        elif block.name in {"p", "ul", "ol", "blockquote"}:
            section.text.append(block)
        else:
            for things in _things(block):
                yield section.slide(*things)
    yield from _left_over(section)


def _left_over(section: _Section) -> Iterator[Slide]:
    """A slide of text alone, for a section without anything else: its first paragraph, or an exercise that has no stub."""
    if section.text and not section.shown:
        if not _EXERCISE.match(section.text[0].get_text()):
            section.text = section.text[:1]
        yield section.slide()


def _blocks(page: BeautifulSoup) -> Iterator[Tag]:
    """Headings, paragraphs, and cells of code with their output, in the order of the page."""
    for cell in page.find_all("div", class_=["prose", "cell"]):
        yield from cell.find_all(True, recursive=False) if "prose" in cell["class"] else [cell]


def _things(block: Tag) -> Iterator[list[Tag]]:
    """The contents of a block's slides: unfolded code with its printed output, or figures, tables, findings, a formula, code."""
    if block.name == "details":  # hints and solutions
        return
    code = block.select_one("details.code[open] .highlight")
    if code is not None:
        *first, last = _parts(code)
        yield from ([part] for part in first)
        yield [last, *block.select("pre.printed")]
    else:
        own = set(block.get("class") or [])
        told = [part for part in block.select(".output > p, .output > ul") if not _is_note(part)]
        found = block.select("figure, .table, .finding") or told
        if not found and (block.name == "pre" or {"formula", "table", "highlight"} & own):
            found = [block]
        if found:
            yield [_fitted(copy(thing)) for thing in found]


def _is_note(part: Tag) -> bool:
    text = part.get_text()
    return bool(_NOTES.match(text)) or (part.em is not None and part.em.get_text() == text)


def _parts(code: Tag) -> list[Tag]:
    """Code in parts of at most ``_LINES`` lines each, except that no function is divided."""
    lines = code.pre
    if lines is None or lines.get_text().count("\n") <= _LINES:
        return [code]
    first, *others = lines.decode_contents().strip("\n").split("\n\n\n")
    parts = [first]
    for part in others:
        joined = f"{parts[-1]}\n\n\n{part}"
        if joined.count("\n") < _LINES:
            parts[-1] = joined
        else:
            parts.append(part)
    made = BeautifulSoup("".join(f"<div class='highlight'><pre>{part}</pre></div>" for part in parts), "html.parser")
    return list(made.find_all("div"))


def _fitted(thing: Tag) -> Tag:
    """A figure or table without links, signatures and identifiers, and with the first of many rows."""
    for element in [thing, *thing.find_all(id=True)]:
        del element["id"]
    for element in thing.select(".signature, .files a, span.files"):
        element.decompose()
    for picture in thing.select("a.enlarge img"):
        link = picture.parent
        assert isinstance(link, Tag)
        picture["src"] = str(link["href"])
        del picture["width"], picture["height"]
        link.unwrap()
    for caption in thing.select(".caption"):
        caption.string = _sentences(caption.get_text(), _LEAD // 2)
    rows = thing.select("tbody tr") or thing.select("tr")
    for row in rows[_ROWS:]:
        row.decompose()
    if more := len(rows[_ROWS:]):
        note = f"<p class='more'>… and {more} more {'rows' if more > 1 else 'row'} on the page</p>"
        thing.append(BeautifulSoup(note, "html.parser"))
    return thing


def _shortened(part: Tag, most: int) -> str:
    """The first sentences of a paragraph, or items of a list: about ``most`` characters, at least one sentence or item."""
    if len(part.get_text()) <= most:
        return str(part)
    if part.name in {"ul", "ol"}:
        kept = copy(part)
        items, length = kept.find_all("li", recursive=False), 0
        for place, item in enumerate(items):
            length += len(item.get_text())
            if place and length > most:
                item.decompose()
        return str(kept)
    html, length = str(part), 0
    for end in re.finditer(r"[.:?!](?=\s+[A-Z0-9<*“(])", html):
        piece = BeautifulSoup(html[: end.end()], "html.parser")  # closes what is open
        if (length := len(piece.get_text())) >= most / 2:
            break
    return str(piece) if length else html


def _sentences(text: str, most: int) -> str:
    """The first sentences of a text, at least one."""
    kept = ""
    for sentence in re.split(r"(?<=[.;])\s+", " ".join(text.split())):
        if kept and len(kept) + len(sentence) > most:
            break
        kept = f"{kept} {sentence}".strip()
    return kept

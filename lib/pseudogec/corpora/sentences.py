"""Formats of grammatical text: the seed corpora from which pseudo data are made."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pydantic import Field

from pseudogec.artefacts.errors import DataError
from pseudogec.artefacts.files import read_lines
from pseudogec.corpora.formats import SENTENCE_FORMATS, FileSentences
from pseudogec.corpora.sampling import WHOLE, Share
from pseudogec.languages import ENGLISH, Language
from pseudogec.text import sentence_spans, tokenise

OnRead = Callable[[int], None] | None

_GIGAWORD_TYPE = re.compile(r'<DOC .*\btype="(\w+)"')


@SENTENCE_FORMATS.register
class Plain(FileSentences):
    """One sentence a line."""

    name = "plain"
    quickly_counted = True

    tokenised: bool = Field(True, description="whether lines are tokens with spaces between")

    def read_file(
        self, path: Path, share: Share = WHOLE, on_read: OnRead = None
    ) -> Iterator[list[str]]:
        return read_plain(path, self.tokenised, share, on_read, self.language)


@SENTENCE_FORMATS.register
class CirrusSearch(FileSentences):
    """A search dump of (Simple) Wikipedia: JSON lines in twos, an index entry and a page; only
    articles (name space 0) are read.

    Pages of other shares are skipped unparsed, at the speed of decompression.
    """

    name = "cirrussearch"

    def read_file(
        self, path: Path, share: Share = WHOLE, on_read: OnRead = None
    ) -> Iterator[list[str]]:
        return _split(_articles(path, share, on_read), self.language)


@SENTENCE_FORMATS.register
class Gigaword(FileSentences):
    """Files of the LDC's English Gigaword, such as ``afp_eng_201012.gz``.

    Only documents of type ``story`` are read, and of these the paragraphs, without headline and
    dateline.
    """

    name = "gigaword"

    def read_file(
        self, path: Path, share: Share = WHOLE, on_read: OnRead = None
    ) -> Iterator[list[str]]:
        return _split(_paragraphs(path, share, on_read), self.language)


def read_plain(
    path: Path | str,
    tokenised: bool = True,
    share: Share = WHOLE,
    on_read: OnRead = None,
    language: Language = ENGLISH,
) -> Iterator[list[str]]:
    """Yield the sentences of a text file, one a line, plain or compressed; see
    `FileSentences.read_file`.

    Raises:
        DataError: the file cannot be read.
    """
    lines = read_lines(path, on_read)
    if share is not WHOLE:
        lines = (line for place, line in enumerate(lines) if share.takes(place))
    return (line.split() for line in lines) if tokenised else tokenise(lines, language)


def _split(texts: Iterable[str], language: Language) -> Iterator[list[str]]:
    return tokenise(
        (text[start:end] for text in texts for start, end in sentence_spans(text)), language
    )


def _articles(path: Path, share: Share, on_read: OnRead) -> Iterator[str]:
    for number, line in enumerate(read_lines(path, on_read), start=1):
        if not share.takes((number - 1) // 2):
            continue
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise DataError(
                path, f"expected the JSON of a cirrussearch dump ({error})", number
            ) from None
        if isinstance(entry, dict) and "text" in entry and entry.get("namespace", 0) == 0:
            yield entry["text"]


def _paragraphs(path: Path, share: Share, on_read: OnRead) -> Iterator[str]:
    document = -1
    is_read = False
    paragraph: list[str] | None = None  # None outside of paragraphs
    for line in read_lines(path, on_read):
        if line.startswith("<DOC "):
            document += 1
            kind = _GIGAWORD_TYPE.match(line)
            is_read = kind is not None and kind[1] == "story" and share.takes(document)
        elif line == "<P>" and is_read:
            paragraph = []
        elif line == "</P>" and paragraph is not None:
            yield html.unescape(" ".join(paragraph))
            paragraph = None
        elif paragraph is not None:
            paragraph.append(line)

"""Seed corpora in the formats in which they are distributed: Wikipedia's search dump and Gigaword."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from artefacts.errors import DataError
from artefacts.files import read_lines
from pseudogec.corpora.splits import WHOLE, Share
from pseudogec.text import sentence_spans, tokenise

_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which JSON can name and UTF-8 cannot hold
_GIGAWORD_TYPE = re.compile(r'<DOC .*\btype="(\w+)"')
_AFTER_PARAGRAPH = {"<P>", "</TEXT>", "</DOC>"}


def read_cirrussearch(path: Path | str, share: Share = WHOLE, told: Callable[[int], None] | None = None) -> Iterator[list[str]]:
    """Yield the sentences of a cirrussearch dump of (Simple) Wikipedia, split and tokenised.

    The dump is JSON lines in twos, an index entry and a page; only articles (name space 0) are read.

    Args:
        path: such as ``simplewiki-20190225-cirrussearch-content.json.gz``.
        share: read only these of the pages. The others are skipped unparsed, at the speed of decompression.
        told: called with the number of bytes read since the last call, before decompression.

    Raises:
        DataError: the file cannot be read, a line is not JSON, or a page's text is no text that can be written as UTF-8.
    """
    return tokenise(_split(_articles(path, share, told)))


def read_gigaword(path: Path | str, share: Share = WHOLE, told: Callable[[int], None] | None = None) -> Iterator[list[str]]:
    """Yield the sentences of a file of the LDC's English Gigaword, split and tokenised.

    Of the documents only those of type ``story`` are read, and of these the paragraphs, without headline and dateline.

    Args:
        path: such as ``afp_eng_201012.gz``.
        share: read only these of the documents.
        told: called with the number of bytes read since the last call, before decompression.

    Raises:
        DataError: the file cannot be read, or a paragraph of those that are read has no end.
    """
    return tokenise(_split(_paragraphs(path, share, told)))


def _split(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for start, end in sentence_spans(text):
            yield text[start:end]


def _articles(path: Path | str, share: Share, told: Callable[[int], None] | None) -> Iterator[str]:
    for number, line in enumerate(read_lines(path, told), start=1):
        if not share.takes((number - 1) // 2):
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(path, f"expected the JSON of a cirrussearch dump ({error})", number) from None
        if isinstance(entry, dict) and "text" in entry and entry.get("namespace", 0) == 0:
            text = entry["text"]
            if not isinstance(text, str) or _SURROGATE.search(text):
                raise DataError(path, "the `text` of this page is not a string of Unicode characters", number)
            yield text


def _paragraphs(path: Path | str, share: Share, told: Callable[[int], None] | None) -> Iterator[str]:
    document = -1
    is_read = False
    paragraph: list[str] | None = None  # None outside of paragraphs
    for number, line in enumerate(read_lines(path, told), start=1):
        if paragraph is not None and (line in _AFTER_PARAGRAPH or line.startswith("<DOC ")):
            raise DataError(path, f"{line} stands within a paragraph; </P> must end it first", number)
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
    if paragraph is not None:
        raise DataError(path, "the file ends within a paragraph: it was cut short")

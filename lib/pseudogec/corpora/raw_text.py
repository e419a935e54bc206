"""Seed corpora in the formats in which they are distributed: Wikipedia's search dump and Gigaword."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from pseudogec.errors import DataError
from pseudogec.files import read_lines
from pseudogec.text import sentence_spans, tokenise

_GIGAWORD_TYPE = re.compile(r'<DOC .*\btype="(\w+)"')


def read_cirrussearch(path: Path | str) -> Iterator[list[str]]:
    """Yield the sentences of a cirrussearch dump of (Simple) Wikipedia, split and tokenised.

    The dump is JSON lines in twos, an index entry and a page; only articles (name space 0) are read.

    Args:
        path: such as ``simplewiki-20190225-cirrussearch-content.json.gz``.

    Raises:
        DataError: the file cannot be read or a line is not JSON.
    """
    return tokenise(_split(_articles(path)))


def read_gigaword(path: Path | str) -> Iterator[list[str]]:
    """Yield the sentences of a file of the LDC's English Gigaword, split and tokenised.

    Of the documents only those of type ``story`` are read, and of these the paragraphs, without headline and dateline.

    Raises:
        DataError: the file cannot be read.
    """
    return tokenise(_split(_paragraphs(path)))


def _split(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for start, end in sentence_spans(text):
            yield text[start:end]


def _articles(path: Path | str) -> Iterator[str]:
    for number, line in enumerate(read_lines(path), start=1):
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(path, f"expected the JSON of a cirrussearch dump ({error})", number) from None
        if isinstance(entry, dict) and "text" in entry and entry.get("namespace", 0) == 0:
            yield entry["text"]


def _paragraphs(path: Path | str) -> Iterator[str]:
    is_story = False
    paragraph: list[str] | None = None  # None outside of paragraphs
    for line in read_lines(path):
        if line.startswith("<DOC "):
            kind = _GIGAWORD_TYPE.match(line)
            is_story = kind is not None and kind[1] == "story"
        elif line == "<P>" and is_story:
            paragraph = []
        elif line == "</P>" and paragraph is not None:
            yield html.unescape(" ".join(paragraph))
            paragraph = None
        elif paragraph is not None:
            paragraph.append(line)

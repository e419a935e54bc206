"""Learner corpora in the formats in which they are distributed: Lang-8 and NUCLE."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from artefacts.errors import DataError
from artefacts.files import read_lines
from pseudogec.corpora.character_edits import CharacterEdit, corrected_sentences
from pseudogec.corpora.pair import Pair, tokenise_pairs
from pseudogec.edits import DETECTION_TYPES

_PARAGRAPH = re.compile(r"<(?:P|TITLE)>\n?(.*?)\n?(?=</P>|</TITLE>|<P>|</TEXT>)", re.DOTALL)  # some closing tags are missing
_ANNOTATION = re.compile(r"<ANNOTATION\b[^>]*>(.*?)</ANNOTATION>", re.DOTALL)
_MISTAKE = re.compile(
    r'<MISTAKE start_par="(\d+)" start_off="(\d+)" end_par="(\d+)" end_off="(\d+)">\s*<TYPE>([^<]*)</TYPE>'
    r"\s*<CORRECTION(?:/>|>(.*?)</CORRECTION>)",
    re.DOTALL,
)


def read_lang8(path: Path | str) -> Iterator[Pair]:
    """Yield the pairs of the Lang-8 Corpus of Learner English (Tajiri et al. 2012), tokenised.

    A line has the number of corrections, two identifiers, the sentence's number, the sentence, and its corrections, with tabs
    between; blank lines separate entries. A sentence with several corrections gives as many pairs; one without is its own
    correction.

    Args:
        path: such as ``entries.train``.

    Raises:
        DataError: the file cannot be read or a line has too few fields.
    """
    return tokenise_pairs(_lang8_sentences(path))


def read_nucle(path: Path | str, annotator: int = 0) -> Iterator[Pair]:
    """Yield the pairs of NUCLE (Dahlmeier et al. 2013) in its SGML, split into sentences and tokenised.

    Titles count as paragraphs. An edit that overlaps the one before it or crosses the end of a paragraph is left out, as is
    an error without a correction.

    Args:
        path: such as ``nucle3.2.sgml``.
        annotator: which of a text's annotations is taken, counted from 0 (NUCLE has one; the CoNLL-2014 test set two).

    Raises:
        DataError: the file cannot be read, or a text lacks its end or the annotation, or has an edit beyond its paragraphs.
    """
    return tokenise_pairs(_nucle_sentences(path, annotator))


def _lang8_sentences(path: Path | str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) < 5:
            raise DataError(path, f"expected at least 5 fields with tabs between, as in Lang-8, not {len(fields)}", number)
        sentence, corrections = fields[4], [field for field in fields[5:] if field.strip()]
        for correction in corrections or [sentence]:
            yield sentence, correction


def _nucle_sentences(path: Path | str, annotator: int) -> Iterator[tuple[str, str]]:
    for number, document in _documents(path):
        text, _, annotations = document.partition("</TEXT>")
        paragraphs = _PARAGRAPH.findall(f"{text}</TEXT>")
        chosen = _ANNOTATION.findall(annotations)[annotator : annotator + 1]
        if not chosen:
            raise DataError(path, f"the text that begins here has no annotation {annotator} (counted from 0)", number)
        edits: list[list[CharacterEdit]] = [[] for _ in paragraphs]
        for start_paragraph, start, end_paragraph, end, kind, correction in _MISTAKE.findall(chosen[0]):
            if int(start_paragraph) >= len(paragraphs):
                raise DataError(path, f"the text that begins here has an edit beyond its {len(paragraphs)} paragraphs", number)
            if start_paragraph == end_paragraph and kind not in DETECTION_TYPES:
                edits[int(start_paragraph)].append((int(start), int(end), correction))
        for paragraph, found in zip(paragraphs, edits, strict=True):
            yield from corrected_sentences(paragraph, _without_overlaps(found, len(paragraph)))


def _documents(path: Path | str) -> Iterator[tuple[int, str]]:
    """The documents of a file, each with the number of its first line."""
    lines: list[str] = []
    first: int | None = None  # None between documents
    for number, line in enumerate(read_lines(path), start=1):
        if line.startswith("<DOC"):
            if first is not None:
                raise _unfinished(path, first)
            lines, first = [], number
        lines.append(line)
        if line.startswith("</DOC>") and first is not None:
            yield first, "\n".join(lines)
            first = None
    if first is not None:
        raise _unfinished(path, first)


def _unfinished(path: Path | str, first: int) -> DataError:
    return DataError(path, "the text that begins here has no </DOC>; the file is damaged or was cut short", first)


def _without_overlaps(edits: list[CharacterEdit], length: int) -> list[CharacterEdit]:
    kept: list[CharacterEdit] = []
    for edit in sorted(edits):
        if edit[0] <= edit[1] <= length and (not kept or kept[-1][1] <= edit[0]):
            kept.append(edit)
    return kept

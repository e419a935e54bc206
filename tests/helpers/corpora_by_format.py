"""Reading a corpus by the name of its format, as a profile does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pseudogec.corpora import PAIR_FORMATS, SENTENCE_FORMATS, FilePairs, FileSentences, Pair


def pairs_format(source: str, *files: Any, **fields: Any) -> FilePairs:
    found = PAIR_FORMATS.parse({"source": source, "files": list(files), **fields})
    assert isinstance(found, FilePairs)
    return found


def read_pairs(source: str, *files: Any, **fields: Any) -> Iterator[Pair]:
    return (sentence.pair for sentence in pairs_format(source, *files, **fields).read())


def sentence_format(source: str, *files: Path, **fields: Any) -> FileSentences:
    found = SENTENCE_FORMATS.parse({"source": source, "files": list(files), **fields})
    assert isinstance(found, FileSentences)
    return found


def read_sentences(source: str, *files: Path, **fields: Any) -> Iterator[list[str]]:
    return sentence_format(source, *files, **fields).read()

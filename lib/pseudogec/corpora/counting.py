"""How many sentences a corpus holds, counted without parsing it where its format allows that."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from artefacts.errors import DataError
from artefacts.files import DAMAGE, open_for_reading
from pseudogec.corpora.files import CorpusFiles, open_pairs, open_sentences
from pseudogec.edits.edit import DETECTION_TYPES

_BY_LINES = {"plain", "parallel", "jfleg"}
_UNCORRECTED = {b"noop", *(kind.encode() for kind in DETECTION_TYPES)}
_NO_SPAN = [b"A", b"-1", b"-1"]
_CHUNK = 2**20


class Count(NamedTuple):
    """Sentences of a corpus.

    Attributes:
        sentences: all.
        corrected: those that the first annotator corrected; of grammatical text none.
    """

    sentences: int
    corrected: int = 0


def is_quickly_counted(source: str) -> bool:
    """Whether sentences of a format are counted in the time of reading the files; others must be parsed or split."""
    return source == "m2" or source in _BY_LINES


def count_sentences(source: str, paths: Sequence[Path]) -> Count:
    """Count the sentences of a corpus.

    Args:
        source: the format, as in :class:`CorpusFiles`.
        paths: its files, plain or compressed; of parallel text and JFLEG the first is counted.

    Raises:
        DataError: a file is missing or damaged.
    """
    if is_quickly_counted(source):
        counts = [_count(source, path) for path in (paths if source in {"m2", "plain"} else paths[:1])]
        return Count(sum(count.sentences for count in counts), sum(count.corrected for count in counts))
    corpus = CorpusFiles.model_validate({"name": source, "format": source, "paths": tuple(paths)})
    if source in {"cirrussearch", "gigaword"}:
        return Count(sum(1 for _ in open_sentences(corpus)))
    differs = [pair.source != pair.target for pair in open_pairs(corpus)]
    return Count(len(differs), sum(differs))


def _count(source: str, path: Path) -> Count:
    with open_for_reading(path) as stream:
        try:
            return _count_m2(stream) if source == "m2" else Count(_count_lines(stream))
        except DAMAGE as error:
            raise DataError(path, f"the compressed file is damaged or cut short ({error})") from None


def _count_lines(stream: IO[bytes]) -> int:
    count, last = 0, b"\n"
    while chunk := stream.read(_CHUNK):
        count += chunk.count(b"\n")
        last = chunk[-1:]
    return count + (last != b"\n")


def _count_m2(stream: IO[bytes]) -> Count:
    sentences = corrected = 0
    is_corrected = False
    for line in stream:
        if line.startswith((b"S ", b"S\n", b"S\r")):
            sentences += 1
            corrected += is_corrected
            is_corrected = False
        elif not is_corrected and line.startswith(b"A ") and line.rstrip().endswith(b"|||0"):
            span, kind = line.split(b"|||", 2)[:2]
            is_corrected = kind not in _UNCORRECTED and span.split() != _NO_SPAN
    return Count(sentences, corrected + is_corrected)

"""Corpora of one sentence a line: plain text, parallel text, JFLEG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from artefacts.errors import DataError, UserError
from artefacts.files import read_lines
from pseudogec.corpora.pair import Pair, tokenise_pairs
from pseudogec.corpora.splits import WHOLE, Share
from pseudogec.text import tokenise


class ReferencedSentence(NamedTuple):
    """A source sentence and its references, all tokens."""

    source: list[str]
    references: list[list[str]]


def read_plain(
    path: Path | str, tokenised: bool = True, share: Share = WHOLE, told: Callable[[int], None] | None = None
) -> Iterator[list[str]]:
    """Yield the sentences of a text file, one a line, plain or compressed.

    Args:
        path: the file.
        tokenised: the file holds tokens with spaces between; otherwise each line is tokenised.
        share: read only these of the lines.
        told: called with the number of bytes read since the last call, before decompression.

    Raises:
        DataError: the file cannot be read.
    """
    lines = read_lines(path, told)
    if share is not WHOLE:
        lines = (line for place, line in enumerate(lines) if share.takes(place))
    return (line.split() for line in lines) if tokenised else tokenise(lines)


def read_parallel(source_path: Path | str, target_path: Path | str, tokenised: bool = True) -> Iterator[Pair]:
    """Yield the pairs of two files whose lines belong together.

    Args:
        source_path: ungrammatical sentences, one a line.
        target_path: their corrections, on the same lines.
        tokenised: the files hold tokens with spaces between; otherwise both sides are tokenised.

    Raises:
        DataError: a file cannot be read, or one has more lines than the other (both and their counts are named).
    """
    lines = ((source, target) for source, target in _read_together([source_path, target_path]))
    if tokenised:
        return (Pair(source.split(), target.split()) for source, target in lines)
    return tokenise_pairs(lines)


def read_jfleg(source_path: Path | str, reference_paths: Sequence[Path | str]) -> Iterator[ReferencedSentence]:
    """Yield the sentences of JFLEG (Napoles et al. 2017) or of any corpus with whole-sentence references.

    Args:
        source_path: tokenised sources, such as ``dev.src``.
        reference_paths: tokenised references on the same lines, such as ``dev.ref0`` to ``dev.ref3``.

    Raises:
        DataError: a file cannot be read, or the files differ in their number of lines (all are named).
        UserError: there is no reference file.
    """
    if not reference_paths:
        raise UserError(f"{source_path} has no reference files; JFLEG's are called .ref0 to .ref3")
    for source, *references in _read_together([source_path, *reference_paths]):
        yield ReferencedSentence(source.split(), [reference.split() for reference in references])


def _read_together(paths: Sequence[Path | str]) -> Iterator[tuple[str, ...]]:
    """The lines of several files, side by side."""
    counts = [0] * len(paths)
    differ = False
    for lines in zip_longest(*map(read_lines, paths)):
        counts = [count + (line is not None) for count, line in zip(counts, lines, strict=True)]
        differ = differ or None in lines
        if not differ:  # otherwise read on, to name the counts
            yield lines
    if differ:
        found = ", ".join(f"{path} has {count}" for path, count in zip(paths, counts, strict=True))
        raise DataError(paths[0], f"files whose lines belong together must have the same number of lines: {found}")

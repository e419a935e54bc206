"""The M2 format of the CoNLL and BEA shared tasks.

Each sentence is a block, closed by a blank line::

    S This are a sentence .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0

The fields of an ``A`` line are span, error type, correction, two constants and the annotator's
number. An annotator who found nothing to correct has the single line ``A -1
-1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0``. White space of any kind may follow ``S`` and ``A``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from pseudogec.artefacts.errors import DataError
from pseudogec.artefacts.files import read_lines, write_lines
from pseudogec.edits.edit import AnnotatedSentence, Edit

_EDIT_FORM = "A START END|||TYPE|||CORRECTION|||REQUIRED|||-NONE-|||ANNOTATOR"
_NO_EDIT = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||"


def read_m2(path: Path | str) -> Iterator[AnnotatedSentence]:
    """Yield the annotated sentences of an M2 file, plain or compressed.

    An annotator who is named only by a ``noop`` line (or by a span ``-1 -1``) has no edits; ``UNK``
    edits are kept. The blank line after the last sentence may be missing. Annotators are counted
    from the lowest number in the file, so that the first, whose corrections make pairs, is 0 in
    every file.

    Raises:
        DataError: a line is malformed or a span lies outside its sentence; the message names file
            and line.
    """
    first = 0
    if not any(0 in sentence.annotators for sentence in _blocks(path)):
        first = min(
            (number for sentence in _blocks(path) for number in sentence.annotators), default=0
        )
    for sentence in _blocks(path):
        renumbered = {number - first: edits for number, edits in sentence.annotators.items()}
        yield replace(sentence, annotators=renumbered) if first else sentence


# The corrected sentence, which ChERRANT writes beside its edits
_TARGET = re.compile(r"T\d+-A\d+(\s|$)")


def is_m2(line: str) -> bool:
    """Whether the first line of a file that is not blank begins an M2 file; its first sentence may
    be empty.
    """
    return line[:1] == "S" and not line[1:2].strip()


def _blocks(path: Path | str) -> Iterator[AnnotatedSentence]:
    source: tuple[str, ...] | None = None
    annotators: dict[int, list[Edit]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        if is_m2(line):
            if source is not None:
                raise DataError(
                    path, "a blank line is missing between this sentence and the one before", number
                )
            source = tuple(line[1:].split())
        elif line.startswith(("A ", "A\t")):
            if source is None:
                raise DataError(
                    path,
                    "an edit comes before its sentence; a line 'S TOKENS' must come first",
                    number,
                )
            annotator, edit = _parse_edit(path, number, line, len(source))
            annotators.setdefault(annotator, [])
            if edit is not None:
                annotators[annotator].append(edit)
        elif _TARGET.match(line):
            continue
        elif line.strip():
            raise DataError(
                path,
                f"expected 'S TOKENS', '{_EDIT_FORM}' or a blank line, not {line[:40]!r}",
                number,
            )
        elif source is not None:
            yield _close(source, annotators)
            source, annotators = None, {}
    if source is not None:
        yield _close(source, annotators)


class M2File:
    """The annotated sentences of an M2 file, read again at every iteration, so that they need no
    memory.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = path

    def __iter__(self) -> Iterator[AnnotatedSentence]:
        return read_m2(self._path)


def write_m2(path: Path | str, sentences: Iterable[AnnotatedSentence]) -> int:
    """Write annotated sentences as M2, atomically; the name's ending chooses the compression."""
    count = 0

    def lines() -> Iterator[str]:
        nonlocal count
        for sentence in sentences:
            count += 1
            yield " ".join(["S", *sentence.source])
            for annotator, edits in sentence.annotators.items():
                if not edits:
                    yield f"{_NO_EDIT}{annotator}"
                for edit in edits:
                    yield (
                        f"A {edit.start} "
                        f"{edit.end}|||{edit.type}|||{edit.correction}|||REQUIRED|||-NONE-|||{annotator}"
                    )
            yield ""

    write_lines(path, lines())
    return count


def _close(source: tuple[str, ...], annotators: dict[int, list[Edit]]) -> AnnotatedSentence:
    return AnnotatedSentence(
        source, {annotator: tuple(edits) for annotator, edits in annotators.items()}
    )


def _parse_edit(path: Path | str, number: int, line: str, length: int) -> tuple[int, Edit | None]:
    try:
        span, error_type, rest = line[2:].split("|||", 2)
        # From the right, because a correction may itself hold three bars.
        correction, _required, _comment, annotator_text = rest.rsplit("|||", 3)
        start, end = (int(offset) for offset in span.split())
        annotator = int(annotator_text)
    except ValueError:
        raise DataError(
            path, f"an edit must read '{_EDIT_FORM}' with whole numbers, not {line!r}", number
        ) from None
    if error_type == "noop" or start == end == -1:
        return annotator, None
    if not 0 <= start <= end <= length:
        problem = (
            f"the span {start} {end} lies outside its sentence of {length} tokens; 0 <= "
            f"START <= END <= {length} is right"
        )
        raise DataError(path, problem, number)
    return annotator, Edit(start, end, correction, error_type)

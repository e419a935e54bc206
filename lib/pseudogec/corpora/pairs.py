"""Formats of learner sentences with their corrections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import tee, zip_longest
from pathlib import Path

from pydantic import Field

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import read_lines
from pseudogec.artefacts.kinds import OneOrMore
from pseudogec.corpora.formats import (
    PAIR_FORMATS,
    CorpusFile,
    CorrectedSentence,
    Count,
    FilePairs,
    Pair,
)
from pseudogec.edits import AnnotatedSentence, apply_edits, read_m2
from pseudogec.languages import Language
from pseudogec.text import tokenise


@PAIR_FORMATS.register
class M2(FilePairs):
    """M2 files: tokens with the edits of one or more annotators. The corrections of a file's first
    annotator, the one with the lowest number, are the target.

    A sentence that this annotator did not touch is its own correction, as in the shared tasks' own
    conversion. With all annotators a sentence comes once for each of its own.
    """

    name = "m2"
    quickly_counted = True

    def read_file(self, path: Path) -> Iterator[CorrectedSentence]:
        for sentence in read_m2(path):
            yield _corrected_by(sentence, 0, path)._replace(annotated=sentence)

    def taken(self, sentence: CorrectedSentence, file: CorpusFile) -> Iterator[CorrectedSentence]:
        everyone, annotated = [sentence], sentence.annotated
        if file.annotators == "all" and annotated is not None and annotated.annotators:
            everyone = [
                _corrected_by(annotated, annotator, file.path) for annotator in annotated.annotators
            ]
        yield from (
            each
            for each in everyone
            if file.unchanged == "keep" or each.pair.source != each.pair.target
        )

    def count(self) -> Count:
        """The number of sentences, whichever annotators' corrections are taken."""
        return Count.of(sentence for file in self.files for sentence in self.read_part(file))


def _corrected_by(sentence: AnnotatedSentence, annotator: int, path: Path) -> CorrectedSentence:
    source, edits = list(sentence.source), sentence.annotators.get(annotator, ())
    try:
        target = apply_edits(source, edits)
    except UserError as error:
        raise DataError(path, f"annotator {annotator} of `{' '.join(source)}`: {error}") from None
    return CorrectedSentence(
        Pair(source, target), annotated=AnnotatedSentence(sentence.source, {0: edits})
    )


@PAIR_FORMATS.register
class Parallel(FilePairs):
    """Two text files, one sentence a line; or one file, a sentence and its correction a line with a
    tab between, as cLang-8.
    """

    name = "parallel"
    quickly_counted = True

    files: OneOrMore[CorpusFile] = Field(
        min_length=1,
        max_length=2,
        description="the source file, then the file of its corrections; or one file of both",
    )
    tokenised: bool = Field(True, description="whether lines are tokens with spaces between")

    @property
    def files_belong_together(self) -> bool:
        return len(self.files) == 2

    def read_file(self, path: Path) -> Iterator[Pair]:
        return self._pairs(_columns(path))

    def read_all(self) -> Iterator[Pair | CorrectedSentence]:
        if not self.files_belong_together:
            yield from super().read_all()
            return
        for pair in self._pairs(read_together([file.path for file in self.files])):
            yield CorrectedSentence(pair, self.files[0].level)

    def _pairs(self, lines: Iterable[tuple[str, ...]]) -> Iterator[Pair]:
        return (
            (Pair(*map(str.split, line)) for line in lines)
            if self.tokenised
            else _tokenised(lines, self.language)
        )


@PAIR_FORMATS.register
class Jfleg(FilePairs):
    """Sentences with several whole-sentence corrections (Napoles et al. 2017): the first is the
    target, all are references.

    An empty line is no correction: that annotator did not see the sentence.
    """

    name = "jfleg"
    quickly_counted = True
    rewritten = True

    files: OneOrMore[CorpusFile] = Field(
        min_length=2,
        description="the source file, then the files of its corrections; JFLEG's are "
        "called .ref0 to .ref3",
    )

    def read_all(self) -> Iterator[CorrectedSentence]:
        for lines in read_together([file.path for file in self.files]):
            source, *references = map(str.split, lines)
            target = next(filter(None, references), [])
            yield CorrectedSentence(
                Pair(source, target), self.files[0].level, references=references
            )


def _columns(path: Path) -> Iterator[tuple[str, ...]]:
    for number, line in enumerate(read_lines(path), start=1):
        columns = tuple(line.split("\t"))
        if len(columns) != 2:
            problem = (
                f"{len(columns) - 1} tabs, and one was expected, between a sentence and its "
                "correction"
            )
            raise DataError(
                path, f"{problem}; a corpus of two files names both under `files`", number
            )
        if number > 1 or columns != ("source", "target"):  # a head
            yield columns


def read_together(paths: Sequence[Path | str]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of files that belong together.

    Raises:
        DataError: a file cannot be read, or the files differ in their number of lines (all are
            named).
    """
    counts = [0] * len(paths)
    differ = False
    for lines in zip_longest(*map(read_lines, paths)):
        counts = [count + (line is not None) for count, line in zip(counts, lines, strict=True)]
        differ = differ or None in lines
        if not differ:  # otherwise read on, to name the counts
            yield lines
    if differ:
        lengths = ", ".join(
            f"{path} has {count}" for path, count in zip(paths, counts, strict=True)
        )
        raise DataError(
            paths[0],
            f"files whose lines belong together must have the same number of lines: {lengths}",
        )


def _tokenised(texts: Iterable[tuple[str, ...]], language: Language) -> Iterator[Pair]:
    first, second = tee(texts)
    sources = tokenise((source for source, _ in first), language)
    targets = tokenise((target for _, target in second), language)
    return (Pair(source, target) for source, target in zip(sources, targets, strict=True))

"""Formats of learner sentences with their corrections."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise, tee, zip_longest
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field, ValidationError, field_validator

from artefacts.errors import DataError, UserError
from artefacts.files import read_lines
from artefacts.kinds import OneOrMore
from pseudogec.corpora.formats import PAIR_FORMATS, CorpusFile, CorrectedSentence, Count, FilePairs, Pair, PairFormat
from pseudogec.edits import DETECTION_TYPES, AnnotatedSentence, Edit, apply_edits, read_m2
from pseudogec.text import sentence_spans, tokenise

Level = Literal["A", "B", "C", "N"]


@PAIR_FORMATS.register
class WorldPairs(PairFormat):
    """Learner sentences with their corrections from the embedded simulation."""

    name = "world"
    simulated = True
    version = 2

    split: Literal["train", "valid", "test"] = Field(description="disjoint parts of the simulated world")
    sentences: int = Field(gt=0, description="number of pairs to draw")
    seed: int = Field(1, description="of the random streams that draw them")
    levels: dict[Level, float] | None = Field(
        None, description="share of each proficiency level; the world's own mixture by default"
    )

    @field_validator("levels")
    @classmethod
    def _some_level(cls, levels: dict[Level, float] | None) -> dict[Level, float] | None:
        if levels is not None and (not any(levels.values()) or min(levels.values()) < 0):
            raise ValueError("shares of levels must not be negative, and not all of them 0")
        return levels

    @property
    def expected_sentences(self) -> float:
        return self.sentences

    def read(self) -> Iterator[CorrectedSentence]:
        from learner_world import learner_sentences

        levels = {str(level): share for level, share in self.levels.items()} if self.levels else None
        for item in learner_sentences(self.sentences, self.split, self.seed, levels):
            annotated = AnnotatedSentence(item.source, {0: tuple(Edit(*edit) for edit in item.edits)})
            yield CorrectedSentence(Pair(list(item.source), list(item.target)), item.level, annotated)


@PAIR_FORMATS.register
class M2(FilePairs):
    """M2 files: tokens with the edits of one or more annotators. The first annotator's corrections are the target.

    A sentence that this annotator did not touch is its own correction, as in the shared tasks' own conversion. With all
    annotators a sentence comes once for each of them.
    """

    name = "m2"
    quickly_counted = True
    has_annotators = True

    def read_file(self, path: Path) -> Iterator[CorrectedSentence]:
        for place, sentence in enumerate(read_m2(path), start=1):
            source = list(sentence.source)
            try:
                target = apply_edits(source, sentence.annotators.get(0, ()))
            except UserError as error:
                raise DataError(path, f"sentence {place}, annotator 0: {error}") from None
            yield CorrectedSentence(Pair(source, target), annotated=sentence)

    def taken(self, sentence: CorrectedSentence, file: CorpusFile) -> Iterator[CorrectedSentence]:
        everyone, annotated = [sentence], sentence.annotated
        if file.annotators == "all" and annotated is not None and annotated.annotators:
            everyone = [_corrected_by(annotated, annotator, file.path) for annotator in annotated.annotators]
        yield from (each for each in everyone if file.unchanged == "keep" or each.pair.source != each.pair.target)

    def count(self) -> Count:
        """The number of sentences, whichever annotators' corrections are taken."""
        return Count.of(sentence.pair for file in self.files for sentence in self.read_part(file))


def _corrected_by(sentence: AnnotatedSentence, annotator: int, path: Path) -> CorrectedSentence:
    """A sentence as one of its annotators corrects it, with the edits of this annotator alone."""
    source, edits = list(sentence.source), sentence.annotators[annotator]
    try:
        target = apply_edits(source, edits)
    except UserError as error:
        raise DataError(path, f"annotator {annotator} of `{' '.join(source)}`: {error}") from None
    return CorrectedSentence(Pair(source, target), annotated=AnnotatedSentence(sentence.source, {0: edits}))


class _SideBySide(FilePairs):
    """Files whose lines belong together: the sources first."""

    quickly_counted = True

    def count(self) -> Count:
        sentences = one_sided = 0
        for source, target, *_ in _read_together([file.path for file in self.files]):
            sentences += 1
            one_sided += bool(source.strip()) != bool(target.strip())
        return Count(sentences, one_sided=one_sided)


@PAIR_FORMATS.register
class Parallel(_SideBySide):
    """Two text files, one sentence a line."""

    name = "parallel"

    files: OneOrMore[CorpusFile] = Field(
        min_length=2, max_length=2, description="the source file, then the file of its corrections"
    )
    tokenised: bool = Field(True, description="whether lines are tokens with spaces between")

    def read_all(self) -> Iterator[CorrectedSentence]:
        source, target = self.files
        for pair in read_parallel(source.path, target.path, self.tokenised):
            yield CorrectedSentence(pair, source.level)


@PAIR_FORMATS.register
class Jfleg(_SideBySide):
    """Sentences with several whole-sentence corrections (Napoles et al. 2017): the first is the target, all are references."""

    name = "jfleg"
    rewritten = True

    files: OneOrMore[CorpusFile] = Field(
        min_length=2, description="the source file, then the files of its corrections; JFLEG's are called .ref0 to .ref3"
    )

    def read_all(self) -> Iterator[CorrectedSentence]:
        source, *references = self.files
        for sentence in read_jfleg(source.path, [file.path for file in references]):
            yield sentence._replace(level=source.level)


@PAIR_FORMATS.register
class BeaJson(FilePairs):
    """The JSON of the BEA-2019 shared task (W&I+LOCNESS and FCE): a line is a text with edits in characters.

    Texts are split into sentences, corrected, and tokenised. Where an edit crosses the end of a sentence, the two sentences stay
    one pair. An error that was found but not corrected stays as it is.
    """

    name = "bea_json"
    version = 2

    annotator: int = Field(0, ge=0, description="the annotator whose edits are taken; a text without this annotator is refused")

    def read_file(self, path: Path) -> Iterator[Pair]:
        return _tokenised(_bea_sentences(path, self.annotator))


@PAIR_FORMATS.register
class Lang8(FilePairs):
    """The Lang-8 Corpus of Learner English (Tajiri et al. 2012), such as ``entries.train``.

    A line has the number of corrections, two identifiers, the sentence's number, the sentence, and its corrections, with tabs
    between; blank lines separate entries. A sentence with several corrections gives as many pairs; one without is its own
    correction.
    """

    name = "lang8"

    def read_file(self, path: Path) -> Iterator[Pair]:
        return _tokenised(_lang8_sentences(path))


@PAIR_FORMATS.register
class Nucle(FilePairs):
    """NUCLE (Dahlmeier et al. 2013) in its SGML, such as ``nucle3.2.sgml``, split into sentences and tokenised.

    Titles count as paragraphs. An edit that overlaps the one before it or crosses the end of a paragraph is left out, as is
    an error without a correction.
    """

    name = "nucle"
    version = 2

    annotator: int = Field(
        0, ge=0, description="which of a text's annotations is taken; NUCLE has one, the CoNLL-2014 test set two"
    )

    def read_file(self, path: Path) -> Iterator[Pair]:
        return _tokenised(_nucle_sentences(path, self.annotator))


def read_parallel(source: Path | str, target: Path | str, tokenised: bool = True) -> Iterator[Pair]:
    """Yield the pairs of two files whose lines belong together; both sides are tokenised where they are not ``tokenised`` yet.

    Raises:
        DataError: a file cannot be read, or one has more lines than the other (both and their counts are named).
    """
    lines = _read_together([source, target])
    return (Pair(written.split(), corrected.split()) for written, corrected in lines) if tokenised else _tokenised(lines)


def read_jfleg(source: Path | str, references: Sequence[Path | str]) -> Iterator[CorrectedSentence]:
    """Yield the sentences of JFLEG, or of any corpus with whole-sentence references.

    Args:
        source: tokenised sources, such as ``dev.src``.
        references: files of tokenised references on the same lines, such as ``dev.ref0`` to ``dev.ref3``.

    Raises:
        DataError: a file cannot be read, or the files differ in their number of lines (all are named).
        UserError: there is no reference file.
    """
    if not references:
        raise UserError(f"{source} has no reference files; JFLEG's are called .ref0 to .ref3")
    for written, *corrected in _read_together([source, *references]):
        tokens = [line.split() for line in corrected]
        yield CorrectedSentence(Pair(written.split(), tokens[0]), references=tokens)


def _read_together(paths: Sequence[Path | str]) -> Iterator[tuple[str, ...]]:
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


def _tokenised(texts: Iterable[tuple[str, ...]]) -> Iterator[Pair]:
    first, second = tee(texts)
    sources, targets = tokenise(source for source, _ in first), tokenise(target for _, target in second)
    return (Pair(source, target) for source, target in zip(sources, targets, strict=True))


# The JSON of BEA-2019

_CharacterEdit = tuple[int, int, str]
"""Start and end in characters, and the correction."""


def _span(edit: _CharacterEdit) -> tuple[int, int]:
    """The order of edits; several insertions at one place keep the order in which they are given."""
    return edit[:2]


class _Text(BaseModel):
    # The other keys of a line (level, first language, ...) are not needed here.

    text: str
    edits: list[tuple[int, list[tuple[int, int, str | None] | tuple[int, int, str | None, str]]]]  # FCE adds an error type

    def corrections(self, annotator: int) -> list[_CharacterEdit]:
        """An annotator's edits in order, without those that give no correction (they may overlap the others)."""
        edits = dict(self.edits)[annotator]
        given = [(start, end, correction) for start, end, correction, *_ in edits if correction is not None]
        return sorted(given, key=_span)


def _bea_sentences(path: Path, annotator: int) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(read_lines(path), start=1):
        try:
            text = _Text.model_validate_json(line)
        except ValidationError as error:
            reason = error.errors()[0]
            where = "".join(f"{key}: " for key in reason["loc"][:1])
            raise DataError(
                path, f"expected a JSON object with 'text' and 'edits' as in BEA-2019 ({where}{reason['msg']})", number
            ) from None
        if annotator not in dict(text.edits):
            raise DataError(path, f"no annotator {annotator}; this text has {sorted(dict(text.edits))}", number)
        try:
            yield from _corrected_sentences(text.text, text.corrections(annotator))
        except ValueError as error:
            raise DataError(path, str(error), number) from None


def _corrected_sentences(text: str, edits: Sequence[_CharacterEdit]) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a raw text as written and as corrected by edits in the order of the text.

    Raises:
        ValueError: edits overlap or leave the text.
    """
    bounds = [0, *chain.from_iterable(edit[:2] for edit in edits), len(text)]
    if any(left > right for left, right in pairwise(bounds)):
        raise ValueError(f"an edit overlaps another or leaves its text of {len(text)} characters")
    for start, end, inside in _sentences(text, edits):
        written, corrected = text[start:end], _correct(text, start, end, inside)
        if written.strip() or corrected.strip():
            yield written, corrected


def _sentences(text: str, edits: Iterable[_CharacterEdit]) -> Iterator[tuple[int, int, list[_CharacterEdit]]]:
    """Start, end and edits of each sentence; sentences that an edit ties together stay one."""
    waiting = deque(edits)
    start = 0
    inside: list[_CharacterEdit] = []
    for boundary in [*(first for first, _ in sentence_spans(text)[1:]), len(text) + 1]:
        while waiting and waiting[0][0] < boundary:
            inside.append(waiting.popleft())
        if inside and inside[-1][1] > boundary:
            continue
        yield start, min(boundary, len(text)), inside
        start, inside = boundary, []


def _correct(text: str, start: int, end: int, edits: Iterable[_CharacterEdit]) -> str:
    corrected = ""
    for edit_start, edit_end, correction in edits:
        corrected += text[start:edit_start] + correction
        start = edit_end
    return corrected + text[start:end]


# Lang-8


def _lang8_sentences(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) < 5:
            raise DataError(path, f"expected at least 5 fields with tabs between, as in Lang-8, not {len(fields)}", number)
        sentence, corrections = fields[4], [field for field in fields[5:] if field.strip()]
        for correction in corrections or [sentence]:
            yield sentence, correction


# NUCLE

_PARAGRAPH = re.compile(r"<(?:P|TITLE)>\n?(.*?)\n?(?=</P>|</TITLE>|<P>|</TEXT>)", re.DOTALL)  # some closing tags are missing
_ANNOTATION = re.compile(r"<ANNOTATION\b[^>]*>(.*?)</ANNOTATION>", re.DOTALL)
_MISTAKE = re.compile(
    r'<MISTAKE start_par="(\d+)" start_off="(\d+)" end_par="(\d+)" end_off="(\d+)">\s*<TYPE>([^<]*)</TYPE>'
    r"\s*<CORRECTION(?:/>|>(.*?)</CORRECTION>)",
    re.DOTALL,
)


def _nucle_sentences(path: Path, annotator: int) -> Iterator[tuple[str, str]]:
    for number, document in _documents(path):
        text, _, annotations = document.partition("</TEXT>")
        paragraphs = _PARAGRAPH.findall(f"{text}</TEXT>")
        chosen = _ANNOTATION.findall(annotations)[annotator : annotator + 1]
        if not chosen:
            raise DataError(path, f"the text that begins here has no annotation {annotator} (counted from 0)", number)
        edits: list[list[_CharacterEdit]] = [[] for _ in paragraphs]
        for start_paragraph, start, end_paragraph, end, kind, correction in _MISTAKE.findall(chosen[0]):
            if int(start_paragraph) >= len(paragraphs):
                raise DataError(path, f"the text that begins here has an edit beyond its {len(paragraphs)} paragraphs", number)
            if start_paragraph == end_paragraph and kind not in DETECTION_TYPES:
                edits[int(start_paragraph)].append((int(start), int(end), correction))
        for paragraph, found in zip(paragraphs, edits, strict=True):
            yield from _corrected_sentences(paragraph, _without_overlaps(found, len(paragraph)))


def _documents(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line and the text of each document."""
    lines: list[str] = []
    first: int | None = None  # None between documents
    for number, line in enumerate(read_lines(path), start=1):
        if line.startswith("<DOC"):
            if first is not None:
                break
            lines, first = [], number
        lines.append(line)
        if line.startswith("</DOC>") and first is not None:
            yield first, "\n".join(lines)
            first = None
    if first is not None:
        raise DataError(path, "the text that begins here has no </DOC>; the file is damaged or was cut short", first)


def _without_overlaps(edits: list[_CharacterEdit], length: int) -> list[_CharacterEdit]:
    kept: list[_CharacterEdit] = []
    for edit in sorted(edits, key=_span):
        if edit[0] <= edit[1] <= length and (not kept or kept[-1][1] <= edit[0]):
            kept.append(edit)
    return kept

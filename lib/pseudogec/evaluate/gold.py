"""References, and the checks before corrections are scored against them."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import read_lines, refuse_pipe
from pseudogec.corpora import read_plain, read_together
from pseudogec.edits import (
    AnnotatedSentence,
    Annotator,
    AnnotatorName,
    apply_edits,
    is_m2,
    load_annotator,
    read_m2,
    typed_otherwise,
)
from pseudogec.text import Tokens

if TYPE_CHECKING:
    from pseudogec.evaluate.metric import Metric

ReferenceForm = Literal["edits", "rewrites"]
"""Annotators' edits, or whole corrected sentences."""

_JSON = re.compile(r'\s*[\[{]\s*(["{]|$)')
_SENTENCE_ENDS = frozenset(".?!")
_FAIRSEQ_LINE = re.compile(r"[A-Z]-\d+")
_SUSPICIOUS_SHARE = 0.05
"""Share of sentences that must look wrong before there is a warning: single sentences may be
unusual.
"""


@dataclass(frozen=True, eq=False)
class Gold:
    """The source sentences and their references, as edits and as rewrites; made by `annotated` or
    `parallel`.

    ``name`` stands for the references in messages, such as a file's name.
    """

    sources: Sequence[Tokens]
    name: str
    _annotated: Sequence[AnnotatedSentence] | None = None
    _rewrites: Sequence[Sequence[Tokens]] | None = None
    _annotator: Annotator | None = None

    @classmethod
    def annotated(cls, sentences: Sequence[AnnotatedSentence], name: str = "the reference") -> Gold:
        """References with edits. A sentence that nobody annotated counts as one without errors."""
        return cls([sentence.source for sentence in sentences], name, _annotated=list(sentences))

    @classmethod
    def parallel(
        cls,
        sources: Sequence[Tokens],
        rewrites: Sequence[Sequence[Tokens]],
        name: str = "the reference",
        annotator: Annotator | None = None,
    ) -> Gold:
        """References that are whole corrected sentences; an empty one is none, since the annotator
        did not see the sentence.

        Raises:
            UserError: there is no reference, or the numbers of sentences differ.
        """
        if not rewrites:
            raise UserError("at least one reference is needed")
        for number, rewrite in enumerate(rewrites, start=1):
            if len(rewrite) != len(sources):
                raise UserError(
                    f"{name} {number} has {len(rewrite)} sentences and the source has "
                    f"{len(sources)}; "
                    "line for line they must correspond"
                )
        return cls(sources, name, _rewrites=rewrites, _annotator=annotator)

    @classmethod
    def read(
        cls,
        references: Sequence[Path],
        source: Path | None,
        metric: Metric,
        annotator: Annotator | AnnotatorName = "auto",
        typed: bool = False,
    ) -> Gold:
        """References from one M2 file, known by its content, or from files of corrected sentences,
        one a line.

        Args:
            source: the sentences before correction. An M2 file holds them; if they are given, too,
                they must agree.
            metric: for which they are read.
            annotator: finds the edits of corrected sentences if the metric compares edits.
            typed: give edits of other types than ERRANT's those of ERRANT, with a warning.

        Raises:
            UserError: there is no source, or a file's lines are not as they should be.
        """
        if m2_files := [path for path in references if _is_m2(path)]:
            if len(references) > 1:
                raise DataError(
                    m2_files[0],
                    "is an M2 file, which holds all annotators; no other "
                    "reference can stand beside it",
                )
            annotated = list(read_m2(m2_files[0]))
            if typed and typed_otherwise(annotated):
                warnings.warn(
                    f"{m2_files[0]}: its error types are not ERRANT's; its edits are typed again",
                    stacklevel=2,
                )
                annotated = list(_loaded(annotator).typed(annotated))
            gold = cls.annotated(annotated, str(m2_files[0]))
            if source is not None:
                gold.check_source(source)
            return gold
        if source is None:
            raise UserError(
                "the source is missing; corrected sentences do not hold those before "
                "correction, as an M2 file does"
            )
        lines = [list(map(str.split, each)) for each in read_together([source, *references])]
        rewrites = [[each[number] for each in lines] for number in range(1, len(references) + 1)]
        finder = _loaded(annotator) if metric.references == "edits" else None
        return cls.parallel([each[0] for each in lines], rewrites, str(source), finder)

    @cached_property
    def sentences(self) -> Sequence[AnnotatedSentence]:
        if self._annotated is not None:
            return self._annotated
        if self._annotator is None or self._rewrites is None:
            raise UserError(
                f"{self.name} holds whole sentences; give it an annotator from "
                "load_annotator, which finds the edits"
            )
        edits_by_rewrite = [
            self._annotator.annotate(self.sources, rewrite) for rewrite in self._rewrites
        ]
        annotated = []
        for place, (source, *edits) in enumerate(zip(self.sources, *edits_by_rewrite, strict=True)):
            present = {
                number: edits[number]
                for number, rewrite in enumerate(self._rewrites)
                if rewrite[place] or not source
            }
            annotated.append(AnnotatedSentence(tuple(source), present))
        return annotated

    @cached_property
    def rewrites(self) -> Sequence[Sequence[Tokens]]:
        """The sentences as each annotator corrects them.

        One that an annotator skipped is as the first of the others corrects it; as it is where
        there are no others, and in an M2 file, as where pairs are read.
        """
        if self._rewrites is not None:
            first = [
                next(filter(None, of_one), source)
                for source, *of_one in zip(self.sources, *self._rewrites, strict=True)
            ]
            return [
                [rewrite or other for rewrite, other in zip(side, first, strict=True)]
                for side in self._rewrites
            ]
        everyone = sorted(
            {number for sentence in self.sentences for number in sentence.annotators}
        ) or [0]
        return [
            [self._rewritten(place, annotator) for place in range(len(self.sentences))]
            for annotator in everyone
        ]

    def _rewritten(self, place: int, annotator: int) -> Tokens:
        sentence = self.sentences[place]
        try:
            return apply_edits(sentence.source, sentence.annotators.get(annotator, ()))
        except UserError as error:
            raise UserError(
                f"{self.name}, sentence {place + 1}, annotator {annotator}: {error}"
            ) from None

    def description(self, form: ReferenceForm) -> str:
        """Number and digest of the references in the form that a metric compares, for
        signatures.
        """
        if form == "rewrites":
            sides = [[*map(tuple, side)] for side in (self.sources, *self.rewrites)]
            content = hashlib.sha256(repr(sides).encode()).hexdigest()[:12]
            return f"references:{len(self.rewrites)}|digest:{content}"
        digest = hashlib.sha256()
        for sentence in self.sentences:
            edits = [
                (number, [(edit.start, edit.end, edit.correction, edit.type) for edit in edits])
                for number, edits in sentence.annotators.items()
            ]
            digest.update(repr((sentence.source, edits)).encode())
        numbers = {max(len(sentence.annotators), 1) for sentence in self.sentences}
        how_many = str(min(numbers)) if len(numbers) == 1 else f"{min(numbers)}-{max(numbers)}"
        found_by = f"|reference_edits:{self._annotator.signature}" if self._annotator else ""
        return f"references:{how_many}|digest:{digest.hexdigest()[:12]}{found_by}"

    def check(self, hypotheses: Sequence[Tokens], name: str) -> None:
        """Refuse hypotheses that cannot be scored, and warn of misleading scores; ``name`` stands
        for them in messages.

        Raises:
            UserError: the numbers of sentences differ, there are none, or the hypotheses are not
                tokenised.
        """
        self.check_length(len(hypotheses), name)
        if isinstance(hypotheses[0], str):
            raise UserError(
                f"{name} holds texts; lists of tokens are scored, for instance text.split()"
            )
        pairs = list(zip(self.sources, hypotheses, strict=True))
        if empty := [
            line for line, (source, tokens) in enumerate(pairs, start=1) if source and not tokens
        ]:
            warnings.warn(
                f"{name}: {len(empty)} of {len(hypotheses)} hypotheses are empty (the first is "
                f"line {empty[0]}); "
                "each is scored as the deletion of its whole sentence",
                stacklevel=3,
            )
        references = list(zip(self.sources, *(self._rewrites or []), strict=True))
        for looks_wrong, problem in (
            (_is_in_subwords, "hold subwords ('@@', '\u2581'); undo the segmentation first"),
            (
                _is_numbered,
                "begin like a line of fairseq-generate; keep the lines with H-, in order, and of "
                "these the last column",
            ),
            (
                _is_unsegmented,
                "are one long token; put spaces between tokens, as the references have them",
            ),
            (
                _is_spaced_otherwise,
                "are tokenised otherwise than the references; the difference "
                "would be scored as errors",
            ),
        ):
            wrong = sum(
                looks_wrong(known, tokens)
                for known, tokens in zip(references, hypotheses, strict=True)
            )
            if wrong > _SUSPICIOUS_SHARE * len(pairs):
                warnings.warn(f"{name}: {wrong} of {len(pairs)} hypotheses {problem}", stacklevel=3)

    def warn_of_bound(self, beyond: int, name: str) -> None:
        """Tell of hypotheses for which the search for edits was cut short."""
        if beyond:
            warnings.warn(
                f"{name}: {beyond} of {len(self.sources)} hypotheses are so long and so unlike "
                "their sources that the search for "
                "their edits was cut short; their counts may differ from those of the "
                "published scorer",
                stacklevel=4,
            )

    def check_lines(self, path: Path, lines: int) -> None:
        """Refuse a file with another number of lines."""
        if lines != len(self.sources):
            problem = (
                f"has {lines} lines and {self.name} has {len(self.sources)} sentences; line "
                "for line they must correspond"
            )
            raise DataError(
                path,
                f"{problem} (it is an M2 file, not corrected sentences)"
                if _is_m2(path)
                else problem,
            )

    def check_source(self, path: Path) -> None:
        """Refuse a file of other sentences before correction."""
        sources = list(read_plain(path))
        self.check_lines(path, len(sources))
        for line, (tokens, expected) in enumerate(zip(sources, self.sources, strict=True), start=1):
            if tokens != list(expected):
                problem = (
                    f"{' '.join(tokens)!r} is not the sentence of {self.name}, which is "
                    f"{' '.join(expected)!r}"
                )
                raise DataError(path, problem, line)

    def check_length(self, sentences: int, name: str) -> None:
        if not self.sources:
            raise UserError(f"{self.name} has no sentences; nothing can be scored")
        if sentences != len(self.sources):
            raise UserError(
                f"{name} has {sentences} sentences and {self.name} has {len(self.sources)}; line "
                "for line they must correspond"
            )


def _loaded(annotator: Annotator | AnnotatorName) -> Annotator:
    return load_annotator(annotator) if isinstance(annotator, str) else annotator


def _is_m2(path: Path) -> bool:
    refuse_pipe(path)
    first = next((line for line in read_lines(path) if line.strip()), None)
    if first is None:
        raise DataError(
            path, "the file is empty; an M2 file or corrected sentences, one a line, were expected"
        )
    if _JSON.match(first):
        raise DataError(
            path, "is JSON; an M2 file or corrected sentences, one a line, were expected"
        )
    return is_m2(first)


def _is_in_subwords(known: Sequence[Tokens], tokens: Tokens) -> bool:
    def holds_subwords(sentence: Tokens) -> bool:
        return any(token.endswith("@@") or "\u2581" in token for token in sentence)

    return holds_subwords(tokens) and not holds_subwords(known[0])


def _is_numbered(known: Sequence[Tokens], tokens: Tokens) -> bool:
    return (
        bool(tokens)
        and _FAIRSEQ_LINE.fullmatch(tokens[0]) is not None
        and tokens[0] not in known[0][:1]
    )


def _is_unsegmented(known: Sequence[Tokens], tokens: Tokens) -> bool:
    return (
        len(tokens) == 1
        and not tokens[0].isascii()
        and all(len(sentence) > 1 for sentence in known)
    )


def _is_spaced_otherwise(known: Sequence[Tokens], tokens: Tokens) -> bool:
    """The characters of the source or a reference with other spaces, or a last stop on its word,
    alone in the source.
    """
    source = known[0]
    if not source or not tokens:
        return False
    if list(tokens) not in map(list, known) and "".join(tokens) in map("".join, known):
        return True
    return (
        source[-1] in _SENTENCE_ENDS
        and len(tokens[-1]) > 1
        and tokens[-1][-1] == source[-1]
        and tokens[-1][-2].isalnum()
    )

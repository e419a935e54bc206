"""Edits, their application to a sentence or a typed text, and statistics of a text's edits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from artefacts.errors import UserError

DETECTION_TYPES = frozenset({"UNK", "Um"})
"""Types of edits that mark a span as wrong without correcting it (``Um``, unclear meaning, is NUCLE's name)."""

_ALTERNATIVE_SEPARATOR = re.compile(r"(?<=[^\s|])\|\|(?=[^\s|])")
_CLINGS_TO_THE_LEFT = re.compile(r"[,.;:!?%)\]}\u00bb\u201d\u2026]+|n['\u2019]t|['\u2019](s|m|d|re|ve|ll)?", re.IGNORECASE)
_CLINGS_TO_THE_RIGHT = re.compile(r"[(\[{\u00ab\u201c$#]")
_ENDS_A_WORD = re.compile(r"[\w.,;:!?%)\]}\u00bb\u201d\u2026]")
"""Behind these a word begins after a space; behind a hyphen or a straight quotation mark it may begin at once."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One correction of one span of the source sentence.

    Attributes:
        start: first source token of the span, counted from 0.
        end: the token after the span; equal to ``start`` for an insertion.
        correction: the replacement of the span, as tokens joined by single spaces; empty for a deletion. CoNLL files give several
            alternatives, as ``first||second``.
        type: error type in ERRANT's terms, such as ``R:VERB:SVA``; ``UNK``, and ``Um`` in CoNLL's files, mark an error that was
            detected but not corrected (ERRANT leaves out ``UNK`` alone); ``NA`` is ERRANT's name for "not classified".
    """

    start: int
    end: int
    correction: str
    type: str = "NA"

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The annotator's alternative corrections, most often one; ``-NONE-`` stands for a deletion."""
        return tuple("" if part == "-NONE-" else part for part in _ALTERNATIVE_SEPARATOR.split(self.correction))


@dataclass(frozen=True, slots=True)
class AnnotatedSentence:
    """A source sentence with the edits of each of its annotators.

    Attributes:
        source: the tokens.
        annotators: annotator number to that annotator's edits, in the order of the file. An annotator who found nothing to
            correct has no edits; a sentence that nobody annotated has no annotators.
    """

    source: tuple[str, ...]
    annotators: dict[int, tuple[Edit, ...]] = field(default_factory=dict)

    @property
    def masked(self) -> AnnotatedSentence:
        """The same with ``_`` in place of each word, of the sentence and of its corrections."""
        annotators = {
            annotator: tuple(replace(edit, correction=" ".join("_" for _ in edit.correction.split())) for edit in edits)
            for annotator, edits in self.annotators.items()
        }
        return AnnotatedSentence(("_",) * len(self.source), annotators)


def apply_edits(source: Sequence[str], edits: Iterable[Edit], literal: bool = False) -> list[str]:
    """Correct a sentence.

    Edits are applied in the order of their spans; several insertions at one place keep the order in which they were given, and
    come before an edit of the token that follows that place. Of alternative corrections the first is taken; edits that only
    detect an error (``UNK``, ``Um``) leave its words unchanged, as in ERRANT.

    Args:
        source: tokens.
        edits: edits of these tokens, in any order.
        literal: whether ``||`` and ``-NONE-`` are words, as in edits that an annotator found; in files they are signs.

    Returns:
        The corrected tokens.

    Raises:
        UserError: two edits overlap, or a span lies outside the sentence.
    """
    return place_edits(source, edits, literal)[0]


def place_edits(
    source: Sequence[str], edits: Iterable[Edit], literal: bool = False
) -> tuple[list[str], list[tuple[Edit, int, int]]]:
    """Correct a sentence as ``apply_edits`` does, and give the places of the corrections.

    Returns:
        The corrected tokens, and the edits in the order of their spans, each with the start and end of its correction there.

    Raises:
        UserError: two edits overlap, or a span lies outside the sentence.
    """
    corrected: list[str] = []
    places = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if not 0 <= edit.start <= edit.end <= len(source):
            raise UserError(
                f"the edit {edit.start} {edit.end} {edit.correction!r} lies outside its sentence of {len(source)} tokens; "
                f"spans run from 0 to {len(source)}"
            )
        if edit.start < position:
            raise UserError(
                f"the edit {edit.start} {edit.end} {edit.correction!r} overlaps the one before it, which ends at {position}; "
                "edits of one annotator must not overlap"
            )
        corrected.extend(source[position : edit.start])
        start = len(corrected)
        correction = edit.correction if literal else edit.alternatives[0]
        corrected.extend(source[edit.start : edit.end] if edit.type in DETECTION_TYPES else correction.split())
        places.append((edit, start, len(corrected)))
        position = edit.end
    corrected.extend(source[position:])
    return corrected, places


def edit_text(text: str, spans: Sequence[tuple[int, int]], edits: Iterable[Edit]) -> str:
    """Correct a text without changing its spacing where nothing is corrected.

    Args:
        text: the sentence as it was typed.
        spans: first character of each of its tokens, and the character after the last.
        edits: edits of these tokens, which do not overlap.

    Returns:
        The corrected text.
    """
    corrected = ""
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        correction = joined(edit.correction.split())
        start, end = _place(text, spans, edit)
        corrected = _behind(corrected, text[position : max(start, position)])
        position = max(end, position)
        after_space = start == end and text[start : start + 1].isspace()  # inserted where a space was typed
        if correction and corrected and (after_space or _ENDS_A_WORD.fullmatch(corrected[-1])) and not _clings(correction):
            corrected += " "
        corrected += correction
        if correction and not edit.end and spans and not _clings(text[slice(*spans[0])]):  # inserted at the beginning
            corrected += " "
    return _behind(corrected, text[position:])


def _place(text: str, spans: Sequence[tuple[int, int]], edit: Edit) -> tuple[int, int]:
    """The characters that an edit replaces; of a deletion, the space before it too, or the one behind it where none is before."""
    before = spans[edit.start - 1][1] if edit.start else 0
    if edit.start == edit.end:
        place = before if edit.start else spans[0][0] if spans else len(text)
        return place, place
    start, end = spans[edit.start][0], spans[edit.end - 1][1]
    behind_a_bracket = before == start and _CLINGS_TO_THE_RIGHT.fullmatch(text[start - 1 : start])
    if edit.start and not behind_a_bracket and (not edit.correction or _clings(edit.correction)):
        return before, end
    if not edit.correction and edit.end < len(spans):
        return start, spans[edit.end][0]
    return start, end


def _behind(corrected: str, text: str) -> str:
    """Text as it was typed behind text that ends in a correction; words do not grow together."""
    return f"{corrected} {text}" if corrected[-1:].isalnum() and text[:1].isalnum() else corrected + text


def joined(tokens: Sequence[str]) -> str:
    """Tokens as ordinary text: no space before a full stop or a clitic, none after an opening bracket."""
    text = ""
    for token in tokens:
        glued = not text or _clings(token) or _CLINGS_TO_THE_RIGHT.fullmatch(text[-1])
        text += token if glued else f" {token}"
    return text


def _clings(correction: str) -> bool:
    return bool(_CLINGS_TO_THE_LEFT.fullmatch(correction.partition(" ")[0]))


@dataclass(frozen=True)
class EditProfile:
    """The number of edits that correct an ungrammatical text, and their error types.

    Attributes:
        sentences: their number.
        tokens: the number of tokens, errors included.
        edits: the number of edits that correct them.
        types: ERRANT type -> number of edits, the most frequent first.
    """

    sentences: int
    tokens: int
    edits: int
    types: dict[str, int]

    @classmethod
    def of(cls, text: Iterable[tuple[Sequence[str], Sequence[Edit]]]) -> EditProfile:
        """Count the edits of a text: each ungrammatical sentence with its edits, read once."""
        sentences = tokens = 0
        types: Counter[str] = Counter()
        for source, edits in text:
            sentences += 1
            tokens += len(source)
            types.update(edit.type for edit in edits)
        return cls(sentences, tokens, types.total(), dict(types.most_common()))

    @property
    def edits_per_token(self) -> float:
        """Edits per token of the ungrammatical text."""
        return self.edits / self.tokens if self.tokens else 0.0


def type_distance(first: Mapping[str, int], second: Mapping[str, int]) -> float:
    """Jensen-Shannon distance (base 2) of two distributions of error types: 0 for equal ones, 1 for those that share no type.

    Not a number if a text has no edits, and so no distribution.

    Args:
        first: type to count.
        second: the same of the other text.
    """
    import numpy as np
    from scipy.spatial.distance import jensenshannon

    if not (first and second):
        return float("nan")
    types = sorted({*first, *second})
    counts = [np.array([text.get(name, 0) for name in types], dtype=float) for text in (first, second)]
    return float(jensenshannon(counts[0], counts[1], base=2))

"""What an edit is, and what it does to a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from artefacts.errors import UserError

DETECTION_TYPES = frozenset({"UNK", "Um"})
"""Types of edits that mark a span as wrong without correcting it (``Um``, unclear meaning, is NUCLE's name)."""

_ALTERNATIVE_SEPARATOR = re.compile(r"(?<=[^\s|])\|\|(?=[^\s|])")


@dataclass(frozen=True, slots=True)
class Edit:
    """One correction of one span of the source sentence.

    Attributes:
        start: first source token of the span, counted from 0.
        end: the token after the span; equal to ``start`` for an insertion.
        correction: what replaces the span, as tokens joined by single spaces; empty for a deletion. CoNLL files give several
            alternatives, as ``first||second``.
        type: error type in ERRANT's terms, such as ``R:VERB:SVA``; ``UNK`` marks an error that was detected but not corrected
            (metrics of corrections leave it out); ``NA`` is ERRANT's name for "not classified".
    """

    start: int
    end: int
    correction: str
    type: str = "NA"

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The corrections that the annotator held equally good, most often one; ``-NONE-`` stands for a deletion."""
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


def apply_edits(source: Sequence[str], edits: Iterable[Edit]) -> list[str]:
    """Correct a sentence.

    Edits are applied in the order of their spans; several insertions at one place keep the order in which they were given, and
    come before an edit of the token that follows that place. Of alternative corrections the first is taken; edits that only
    detect an error (``UNK``, ``Um``) leave its words alone, as ERRANT does.

    Args:
        source: tokens.
        edits: edits of these tokens, in any order.

    Returns:
        The corrected tokens.

    Raises:
        UserError: two edits overlap, or a span lies outside the sentence.
    """
    return place_edits(source, edits)[0]


def place_edits(source: Sequence[str], edits: Iterable[Edit]) -> tuple[list[str], list[tuple[Edit, int, int]]]:
    """Correct a sentence as ``apply_edits`` does, and say where the corrections stand.

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
        only_detects = edit.type in DETECTION_TYPES
        corrected.extend(source[edit.start : edit.end] if only_detects else edit.alternatives[0].split())
        places.append((edit, start, len(corrected)))
        position = edit.end
    corrected.extend(source[position:])
    return corrected, places


def drop_edits(edits: Iterable[Edit], types: Iterable[str]) -> tuple[Edit, ...]:
    """The edits whose error type is none of ``types``.

    A type may be given whole (``R:VERB:SVA``) or by its main part (``VERB:SVA``), which stands for all three operations.
    """
    dropped = frozenset(types)
    return tuple(edit for edit in edits if edit.type not in dropped and edit.type.partition(":")[2] not in dropped)

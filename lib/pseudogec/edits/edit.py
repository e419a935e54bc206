"""Edits, their application to a sentence or a typed text, and statistics of a text's edits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import chain

from pseudogec.artefacts.errors import UserError
from pseudogec.text import token_spans

DETECTION_TYPES = frozenset({"UNK", "Um"})
"""Types of edits that mark a span as wrong without correcting it (``Um``, unclear meaning, is
NUCLE's name).
"""

_ERRANT_TYPE = re.compile(r"[MRU]:[A-Z]+(:[A-Z]+)?")
_ALTERNATIVE_SEPARATOR = re.compile(r"(?<=[^\s|])\|\|(?=[^\s|])")
_CLINGS_TO_THE_LEFT = re.compile(
    r"[,.;:!?%)\]}\u00bb\u201d\u2026]+|n['\u2019]t|['\u2019](s|m|d|re|ve|ll)", re.IGNORECASE
)
_CLINGS_TO_THE_RIGHT = re.compile(r"[(\[{\u00ab\u201c\u2018$#]")
_QUOTATION_MARKS = frozenset("\"'")
"""Those that look alike before and behind a quotation."""
_ONE_WORD = frozenset(
    {("can", "not"), ("gon", "na"), ("wan", "na"), ("got", "ta"), ("lem", "me"), ("gim", "me")}
)
"""Words that the tokeniser splits."""


@dataclass(frozen=True, slots=True)
class Edit:
    start: int  # first source token of the span, counted from 0
    end: int  # the token after the span; equal to ``start`` for an insertion
    # The replacement of the span, as tokens joined by single spaces; empty for a deletion. CoNLL
    # files give several alternatives, as ``first||second``.
    correction: str
    # Error type in ERRANT's terms, such as ``R:VERB:SVA``; ``UNK``, and ``Um`` in CoNLL's files,
    # mark an error that was detected but not corrected (ERRANT leaves out ``UNK`` alone); ``NA`` is
    # ERRANT's name for "not classified"
    type: str = "NA"

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The annotator's alternative corrections, most often one; ``-NONE-`` stands for a
        deletion.
        """
        return tuple(
            "" if part == "-NONE-" else part
            for part in _ALTERNATIVE_SEPARATOR.split(self.correction)
        )


@dataclass(frozen=True, slots=True)
class AnnotatedSentence:
    """A source sentence with the edits of each of its annotators."""

    source: tuple[str, ...]
    # Annotator number to that annotator's edits, in the order of the file. An annotator who found
    # nothing to correct has no edits; a sentence that nobody annotated has no annotators.
    annotators: dict[int, tuple[Edit, ...]] = field(default_factory=dict)

    @property
    def masked(self) -> AnnotatedSentence:
        """The same with ``_`` in place of each word, of the sentence and of its corrections."""
        annotators = {
            annotator: tuple(
                replace(edit, correction=" ".join("_" for _ in edit.correction.split()))
                for edit in edits
            )
            for annotator, edits in self.annotators.items()
        }
        return AnnotatedSentence(("_",) * len(self.source), annotators)


def typed_otherwise(sentences: Iterable[AnnotatedSentence]) -> bool:
    """Whether an edit has a type that ERRANT does not have, such as NUCLE's ``ArtOrDet``."""
    edits = (
        edit for sentence in sentences for edit in chain.from_iterable(sentence.annotators.values())
    )
    return any(
        not (edit.type in DETECTION_TYPES or _ERRANT_TYPE.fullmatch(edit.type)) for edit in edits
    )


def apply_edits(source: Sequence[str], edits: Iterable[Edit], literal: bool = False) -> list[str]:
    """Correct a sentence.

    Edits are applied in the order of their spans; several insertions at one place keep the order in
    which they were given, and come before an edit of the token that follows that place. Of
    alternative corrections the first is taken; edits that only detect an error (``UNK``, ``Um``)
    leave its words unchanged, as in ERRANT. With ``literal``, ``||`` and ``-NONE-`` are words, as
    in edits that an annotator found; in files they are signs.

    Raises:
        UserError: two edits overlap, or a span lies outside the sentence.
    """
    return place_edits(source, edits, literal)[0]


def place_edits(
    source: Sequence[str], edits: Iterable[Edit], literal: bool = False
) -> tuple[list[str], list[tuple[Edit, int, int]]]:
    """Correct a sentence as ``apply_edits`` does, and give the places of the corrections.

    Returns:
        The corrected tokens, and the edits in the order of their spans, each with the start and end
        of its correction there.

    Raises:
        UserError: two edits overlap, or a span lies outside the sentence.
    """
    corrected: list[str] = []
    places = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if not 0 <= edit.start <= edit.end <= len(source):
            raise UserError(
                f"the edit {edit.start} {edit.end} {edit.correction!r} lies outside its sentence "
                f"of {len(source)} tokens; "
                f"spans run from 0 to {len(source)}"
            )
        if edit.start < position:
            raise UserError(
                f"the edit {edit.start} {edit.end} {edit.correction!r} overlaps the one before it, "
                f"which ends at {position}; "
                "edits of one annotator must not overlap"
            )
        corrected.extend(source[position : edit.start])
        start = len(corrected)
        correction = edit.correction if literal else edit.alternatives[0]
        corrected.extend(
            source[edit.start : edit.end] if edit.type in DETECTION_TYPES else correction.split()
        )
        places.append((edit, start, len(corrected)))
        position = edit.end
    corrected.extend(source[position:])
    return corrected, places


def edit_text(text: str, spans: Sequence[tuple[int, int]], edits: Iterable[Edit]) -> str:
    """Correct a text whose tokens have the given spans of characters; its spacing changes only
    where something is corrected.
    """
    ends = [end for _, end in spans]
    # What was typed before each token; None where the tokens decide.
    gaps: list[str | None] = [
        "",
        *(text[end:start] for end, (start, _) in zip(ends, spans[1:], strict=False)),
        "",
    ]
    written = _Written()
    position = 0
    parts = chain.from_iterable(map(_parts, sorted(edits, key=lambda edit: (edit.start, edit.end))))
    for edit in [*parts, Edit(len(spans), len(spans), "")]:
        for place in range(position, edit.start):
            written.add(text[slice(*spans[place])], gaps[place])
        position = edit.end
        added = (
            edit.correction.replace("'", "\u2019") if "\u2019" in text else edit.correction
        ).split()
        before, behind = gaps[edit.start], gaps[edit.end] or ""
        if edit.start < edit.end and not added:
            gaps[edit.end] = min(before or "", behind, key=len) or None
        # The first space that was typed here comes before what is inserted
        elif edit.start == edit.end and added:
            before, gaps[edit.end] = (before or "")[:1], behind[1:] or None
        for number, token in enumerate(added):
            written.add(
                token,
                None if number or (edit.start == edit.end and not before) else before,
                is_new=True,
            )
    start, end = (spans[0][0], ends[-1]) if spans else (len(text), len(text))
    return f"{text[:start]}{written}{text[end:]}"


def _parts(edit: Edit) -> Iterator[Edit]:
    """Words are replaced one by one, since each takes the place of the one before; the rest is
    inserted or deleted.
    """
    words = edit.correction.split()
    shared = min(edit.end - edit.start, len(words))
    for place, word in enumerate(words[:shared], start=edit.start):
        yield Edit(place, place + 1, word)
    if shared < edit.end - edit.start or shared < len(words):
        yield Edit(edit.start + shared, edit.end, " ".join(words[shared:]))


def token_edits(source: Sequence[str], corrected: Sequence[str]) -> list[Edit]:
    """The spans in which two sentences differ; without types, and hundreds of times as fast as an
    annotator finds them.
    """
    if list(source) == list(corrected):
        return []  # matching would take minutes for a sentence of many thousand words
    matcher = SequenceMatcher(None, source, corrected, autojunk=False)
    return [
        Edit(start, end, " ".join(corrected[first:last]))
        for operation, start, end, first, last in matcher.get_opcodes()
        if operation != "equal"
    ]


def joined(tokens: Sequence[str]) -> str:
    """Tokens as ordinary text: no space before a full stop or a clitic, none after an opening
    bracket.
    """
    written = _Written()
    for token in tokens:
        written.add(token, None, is_new=True)
    return str(written)


class _Written:
    """Tokens with what was typed before each of them, joined to a text."""

    def __init__(self) -> None:
        self._tokens: list[str] = []
        self._gaps: list[str | None] = []
        self._is_new: list[bool] = []

    def add(self, token: str, gap: str | None, is_new: bool = False) -> None:
        self._tokens.append(token)
        self._gaps.append(gap)
        self._is_new.append(is_new)

    def __str__(self) -> str:
        return "".join(
            f"{self._gap(place) if place else ''}{token}"
            for place, token in enumerate(self._tokens)
        )

    def _gap(self, place: int) -> str:
        typed = self._gaps[place]
        is_new = self._is_new[place - 1], self._is_new[place]
        if typed is not None and not any(is_new):
            return typed
        opens, clings = self._opens(place - 1), self._clings(place)
        if typed is None:
            return "" if opens or clings else " "
        if (is_new[0] and opens) or (is_new[1] and clings):
            return ""
        if typed or opens or clings:
            return typed
        left, right = self._tokens[place - 1][-1].isalnum(), self._tokens[place][0].isalnum()
        if left and right:
            both = self._tokens[place - 1 : place + 1]
            return "" if len(token_spans("".join(both))) == 2 else " "  # doesn't, 12km
        return " " if is_new[int(left)] else ""

    def _clings(self, place: int) -> bool:
        token, before = self._tokens[place], self._tokens[place - 1]
        if token in _QUOTATION_MARKS:
            return self._closes(place)
        return bool(
            _CLINGS_TO_THE_LEFT.fullmatch(token)
            or (before.lower(), token.lower()) in _ONE_WORD
            or self._is_hyphen(place)
        )

    def _opens(self, place: int) -> bool:
        token = self._tokens[place]
        if token in _QUOTATION_MARKS:
            return not self._closes(place)
        return bool(_CLINGS_TO_THE_RIGHT.fullmatch(token)) or self._is_hyphen(place)

    def _closes(self, place: int) -> bool:
        before, mark = self._tokens[:place], self._tokens[place]
        ends_a_word = mark == "'" and before[-1:] and before[-1].endswith("s")  # the boys' room
        return bool(ends_a_word or place + 1 == len(self._tokens) or before.count(mark) % 2)

    def _is_hyphen(self, place: int) -> bool:
        if self._tokens[place] not in {"-", "/"} or not 0 < place < len(self._tokens) - 1:
            return False
        if self._gaps[place] and not self._is_new[place]:
            return False
        return self._tokens[place - 1][-1].isalnum() and self._tokens[place + 1][0].isalnum()


@dataclass(frozen=True)
class EditProfile:
    """The number of edits that correct an ungrammatical text, and their error types."""

    sentences: int  # their number
    tokens: int  # the number of tokens, errors included
    edits: int  # the number of edits that correct them
    types: dict[str, int]  # ERRANT type -> number of edits, the most frequent first

    @classmethod
    def of(cls, text: Iterable[tuple[Sequence[str], Sequence[Edit]]]) -> EditProfile:
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
    """Jensen-Shannon distance (base 2) of two distributions of error types: 0 for equal ones, 1 for
    those that share no type.

    Not a number if a text has no edits, and so no distribution.
    """
    import numpy as np
    from scipy.spatial.distance import jensenshannon

    if not (first and second):
        return float("nan")
    types = sorted({*first, *second})
    counts = [
        np.array([text.get(name, 0) for name in types], dtype=float) for text in (first, second)
    ]
    return float(jensenshannon(counts[0], counts[1], base=2))

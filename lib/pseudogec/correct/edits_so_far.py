"""The edits that a system made so far, and sentences without some of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pseudogec.correct.step import Corrected, Progress, Tokens
from pseudogec.edits import Annotator, Edit, apply_edits

_SENTENCES_AT_ONCE = 500
"""Sentences that are annotated, and of which variants are kept, together: enough to fill batches, few enough for any memory."""


class Edited(NamedTuple):
    """A sentence on its way through a system.

    Attributes:
        source: its tokens as they were written.
        sentence: what the steps so far made of it.
        edits: the edits between the two, in the order of their spans.
    """

    source: Tokens
    sentence: Corrected
    edits: Sequence[Edit]


def edits_so_far(
    annotator: Annotator, sources: Sequence[Tokens], before: Sequence[Corrected], progress: Progress | None
) -> Iterator[list[Edited]]:
    """What was changed in each sentence since it was written, in batches; the progress counts batches that are dealt with."""
    for first in range(0, len(sources), _SENTENCES_AT_ONCE):
        batch = slice(first, first + _SENTENCES_AT_ONCE)
        edits = annotator.annotate(sources[batch], [sentence.tokens for sentence in before[batch]])
        yield [Edited(*item) for item in zip(sources[batch], before[batch], edits, strict=True)]
        if progress is not None:
            progress(first + len(edits), len(sources))


def without(edited: Edited, undone: Collection[Edit]) -> tuple[str, ...]:
    """The tokens of the sentence without some of its edits."""
    if not undone:
        return edited.sentence.tokens
    return tuple(apply_edits(edited.source, [edit for edit in edited.edits if edit not in undone]))


def undo(edited: Edited, undone: Collection[Edit]) -> Corrected:
    """The sentence without some of its edits, and a note that names them."""
    named = ", ".join(_named(edited.source, edit) for edit in edited.edits if edit in undone)
    return Corrected(without(edited, undone), f"undone: {named}" if named else "")


def _named(source: Tokens, edit: Edit) -> str:
    return f"{' '.join(source[edit.start : edit.end]) or 'nothing'} → {edit.correction or 'nothing'} ({edit.type})"

"""Edits of words that the models cannot read are undone (Choe et al. 2019, section 7.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pseudogec.correct.edits_so_far import edits_so_far, undo
from pseudogec.correct.step import Corrected, Progress, Tokens
from pseudogec.edits import Annotator


class UnknownWordsStep:
    """Undoes every edit that touches a word which the models read as ``<unk>``, whole or in part.

    An insertion touches no word and stays.

    Args:
        annotator: finds the edits.
        is_known: whether the models can read a word.
    """

    def __init__(self, annotator: Annotator, is_known: Callable[[str], bool]) -> None:
        self._annotator, self._is_known = annotator, is_known

    def __call__(
        self, sources: Sequence[Tokens], before: Sequence[Corrected], progress: Progress | None = None
    ) -> list[Corrected]:
        """Undo edits; see `Step`."""
        after = []
        for batch in edits_so_far(self._annotator, sources, before, progress):
            for edited in batch:
                words = [(edit, edited.source[edit.start : edit.end]) for edit in edited.edits]
                after.append(undo(edited, [edit for edit, touched in words if not all(map(self._is_known, touched))]))
        return after

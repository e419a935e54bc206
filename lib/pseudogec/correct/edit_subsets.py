"""The edits of a sentence that a language model likes best (Choe et al. 2019, section 7.4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from pseudogec.correct.edits_so_far import Edited, edits_so_far, undo, without
from pseudogec.correct.step import Corrected, Progress, SentenceScorer, Tokens
from pseudogec.edits import Annotator, Edit


class LanguageModelStep:
    """Keeps, of all subsets of a sentence's edits, the one whose sentence the language model likes best.

    Sentences are compared by log-probability / (tokens + 1) ** length penalty, since edits change the length. Of equally good
    subsets the larger one is kept. A sentence with more edits than are tried at once is searched from left to right, so many
    edits at a time, while the edits to the right of these stand. A sentence that is too long for the language model keeps all
    its edits.

    Args:
        annotator: finds the edits.
        language_model: scores sentences.
        at_most: edits that are tried at once; their subsets are 2 to this power.
        length_penalty: 0: sentences of any length are compared by their probability; 1: by its geometric mean over tokens.
    """

    def __init__(
        self, annotator: Annotator, language_model: SentenceScorer, at_most: int = 7, length_penalty: float = 1.0
    ) -> None:
        self._annotator, self._language_model = annotator, language_model
        self._at_most, self._length_penalty = at_most, length_penalty

    def __call__(
        self, sources: Sequence[Tokens], before: Sequence[Corrected], progress: Progress | None = None
    ) -> list[Corrected]:
        """Undo the edits without which the language model likes the sentence better; see `Step`."""
        after: list[Corrected] = []
        for batch in edits_so_far(self._annotator, sources, before, progress):
            after += map(undo, batch, self._search(batch))
        return after

    def _search(self, batch: Sequence[Edited]) -> list[tuple[Edit, ...]]:
        """The edits of each sentence that are better undone."""
        undone: list[tuple[Edit, ...]] = [()] * len(batch)
        for first in range(0, max(len(edited.edits) for edited in batch), self._at_most):
            places = [place for place, edited in enumerate(batch) if len(edited.edits) > first]
            subsets = [list(undone_subsets(batch[place].edits, first, self._at_most, undone[place])) for place in places]
            variants = [[without(batch[place], subset) for subset in found] for place, found in zip(places, subsets, strict=True)]
            scores = iter(self._language_model([tokens for found in variants for tokens in found]))
            for place, found, sentences in zip(places, subsets, variants, strict=True):
                rated = [next(scores) / (len(tokens) + 1) ** self._length_penalty for tokens in sentences]
                if rated[0] > -math.inf:
                    undone[place] = found[rated.index(max(rated))]
        return undone


def undone_subsets(
    edits: Sequence[Edit], first: int, at_most: int, undone_before: tuple[Edit, ...] = ()
) -> Iterator[tuple[Edit, ...]]:
    """Every way to undo some of ``at_most`` edits from ``first`` on, the fewest first.

    Args:
        edits: all edits of a sentence.
        first: place of the first edit that is tried.
        at_most: how many are tried.
        undone_before: further left; they stay undone.
    """
    tried = edits[first : first + at_most]
    for count in range(len(tried) + 1):
        for subset in combinations(tried, count):
            yield (*undone_before, *subset)

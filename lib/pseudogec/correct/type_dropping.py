"""Weak types of edits are dropped (Choe et al. 2019, section 7.4)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from artefacts.errors import UserError
from pseudogec.correct.edits_so_far import edits_so_far, undo
from pseudogec.correct.step import Corrected, Progress, Tokens
from pseudogec.edits import AnnotatedSentence, Annotator, Edit
from pseudogec.evaluate import ErrantScorer, precision_recall_f05

Mask = npt.NDArray[np.bool_]
"""Sets of types, one a row; True: dropped."""


class TypeDroppingStep:
    """Undoes the edits of some error types.

    Args:
        annotator: finds the edits and names their types.
        types: whole types, such as ``R:OTHER``.
    """

    def __init__(self, annotator: Annotator, types: Collection[str]) -> None:
        self._annotator, self._types = annotator, frozenset(types)

    def __call__(
        self, sources: Sequence[Tokens], before: Sequence[Corrected], progress: Progress | None = None
    ) -> list[Corrected]:
        """Undo edits; see `Step`."""
        after = []
        for batch in edits_so_far(self._annotator, sources, before, progress):
            after += [undo(edited, [edit for edit in edited.edits if edit.type in self._types]) for edited in batch]
        return after


class DroppedTypes(NamedTuple):
    """What a search on development data found.

    Attributes:
        types: the types whose edits are better dropped, by name.
        f05: F0.5 without them, from 0 to 1.
        f05_with_all: F0.5 with all edits.
        tried: how many sets of types were scored, the empty one among them.
    """

    types: list[str]
    f05: float
    f05_with_all: float
    tried: int


def search_types(
    edits: Sequence[Sequence[Edit]], references: Sequence[AnnotatedSentence], rounds: int, at_most: int, seed: int
) -> DroppedTypes:
    """Search at random for a set of types without which a system's edits score higher on development data.

    Every round draws a size from 1 to ``at_most`` and as many of the types that the system's edits have; where there are no
    more sets than rounds, all are tried instead. The set with the highest ERRANT F0.5 wins, of equals the smallest. Dropping
    nothing takes part, so the development score never falls. It is tuned to these data: only others tell what it is worth.

    Args:
        edits: the system's edits of each sentence of the development data.
        references: its reference edits, of one annotator or several; several take hundreds of times as long.
        rounds: sets that are drawn.
        at_most: types of a set.
        seed: of the draws.

    Raises:
        UserError: the numbers of sentences differ, or there are no rounds.
    """
    if rounds < 1 or at_most < 1:
        raise UserError(f"a search needs at least 1 round and 1 type, got {rounds} rounds and {at_most} types")
    scorer = ErrantScorer(references)
    with_all = scorer.compare(edits).f05
    types = sorted({edit.type for sentence in edits for edit in sentence})
    masks = _masks(len(types), rounds, at_most, seed)
    if all(len(reference.annotators) <= 1 for reference in references):
        f05 = _f05_by_counts(edits, references, types, masks)
    else:
        f05 = np.array([_f05_by_scorer(scorer, edits, {types[number] for number in np.flatnonzero(mask)}) for mask in masks])
    best = int(np.argmax(f05))  # the first of equals; the masks rise in size
    dropped = [types[number] for number in np.flatnonzero(masks[best])]
    return DroppedTypes(dropped, float(f05[best]), with_all, len(masks))


def _masks(types: int, rounds: int, at_most: int, seed: int) -> Mask:
    """The sets of types that are tried, each once, the empty one first, the smaller before the larger."""
    largest = min(at_most, types)
    if sum(math.comb(types, size) for size in range(1, largest + 1)) <= rounds:
        members: Iterator[tuple[int, ...]] = chain.from_iterable(combinations(range(types), size) for size in range(largest + 1))
    else:
        random_numbers = np.random.default_rng(seed)
        sizes = random_numbers.integers(1, largest + 1, size=rounds)
        drawn = {tuple(sorted(random_numbers.choice(types, size, replace=False).tolist())) for size in sizes}
        members = iter(sorted({(), *drawn}, key=lambda numbers: (len(numbers), numbers)))
    chosen = list(members)
    masks = np.zeros((len(chosen), types), dtype=bool)
    for mask, numbers in zip(masks, chosen, strict=True):
        mask[list(numbers)] = True
    return masks


def _f05_by_counts(
    edits: Sequence[Sequence[Edit]], references: Sequence[AnnotatedSentence], types: Sequence[str], masks: Mask
) -> npt.NDArray[np.float64]:
    """F0.5 without each set of types, where no sentence has more than one annotator.

    Then a dropped edit that is right turns from a true positive into a false negative, one that is wrong is a false positive
    less, and what a set of types changes is the sum of what its types change.
    """
    right, wrong = Counter[str](), Counter[str]()
    wanted = 0
    for sentence, reference in zip(edits, references, strict=True):
        gold = Counter(map(_key, chain.from_iterable(reference.annotators.values())))
        del gold[None]
        wanted += gold.total()
        for edit in sentence:
            if _key(edit) in gold:
                right[edit.type] += gold[_key(edit)]
            elif _key(edit) is not None:
                wrong[edit.type] += 1
    kept = ~masks
    tp = kept @ np.array([right[name] for name in types], dtype=np.int64)
    fp = kept @ np.array([wrong[name] for name in types], dtype=np.int64)
    return np.asarray(precision_recall_f05(tp, fp, wanted - tp)[2])


def _key(edit: Edit) -> tuple[int, int, str] | None:
    """What must agree for an edit to be right; nothing for one that ERRANT leaves out when it scores corrections."""
    return None if edit.type == "UNK" else (edit.start, edit.end, edit.correction)


def _f05_by_scorer(scorer: ErrantScorer, edits: Sequence[Sequence[Edit]], dropped: Collection[str]) -> float:
    return scorer.compare([[edit for edit in sentence if edit.type not in dropped] for sentence in edits]).f05

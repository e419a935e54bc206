"""How much of the probability of the n best corrections goes to each edit, from which follow
operating points and curves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pseudogec.correct.step import Before, Told, before_models
from pseudogec.edits import Annotator, Edit
from pseudogec.text import Bpe

_SENTENCES_AT_ONCE = 500
THRESHOLDS = tuple(number / 20 for number in range(1, 20))


class Share(NamedTuple):
    """How much of the probability of all corrections those with an edit have, and the numbers of
    these corrections.
    """

    probability: float
    corrections: frozenset[int]


def proposed_edits(
    before: Before, annotator: Annotator, bpe: Bpe, length_penalty: float, progress: Told = None
) -> list[dict[Edit, float]]:
    """The edits of each sentence at a threshold of 0, with their shares: at any other, those whose
    share is large enough.

    An edit is excluded by edits with larger shares alone, so a higher threshold makes a part of the
    edits of a lower one.
    """
    all_shares = _shares_of(before, annotator, bpe, length_penalty, progress)
    return [
        {edit: shares[edit].probability for edit in _without_rivals(shares)}
        for shares in all_shares
    ]


def _shares_of(
    before: Before, annotator: Annotator, bpe: Bpe, length_penalty: float, progress: Told
) -> list[dict[Edit, Share]]:
    """The shares of the edits of each sentence; a sentence without several corrections has no
    edits.
    """
    weighed: list[dict[Edit, Share]] = []
    for first in range(0, len(before), _SENTENCES_AT_ONCE):
        batch = before[first : first + _SENTENCES_AT_ONCE]
        written = [before_models(sentence, bpe) for sentence in batch]
        choices = [
            sentence.candidates if len(sentence.candidates) > 1 else () for sentence in batch
        ]
        changed = [
            (tokens, bpe.undo(candidate.subwords))
            for tokens, sentence, candidates in zip(written, batch, choices, strict=True)
            for candidate in candidates
            if candidate.subwords != sentence.corrected_subwords
        ]
        edits = iter(
            annotator.annotate([tokens for tokens, _ in changed], [tokens for _, tokens in changed])
        )
        for sentence, candidates in zip(batch, choices, strict=True):
            of_each = [
                next(edits) if candidate.subwords != sentence.corrected_subwords else ()
                for candidate in candidates
            ]
            scores = [
                candidate.score * (len(candidate.subwords) + 1) ** length_penalty
                for candidate in candidates
            ]
            weighed.append(edit_shares(of_each, scores))
        if progress is not None:
            progress(len(weighed), len(before))
    return weighed


def edit_shares(
    edits: Sequence[Sequence[Edit]], log_probabilities: Sequence[float]
) -> dict[Edit, Share]:
    """The share of each edit, the largest first.

    Edits are the same if their spans and corrections are, whatever their types; the type is that of
    the most probable correction.

    Args:
        edits: of each correction.
        log_probabilities: of each correction, in natural logarithms.
    """
    if not log_probabilities:
        return {}
    weights = np.exp(np.array(log_probabilities) - max(log_probabilities))
    weights /= weights.sum()
    named_by: dict[tuple[int, int, str], Edit] = {}
    makers: dict[Edit, set[int]] = {}
    for place in np.argsort(-weights, kind="stable").tolist():
        for edit in edits[place]:
            same = named_by.setdefault((edit.start, edit.end, edit.correction), edit)
            makers.setdefault(same, set()).add(place)
    shares = {
        edit: Share(float(weights[sorted(places)].sum()), frozenset(places))
        for edit, places in makers.items()
    }
    return dict(sorted(shares.items(), key=lambda item: -item[1].probability))


def _without_rivals(shares: Mapping[Edit, Share]) -> list[Edit]:
    """The edits without those that a more probable one excludes: it overlaps or touches them, and
    no correction has both.
    """
    chosen: list[Edit] = []
    for edit, share in shares.items():
        neighbours = [
            other for other in chosen if edit.start <= other.end and other.start <= edit.end
        ]
        if all(share.corrections & shares[other].corrections for other in neighbours):
            chosen.append(edit)
    return chosen

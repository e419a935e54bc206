"""Edits are kept by their share of the probability of the n best corrections."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from artefacts import Progress
from pseudogec.correct.step import (
    STEPS,
    Built,
    Corrected,
    Development,
    Need,
    Planning,
    ReadyStep,
    SentenceProgress,
    Step,
    Tokens,
    check_candidates,
    gain,
    named,
)
from pseudogec.edits import Annotator, Edit, apply_edits
from pseudogec.text import Bpe

_SENTENCES_AT_ONCE = 500
THRESHOLDS = tuple(number / 20 for number in range(1, 20))


class Share(NamedTuple):
    """How much of the probability of all corrections those with an edit have, and the numbers of these corrections."""

    probability: float
    corrections: frozenset[int]


class Weighed(NamedTuple):
    """A sentence before the models corrected it, and the edits of its n best corrections, the most probable first."""

    tokens: Tokens
    shares: Mapping[Edit, Share]


@STEPS.register
class ConfidentEdits(Step):
    """Edits are kept that make up enough of the probability of the n best corrections.

    The share of an edit e is the sum of p(h) over the corrections h with e, divided by the sum over all n. A high threshold makes
    fewer edits than the best correction has; a low one also edits that it lacks. Of edits that overlap or touch, and that no
    correction makes together, the one with the largest share is kept. Raina and Gales (2023) choose among corrections by the same
    sums.
    """

    name: ClassVar[str] = "confident_edits"
    label: ClassVar[str] = "confident edits"
    tuned: ClassVar[str] = "the threshold of confident edits"
    threshold: float | None = Field(default=None, ge=0, le=1, description="found on development data when it is not given")

    def describe(self) -> str:
        share = "enough" if self.threshold is None else f"at least {self.threshold:.2f}"
        return f"edits with {share} of the probability of the n best corrections"

    def check(self, before: Sequence[Step]) -> None:
        check_candidates(before)

    def needs(self, planning: Planning) -> dict[str, Need]:
        needs: dict[str, Need] = {
            "subwords": planning.subwords,
            "annotator": planning.annotator,
            "length_penalty": planning.decoding["length_penalty"],
        }
        if self.threshold is None:
            needs["found"] = planning.search(self, needs)
        return needs

    def prepare(self, built: Built) -> ReadyStep:
        threshold = built.found["threshold"] if self.threshold is None else self.threshold
        return partial(
            self.keep, annotator=built.annotator, bpe=built.bpe, length_penalty=built["length_penalty"], threshold=threshold
        )

    def keep(
        self,
        sources: Sequence[Tokens],
        before: Sequence[Corrected],
        progress: SentenceProgress | None = None,
        *,
        annotator: Annotator,
        bpe: Bpe,
        length_penalty: float,
        threshold: float,
    ) -> list[Corrected]:
        """Make the edits of the n best corrections whose share is at least the threshold."""
        weighed = _weigh(before, annotator, bpe, length_penalty, progress)
        return [_corrected(sentence, item, threshold) for sentence, item in zip(before, weighed, strict=True)]

    def tune(self, development: Development, built: Built, progress: Progress) -> dict[str, Any]:
        weighed = _weigh(development.before, development.annotator, built.bpe, built["length_penalty"], None)

        scores: dict[float, float] = {}
        for tried, threshold in enumerate(THRESHOLDS, start=1):
            corrected = map(_corrected, development.before, weighed, repeat(threshold))
            scores[threshold] = development.score([sentence.tokens for sentence in corrected]).headline
            progress(tried, len(THRESHOLDS), "thresholds")
        best = max(scores, key=scores.__getitem__)  # the first of equals, which makes most edits
        of_best = development.score([sentence.tokens for sentence in development.before]).headline
        return {"threshold": best, "f05": scores[best], "f05_of_best": of_best}

    def tell(self, found: Mapping[str, Any]) -> str:
        return f"edits are made from a share of {found['threshold']:.2f} on; {gain(found['f05_of_best'], found['f05'])}"


def confident_edits(
    before: Sequence[Corrected], annotator: Annotator, bpe: Bpe, length_penalty: float, progress: SentenceProgress | None = None
) -> list[dict[Edit, float]]:
    """The edits of each sentence at a threshold of 0, with their shares: at any other, those whose share is large enough.

    An edit is excluded by edits with larger shares alone, so a higher threshold makes a part of the edits of a lower one.
    """
    weighed = _weigh(before, annotator, bpe, length_penalty, progress)
    return [{edit: item.shares[edit].probability for edit in _kept(item, 0)} for item in weighed]


def _weigh(
    before: Sequence[Corrected], annotator: Annotator, bpe: Bpe, length_penalty: float, progress: SentenceProgress | None
) -> list[Weighed]:
    """The shares of the edits of each sentence; a sentence without several corrections has no edits."""
    weighed: list[Weighed] = []
    for first in range(0, len(before), _SENTENCES_AT_ONCE):
        batch = before[first : first + _SENTENCES_AT_ONCE]
        written = [_before_models(sentence, bpe) for sentence in batch]
        choices = [sentence.candidates if len(sentence.candidates) > 1 else () for sentence in batch]
        changed = [
            (tokens, bpe.undo(candidate.subwords))
            for tokens, sentence, found in zip(written, batch, choices, strict=True)
            for candidate in found
            if candidate.subwords != sentence.corrected_subwords
        ]
        edits = iter(annotator.annotate([tokens for tokens, _ in changed], [tokens for _, tokens in changed]))
        for tokens, sentence, found in zip(written, batch, choices, strict=True):
            of_each = [next(edits) if candidate.subwords != sentence.corrected_subwords else () for candidate in found]
            scores = [candidate.score * (len(candidate.subwords) + 1) ** length_penalty for candidate in found]
            weighed.append(Weighed(tokens, edit_shares(of_each, scores)))
        if progress is not None:
            progress(len(weighed), len(before))
    return weighed


def _before_models(sentence: Corrected, bpe: Bpe) -> Tokens:
    unchanged = not sentence.candidates or sentence.candidates[0].subwords == sentence.corrected_subwords
    return sentence.tokens if unchanged else bpe.undo(sentence.corrected_subwords)


def edit_shares(edits: Sequence[Sequence[Edit]], log_probabilities: Sequence[float]) -> dict[Edit, Share]:
    """The share of each edit, the largest first.

    Edits are the same if their spans and corrections are, whatever their types; the type is that of the most probable correction.

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
    shares = {edit: Share(float(weights[sorted(places)].sum()), frozenset(places)) for edit, places in makers.items()}
    return dict(sorted(shares.items(), key=lambda item: -item[1].probability))


def _kept(weighed: Weighed, threshold: float) -> list[Edit]:
    """The edits whose share is at least the threshold, without those that a more probable edit excludes."""
    chosen: list[Edit] = []
    for edit, share in weighed.shares.items():
        # Sums of rounded numbers may be a little too small.
        enough = share.probability >= threshold or math.isclose(share.probability, threshold)
        neighbours = [other for other in chosen if edit.start <= other.end and other.start <= edit.end]
        if enough and all(share.corrections & weighed.shares[other].corrections for other in neighbours):
            chosen.append(edit)
    return chosen


def _corrected(sentence: Corrected, weighed: Weighed, threshold: float) -> Corrected:
    if not weighed.shares:
        return Corrected(sentence.tokens)
    tokens, made = weighed.tokens, _kept(weighed, threshold)
    others = [edit for edit, share in weighed.shares.items() if edit not in made and share.probability >= threshold / 2]
    left_out = ", ".join(f"{named(tokens, edit)} {weighed.shares[edit].probability:.2f}" for edit in others)
    return Corrected(tuple(apply_edits(tokens, made, literal=True)), f"less certain: {left_out}" if left_out else "")

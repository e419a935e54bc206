"""Edits are kept of which the models are sure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

from pydantic import Field

from pseudogec.artefacts import Progress
from pseudogec.artefacts.errors import UserError
from pseudogec.correct.models import StepOfModels
from pseudogec.correct.step import (
    STEPS,
    Before,
    Built,
    Corrected,
    Development,
    Need,
    Planning,
    ReadyStep,
    Sentences,
    Step,
    Told,
    before_models,
    check_candidates,
    named,
)
from pseudogec.edits import Annotator, Edit, apply_edits
from pseudogec.text import Bpe, Tokens

Scores = Callable[
    [Sequence[Sequence[str]], Sequence[Sequence[Sequence[str]]]], Sequence[Sequence[float]]
]
"""The log-probability of several corrections of each sentence, in subwords."""

_SENTENCES_AT_ONCE = 500


class Weighed(NamedTuple):
    """A sentence before the models corrected it, and their edits, each with its margin."""

    tokens: Tokens
    margins: Mapping[Edit, float]


@STEPS.register
class ConfidentEdits(StepOfModels):
    """Edits are kept that make the correction much more probable to the models.

    The margin of an edit is the logarithm of p(correction) / p(correction without this edit).
    Without a threshold, the lowest one is taken at which the system changes no more than a share of
    the correct sentences in the development data.
    """

    name: ClassVar[str] = "confident_edits"
    label: ClassVar[str] = "confident edits"
    version: ClassVar[int] = 2
    needs_gpu: ClassVar[bool] = True
    tuned: ClassVar[str] = "the threshold of confident edits"
    threshold: float | None = Field(
        default=None,
        ge=0,
        description="of the margin; found on development data when it is not given",
    )
    changed: float = Field(
        default=0.02, ge=0, le=1, description="share of correct sentences that may be changed"
    )
    longest: int | None = Field(
        default=None, ge=1, description="longer sentences, such as none in training, are left alone"
    )

    def describe(self) -> str:
        return "edits of which the model is sure"

    def check(self, before: Sequence[Step]) -> None:
        check_candidates(before)

    def needs(self, planning: Planning) -> dict[str, Need]:
        seeds = self.seeds or ((planning.seed,) if planning.seed else None)
        needs: dict[str, Need] = {
            "models": planning.models(self.models, seeds),
            "subwords": planning.subwords,
            "annotator": planning.annotator,
        }
        if self.threshold is None:
            needs["found"] = planning.search(self, needs)
        return needs

    def prepare(self, built: Built) -> ReadyStep:
        threshold = built.found["threshold"] if self.threshold is None else self.threshold
        return partial(
            self.keep,
            annotator=built.annotator,
            bpe=built.bpe,
            score=_scores(built),
            threshold=threshold,
        )

    def keep(
        self,
        sources: Sentences,
        before: Before,
        progress: Told = None,
        *,
        annotator: Annotator,
        bpe: Bpe,
        score: Scores,
        threshold: float,
    ) -> list[Corrected]:
        weighed = self._weigh(before, annotator, bpe, score, progress)
        return [
            _sure(sentence, item, threshold) for sentence, item in zip(before, weighed, strict=True)
        ]

    def tune(self, development: Development, built: Built, progress: Progress) -> dict[str, Any]:
        correct = [
            place
            for place, sentence in enumerate(development.references)
            if not any(sentence.annotators.values())
        ]
        if not correct:
            raise UserError(
                "confident_edits: its threshold is found on correct sentences, and the "
                "development data have none"
            )
        sources = [development.sources[place] for place in correct]
        before = [development.before[place] for place in correct]
        report_progress = lambda done, total: progress(done, total, "sentences")  # noqa: E731
        weighed = self._weigh(before, built.annotator, built.bpe, _scores(built), report_progress)
        # A sentence that the steps before the models changed is changed at every threshold.
        highest = [
            math.inf
            if tuple(item.tokens) != tuple(source)
            else max(item.margins.values(), default=-math.inf)
            for item, source in zip(weighed, sources, strict=True)
        ]
        threshold = lowest_threshold(highest, self.changed)
        changed = sum(margin >= threshold for margin in highest) / len(highest)
        return {"threshold": threshold, "changed": changed, "sentences": len(highest)}

    def tell(self, result: Mapping[str, Any]) -> str:
        share = (
            f"{100 * result['changed']:.1f}% of {result['sentences']:,} correct sentences "
            "are changed"
        )
        return f"edits are made from a margin of {result['threshold']:.2f} on; {share}"

    def _weigh(
        self, before: Before, annotator: Annotator, bpe: Bpe, score: Scores, progress: Told
    ) -> list[Weighed]:
        weighed: list[Weighed] = []
        for first in range(0, len(before), _SENTENCES_AT_ONCE):
            batch = before[first : first + _SENTENCES_AT_ONCE]
            written = [before_models(sentence, bpe) for sentence in batch]
            edits = annotator.annotate(written, [sentence.tokens for sentence in batch])
            places = [
                place
                for place, proposed in enumerate(edits)
                if proposed and self._is_usual(written[place])
            ]
            without = [
                [_without(written[place], edits[place], edit) for edit in edits[place]]
                for place in places
            ]
            sentences = [
                [batch[place].tokens, *variants]
                for place, variants in zip(places, without, strict=True)
            ]
            scores = score(
                [bpe.apply(written[place]) for place in places],
                [list(map(bpe.apply, proposed)) for proposed in sentences],
            )
            margins: list[dict[Edit, float]] = [
                dict.fromkeys(proposed, -math.inf) for proposed in edits
            ]
            for place, (whole, *others) in zip(places, scores, strict=True):
                if whole > -math.inf:
                    margins[place] = {
                        edit: whole - other
                        for edit, other in zip(edits[place], others, strict=True)
                    }
            weighed += map(Weighed, written, margins)
            if progress is not None:
                progress(len(weighed), len(before))
        return weighed

    def _is_usual(self, tokens: Tokens) -> bool:
        return self.longest is None or len(tokens) <= self.longest


def _scores(built: Built) -> Scores:
    return partial(built.decoder().score, length_penalty=0.0)


def lowest_threshold(highest: Sequence[float], share: float) -> float:
    """The lowest threshold, rounded up to hundredths, that at most a share of sentences reaches
    with their highest margins; what is infinite is reached by each threshold.
    """
    beyond = sorted(highest, reverse=True)[int(share * len(highest)) :]
    last = next((margin for margin in beyond if margin < math.inf), -math.inf)
    return math.floor(100 * last + 1) / 100 if last >= 0 else 0.0


def _without(written: Tokens, edits: Sequence[Edit], edit: Edit) -> list[str]:
    return apply_edits(written, [other for other in edits if other is not edit], literal=True)


def _sure(sentence: Corrected, weighed: Weighed, threshold: float) -> Corrected:
    kept = [edit for edit, margin in weighed.margins.items() if margin >= threshold]
    if len(kept) == len(weighed.margins):
        return Corrected(sentence.tokens)
    undone = ", ".join(
        f"{named(weighed.tokens, edit)} {margin:.1f}"
        for edit, margin in weighed.margins.items()
        if margin < threshold
    )
    return Corrected(
        tuple(apply_edits(weighed.tokens, kept, literal=True)), f"less certain: {undone}"
    )

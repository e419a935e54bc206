"""Corrections are used only where an error is detected (Kiyono et al. 2019, section 4.5; 2020,
footnote 14).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from pseudogec.artefacts import Progress
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
    gain,
)
from pseudogec.evaluate import f05_of
from pseudogec.seq2seq import model_cache
from pseudogec.text import Tokens

if TYPE_CHECKING:
    from pseudogec.seq2seq.detector import Detector, Encoder  # imports fairseq

ErrorProbabilities = Callable[[Sequence[Tokens]], Sequence[float]]
"""The probability that each sentence contains an error."""


@STEPS.register
class ErrorDetection(Step):
    """A sentence is corrected only if a classifier finds an error in it (TASLP footnote 14)."""

    name: ClassVar[str] = "error_detection"
    label: ClassVar[str] = "error detection"
    incidental: ClassVar[frozenset[str]] = frozenset({"model"})
    needs_gpu: ClassVar[bool] = True
    tuned: ClassVar[str] = "the threshold of error detection"
    model: str | None = Field(
        default=None,
        description="a name from `models`: the correction model that becomes the classifier",
    )
    hugging_face: Path | None = Field(
        default=None,
        description="instead, a folder of the data with an encoder of BERT's kind in Hugging "
        "Face's form (`make encoder`)",
    )
    threshold: float | None = Field(
        default=None, ge=0, le=1, description="found on development data when it is not given"
    )

    @model_validator(mode="after")
    def _one_classifier(self) -> Self:
        if (self.model is None) == (self.hugging_face is None):
            raise ValueError(
                "give either `model`, a name from `models`, or `hugging_face`, an encoder"
            )
        return self

    def describe(self) -> str:
        return (
            "only where an error is detected "
            f"({self.hugging_face.name if self.hugging_face else 'our classifier'})"
        )

    @property
    def model_names(self) -> tuple[str, ...]:
        return () if self.model is None else (self.model,)

    @property
    def files(self) -> tuple[Path, ...]:
        names = "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"
        return (
            () if self.hugging_face is None else tuple(self.hugging_face / name for name in names)
        )

    def check(self, before: Sequence[Step]) -> None:
        if not before:
            raise ValueError(
                "decides whether a correction is used, so a step that corrects must come before"
            )

    def needs(self, planning: Planning) -> dict[str, Need]:
        needs: dict[str, Need]
        if self.model is None:
            needs = {"detector": planning.encoder(self.files)}
        else:
            needs = {"subwords": planning.subwords, "detector": planning.detector(self.model)}
        if self.threshold is None:
            needs["found"] = planning.search(self, needs)
        return needs

    def prepare(self, built: Built) -> ReadyStep:
        threshold = built.found["threshold"] if self.threshold is None else self.threshold
        return partial(self.gate, probabilities=self._probabilities(built), threshold=threshold)

    def _probabilities(self, built: Built) -> ErrorProbabilities:
        if self.hugging_face is not None:
            return _encoder(built.folder("detector")).probabilities
        detector, bpe = _detector(built.folder("detector")), built.bpe
        return lambda sentences: detector.probabilities([bpe.apply(tokens) for tokens in sentences])

    def gate(
        self,
        sources: Sentences,
        before: Before,
        progress: Told = None,
        *,
        probabilities: ErrorProbabilities,
        threshold: float,
    ) -> list[Corrected]:
        """Take a correction back if the classifier gives the written sentence a probability of an
        error below the threshold.
        """

        def decided(source: Tokens, sentence: Corrected, probability: float) -> Corrected:
            if probability >= threshold:
                return Corrected(sentence.tokens, f"p(error) = {probability:.2f}")
            return Corrected(
                tuple(source),
                f"p(error) = {probability:.2f}, below {threshold:.2f}: left as it was written",
            )

        return [
            decided(*item) for item in zip(sources, before, probabilities(sources), strict=True)
        ]

    def tune(self, development: Development, built: Built, progress: Progress) -> dict[str, Any]:
        corrected = [sentence.tokens for sentence in development.before]
        probabilities = self._probabilities(built)(development.sources)
        counts = [
            development.score(sentences).per_sentence()
            for sentences in (corrected, development.sources)
        ]
        return choose_threshold(probabilities, *counts)._asdict()

    def tell(self, result: Mapping[str, Any]) -> str:
        gained = gain(result["f05_of_all"], result["f05"])
        return (
            f"a correction is used from a probability of an error of {result['threshold']:.2f}; "
            f"{gained}"
        )


@model_cache.remembered(at_most=1)
def _detector(folder: Path) -> Detector:
    from pseudogec.seq2seq.detector import Detector

    return Detector.load(folder)


@model_cache.remembered(at_most=1)
def _encoder(folder: Path) -> Encoder:
    from pseudogec.seq2seq.detector import Encoder

    return Encoder(folder)


class ChosenThreshold(NamedTuple):
    threshold: float  # the lowest probability of an error with which a correction is used
    f05: float  # F0.5 with it, from 0 to 1
    f05_of_all: float  # F0.5 when every correction is used


def choose_threshold(
    probabilities: Sequence[float], corrected: np.ndarray, unchanged: np.ndarray
) -> ChosenThreshold:
    """The threshold with the highest F0.5 on development data, of all that give different
    corrections.

    Of equally good ones the lowest is taken, which uses most corrections; 0 uses all, so the score
    cannot fall.

    Args:
        corrected: true positives, false positives and false negatives of each sentence's
            correction, (sentences, 3).
        unchanged: the same of the sentence as it was written.
    """
    values = np.asarray(probabilities, dtype=float)
    order = np.argsort(values, kind="stable")
    gained = (unchanged - corrected)[order].cumsum(axis=0)
    # Totals when the first 0, 1, 2, ... sentences of the order keep their sources.
    totals = corrected.sum(axis=0) + np.concatenate([np.zeros((1, 3), dtype=gained.dtype), gained])
    thresholds = np.concatenate([[0.0], np.nextafter(values[order], np.inf)])
    # Sentences of equal probability are decided together: only the last of them can be a threshold.
    possible = np.concatenate([[True], np.append(values[order][1:] != values[order][:-1], True)])
    scores = np.where(possible, f05_of(totals), -1.0)
    best = int(np.argmax(scores))
    return ChosenThreshold(float(thresholds[best]), float(scores[best]), float(scores[0]))

"""Corrections are used only where an error is detected (Kiyono et al. 2019, section 4.5; 2020, footnote 14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from pseudogec.correct.step import Corrected, Progress, Tokens
from pseudogec.evaluate import f05_of

ErrorProbabilities = Callable[[Sequence[Tokens]], Sequence[float]]
"""How likely a classifier holds it that each sentence contains an error."""


class DetectionStep:
    """Leaves a sentence as it was written unless a classifier finds an error in it.

    Args:
        probabilities: of an error in sentences as they were written.
        threshold: the lowest probability with which a correction is used.
    """

    def __init__(self, probabilities: ErrorProbabilities, threshold: float) -> None:
        self._probabilities, self._threshold = probabilities, threshold

    def __call__(
        self, sources: Sequence[Tokens], before: Sequence[Corrected], progress: Progress | None = None
    ) -> list[Corrected]:
        """Take corrections back where no error is detected; see `Step`."""
        found = self._probabilities(sources)
        return [self._decided(*item) for item in zip(sources, before, found, strict=True)]

    def _decided(self, source: Tokens, sentence: Corrected, probability: float) -> Corrected:
        if probability >= self._threshold:
            return Corrected(sentence.tokens, f"p(error) = {probability:.2f}")
        return Corrected(tuple(source), f"p(error) = {probability:.2f}, below {self._threshold:.2f}: left as it was written")


class ChosenThreshold(NamedTuple):
    """What a search on development data found.

    Attributes:
        threshold: the lowest probability of an error with which a correction is used.
        f05: F0.5 with it, from 0 to 1.
        f05_of_all: F0.5 when every correction is used.
    """

    threshold: float
    f05: float
    f05_of_all: float


def choose_threshold(probabilities: Sequence[float], corrected: np.ndarray, unchanged: np.ndarray) -> ChosenThreshold:
    """The threshold with the highest F0.5 on development data; all that make a difference are tried.

    Of equally good ones the lowest is taken, which uses most corrections; 0 uses all, so that the score never falls.

    Args:
        probabilities: of an error in each sentence.
        corrected: true positives, false positives and false negatives of each sentence's correction, (sentences, 3).
        unchanged: the same of the sentence as it was written.
    """
    found = np.asarray(probabilities, dtype=float)
    order = np.argsort(found, kind="stable")
    gained = (unchanged - corrected)[order].cumsum(axis=0)
    # Totals when the first 0, 1, 2, ... sentences of the order keep their sources.
    totals = corrected.sum(axis=0) + np.concatenate([np.zeros((1, 3), dtype=gained.dtype), gained])
    thresholds = np.concatenate([[0.0], np.nextafter(found[order], np.inf)])
    # Sentences of equal probability are decided together: only the last of them can be a threshold.
    possible = np.concatenate([[True], np.append(found[order][1:] != found[order][:-1], True)])
    scores = np.where(possible, f05_of(totals), -1.0)
    best = int(np.argmax(scores))
    return ChosenThreshold(float(thresholds[best]), float(scores[best]), float(scores[0]))

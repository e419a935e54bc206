"""Counts of made-up systems whose true score is known: what intervals and tests are held
against.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

ERRORS = 1.1
"""Errors a sentence, as in test sets of learners' text: a third of the sentences have none."""
WRONG_EDITS = 0.45
"""Wrong edits that a system makes a sentence."""


@dataclass(frozen=True)
class Trial:
    """How two systems are simulated.

    Attributes:
        seeds: how many each has.
        spread: standard deviation over seeds, in points of F0.5.
        correlation: of two seeds of one system in finding an error or making a wrong edit.
        lead: points of F0.5 by which the first is better in truth.
        sentences: of the test set.
    """

    seeds: int
    spread: float
    correlation: float
    lead: float = 0.0
    sentences: int = 1000

    def draw(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Counts of both systems, (seeds, sentences, 3): tp, fp, fn."""
        errors = random.poisson(1.6, self.sentences) * (
            random.random(self.sentences) < ERRORS / 1.6
        )
        first, second = (
            self._system(errors, 0.30 + lead / 100, random) for lead in (self.lead, 0.0)
        )
        return first, second

    def _system(self, errors: np.ndarray, f05: float, random: np.random.Generator) -> np.ndarray:
        scores = f05 + self.spread / 100 * random.standard_normal((self.seeds, 1))
        # F0.5 = 1.25 tp / (tp + 0.25 errors + fp), solved for tp.
        found = scores * (0.25 * ERRORS + WRONG_EDITS) / (1.25 - scores) / ERRORS
        right = self._latent(errors.sum(), random) < ndtri(found)
        wrong = self._latent(2 * self.sentences, random) < ndtri(WRONG_EDITS / 2)
        owner = np.repeat(np.arange(self.sentences), errors)
        tp = np.stack([np.bincount(owner, hits, self.sentences) for hits in right])
        return np.stack([tp, wrong.reshape(self.seeds, -1, 2).sum(axis=2), errors - tp], axis=-1)

    def _latent(self, size: int, random: np.random.Generator) -> np.ndarray:
        """Standard normal, (seeds, size), correlated over seeds."""
        common, own = random.standard_normal((1, size)), random.standard_normal((self.seeds, size))
        return np.sqrt(self.correlation) * common + np.sqrt(1 - self.correlation) * own

"""GLEU (Napoles et al. 2015, 2016), as the script in the repository of JFLEG computes it.

BLEU's n-gram precisions, minus the n-grams that the hypothesis shares with the source but not with
the reference. With several references the script draws one for each sentence, 500 times over, and
gives the mean; its draws are seeded, and repeated here.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from pydantic import Field

from pseudogec import __version__
from pseudogec.evaluate.gold import Gold
from pseudogec.evaluate.metric import METRICS, Measure, Metric
from pseudogec.text import Tokens

_Ngrams = list[Counter[tuple[str, ...]]]


def gleu_of(statistics: np.ndarray) -> np.ndarray:
    """GLEU, from 0 to 1, of summed statistics; 0 where one of them is 0.

    Args:
        statistics: (..., 2 + 2 * order): length of the hypothesis, length of the reference, then
            for the n-grams of each length the number that agree and the number of all.
    """
    statistics = np.asarray(statistics, dtype=float)
    positive = np.where(statistics == 0, 1.0, statistics)
    precision = np.log(positive[..., 2::2] / positive[..., 3::2]).mean(axis=-1)
    brevity = np.minimum(0.0, 1 - positive[..., 1] / positive[..., 0])
    return np.where((statistics == 0).any(axis=-1), 0.0, np.exp(brevity + precision))


@METRICS.register
class Gleu(Metric):
    """N-grams that a correction shares with a reference, minus those that it shares with the source
    alone.
    """

    name = "gleu"
    label = "GLEU"
    measures = (Measure("gleu", "GLEU", "GLEU", gleu_of),)

    order: int = Field(default=4, ge=1, description="length of the longest n-grams")
    iterations: int = Field(
        default=500, ge=1, description="number of draws of a reference for each sentence"
    )

    @property
    def implementation(self) -> str:
        return f"pseudogec{__version__}"

    def signature(self, annotator: str = "") -> str:
        return f"{super().signature(annotator)}|seeds:as the JFLEG script"

    def statistics(self, gold: Gold, hypotheses: Sequence[Tokens]) -> np.ndarray:
        """(sentences, references, 2 + 2 * order); see `gleu_of`."""
        rows = []
        for source, hypothesis, *rewrites in zip(
            gold.sources, hypotheses, *gold.rewrites, strict=True
        ):
            from_source, ngrams = self._ngrams(source), self._ngrams(hypothesis)
            rows.append(
                [self._against(hypothesis, ngrams, from_source, rewrite) for rewrite in rewrites]
            )
        return np.array(rows, dtype=np.int64)

    def _ngrams(self, tokens: Tokens) -> _Ngrams:
        return [
            Counter(zip(*(tokens[start:] for start in range(order)), strict=False))
            for order in range(1, self.order + 1)
        ]

    def _against(
        self, hypothesis: Tokens, ngrams: _Ngrams, from_source: _Ngrams, rewrite: Tokens
    ) -> list[int]:
        statistics = [len(hypothesis), len(rewrite)]
        for order, (corrected, source, reference) in enumerate(
            zip(ngrams, from_source, self._ngrams(rewrite), strict=True)
        ):
            agree = sum((corrected & reference).values())
            left_alone = sum(
                min(count, corrected[ngram])
                for ngram, count in source.items()
                if ngram not in reference
            )
            statistics += [max(agree - left_alone, 0), max(len(hypothesis) - order, 0)]
        return statistics

    def figures(self, statistics: np.ndarray) -> dict[str, float]:
        """Mean (``gleu``) and standard deviation (``std``) over the draws of references."""
        sentences, references, _ = statistics.shape
        if references == 1:  # every draw is the same
            scores = np.full(self.iterations, gleu_of(statistics[:, 0].sum(axis=0)))
        else:
            draws = (
                _draw(iteration, sentences, references) for iteration in range(self.iterations)
            )
            scores = np.array(
                [gleu_of(statistics[np.arange(sentences), chosen].sum(axis=0)) for chosen in draws]
            )
        return {"gleu": float(scores.mean()), "std": float(scores.std())}

    def summable(self, statistics: np.ndarray) -> np.ndarray:
        """Means over the references, the expectation of a draw of references."""
        means: np.ndarray = statistics.mean(axis=1)
        return means


@lru_cache(maxsize=1000)  # every system draws the same
def _draw(iteration: int, sentences: int, references: int) -> np.ndarray:
    """The reference of each sentence, drawn as the script draws under Python 3."""
    stream = random.Random(iteration * 101)
    return np.array([stream.randint(0, references - 1) for _ in range(sentences)], dtype=np.int16)

"""GLEU (Napoles et al. 2015, 2016), as the script in the repository of JFLEG computes it.

BLEU's n-gram precisions, minus the n-grams that the hypothesis shares with the source but not with the reference. With several
references the script draws one for each sentence, 500 times over, and gives the mean; its draws are seeded, and repeated here.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import version

import numpy as np

from artefacts.errors import UserError
from pseudogec.evaluate.inputs import Tokens, check_hypotheses

ORDER = 4
"""Longest n-grams."""
ITERATIONS = 500


def gleu_of(statistics: np.ndarray, smooth: bool = False) -> np.ndarray:
    """GLEU, from 0 to 1, of summed statistics.

    Args:
        statistics: (..., 10): length of the hypothesis, length of the reference, then for n-grams of 1 to 4 tokens how many agree
            and how many there are.
        smooth: count 1 where a statistic is 0, as the script does for single sentences; else such a score is 0.

    Returns:
        Scores of the statistics' shape without the last axis.
    """
    statistics = np.asarray(statistics, dtype=float)
    positive = np.where(statistics == 0, 1.0, statistics)
    precision = np.log(positive[..., 2::2] / positive[..., 3::2]).mean(axis=-1)
    brevity = np.minimum(0.0, 1 - positive[..., 1] / positive[..., 0])
    scores = np.exp(brevity + precision)
    return scores if smooth else np.where((statistics == 0).any(axis=-1), 0.0, scores)


@dataclass(frozen=True, eq=False)
class GleuScore:
    """GLEU of one system's output.

    Attributes:
        signature: everything on which the figure depends.
        statistics: (sentences, references, 10) whole numbers; see ``gleu_of``.
        gleu: mean over the draws of references, from 0 to 1.
        standard_deviation: spread over the draws.
        scorer: the scorer's name.
    """

    signature: str
    statistics: np.ndarray
    gleu: float = field(init=False)
    standard_deviation: float = field(init=False)
    scorer: str = field(default="gleu", init=False)

    def __post_init__(self) -> None:
        sentences, references, _ = self.statistics.shape
        draws = _draws(sentences, references)
        scores = np.array([gleu_of(self.statistics[np.arange(sentences), chosen].sum(axis=0)) for chosen in draws])
        object.__setattr__(self, "gleu", float(scores.mean()))
        object.__setattr__(self, "standard_deviation", float(scores.std()))

    @property
    def sentences(self) -> int:
        """How many sentences were scored."""
        return len(self.statistics)

    def per_sentence(self) -> np.ndarray:
        """GLEU of each sentence, the mean over its references, smoothed; (sentences,)."""
        return gleu_of(self.statistics, smooth=True).mean(axis=1)

    def to_json(self) -> str:
        """The score as JSON text, whole."""
        return json.dumps({"scorer": self.scorer, "signature": self.signature, "statistics": self.statistics.tolist()})

    @classmethod
    def from_json(cls, text: str) -> GleuScore:
        """The score that ``to_json`` wrote."""
        stored = json.loads(text)
        return cls(stored["signature"], np.array(stored["statistics"], dtype=np.int64))

    def __str__(self) -> str:
        return f"gleu  {100 * self.gleu:.2f} ± {100 * self.standard_deviation:.2f}  ({self.signature})"


class GleuScorer:
    """Scores corrections against whole corrected sentences.

    Args:
        sources: tokenised source sentences.
        references: one list of tokenised corrected sentences a reference, each line for line with the sources.
        reference_name: what the references are called in messages.

    Raises:
        UserError: there is no reference, or the numbers of sentences differ.
    """

    def __init__(
        self, sources: Sequence[Tokens], references: Sequence[Sequence[Tokens]], reference_name: str = "the reference"
    ) -> None:
        if not references:
            raise UserError("GLEU needs at least one reference")
        for number, reference in enumerate(references, start=1):
            if len(reference) != len(sources):
                raise UserError(
                    f"{reference_name} {number} has {len(reference)} sentences and the source has {len(sources)}; "
                    "line for line they must correspond"
                )
        self._sources = sources
        self._reference_name = reference_name
        self._source_ngrams = [_ngrams(source) for source in sources]
        self._references = [[(len(tokens), _ngrams(tokens)) for tokens in reference] for reference in references]
        digest = sha256(repr([[*map(tuple, side)] for side in (sources, *references)]).encode()).hexdigest()[:12]
        settings = f"order:{ORDER}|iterations:{ITERATIONS}|seeds:as the JFLEG script"
        self._signature = (
            f"gleu:pseudogec{version('pseudogec')}|{settings}|tokens:as given|references:{len(references)}|digest:{digest}"
        )

    def score(self, hypotheses: Sequence[Tokens], *, name: str = "the hypothesis") -> GleuScore:
        """Score tokenised corrections.

        Args:
            hypotheses: the tokens of each corrected sentence.
            name: what the hypotheses are called in messages.

        Raises:
            UserError: the numbers of sentences differ.
        """
        check_hypotheses(self._sources, hypotheses, name, self._reference_name)
        statistics = []
        for number, hypothesis in enumerate(hypotheses):
            ngrams = _ngrams(hypothesis)
            references = (reference[number] for reference in self._references)
            statistics.append(
                [_statistics(len(hypothesis), ngrams, self._source_ngrams[number], *reference) for reference in references]
            )
        return GleuScore(self._signature, np.array(statistics, dtype=np.int64))


def _ngrams(tokens: Tokens) -> list[Counter[tuple[str, ...]]]:
    """Counts of the n-grams of each length from 1 to 4."""
    return [Counter(zip(*(tokens[start:] for start in range(order)), strict=False)) for order in range(1, ORDER + 1)]


def _statistics(
    hypothesis_length: int,
    hypothesis: Sequence[Counter[tuple[str, ...]]],
    source: Sequence[Counter[tuple[str, ...]]],
    reference_length: int,
    reference: Sequence[Counter[tuple[str, ...]]],
) -> list[int]:
    """The 10 statistics of one hypothesis against one reference."""
    statistics = [hypothesis_length, reference_length]
    for order in range(ORDER):
        agree = sum((hypothesis[order] & reference[order]).values())
        left_alone = sum(
            min(count, hypothesis[order][ngram]) for ngram, count in source[order].items() if ngram not in reference[order]
        )
        statistics += [max(agree - left_alone, 0), max(hypothesis_length - order, 0)]
    return statistics


def _draws(sentences: int, references: int) -> np.ndarray:
    """The reference of each sentence in each iteration, (iterations, sentences), drawn as the script draws under Python 3."""
    draws = []
    for iteration in range(ITERATIONS):
        stream = random.Random(iteration * 101)
        draws.append([stream.randint(0, references - 1) for _ in range(sentences)])
    return np.array(draws)

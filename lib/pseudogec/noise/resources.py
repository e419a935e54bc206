"""What noising methods learn from genuine data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence
from pseudogec.noise.confusion_sets import ConfusionSets
from pseudogec.noise.edit_dictionary import EditDictionary
from pseudogec.text import Bpe

_EXCHANGE = 10_000  # pairs that are annotated together


class UnigramDistribution:
    """A distribution over tokens from which any number is drawn at once.

    Args:
        counts: token to count, in any order; tokens without a count are left out.

    Raises:
        UserError: no token has a count.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        # Sorted, so that equal counts give equal draws whatever order they were counted in.
        self.counts = {token: count for token, count in sorted(counts.items()) if count > 0}
        if not self.counts:
            raise UserError("a unigram distribution needs text; the text given holds no token")
        self._tokens = list(self.counts)
        self._cumulative = np.cumsum(np.fromiter(self.counts.values(), dtype=np.int64))
        self._total = int(self._cumulative[-1])

    def draw(self, count: int, random: np.random.Generator) -> list[str]:
        """Draw tokens, each with its relative frequency."""
        draws = random.integers(self._total, size=count)
        return [self._tokens[position] for position in self._cumulative.searchsorted(draws, side="right").tolist()]


class NoiseResources:
    """Unigrams, learners' edits, confusion sets and segmentation, each made when a method first asks for it.

    Args:
        word_counts: how often each word stands in genuine grammatical text (when all text is in subwords: each subword).
        pairs: genuine (source, target) sentences, tokens joined by spaces; for methods that learn from edits.
        bpe: when the text to noise is in subwords: its segmentation.
        confusions: confusion sets that are known already.
        annotated: the same pairs with their edits, where these are known already; read once for each minimum count.
    """

    def __init__(
        self,
        word_counts: Counter[str] | None = None,
        pairs: Sequence[tuple[str, str]] = (),
        bpe: Bpe | None = None,
        confusions: ConfusionSets | None = None,
        annotated: Iterable[AnnotatedSentence] = (),
    ) -> None:
        self._word_counts, self._pairs, self._annotated = word_counts or Counter(), pairs, annotated
        self._edits: dict[int, EditDictionary] = {}
        self.bpe = bpe
        self.confusions = confusions or ConfusionSets()

    @classmethod
    def from_genuine(
        cls, sources: Iterable[Sequence[str]], targets: Iterable[Sequence[str]], bpe: Bpe | None = None
    ) -> NoiseResources:
        """Learn from genuine pairs of words; both sides are read once.

        Args:
            sources: ungrammatical sentences.
            targets: their corrections, whose words are counted.
            bpe: when given, noisers take and give subwords; otherwise the tokens as they stand.
        """
        pairs = [(" ".join(source), " ".join(target)) for source, target in zip(sources, targets, strict=True)]
        return cls(Counter(word for _, target in pairs for word in target.split()), pairs, bpe)

    @classmethod
    def from_sentences(cls, sentences: Iterable[Sequence[str]], bpe: Bpe | None = None) -> NoiseResources:
        """Learn from grammatical text alone: enough for methods that do not learn from edits."""
        return cls(Counter(word for sentence in sentences for word in sentence), bpe=bpe)

    @cached_property
    def words(self) -> UnigramDistribution:
        """The words of genuine text.

        Raises:
            UserError: there is no text.
        """
        return UnigramDistribution(self._word_counts)

    @cached_property
    def subwords(self) -> UnigramDistribution:
        """The subwords of genuine text; its words when there is no segmentation.

        Raises:
            UserError: there is no text.
        """
        if self.bpe is None:
            return self.words
        counts: Counter[str] = Counter()
        for word, count in self._word_counts.items():
            for subword in self.bpe.apply([word]):
                counts[subword] += count
        return UnigramDistribution(counts)

    def edits(self, minimum_count: int) -> EditDictionary:
        """The edits of the genuine pairs, found by ERRANT's alignment where they are not known.

        Raises:
            UserError: there are no genuine pairs, or none of their edits occurs often enough.
        """
        if minimum_count not in self._edits:
            if not (self._annotated or self._pairs):
                raise UserError(
                    "the method learns from learners' edits and needs genuine pairs (sources and targets); none were given"
                )
            annotated = self._annotated or _annotate(self._pairs)
            self._edits[minimum_count] = EditDictionary.from_annotated(annotated, minimum_count)
        return self._edits[minimum_count]


def _annotate(pairs: Sequence[tuple[str, str]]) -> Iterable[AnnotatedSentence]:
    from pseudogec.edits import load_annotator

    annotator = load_annotator()
    for start in range(0, len(pairs), _EXCHANGE):
        sources = [source.split() for source, _ in pairs[start : start + _EXCHANGE]]
        targets = [target.split() for _, target in pairs[start : start + _EXCHANGE]]
        for source, edits in zip(sources, annotator.annotate(sources, targets), strict=True):
            yield AnnotatedSentence(tuple(source), {0: edits})

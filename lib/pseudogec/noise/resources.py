"""What noising methods learn from genuine data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence
from pseudogec.noise.confusion_sets import ConfusionSets
from pseudogec.noise.edit_dictionary import EditDictionary
from pseudogec.noise.unigram import UnigramDistribution
from pseudogec.text import Bpe

_EXCHANGE = 10_000  # pairs that are annotated together


class NoiseResources:
    """Unigrams, learners' edits, confusion sets and segmentation, each made when a method first asks for it.

    Args:
        word_counts: how often each word stands in genuine grammatical text (when all text is in pieces: each piece).
        pairs: genuine (source, target) sentences, tokens joined by spaces; for methods that learn from edits.
        bpe: when the text to noise is in pieces: its segmentation.
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
            bpe: when given, noisers take and give pieces; otherwise the tokens as they stand.
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
    def pieces(self) -> UnigramDistribution:
        """The pieces of genuine text; its words when there is no segmentation.

        Raises:
            UserError: there is no text.
        """
        if self.bpe is None:
            return self.words
        counts: Counter[str] = Counter()
        for word, count in self._word_counts.items():
            for piece in self.bpe.apply([word]):
                counts[piece] += count
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

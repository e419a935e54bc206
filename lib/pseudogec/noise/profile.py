"""What a noising method made of a text, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pseudogec.noise.noiser import Noiser
from pseudogec.random_streams import SentenceStreams


@dataclass(frozen=True)
class NoiseProfile:
    """Counts over a noised text.

    Attributes:
        sentences: how many sentences.
        tokens: how many tokens they had before noising.
        operations: kind of operation to how often it was done.
    """

    sentences: int
    tokens: int
    operations: dict[str, int]

    def __add__(self, other: NoiseProfile) -> NoiseProfile:
        """The profile of two texts together."""
        operations = Counter(self.operations) + Counter(other.operations)
        return NoiseProfile(self.sentences + other.sentences, self.tokens + other.tokens, dict(sorted(operations.items())))

    @property
    def edits_per_token(self) -> float:
        """Operations other than keeping, per token of the grammatical text."""
        edits = sum(count for kind, count in self.operations.items() if kind != "keep")
        return edits / self.tokens if self.tokens else 0.0


def profile_of(noiser: Noiser, sentences: Iterable[Sequence[str]], seed: int | str) -> NoiseProfile:
    """Noise a text and count what was done.

    Args:
        noiser: the method.
        sentences: grammatical sentences; read once.
        seed: of the random streams.
    """
    streams = SentenceStreams(seed)
    operations: Counter[str] = Counter()
    count = tokens = 0
    for count, sentence in enumerate(sentences, start=1):
        tokens += len(sentence)
        operations.update(operation.kind for operation in noiser.operations(sentence, streams[count - 1]))
    return NoiseProfile(count, tokens, dict(sorted(operations.items())))

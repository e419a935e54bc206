"""What both engines that decode share: how outputs are searched, what comes out, and batches of sentences of like length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pseudogec.seq2seq.data import SPECIAL_SYMBOLS, UNKNOWN

Sentence = Sequence[str]
"""A sentence in subwords."""

UNKNOWN_SYMBOL = SPECIAL_SYMBOLS[UNKNOWN]
END_OF_SENTENCE = "</s>"
"""How the end of a sentence is written among its subwords."""

# Sentences share a batch only if their lengths, rounded up to this, agree; the longest output allowed then depends on the
# sentence alone.
_LENGTH_STEP = 8


class Hypothesis(NamedTuple):
    """One output.

    Attributes:
        subwords: the output, without end of sentence.
        score: its log-probability (with the beam's noise, if any) / length ** length penalty; the length counts the end of
            sentence.
    """

    subwords: list[str]
    score: float


class PartialOutput(NamedTuple):
    """A hypothesis that a step expands.

    Attributes:
        subwords: what it has written so far.
        log_probability: what the model gives it, without any noise.
        score: the same with the noise of all steps so far.
    """

    subwords: tuple[str, ...]
    log_probability: float
    score: float


class Expansion(NamedTuple):
    """A hypothesis with one more subword.

    Attributes:
        hypothesis: which of the step's hypotheses, from 0.
        subword: the subword; `END_OF_SENTENCE` ends it.
        log_probability: of the whole, without any noise.
        noise: the random number that this step added: r * beta, r ~ U[0, 1].
        score: of the whole, with the noise of all steps so far: what it is ranked by.
        rank_without: its rank, from 1, among all expansions of the step if this step had added nothing.
        fate: whether the beam keeps it, puts it aside as finished, or drops it.
    """

    hypothesis: int
    subword: str
    log_probability: float
    noise: float
    score: float
    rank_without: int
    fate: Literal["kept", "finished", "dropped"]


class BeamStep(NamedTuple):
    """One step of a search.

    Attributes:
        hypotheses: what it expands; one at the first step, else as many as the beam holds.
        expansions: the best with noise, best first: twice as many as the beam holds, so that enough are left when some end.
        without_noise: the expansions that would have been the best if this step had added nothing, as many as the beam holds;
            of those the beam would keep, those dropped are what the noise has cost.
    """

    hypotheses: tuple[PartialOutput, ...]
    expansions: tuple[Expansion, ...]
    without_noise: tuple[Expansion, ...]


class BeamTrace(NamedTuple):
    """A search and what came of it.

    Attributes:
        steps: in their order.
        outputs: finished hypotheses, best first, scored as by `Decoder.decode`.
    """

    steps: tuple[BeamStep, ...]
    outputs: tuple[Hypothesis, ...]


@dataclass(frozen=True)
class SearchOptions:
    """How outputs are searched.

    Attributes:
        beam: hypotheses kept at each step.
        n_best: outputs a sentence.
        length_penalty: exponent of the length by which a hypothesis's log-probability is divided.
        beta_random: strength of the noise in the beam (`NoisyBeamSearch`).
        sample: draw from the distribution instead of searching.
        temperature: divides the logits; above 1 flattens the distribution.
        seed: of noise and draws.
    """

    beam: int = 5
    n_best: int = 1
    length_penalty: float = 1.0
    beta_random: float = 0.0
    sample: bool = False
    temperature: float = 1.0
    seed: int = 0

    @property
    def deterministic(self) -> bool:
        """Whether the output needs no random numbers."""
        return not self.sample and self.beta_random == 0.0


class Batch(NamedTuple):
    """Sentences decoded together.

    Attributes:
        indices: their places among all sentences; they address random streams.
        sources: their subwords.
        longest_output: most subwords an output may have.
    """

    indices: list[int]
    sources: list[Sentence]
    longest_output: int


class Engine(Protocol):
    """What decodes a batch."""

    def search(self, batch: Batch, options: SearchOptions) -> list[list[Hypothesis]]:
        """The best hypotheses of every sentence, best first."""
        ...

    def log_probabilities(self, sources: Sequence[Sentence], targets: Sequence[Sentence]) -> list[float]:
        """The log-probability of every target given its source, end of sentence included."""
        ...


def rounded(length: int) -> int:
    """A length rounded up to the next of those that share batches."""
    return -(-length // _LENGTH_STEP) * _LENGTH_STEP


def like_lengths(lengths: list[tuple[int, int]], max_tokens: int) -> Iterator[list[int]]:
    """Batches of sentences of like length.

    Args:
        lengths: length and place of every sentence.
        max_tokens: most subwords a batch, padding and ends of sentence included; a longer sentence has a batch of its own.

    Yields:
        Places of the sentences of a batch; all their lengths agree when rounded up.
    """
    batch: list[int] = []
    bucket = 0
    for length, place in sorted(lengths, reverse=True):  # longest first: too large a batch shows at once
        if batch and (rounded(length) != bucket or (len(batch) + 1) * (bucket + 1) > max_tokens):
            yield batch
            batch = []
        bucket = rounded(length)
        batch.append(place)
    if batch:
        yield batch


def replace_unknown(subwords: Sequence[str], source: Sequence[str], attention: npt.NDArray[np.floating]) -> list[str]:
    """Replace every ``<unk>`` by the source subword to which the decoder attended most when it wrote it (Jean et al. 2015).

    Args:
        subwords: the output.
        source: its source, in subwords.
        attention: the decoder's attention, shape (output subwords or more, source subwords or more); surplus columns (the end of
            sentence) are not looked at.
    """
    return [
        source[int(np.argmax(attention[place, : len(source)]))] if subword == UNKNOWN_SYMBOL else subword
        for place, subword in enumerate(subwords)
    ]

"""Common parts of both decoding engines: options and results of a search, and batches of sentences
of similar length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pseudogec.seq2seq.data import SPECIAL_SYMBOLS, UNKNOWN

Sentence = Sequence[str]
"""A sentence in subwords."""

UNKNOWN_SYMBOL = SPECIAL_SYMBOLS[UNKNOWN]

# Sentences share a batch only if their lengths, rounded up to this, agree; the longest output
# allowed then depends on the sentence alone.
_LENGTH_STEP = 8


class Hypothesis(NamedTuple):
    subwords: list[str]  # without end of sentence
    score: float
    """Log-probability (with the beam's noise, if any) / length ** length penalty; the length counts
    the end of sentence.
    """


@dataclass(frozen=True)
class SearchOptions:
    """The settings of a search; see `Decoder.decode` and `Decoder.sample`."""

    beam: int = 5
    n_best: int = 1
    length_penalty: float = 1.0
    beta_random: float = 0.0
    sample: bool = False
    temperature: float = 1.0  # divides the logits; above 1 flattens the distribution
    seed: int = 0

    @property
    def deterministic(self) -> bool:
        return not self.sample and self.beta_random == 0.0


class Batch(NamedTuple):
    indices: list[int]  # places among all sentences; they select random streams
    sources: list[Sentence]
    longest_output: int  # subwords


class DecodingEngine(Protocol):
    def search(self, batch: Batch, options: SearchOptions) -> list[list[Hypothesis]]:
        """The best hypotheses of every sentence, best first."""
        ...

    def log_probabilities(
        self, sources: Sequence[Sentence], targets: Sequence[Sentence]
    ) -> list[float]:
        """The log-probability of every target given its source, end of sentence included."""
        ...


def rounded(length: int) -> int:
    return -(-length // _LENGTH_STEP) * _LENGTH_STEP


def like_lengths(lengths: list[tuple[int, int]], max_tokens: int) -> Iterator[list[int]]:
    """Batches of sentences whose lengths agree when rounded up: places from pairs of length and
    place.

    A batch has at most ``max_tokens`` subwords, padding and ends of sentence included; a longer
    sentence is a batch of its own.
    """
    batch: list[int] = []
    bucket = 0
    # Longest first: a batch that is too large for memory fails at once
    for length, place in sorted(lengths, reverse=True):
        if batch and (rounded(length) != bucket or (len(batch) + 1) * (bucket + 1) > max_tokens):
            yield batch
            batch = []
        bucket = rounded(length)
        batch.append(place)
    if batch:
        yield batch


def replace_unknown(
    subwords: Sequence[str], source: Sequence[str], attention: npt.NDArray[np.floating]
) -> list[str]:
    """Replace every ``<unk>`` by the source subword to which the decoder attended most when it
    wrote it (Jean et al. 2015).

    Attention has the shape (output subwords or more, source subwords or more); surplus columns (the
    end of sentence) are ignored.
    """
    return [
        source[int(np.argmax(attention[place, : len(source)]))]
        if subword == UNKNOWN_SYMBOL
        else subword
        for place, subword in enumerate(subwords)
    ]

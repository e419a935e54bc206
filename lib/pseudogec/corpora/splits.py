"""Parts of a corpus: shares of its texts, places in a shuffle that needs no memory, and draws that keep its proportions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pseudogec.random_streams import SentenceStreams


class Share(NamedTuple):
    """One of equal shares of a corpus's texts, dealt out in turn; all shares together are the corpus.

    Attributes:
        number: which share, from 0.
        of: how many there are.
    """

    number: int
    of: int

    def takes(self, place: int) -> bool:
        """Whether the text at a place, from 0, belongs to this share."""
        return place % self.of == self.number


WHOLE = Share(0, 1)


class Shuffle:
    """A seeded permutation of a corpus's places, computed place by place, so that a corpus of any length needs no memory.

    A Feistel network over the smallest domain of 4^k places that holds the corpus permutes that domain; a place that it sends
    beyond the corpus is sent on until it falls inside ("cycle walking", Black and Rogaway 2002). Its numbers are whole, so
    that every machine shuffles alike.

    Args:
        length: number of places.
        seed: of the permutation.
    """

    _ROUNDS = 6

    def __init__(self, length: int, seed: int | str) -> None:
        self.length = length
        self._bits = np.uint64(max((length - 1).bit_length() + 1, 2) // 2)
        self._half = np.uint64((1 << int(self._bits)) - 1)
        self._keys = SentenceStreams(seed)[length].integers(0, 2**64, self._ROUNDS, dtype=np.uint64)

    def __call__(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Where places, shape (n,) and each from 0 to ``length`` - 1, are sent: again from 0 to ``length`` - 1, no two alike."""
        sent = self._permuted(places.astype(np.uint64))
        while (outside := sent >= self.length).any():
            sent[outside] = self._permuted(sent[outside])
        return sent.astype(np.int64)

    def _permuted(self, places: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        left, right = places >> self._bits, places & self._half
        for key in self._keys:
            left, right = right, left ^ (_mixed(right + key) & self._half)
        return (left << self._bits) | right


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Numbers whose every bit depends on all bits of those given (the finaliser of SplitMix64, Steele et al. 2014)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def part_of_each(groups: Sequence[str], share: float, seed: int) -> set[int]:
    """Draw the same share of every group, such as the sentences of each proficiency level (Choe et al. 2019, table 2).

    Args:
        groups: the group of each sentence.
        share: of each group's sentences, rounded to whole ones.
        seed: of the draw.

    Returns:
        The places of the drawn sentences.
    """
    random_numbers = np.random.default_rng(seed)
    names = np.array(groups, dtype=object)
    drawn: set[int] = set()
    for name in sorted(set(groups)):
        places = np.flatnonzero(names == name)
        drawn.update(random_numbers.permutation(places)[: round(share * len(places))].tolist())
    return drawn

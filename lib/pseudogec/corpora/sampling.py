"""The choice of sentences from a corpus: filters, samples, and the shares of a corpus for parallel
work.
"""

from __future__ import annotations

import functools
import heapq
import re
import string
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pseudogec.artefacts.errors import UserError
from pseudogec.languages import ENGLISH, Language
from pseudogec.random_streams import SentenceStreams

Item = TypeVar("Item")

_WIDE_SPACE = re.compile(r"\s{3,}")
_DIGIT_TOKEN = re.compile(r"\s\d[\d,/]*\s")


@functools.cache
def _other_characters(language: Language) -> re.Pattern[str]:
    return re.compile(f"[^{re.escape(language.characters + string.whitespace)}]")


def is_clean_seed_text(line: str, language: Language = ENGLISH) -> bool:
    """Whether the authors' seed-text filter keeps a tokenised sentence.

    Their released filter drops a sentence of more than 80 or at most 2 tokens; of 10 or more tokens
    with at least 20% single punctuation characters; with a character outside ``string.printable``,
    or here outside those of the language; with 3 or more white-space characters in a row; or with
    more than 10% digit tokens. As there, only a digit token with white space on both sides counts,
    one of two neighbours.
    """
    line = line.strip()
    tokens = line.split(" ")
    if not 2 < len(tokens) <= 80:
        return False
    if (
        len(tokens) >= 10
        and sum(token in language.punctuation for token in tokens) / len(tokens) >= 0.2
    ):
        return False
    if _other_characters(language).search(line) or _WIDE_SPACE.search(line):
        return False
    return len(_DIGIT_TOKEN.findall(line)) / len(line.split()) <= 0.1


def clean_seed_text(
    sentences: Iterable[Sequence[str]], language: Language = ENGLISH
) -> Iterator[list[str]]:
    """The sentences that the authors' seed-text filter keeps (see :func:`is_clean_seed_text`)."""
    return (
        list(sentence) for sentence in sentences if is_clean_seed_text(" ".join(sentence), language)
    )


def sample(items: Iterable[Item], count: int, seed: int | str) -> list[Item]:
    """Draw ``count`` items without replacement, each with the same chance, and keep the order of
    the corpus.

    An item is drawn when the hash of the seed and its position is among the ``count`` smallest: one
    pass over a corpus of any length, memory for the sample alone. A larger sample of the same
    corpus and seed contains the smaller one, so the sizes of a scaling experiment are nested.

    Raises:
        UserError: the corpus holds fewer than ``count`` items.
    """
    chosen = heapq.nsmallest(
        count,
        enumerate(items),
        key=lambda entry: blake2b(f"{seed}:{entry[0]}".encode(), digest_size=8).digest(),
    )
    if len(chosen) < count:
        raise UserError(
            f"{count} sentences were asked for, but the corpus holds {len(chosen)}; "
            "ask for fewer or give more text"
        )
    return [item for _, item in sorted(chosen, key=lambda entry: entry[0])]


class Share(NamedTuple):
    """Share ``number``, from 0, ``of`` equal shares of a corpus's texts, which are assigned in
    turn.
    """

    number: int
    of: int

    def takes(self, place: int) -> bool:
        """Whether the text at a place, from 0, belongs to this share."""
        return place % self.of == self.number


WHOLE = Share(0, 1)


class Shuffle:
    """A seeded permutation of a corpus's places, computed place by place, so that a corpus of any
    length needs no memory.

    A Feistel network permutes the smallest domain of 4^k places that contains the corpus; a place
    that is mapped beyond the corpus is mapped again until it is inside ("cycle walking", Black and
    Rogaway 2002). It uses whole numbers, so every machine shuffles alike.
    """

    _ROUNDS = 6

    def __init__(self, length: int, seed: int | str) -> None:
        self.length = length
        self._bits = np.uint64(max((length - 1).bit_length() + 1, 2) // 2)
        self._half = np.uint64((1 << int(self._bits)) - 1)
        self._keys = SentenceStreams(seed)[length].integers(0, 2**64, self._ROUNDS, dtype=np.uint64)

    def __call__(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """New places for places, shape (n,) and each from 0 to ``length`` - 1: again from 0 to
        ``length`` - 1, all different.
        """
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
    """Numbers whose every bit depends on all bits of those given (the finaliser of SplitMix64,
    Steele et al. 2014).
    """
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def part_of_each(groups: Sequence[str], share: float, seed: int) -> set[int]:
    """Draw the same share of every group, such as the sentences of each proficiency level (Choe et
    al. 2019, table 2).
    """
    random_numbers = np.random.default_rng(seed)
    names = np.array(groups, dtype=object)
    drawn: set[int] = set()
    for name in sorted(set(groups)):
        places = np.flatnonzero(names == name)
        drawn.update(random_numbers.permutation(places)[: round(share * len(places))].tolist())
    return drawn

"""Seeds of models, and independent random streams, one a sentence.

A stream is a generator of numpy. Where a call of it for each sentence would take too long,
`SentenceStreams.words` gives the raw words of many streams, and `uniforms` and `bounded` make of
them what the generators would have made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator

from pseudogec.artefacts.kinds import OneOrMore


def _each_once(seeds: tuple[int, ...]) -> tuple[int, ...]:
    for seed in seeds:
        # fairseq adds the number of the epoch and seeds numpy's generators, which take less than
        # 2**32; 0 is no seed in tables.
        if not 1 <= seed < 2**31:
            raise ValueError(f"{seed} is no seed; take a whole number from 1 to {2**31 - 1}")
    twice = [seed for seed in seeds if seeds.count(seed) > 1]
    if twice:
        raise ValueError(
            f"the seed {twice[0]} is named twice, and its model would count twice; name each once"
        )
    return seeds


Seeds = Annotated[OneOrMore[int], AfterValidator(_each_once)]
"""Seeds of models, each once."""


class SentenceStreams:
    """Random generators addressed by sentence index.

    A counter-based generator (Philox 4x64) is keyed by the seed and its counter starts at the
    sentence's index, so the stream of a sentence depends on the seed and its index alone: not on
    shards, workers or the order of work. Each stream holds 2**128 blocks before it would meet its
    neighbour's.

    Args:
        seed: any integer or text; distinct seeds give independent families of streams.
    """

    def __init__(self, seed: int | str) -> None:
        digest = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
        key = np.frombuffer(digest, dtype=np.uint64)
        self._bits = np.random.Philox(key=key)
        self._generator = np.random.Generator(self._bits)
        # numpy reads tuples faster than its own arrays.
        self._place: Any = {"key": tuple(key.tolist()), "counter": (0, 0, 0, 0)}
        self._start: Any = {**self._bits.state, "state": self._place, "buffer": (0, 0, 0, 0)}

    def __getitem__(self, index: int) -> np.random.Generator:
        """The generator of sentence ``index``. It is valid until the next call (one generator
        object is moved, for speed).
        """
        self._place["counter"] = (0, 0, index, 0)
        self._bits.state = self._start
        return self._generator

    def words(self, first: int, counts: Iterable[int]) -> np.ndarray:
        """The raw words with which the streams of sentences ``first``, ``first + 1``, ... begin, so
        many of each.

        Returns:
            64 bits each, the words of a sentence after those of the sentence before; shape (sum of
            the counts,).
        """
        return np.concatenate(
            [
                self[index].bit_generator.random_raw(count)
                for index, count in enumerate(counts, first)
            ]
        )


def uniforms(words: np.ndarray) -> np.ndarray:
    """What ``Generator.random`` makes of raw words: a number from 0 to 1, without 1, of each."""
    return (words >> np.uint64(11)) * 2.0**-53


def bounded(words: np.ndarray, below: int) -> tuple[np.ndarray, np.ndarray]:
    """What ``Generator.integers(below)`` makes of raw words, for ``below`` up to 2**32: each word
    has two candidates.

    A candidate is half a word, times ``below``, over 2**32. So that all integers get equal chances,
    numpy passes over a candidate whose product leaves a small remainder, and takes the next one
    (Lemire 2019).

    Returns:
        The candidates, and whether numpy takes them; both of shape (2 * words,).
    """
    halves = words.astype("<u8", copy=False).view("<u4")  # the lower half of a word comes first
    products = halves * np.uint64(below)
    return (products >> np.uint64(32)).astype(np.int64), products.astype(np.uint32) >= 2**32 % below

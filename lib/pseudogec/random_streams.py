"""Seeds of models, and independent random streams, one a sentence."""

from __future__ import annotations

import hashlib
from typing import Annotated

import numpy as np
from pydantic import AfterValidator

from artefacts.kinds import OneOrMore


def _each_once(seeds: tuple[int, ...]) -> tuple[int, ...]:
    for seed in seeds:
        # fairseq adds the number of the epoch and seeds numpy's generators, which take less than 2**32; 0 is no seed in tables.
        if not 1 <= seed < 2**31:
            raise ValueError(f"{seed} is no seed; take a whole number from 1 to {2**31 - 1}")
    twice = [seed for seed in seeds if seeds.count(seed) > 1]
    if twice:
        raise ValueError(f"the seed {twice[0]} is named twice, and its model would count twice; name each once")
    return seeds


Seeds = Annotated[OneOrMore[int], AfterValidator(_each_once)]
"""Seeds of models, each once."""


class SentenceStreams:
    """Random generators addressed by sentence index.

    A counter-based generator (Philox 4x64) is keyed by the seed and its counter starts at the sentence's index, so the
    stream of a sentence depends on the seed and its index alone: not on shards, workers or the order of work.
    Each stream holds 2**128 blocks before it would meet its neighbour's.

    Args:
        seed: any integer or text; distinct seeds give independent families of streams.
    """

    def __init__(self, seed: int | str) -> None:
        digest = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
        self._bits = np.random.Philox(key=np.frombuffer(digest, dtype=np.uint64))
        self._generator = np.random.Generator(self._bits)
        self._start = self._bits.state

    def __getitem__(self, index: int) -> np.random.Generator:
        """The generator of sentence ``index``. It is valid until the next call (one generator object is moved, for speed)."""
        state = self._start
        state["state"]["counter"] = np.array([0, 0, index, 0], dtype=np.uint64)
        self._bits.state = state
        return self._generator

"""The random decisions of a sentence: its own stream, and drawing from weighted choices fast."""

from __future__ import annotations

import hashlib
import itertools
from bisect import bisect_right
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")

_BLOCK = 256  # uniform numbers drawn at once; most sentences need fewer


class Choice(Generic[T]):
    """Items with weights, prepared for drawing.

    Args:
        items: what may be drawn, at least one.
        weights: their weights, not negative and not all 0; equal weights when left out.
    """

    __slots__ = ("cumulative", "items")

    def __init__(self, items: Sequence[T], weights: Sequence[float] | None = None) -> None:
        self.items = list(items)
        total = float(sum(weights)) if weights is not None else float(len(self.items))
        shares = weights if weights is not None else [1.0] * len(self.items)
        self.cumulative = [share / total for share in itertools.accumulate(shares)]

    def __len__(self) -> int:
        return len(self.items)


class Streams:
    """Random generators addressed by the index of a sentence, so that a sentence depends on the seed and its index alone.

    A counter-based generator (Philox 4x64) is keyed by the seed, and its counter starts at the index.
    """

    def __init__(self, seed: str) -> None:
        digest = hashlib.blake2b(seed.encode(), digest_size=16).digest()
        self._bits = np.random.Philox(key=np.frombuffer(digest, dtype=np.uint64))
        self._generator = np.random.Generator(self._bits)
        self._start = self._bits.state

    def __getitem__(self, index: int) -> np.random.Generator:
        """The generator of sentence ``index``, valid until the next call (one generator is moved, for speed)."""
        state = self._start
        state["state"]["counter"] = np.array([0, 0, index, 0], dtype=np.uint64)
        self._bits.state = state
        return self._generator


class Draws:
    """The random decisions of one sentence.

    Args:
        generator: the sentence's own stream (``Streams(seed)[index]``).
    """

    __slots__ = ("_generator", "_position", "_values")

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator
        self._values: list[float] = generator.random(_BLOCK).tolist()
        self._position = 0

    def uniform(self) -> float:
        """A number in [0, 1)."""
        if self._position == _BLOCK:
            self._values = self._generator.random(_BLOCK).tolist()
            self._position = 0
        value = self._values[self._position]
        self._position += 1
        return value

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.uniform() < probability

    def one_of(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely."""
        return items[int(self.uniform() * len(items))]

    def pick(self, choice: Choice[T]) -> T:
        """One item of a weighted choice."""
        return choice.items[
            min(bisect_right(choice.cumulative, self.uniform()), len(choice.items) - 1)
        ]

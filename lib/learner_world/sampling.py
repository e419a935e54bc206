"""Drawing from weighted choices, fast: one block of uniform numbers a sentence feeds all its decisions."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")

_BLOCK = 160  # uniform numbers drawn at once; most sentences need fewer


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


class Draws:
    """The random decisions of one sentence.

    Args:
        generator: the sentence's own stream (``SentenceStreams(seed)[index]``).
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
        return choice.items[min(bisect_right(choice.cumulative, self.uniform()), len(choice.items) - 1)]

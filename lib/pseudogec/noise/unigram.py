"""How often each token stands in genuine text, to draw tokens from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from artefacts.errors import DataError, UserError
from artefacts.files import read_lines, write_lines


class UnigramDistribution:
    """A distribution over tokens from which any number is drawn at once.

    Args:
        counts: token to count, in any order; tokens without a count are left out.

    Raises:
        UserError: no token has a count.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        # Sorted, so that equal counts give equal draws whatever order they were counted in.
        self.counts = {token: count for token, count in sorted(counts.items()) if count > 0}
        if not self.counts:
            raise UserError("a unigram distribution needs text; the text given holds no token")
        self._tokens = list(self.counts)
        self._cumulative = np.cumsum(np.fromiter(self.counts.values(), dtype=np.int64))
        self._total = int(self._cumulative[-1])

    @classmethod
    def from_sentences(cls, sentences: Iterable[Sequence[str]]) -> UnigramDistribution:
        """Count the tokens of a text, read once."""
        return cls(Counter(token for sentence in sentences for token in sentence))

    def draw(self, count: int, random: np.random.Generator) -> list[str]:
        """Draw tokens, each with its relative frequency."""
        draws = random.integers(self._total, size=count)
        return [self._tokens[position] for position in self._cumulative.searchsorted(draws, side="right").tolist()]

    def save(self, path: Path | str) -> None:
        """Write a line ``token TAB count`` each."""
        write_lines(path, (f"{token}\t{count}" for token, count in self.counts.items()))

    @classmethod
    def load(cls, path: Path | str) -> UnigramDistribution:
        """Read what :meth:`save` wrote.

        Raises:
            DataError: a line is not ``token TAB count``.
        """
        counts: dict[str, int] = {}
        for number, line in enumerate(read_lines(path), start=1):
            token, _, count = line.partition("\t")
            if not token or not count.isdecimal():
                raise DataError(path, f"expected a token, a tab and its count, not {line!r}", number)
            counts[token] = int(count)
        return cls(counts)

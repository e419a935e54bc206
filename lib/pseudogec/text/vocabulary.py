"""The vocabulary of pieces, in fairseq's dictionary format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from artefacts.errors import DataError
from artefacts.files import read_lines, write_lines
from pseudogec.text.tokenisation import MASK

FAIRSEQ_SYMBOLS = ("<s>", "<pad>", "</s>", "<unk>")
"""Symbols that fairseq adds itself; a dictionary file must not hold them."""


class Vocabulary:
    """Pieces with their counts, the most frequent first and equal ones in the order of their characters.

    Args:
        counts: piece to count, in any order.
        symbols: pieces that belong to the vocabulary even when no text holds them (count 0).
    """

    def __init__(self, counts: Mapping[str, int], symbols: Iterable[str] = (MASK,)) -> None:
        complete = dict.fromkeys(symbols, 0) | {piece: n for piece, n in counts.items() if piece not in FAIRSEQ_SYMBOLS}
        self.counts: dict[str, int] = dict(sorted(complete.items(), key=lambda entry: (-entry[1], entry[0])))

    @classmethod
    def from_sentences(
        cls, sentences: Iterable[Sequence[str]], minimum_count: int = 1, symbols: Iterable[str] = (MASK,)
    ) -> Vocabulary:
        """Count the pieces of a text; for a joint vocabulary chain the sentences of both sides.

        Args:
            sentences: pieces; read once.
            minimum_count: rarer pieces are left out.
            symbols: pieces that belong to the vocabulary in any case.
        """
        counts = Counter(piece for sentence in sentences for piece in sentence)
        return cls({piece: count for piece, count in counts.items() if count >= minimum_count}, symbols)

    def __contains__(self, piece: object) -> bool:
        return piece in self.counts

    def __iter__(self) -> Iterator[str]:
        return iter(self.counts)

    def __len__(self) -> int:
        return len(self.counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and list(self.counts.items()) == list(other.counts.items())

    __hash__ = None  # type: ignore[assignment]

    def save(self, path: Path | str) -> None:
        """Write a fairseq dictionary: a line ``piece count`` each."""
        write_lines(path, (f"{piece} {count}" for piece, count in self.counts.items()))

    @classmethod
    def load(cls, path: Path | str) -> Vocabulary:
        """Read a fairseq dictionary; its order, which gives a trained model its indices, is kept.

        Raises:
            DataError: a line is not ``piece count``, or a piece comes twice.
        """
        counts: dict[str, int] = {}
        for number, line in enumerate(read_lines(path), start=1):
            piece, _, count = line.removesuffix(" #fairseq:overwrite").rpartition(" ")
            if not piece or not count.isdecimal():
                raise DataError(path, f"a line of a dictionary must be a piece, a space and its count, not {line!r}", number)
            if piece in counts:
                raise DataError(path, f"the piece {piece!r} comes twice; every piece must come once", number)
            counts[piece] = int(count)
        vocabulary = cls({}, symbols=())
        vocabulary.counts = counts
        return vocabulary

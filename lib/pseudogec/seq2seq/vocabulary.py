"""fairseq's dictionary files: which pieces a model knows, and their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from artefacts.errors import DataError
from artefacts.files import write_lines
from pseudogec.text import Vocabulary
from pseudogec.text.subwords import FAIRSEQ_SYMBOLS as SPECIAL_SYMBOLS

BEGINNING, PADDING, END, UNKNOWN = range(4)

# fairseq fills its dictionaries up to a multiple of this, which matrix products like.
SIZE_MULTIPLE = 8


def write_dictionary(counts: Mapping[str, int], path: Path, threshold: int = 1, size: int | None = None) -> int:
    """Write a dictionary as ``fairseq-preprocess`` does: most frequent pieces first, ties in alphabetical order.

    Args:
        counts: how often each piece occurs (source and target together for a joint dictionary).
        path: the file, ``dict.txt`` in fairseq's words.
        threshold: pieces that occur less often are left out.
        size: keep this many of the most frequent pieces; all when not given.

    Returns:
        The model's number of symbols, special symbols and filling included.
    """
    known = [(piece, count) for piece, count in counts.items() if count >= threshold and piece not in SPECIAL_SYMBOLS]
    known.sort(key=lambda item: (-item[1], item[0]))
    known = known[:size]
    symbols = len(known) + len(SPECIAL_SYMBOLS)
    filling = [(f"madeupword{number:04d}", 0) for number in range(-symbols % SIZE_MULTIPLE)]
    write_lines(path, (f"{piece} {count}" for piece, count in known + filling))
    return symbols + len(filling)


def read_dictionary(path: Path) -> dict[str, int]:
    """The number of every piece, special symbols included.

    Raises:
        DataError: a line is not a piece and its count, or a piece occurs twice.
    """
    numbers = {symbol: number for number, symbol in enumerate(SPECIAL_SYMBOLS)}
    for line_number, piece in enumerate(Vocabulary.load(path), start=1):
        if piece in numbers:
            raise DataError(path, f"{piece!r} is a symbol of fairseq's own, which a dictionary file must not hold", line_number)
        numbers[piece] = len(numbers)
    return numbers


def read_text_numbers(path: Path) -> dict[str, int]:
    """The number of every piece that a text may hold: a piece spelt like a symbol of fairseq is an unknown one.

    Raises:
        DataError: as `read_dictionary`.
    """
    return {piece: number for piece, number in read_dictionary(path).items() if piece not in SPECIAL_SYMBOLS}

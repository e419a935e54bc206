"""Methods that are defined on words, applied to text in BPE pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from pseudogec.noise.noiser import Noiser, Operation
from pseudogec.text import Bpe

_CACHED_OPERATIONS = 1 << 17  # about 50 MB


class _InPieces(dict[Operation, Operation]):
    """Operations on words, written in pieces; each is split when it first occurs."""

    def __init__(self, bpe: Bpe) -> None:
        super().__init__()
        self._bpe = bpe

    def __reduce__(self) -> tuple[type[_InPieces], tuple[Bpe]]:
        return (type(self), (self._bpe,))

    def __missing__(self, operation: Operation) -> Operation:
        if len(self) >= _CACHED_OPERATIONS:
            self.clear()
        before, after = (" ".join(self._bpe.apply(text.split())) for text in operation[1:])
        self[operation] = split = Operation(operation.kind, before, after)
        return split


class OnWords(Noiser):
    """Join pieces into words, noise the words, and split what comes out.

    Args:
        inner: a method that is defined on words.
        bpe: the segmentation of the text.
    """

    unit: ClassVar[Literal["piece", "word"]] = "piece"

    def __init__(self, inner: Noiser, bpe: Bpe) -> None:
        self._inner, self._bpe = inner, bpe
        self._in_pieces = _InPieces(bpe)

    def draw(self, tokens: Sequence[str], random: np.random.Generator) -> list[Operation]:
        """The operations on words, written in pieces."""
        return [self._in_pieces[operation] for operation in self._inner.operations(self._bpe.undo(tokens), random)]

"""Methods that are defined on words, applied to text in BPE pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from pseudogec.noise.noiser import Noiser, Operation
from pseudogec.text import Bpe


class OnWords(Noiser):
    """Join pieces into words, noise the words, and split what comes out.

    Args:
        inner: a method that is defined on words.
        bpe: the segmentation of the text.
    """

    unit: ClassVar[Literal["piece", "word"]] = "piece"

    def __init__(self, inner: Noiser, bpe: Bpe) -> None:
        self._inner, self._bpe = inner, bpe

    def draw(self, tokens: Sequence[str], random: np.random.Generator) -> list[Operation]:
        """The operations on words, written in pieces."""
        return [
            Operation(operation.kind, self._split(operation.before), self._split(operation.after))
            for operation in self._inner.operations(self._bpe.undo(tokens), random)
        ]

    def _split(self, text: str) -> str:
        return " ".join(self._bpe.apply(text.split()))

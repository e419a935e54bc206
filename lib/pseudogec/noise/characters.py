"""Synthetic spelling errors, SSE (Lichtarge et al. 2019; TASLP section IV-E2), on top of any method or alone."""

from __future__ import annotations

import string
from collections.abc import Sequence

import numpy as np

from pseudogec.noise.noiser import Noiser, Operation, keep
from pseudogec.text import Bpe

CONTINUES = "@@"
"""How subword-nmt marks a piece that its word goes on after; no part of the text."""


def edit_character(text: str, position: int, random: np.random.Generator) -> str:
    """Delete, replace or transpose a character, or insert one after it; each with probability 1/4.

    New characters are lower-case letters, drawn with equal chances; a replacement differs from what it replaces. The last
    character changes places with the one before it, the others with the one after them.
    """
    action, letter = int(random.integers(4)), int(random.integers(26))
    before, character, after = text[:position], text[position], text[position + 1 :]
    if action == 0:
        return before + after
    if action == 1:
        others = string.ascii_lowercase.replace(character, "")
        return before + others[letter % len(others)] + after
    if action == 2:
        return before + character + string.ascii_lowercase[letter] + after
    if after:
        return before + after[0] + character + after[1:]
    return before[:-1] + character + before[-1:]


class SyntheticSpelling(Noiser):
    """Spelling errors in what another method leaves.

    Mask tokens, the ``@@`` of pieces, and the spaces between tokens are never touched.

    Args:
        inner: the method underneath; None for spelling errors alone.
        rate: errors per character.
        mask_token: the token that stands for a mask.
        bpe: how to split a piece again that an error has changed; None leaves it whole.
    """

    def __init__(self, inner: Noiser | None, rate: float, mask_token: str = "", bpe: Bpe | None = None) -> None:
        self._inner, self._rate, self._mask_token, self._bpe = inner, rate, mask_token, bpe

    def draw(self, tokens: Sequence[str], random: np.random.Generator) -> list[Operation]:
        """The operations of the method underneath, with errors in their results; a kept token with an error is ``spell``."""
        operations = [keep(token) for token in tokens] if self._inner is None else self._inner.operations(tokens, random)
        ends = np.cumsum([len(operation.after) for operation in operations])
        hits = np.flatnonzero(random.random(int(ends[-1])) < self._rate)
        hit_operations = np.searchsorted(ends, hits, side="right").tolist()
        for number in sorted(set(hit_operations)):
            kind, before, after = operations[number]
            start = int(ends[number]) - len(after)
            positions = [hit - start for hit, owner in zip(hits.tolist(), hit_operations, strict=True) if owner == number]
            misspelt = self._misspell(after, positions, random)
            if misspelt != after:
                operations[number] = Operation(("spell" if misspelt else "delete") if kind == "keep" else kind, before, misspelt)
        return [operation for operation in operations if operation.before or operation.after]

    def target(self, tokens: Sequence[str], operations: Sequence[Operation], random: np.random.Generator) -> list[str]:
        """That of the method underneath."""
        return list(tokens) if self._inner is None else self._inner.target(tokens, operations, random)

    def _misspell(self, text: str, positions: Sequence[int], random: np.random.Generator) -> str:
        """Put errors at ascending positions of tokens joined by spaces."""
        tokens: list[str] = []
        start = 0
        for token in text.split(" "):
            core = token.removesuffix(CONTINUES)
            inside = [position - start for position in positions if start <= position < start + len(core)]
            start += len(token) + 1
            if not inside or token == self._mask_token:
                tokens.append(token)
                continue
            misspelt = core
            for position in reversed(inside):  # from the end, so that the positions before a change stay true
                misspelt = edit_character(misspelt, position, random)
            if misspelt:
                pieces = self._bpe.apply([misspelt]) if self._bpe else [misspelt]
                tokens += [*pieces[:-1], pieces[-1] + token[len(core) :]]
        return " ".join(tokens)

"""Synthetic spelling errors, SSE (Lichtarge et al. 2019; TASLP section IV-E), alone or on top of
any method.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from pseudogec.languages import ENGLISH, Language
from pseudogec.noise.method import METHODS, Operation, TextMethod, keep
from pseudogec.text import SEPARATOR, UNKNOWN, Bpe


@METHODS.register
class SpellingErrors(TextMethod):
    """Synthetic spelling errors alone: the `Noiser` adds them, as it does on top of other
    methods.
    """

    name = "sse"
    label = "SSE"
    colour = "#553311"
    summary = (
        "synthetic spelling errors alone: delete, insert, replace, transpose characters "
        "(Lichtarge et al. 2019)"
    )

    sse_rate: float = Field(
        0.003, ge=0, le=1, description="synthetic spelling errors per character"
    )

    def draw(
        self, tokens: Sequence[str], learnt: None, random: np.random.Generator
    ) -> list[Operation]:
        return [keep(token) for token in tokens]


def edit_character(
    text: str, position: int, random: np.random.Generator, letters: str = ENGLISH.letters
) -> str:
    """Delete, replace or transpose a character, or insert one after it; each with probability 1/4.

    New characters are of the letters; a replacement differs from what it replaces (of those left,
    the first has twice the chance of the others). The last character changes places with the one
    before it, the others with the one after them.
    """
    action, letter = int(random.integers(4)), int(random.integers(len(letters)))
    before, character, after = text[:position], text[position], text[position + 1 :]
    if action == 0:
        return before + after
    if action == 1:
        others = letters.replace(character, "") or character
        return before + others[letter % len(others)] + after
    if action == 2:
        return before + character + letters[letter] + after
    if after:
        return before + after[0] + character + after[1:]
    return before[:-1] + character + before[-1:]


def add_spelling_errors(
    operations: list[Operation],
    rate: float,
    random: np.random.Generator,
    bpe: Bpe | None = None,
    language: Language = ENGLISH,
) -> list[Operation]:
    """Put spelling errors into the noised side of a sentence; a kept token with an error becomes
    the operation ``spell``.

    Masks, the ``@@`` of subwords, and the spaces between tokens are never changed.

    Returns:
        The operations, without those that an error has left empty on both sides.
    """
    ends = np.cumsum([len(operation.after) for operation in operations])
    hits = np.flatnonzero(random.random(int(ends[-1])) < rate)
    hit_operations = np.searchsorted(ends, hits, side="right").tolist()
    for number in sorted(set(hit_operations)):
        kind, before, after = operations[number]
        if kind == "mask" or UNKNOWN in after:
            continue
        start = int(ends[number]) - len(after)
        positions = [
            hit - start
            for hit, owner in zip(hits.tolist(), hit_operations, strict=True)
            if owner == number
        ]
        misspelt = _misspell(after, positions, random, bpe, language)
        if misspelt != after:
            operations[number] = Operation(
                ("spell" if misspelt else "delete") if kind == "keep" else kind, before, misspelt
            )
    return [operation for operation in operations if operation.before or operation.after]


def _misspell(
    text: str,
    positions: Sequence[int],
    random: np.random.Generator,
    bpe: Bpe | None,
    language: Language,
) -> str:
    tokens: list[str] = []
    start = 0
    for token in text.split(" "):
        core = token.removesuffix(SEPARATOR)
        inside = [
            position - start for position in positions if start <= position < start + len(core)
        ]
        start += len(token) + 1
        if not inside:
            tokens.append(token)
            continue
        misspelt = core
        for position in reversed(inside):  # from the end, as a change moves what follows it
            misspelt = edit_character(misspelt, position, random, language.letters_for(core))
        if misspelt:
            split = bpe.apply([misspelt]) if bpe else [misspelt]
            tokens += split if core == token else _inside_a_word(split, bpe)
    return " ".join(tokens)


def _inside_a_word(subwords: Sequence[str], bpe: Bpe | None) -> list[str]:
    """The subwords of a word, where others of the word follow; the last may be possible at the end
    of words alone.
    """
    *before, last = subwords
    parts = [last] if bpe is None or last in bpe.merged else list(last)
    return [*before, *(part + SEPARATOR for part in parts)]

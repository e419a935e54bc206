"""Texts whose edits are given in characters: split into sentences and corrected."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

from pseudogec.text import sentence_spans

CharacterEdit = tuple[int, int, str]
"""Start and end in characters, and the correction."""


def corrected_sentences(text: str, edits: Sequence[CharacterEdit]) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a text as written and as corrected; sentences that an edit ties together stay one.

    Args:
        text: raw text.
        edits: in the order of the text.

    Raises:
        ValueError: edits overlap or leave the text.
    """
    bounds = [0, *chain.from_iterable(edit[:2] for edit in edits), len(text)]
    if any(left > right for left, right in pairwise(bounds)):
        raise ValueError(f"an edit overlaps another or leaves its text of {len(text)} characters")
    for start, end, inside in _sentences(text, edits):
        written, corrected = text[start:end], _correct(text, start, end, inside)
        if written.strip() or corrected.strip():
            yield written, corrected


def _sentences(text: str, edits: Iterable[CharacterEdit]) -> Iterator[tuple[int, int, list[CharacterEdit]]]:
    """Start, end and edits of each sentence; sentences that an edit ties together stay one."""
    waiting = deque(edits)
    start = 0
    inside: list[CharacterEdit] = []
    for boundary in [*(first for first, _ in sentence_spans(text)[1:]), len(text) + 1]:
        while waiting and waiting[0][0] < boundary:
            inside.append(waiting.popleft())
        if inside and inside[-1][1] > boundary:
            continue
        yield start, min(boundary, len(text)), inside
        start, inside = boundary, []


def _correct(text: str, start: int, end: int, edits: Iterable[CharacterEdit]) -> str:
    parts: list[str] = []
    for edit_start, edit_end, correction in edits:
        parts += [text[start:edit_start], correction]
        start = edit_end
    return "".join([*parts, text[start:end]])

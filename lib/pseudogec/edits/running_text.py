"""Edits of tokens, carried out in the text as it was typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pseudogec.edits.edit import Edit

_CLINGS_TO_THE_LEFT = re.compile(r"[,.;:!?%)\]}\u00bb\u201d\u2026]+|n['\u2019]t|['\u2019](s|m|d|re|ve|ll)?", re.IGNORECASE)
_CLINGS_TO_THE_RIGHT = re.compile(r"[(\[{\u00ab\u201c$#]")


def edit_text(text: str, spans: Sequence[tuple[int, int]], edits: Iterable[Edit]) -> str:
    """Correct a text and leave its spacing alone wherever nothing is corrected.

    Args:
        text: the sentence as it was typed.
        spans: first character of each of its tokens, and the character after the last.
        edits: edits of these tokens, which do not overlap.

    Returns:
        The corrected text.
    """
    parts: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        correction = joined(edit.correction.split())
        if edit.start < edit.end:
            start, end = spans[edit.start][0], spans[edit.end - 1][1]
            if not correction:  # with the space before it, or, at the beginning, the one behind it
                gap = spans[edit.start - 1][1] if edit.start else start
                following = spans[edit.end][0] if not edit.start and edit.end < len(spans) else end
                start, end = gap, following
        elif edit.start and (edit.start == len(spans) or _clings(edit.correction)):
            start = end = spans[edit.start - 1][1]
            correction = correction if _clings(edit.correction) else f" {correction}"
        else:
            start = end = spans[edit.start][0] if spans else len(text)
            correction = f"{correction} "
        parts += [text[position : max(start, position)], correction]
        position = max(end, position)
    return "".join([*parts, text[position:]])


def joined(tokens: Sequence[str]) -> str:
    """Tokens as one writes them: no space before a full stop or a clitic, none behind an opening bracket."""
    text = ""
    for token in tokens:
        glued = not text or _clings(token) or _CLINGS_TO_THE_RIGHT.fullmatch(text[-1])
        text += token if glued else f" {token}"
    return text


def _clings(correction: str) -> bool:
    return bool(_CLINGS_TO_THE_LEFT.fullmatch(correction.partition(" ")[0]))

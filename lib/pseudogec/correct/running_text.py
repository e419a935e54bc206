"""Running text, line by line: its sentences, and the line with their corrections, in which every
other character stays.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from pseudogec.correct.step import Trace
from pseudogec.edits import edit_text, token_edits
from pseudogec.languages import ENGLISH, Language
from pseudogec.text import prose_of, prose_tokens, sentence_spans

_CLOSING = ('"', "'", "\u201d", "\u2019", ")")


class Sentence(NamedTuple):
    """A sentence of a line."""

    before: str  # text of its line that comes before its first sentence
    text: str  # as it was typed
    tokens: list[str]
    # Of each token: its first character in the text, and the one after its last
    spans: list[tuple[int, int]]
    behind: str  # text between this sentence and the next one of its line

    def corrected(self, trace: Trace) -> str:
        edits = token_edits(self.tokens, trace.tokens)
        return (
            self.before
            + (edit_text(self.text, self.spans, edits) if edits else self.text)
            + self.behind
        )


def sentences_of(lines: Sequence[str], language: Language = ENGLISH) -> list[list[Sentence]]:
    """The sentences of each line of Markdown; one without tokens for a line that has none, such as
    code.
    """
    return [
        _of_line(line, prose, language) for line, prose in zip(lines, prose_of(lines), strict=True)
    ]


def _of_line(line: str, prose: tuple[int, int], language: Language) -> list[Sentence]:
    first, last = prose
    starts = [first + start for start, _ in sentence_spans(line[first:last])]
    # "Why?" and he left.
    starts = [
        start
        for start in starts
        if not (line[start].islower() and line[:start].rstrip().endswith(_CLOSING))
    ]
    if not starts:
        return [Sentence("", line, [], [], "")]
    sentences: list[Sentence] = []
    for start, end in itertools.pairwise([first, *starts[1:], last]):
        text = line[start:end].rstrip()
        behind = line[start + len(text) : end if end < last else len(line)]
        sentences.append(
            Sentence("" if sentences else line[:first], text, *prose_tokens(text, language), behind)
        )
    return sentences

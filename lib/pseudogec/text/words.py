"""Words: sentence splitting, and tokenisation by the rules of a language, which corpora and
annotators share.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pseudogec.languages import ENGLISH, Language

Tokens = Sequence[str]
"""A sentence."""

MASK = "<mask>"
"""The default mask token of direct noise; one subword in every segmentation and vocabulary (the
authors wrote ``|``).
"""


@functools.cache
def _tokeniser(language: Language) -> Any:
    return language.make_tokeniser()


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end, in characters; found by BlingFire, the authors'
    sentence splitter.

    A line end always ends a sentence; white space around sentences belongs to none.
    """
    import blingfire

    spans: list[tuple[int, int]] = []
    for line in re.finditer(r"\S.*", text):
        _, offsets = blingfire.text_to_sentences_and_offsets(line[0])
        spans.extend((line.start() + start, line.start() + end) for start, end in offsets)
    return spans


def tokenise(sentences: Iterable[str], language: Language = ENGLISH) -> Iterator[list[str]]:
    """Split sentences into tokens.

    White space never becomes a token, so that joining tokens with spaces and splitting at spaces
    are inverse.
    """
    for document in _tokeniser(language).pipe(sentences, batch_size=1000):
        yield [token.text for token in document if not token.is_space]


def token_spans(sentence: str, language: Language = ENGLISH) -> list[tuple[int, int]]:
    """Where the tokens of one sentence begin and end, in characters: those of ``tokenise``, but for
    control characters.

    These and white space of any kind count as spaces, so that no token holds one; marks of format,
    such as a soft hyphen, belong to their word.
    """
    return [
        (token.idx, token.idx + len(token))
        for token in _tokeniser(language)(spaced(sentence))
        if not token.is_space
    ]


def spaced(sentence: str) -> str:
    """The sentence with a space in the place of each character that separates tokens."""
    return "".join(" " if _separates(character) else character for character in sentence)


def _separates(character: str) -> bool:
    return character.isspace() or not (
        character.isprintable() or unicodedata.category(character) == "Cf"
    )

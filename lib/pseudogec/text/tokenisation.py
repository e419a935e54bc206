"""Tokenisation with spaCy's English rules, which the study's corpora and ERRANT share."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Any

MASK = "<mask>"
"""The default mask token of direct noise; one piece in every segmentation and vocabulary (the authors wrote ``|``)."""


@functools.cache
def _english_rules() -> Any:
    """spaCy's English tokeniser; its rules need no trained model and are those of ``en_core_web_sm``."""
    import spacy

    return spacy.blank("en").tokenizer


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end, in characters; found by BlingFire, the authors' sentence splitter.

    A line end always ends a sentence; white space around sentences belongs to none.
    """
    import blingfire

    spans: list[tuple[int, int]] = []
    for line in re.finditer(r"\S.*", text):
        _, offsets = blingfire.text_to_sentences_and_offsets(line[0])
        spans.extend((line.start() + start, line.start() + end) for start, end in offsets)
    return spans


def tokenise(sentences: Iterable[str]) -> Iterator[list[str]]:
    """Split sentences into tokens with spaCy's English rules (TASLP section IV-A).

    White space never becomes a token, so that joining tokens with spaces and splitting at spaces are inverse.

    Args:
        sentences: raw text, one sentence each; read lazily.

    Yields:
        The tokens of each sentence, empty for a sentence of white space.
    """
    for document in _english_rules().pipe(sentences, batch_size=1000):
        yield [token.text for token in document if not token.is_space]


def token_spans(sentence: str) -> list[tuple[int, int]]:
    """Where the tokens of one sentence begin and end, in characters; the same tokens as ``tokenise`` gives.

    Control characters and white space of any kind count as spaces, so that no token holds one.
    """
    spaced = "".join(" " if character.isspace() or not character.isprintable() else character for character in sentence)
    return [(token.idx, token.idx + len(token)) for token in _english_rules()(spaced) if not token.is_space]

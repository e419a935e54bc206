"""Tokenisation with spaCy's English rules, which the study's corpora and ERRANT share."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

MASK = "<mask>"
"""The default mask token of direct noise; one piece in every segmentation and vocabulary (the authors wrote ``|``)."""


@functools.cache
def _english_rules() -> Any:
    """spaCy's English tokeniser; its rules need no trained model and are those of ``en_core_web_sm``."""
    import spacy

    return spacy.blank("en").tokenizer


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

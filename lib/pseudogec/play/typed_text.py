"""Sentences as people type them."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from artefacts.errors import UserError
from pseudogec.study import Study, loaded
from pseudogec.text import sentence_spans, token_spans

MOST_CHARACTERS = 400
MOST_TOKENS = 60
"""The longest sentence that is taken: it is decoded while somebody waits, and must fit on the screen."""

LONGEST_WORD = 40


def read_sentence(text: str) -> list[str]:
    """The tokens of one sentence; control characters and white space of any kind separate words.

    Raises:
        UserError: there is no word in it, or it is too long.
    """
    if len(text) > MOST_CHARACTERS:
        raise UserError(f"That is {len(text)} characters; type a sentence of at most {MOST_CHARACTERS}.")
    tokens = [text[start:end] for start, end in token_spans(text)]
    if not tokens:
        raise UserError("There is no word to work with; type a sentence.")
    if len(tokens) > MOST_TOKENS:
        raise UserError(f"That is {len(tokens)} words and marks; type a sentence of at most {MOST_TOKENS}.")
    if longest := [token for token in tokens if len(token) > LONGEST_WORD]:
        raise UserError(
            f"{longest[0][:LONGEST_WORD]}... is {len(longest[0])} characters long; words have at most {LONGEST_WORD}."
        )
    return tokens


def read_text(text: str) -> list[list[str]]:
    """The sentences of a short text, each in tokens.

    Raises:
        UserError: there is no word in it, or it is too long.
    """
    if len(text) > MOST_CHARACTERS:
        raise UserError(f"That is {len(text)} characters; type at most {MOST_CHARACTERS}.")
    printable = "".join(character if character.isprintable() or character == "\n" else " " for character in text)
    spans = sentence_spans(printable) or [(0, len(printable))]
    return [read_sentence(printable[start:end]) for start, end in spans]


def remark_on_strange_characters(study: Study, tokens: Iterable[str]) -> str:
    """A paragraph about characters that the study's models have never seen; empty where there are none."""
    if not study.store.has(study.planner.bpe):
        return ""
    known = set().union(*loaded.known_pieces(study.store.folder(study.planner.bpe)))
    strange = dict.fromkeys(character for token in tokens for character in token if character not in known)
    if not strange:
        return ""
    return f"<p>No model here has ever seen {escape(' '.join(strange))}: all that it does not know is one piece to it.</p>"

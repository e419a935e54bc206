"""What is prose of a language in a text as people type it, and what is Markdown, code, an address,
or another language.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from pseudogec.languages import ENGLISH, Language
from pseudogec.text.words import spaced, token_spans

_PLAIN = {
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2013": "-",
    "\u2014": "--",
    "\u2026": "...",
}
# Which Markdown takes for the end of a line, and replaces
_NO_BREAKS = {ord(character): " " for character in "\r\0"}
_FENCE = re.compile(r" {0,3}(```|~~~)")
_CHUNK = re.compile(r"\S+")
_AROUND_WORDS = "\"'(),.:;!?-"
_WORD = re.compile(r"[^\W\d_]+")


def ends_inside_code(lines: Sequence[str]) -> bool:
    return sum(_FENCE.match(line) is not None for line in lines) % 2 == 1


def prose_of(lines: Sequence[str]) -> list[tuple[int, int]]:
    """The first and last character of the prose in each line of Markdown: without marks of
    headings, lists and quotations, and none in blocks of code or HTML and in tables.
    """
    spans = [(0, 0)] * len(lines)
    lines = [line.translate(_NO_BREAKS) for line in lines]
    inside_table = False
    for block in _markdown().parse("\n".join(lines)):
        if block.type in {"table_open", "table_close"}:
            inside_table = block.type == "table_open"
        if block.type == "inline" and not inside_table:
            for number, part in enumerate(block.content.split("\n"), start=block.map[0]):
                start = lines[number].find(part.strip())
                spans[number] = (start, start + len(part.strip()))
    return spans


@functools.cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def prose_tokens(
    sentence: str, language: Language = ENGLISH
) -> tuple[list[str], list[tuple[int, int]]]:
    """The tokens of a sentence and their places, as models read them: quotation marks are plain,
    and letters have no accents, unless the language has these.

    Symbols at the sentence's ends, such as emoji, are left out. A sentence has no tokens if it has
    no word, is of another language, or if code, an address, a formula or the like stands within it:
    models know none of these, and most of their edits there are wrong.
    """
    strange = [
        chunk.span()
        for chunk in _CHUNK.finditer(spaced(sentence))
        if not _is_ordinary(chunk[0], language)
    ]

    def is_prose(span: tuple[int, int]) -> bool:
        return not any(start < span[1] and span[0] < end for start, end in strange)

    def is_symbol(span: tuple[int, int]) -> bool:
        return not is_prose(span) and not any(map(str.isalnum, sentence[slice(*span)]))

    spans = token_spans(sentence, language)
    while spans and is_symbol(spans[-1]):
        spans.pop()
    while spans and is_symbol(spans[0]):
        spans.pop(0)
    words = _WORD.findall(sentence)
    if not words or not all(map(is_prose, spans)) or language.is_foreign(words):
        return [], []
    return [_plain(sentence[start:end], language) for start, end in spans], spans


def _plain(text: str, language: Language) -> str:
    return "".join(
        character if character in language.characters else _plain_form(character)
        for character in text
    )


def _plain_form(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", _PLAIN.get(character, character))
    return "".join(part for part in decomposed if not unicodedata.combining(part))


@functools.cache
def _ordinary(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Words and numbers as prose has them, and a capital letter within a word, which it has not."""
    small, large = re.escape(language.letters), re.escape(language.letters.upper())
    letter = f"[{large}{small}]"
    ordinary = (
        # Words
        rf"(?:{letter}+(?:['-]|(?:/|--)(?={letter}{{2}}))?|[{small}][.,;!?](?=[{large}][{small}]))+"
        rf"|[$\u20ac\u00a3]?\d[\d.,:/-]*(?:%|{letter}{{1,3}})?"  # numbers with a unit
        rf"|[%&]|(?:{letter}\.)+{letter}"  # abbreviations
    )
    return re.compile(ordinary), re.compile(f"[{small}][{large}]")


def _is_ordinary(chunk: str, language: Language) -> bool:
    """Whether what stands between spaces is a word or number as prose has them."""
    word, (ordinary, camel) = (
        _plain(chunk, language).strip(_AROUND_WORDS + language.marks),
        _ordinary(language),
    )
    return not word or bool(ordinary.fullmatch(word) and not camel.search(word))

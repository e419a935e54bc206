"""What is English prose in a text as people type it, and what is Markdown, code, an address, or another language."""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from pseudogec.text.words import is_in_dictionary, spaced, token_spans

_PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "--", "\u2026": "..."}
)
_NO_BREAKS = {ord(character): " " for character in "\r\0"}  # which Markdown takes for the end of a line, and replaces
_FENCE = re.compile(r" {0,3}(```|~~~)")
_CHUNK = re.compile(r"\S+")
_AROUND_WORDS = "\"'(),.:;!?-"
_ORDINARY = re.compile(
    r"(?:[A-Za-z]+(?:['-]|(?:/|--)(?=[A-Za-z]{2}))?|[a-z][.,;!?](?=[A-Z][a-z]))+"  # words
    r"|[$\u20ac\u00a3]?\d[\d.,:/-]*(?:%|[A-Za-z]{1,3})?"  # numbers with a unit
    r"|[%&]|(?:[A-Za-z]\.)+[A-Za-z]"  # abbreviations
)
_CAMEL = re.compile(r"[a-z][A-Z]")
_WORD = re.compile(r"[^\W\d_]+")
_LATIN_LETTERS = "ca cs da de es fi fil fr hu id is it lt lv ms nb nl pl pt ro sh sk sl sv tr vi"
_RARE = 1e-8
_FEW_KNOWN = 0.75
_CLEARLY = 0.3


def ends_inside_code(lines: Sequence[str]) -> bool:
    return sum(_FENCE.match(line) is not None for line in lines) % 2 == 1


def prose_of(lines: Sequence[str]) -> list[tuple[int, int]]:
    """The first and last character of the prose in each line of Markdown: without marks of headings, lists and quotations, and
    none in blocks of code or HTML and in tables.
    """
    found = [(0, 0)] * len(lines)
    lines = [line.translate(_NO_BREAKS) for line in lines]
    inside_table = False
    for block in _markdown().parse("\n".join(lines)):
        if block.type in {"table_open", "table_close"}:
            inside_table = block.type == "table_open"
        if block.type == "inline" and not inside_table:
            for number, part in enumerate(block.content.split("\n"), start=block.map[0]):
                start = lines[number].find(part.strip())
                found[number] = (start, start + len(part.strip()))
    return found


@functools.cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def prose_tokens(sentence: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The tokens of a sentence and their places, as models read them: quotation marks are plain, and letters have no accents.

    Symbols at the sentence's ends, such as emoji, are left out. A sentence has no tokens if it has no word, is not English, or if
    code, an address, a formula or the like stands within it: models know none of these, and most of their edits there are wrong.
    """
    strange = [chunk.span() for chunk in _CHUNK.finditer(spaced(sentence)) if not _is_ordinary(chunk[0])]

    def is_prose(span: tuple[int, int]) -> bool:
        return not any(start < span[1] and span[0] < end for start, end in strange)

    def is_symbol(span: tuple[int, int]) -> bool:
        return not is_prose(span) and not any(map(str.isalnum, sentence[slice(*span)]))

    spans = token_spans(sentence)
    while spans and is_symbol(spans[-1]):
        spans.pop()
    while spans and is_symbol(spans[0]):
        spans.pop(0)
    words = _WORD.findall(sentence)
    if not words or not all(map(is_prose, spans)) or _is_foreign(words):
        return [], []
    return [_plain(sentence[start:end]) for start, end in spans], spans


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _is_ordinary(chunk: str) -> bool:
    """Whether what stands between spaces is a word or number as prose has them."""
    word = _plain(chunk).strip(_AROUND_WORDS)
    return not word or bool(_ORDINARY.fullmatch(word) and not _CAMEL.search(word))


def _is_foreign(words: Sequence[str]) -> bool:
    """Whether words are rather of another language than of English, by their frequencies."""
    if sum(map(is_in_dictionary, words)) >= _FEW_KNOWN * len(words):
        return False

    def fluency(frequencies: Mapping[str, float]) -> float:
        return sum(math.log10(frequencies.get(word.lower(), _RARE)) for word in words) / len(words)

    by_language = _frequencies()
    return max(map(fluency, by_language.values())) > fluency(by_language["en"]) + _CLEARLY


@functools.cache
def _frequencies() -> dict[str, Mapping[str, float]]:
    """Language to word to frequency, of languages in Latin letters; the others' words no model can read."""
    from wordfreq import get_frequency_dict

    return {language: get_frequency_dict(language, "small") for language in ("en", *_LATIN_LETTERS.split())}


@functools.lru_cache(maxsize=1 << 16)
def is_word(token: str) -> bool:
    """Whether a token is a mark or number, or a word that hunspell or wordfreq's English list has."""
    from wordfreq import zipf_frequency

    return not any(map(str.isalpha, token)) or is_in_dictionary(token) or zipf_frequency(token, "en") > 0

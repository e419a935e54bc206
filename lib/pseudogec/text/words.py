"""Words: sentence splitting, tokenisation with spaCy's English rules (shared by the corpora and ERRANT), and spell checking."""

from __future__ import annotations

import functools
import re
import shutil
import sys
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

Tokens = Sequence[str]
"""A sentence."""

MASK = "<mask>"
"""The default mask token of direct noise; one subword in every segmentation and vocabulary (the authors wrote ``|``)."""

LONGEST_WORD = 40
"""Letters; a longer token is no English word, and tools whose time grows with the square of its length do not see it."""

# Not *university*, *European*, *useful*, *one*, but *uninteresting*, *hour*.
_VOWEL_SOUND = re.compile(
    "(?!eu|ewe|unanim|uni(?!n[tfvh]|m[pa]|de)|u[stk][aeiou]|ur[ai]n|ubiq|one(?!r)|once)[aeiou]|hour|heir|honest|honou?r"
)


def article_before(word: str) -> str:
    """*a* or *an*, by the sound with which a lower-case word begins."""
    return "an" if _VOWEL_SOUND.match(word) else "a"


@functools.cache
def import_spacy() -> Any:
    """spaCy, imported without torch, which no pipeline here needs.

    A package of spaCy's imports torch where it is installed, in more than a second and 200 MB. While spaCy is imported, torch
    seems not to be installed; afterwards it can be imported as ever.
    """
    hidden = "torch" not in sys.modules
    if hidden:
        sys.modules["torch"] = None  # type: ignore[assignment]  # which Python takes for a module that is not there
    try:
        import spacy
    finally:
        if hidden:
            del sys.modules["torch"]
    return spacy


@functools.cache
def _english_rules() -> Any:
    """spaCy's English tokeniser; its rules need no trained model and are those of ``en_core_web_sm``."""
    return import_spacy().blank("en").tokenizer


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
    """
    for document in _english_rules().pipe(sentences, batch_size=1000):
        yield [token.text for token in document if not token.is_space]


def token_spans(sentence: str) -> list[tuple[int, int]]:
    """Where the tokens of one sentence begin and end, in characters: those of ``tokenise``, but for control characters.

    These and white space of any kind count as spaces, so that no token holds one; marks of format, such as a soft hyphen, belong
    to their word.
    """
    return [(token.idx, token.idx + len(token)) for token in _english_rules()(spaced(sentence)) if not token.is_space]


def spaced(sentence: str) -> str:
    """The sentence with a space in the place of each character that separates tokens."""
    return "".join(" " if _separates(character) else character for character in sentence)


def _separates(character: str) -> bool:
    return character.isspace() or not (character.isprintable() or unicodedata.category(character) == "Cf")


@functools.cache
def spell_checker() -> Any:
    """hunspell with its English dictionary (``spell``, ``suggest``), but without guesses from shared n-grams.

    Those add few words, most of them far from the one asked for, and take 98% of the time: 50 ms a word against 0.7 ms.
    """
    from hunspell import Hunspell

    with tempfile.TemporaryDirectory() as folder:
        rules = (dictionaries() / "en_US.aff").read_bytes()
        (Path(folder) / "en_US.aff").write_bytes(b"MAXNGRAMSUGS 0\nMAXCPDSUGS 0\n" + rules)
        shutil.copy(dictionaries() / "en_US.dic", folder)
        return Hunspell("en_US", hunspell_data_dir=folder)


def is_in_dictionary(word: str) -> bool:
    try:
        return bool(spell_checker().spell(word))
    except UnicodeEncodeError:  # it has a letter that the dictionary's encoding lacks
        return False


def dictionaries() -> Path:
    import hunspell

    return Path(hunspell.__file__).parent / "dictionaries"

"""English, the language of the papers and of every committed study."""

from __future__ import annotations

import functools
import math
import re
import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pseudogec.languages.english_inflections import other_forms
from pseudogec.languages.language import LANGUAGES, Dictionary, Language, import_spacy

# Not *university*, *European*, *useful*, *one*, but *uninteresting*, *hour*.
_VOWEL_SOUND = re.compile(
    "(?!eu|ewe|unanim|uni(?!n[tfvh]|m[pa]|de)|u[stk][aeiou]|ur[ai]n|ubiq|one(?!r)|once)[aeiou]|hour|heir|honest|honou?r"
)
_LATIN_LETTERS = "ca cs da de es fi fil fr hu id is it lt lv ms nb nl pl pt ro sh sk sl sv tr vi"
_RARE = 1e-8
_FEW_KNOWN = 0.75
_CLEARLY = 0.3


@LANGUAGES.register
class English(Language):
    """English: spaCy's rules of tokenisation (TASLP section IV-A), and the American dictionary of
    the package of hunspell.
    """

    name = "en"
    title = "English"
    letters = string.ascii_lowercase
    annotators = ("auto", "en_core_web_sm", "offline", "untyped")
    inflections = True
    handbook = True

    @property
    def dictionary(self) -> Dictionary:
        import hunspell

        folder = Path(hunspell.__file__).parent / "dictionaries"
        return Dictionary(folder / "en_US.aff", folder / "en_US.dic")

    def may_draw(self, word: str) -> bool:
        """Any word: many are borrowed, with their accents."""
        return True

    def other_forms(self, word: str) -> Sequence[str]:
        return other_forms(word)

    def sound(self, word: str) -> str:
        """By Metaphone."""
        import jellyfish

        return jellyfish.metaphone(word)

    def make_tokeniser(self) -> Any:
        """spaCy's English tokeniser; its rules need no trained model and are those of
        ``en_core_web_sm``.
        """
        return import_spacy().blank("en").tokenizer

    def is_foreign(self, words: Sequence[str]) -> bool:
        """Whether words are rather of another language in Latin letters than of English, by their
        frequencies.
        """
        if sum(map(self.dictionary.knows, words)) >= _FEW_KNOWN * len(words):
            return False

        def fluency(frequencies: Mapping[str, float]) -> float:
            return sum(math.log10(frequencies.get(word.lower(), _RARE)) for word in words) / len(
                words
            )

        by_language = _frequencies()
        return max(map(fluency, by_language.values())) > fluency(by_language["en"]) + _CLEARLY


ENGLISH = English()  # type: ignore[call-arg]  # pydantic fills the defaults


@functools.cache
def _frequencies() -> dict[str, Mapping[str, float]]:
    """Language to word to frequency, of languages in Latin letters."""
    from wordfreq import get_frequency_dict

    return {
        language: get_frequency_dict(language, "small")
        for language in ("en", *_LATIN_LETTERS.split())
    }


@functools.lru_cache(maxsize=1 << 16)
def is_word(token: str) -> bool:
    """Whether a token is a mark or number, or a word that hunspell or wordfreq's English list
    has.
    """
    from wordfreq import zipf_frequency

    return (
        not any(map(str.isalpha, token))
        or ENGLISH.dictionary.knows(token)
        or zipf_frequency(token, "en") > 0
    )


def frequency(word: str) -> float:
    """The share of a word in running text, by wordfreq."""
    from wordfreq import word_frequency

    return word_frequency(word, "en")


@functools.cache
def american_spellings() -> Mapping[str, str]:
    from spacy.lookups import load_lookups

    return load_lookups("en", ["lexeme_norm"]).get_table("lexeme_norm")


def article_before(word: str) -> str:
    """*a* or *an*, by the sound with which a lower-case word begins."""
    return "an" if _VOWEL_SOUND.match(word) else "a"

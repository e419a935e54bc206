"""Words that a writer may confuse: a spell checker's suggestions for right words (Grundkiewicz et al. 2019, section 4.1)."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Mapping

from pseudogec.text.words import dictionaries, spell_checker

SIZE = 20
_NEAR = 2  # characters


class ConfusionSets:
    """Confusion sets of English words, found when they are first asked for and then kept.

    Args:
        known: sets that are known already: lower-case word to the texts it may be confused with.
    """

    def __init__(self, known: Mapping[str, Iterable[str]] | None = None) -> None:
        self._sets = {word: tuple(others) for word, others in (known or {}).items()}

    def __getitem__(self, word: str) -> tuple[str, ...]:
        """Up to 20 texts that a word may be confused with, nearest first, in the word's own capitals; none for a non-word."""
        lowered = word.lower()
        if lowered not in self._sets:
            self._sets[lowered] = confusion_set(lowered)
        others = self._sets[lowered]
        if word == lowered:
            return others
        if word.isupper() and len(word) > 1:
            return tuple(other.upper() for other in others)
        return tuple(other[:1].upper() + other[1:] for other in others)


def confusion_set(word: str) -> tuple[str, ...]:
    """What a lower-case word may be confused with, at most 20 texts, nearest first.

    These are hunspell's suggestions and the words of its dictionary that sound alike (Metaphone) and are at most 2 characters
    away. The distance is the mean of the edit distances of spelling and of sound. A suggestion may be two words, but not the word
    itself, its capitalised form, or the hyphenated twin of two words.
    """
    import jellyfish
    from rapidfuzz.distance import Levenshtein

    if not word.isalpha() or not word.isascii():
        return ()
    sound = jellyfish.metaphone(word)
    suggestions = (suggestion.lower() for suggestion in spell_checker().suggest(word) if "-" not in suggestion)
    alike = (other for other in _words_by_sound().get(sound, ()) if Levenshtein.distance(word, other) <= _NEAR)

    def distance(other: str) -> float:
        return (Levenshtein.distance(word, other) + Levenshtein.distance(sound, jellyfish.metaphone(other))) / 2

    return tuple(sorted({*suggestions, *alike} - {word}, key=lambda other: (distance(other), other))[:SIZE])


@functools.cache
def _words_by_sound() -> dict[str, list[str]]:
    """The lower-case words of hunspell's dictionary by their Metaphone."""
    import jellyfish

    words: dict[str, list[str]] = defaultdict(list)
    for line in (dictionaries() / "en_US.dic").read_text(encoding="latin-1").splitlines():
        word = line.partition("/")[0]
        if word.isalpha() and word.isascii() and word.islower() and len(word) > 1:
            words[jellyfish.metaphone(word)].append(word)
    return words

"""Words that a writer may confuse: a spell checker's suggestions for right words (Grundkiewicz et al. 2019, section 4.1)."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from pseudogec.errors import DataError
from pseudogec.files import read_lines, write_lines

SIZE = 20


class ConfusionSets:
    """Confusion sets of English words, found when they are first asked for and then kept.

    hunspell takes tens of milliseconds a word, so words that will be asked for often are better prepared on all cores.

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

    def prepare(self, words: Iterable[str], jobs: int = 1) -> None:
        """Find the sets of many words with several processes."""
        wanted = sorted({word.lower() for word in words} - self._sets.keys())
        if jobs <= 1 or len(wanted) < 2 * jobs:
            found = map(confusion_set, wanted)
            self._sets.update(zip(wanted, found, strict=True))
            return
        with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
            self._sets.update(zip(wanted, pool.map(confusion_set, wanted, chunksize=32), strict=True))

    def save(self, path: Path | str) -> None:
        """Write the sets known so far as JSON, one line a word."""
        write_lines(path, (json.dumps([word, self._sets[word]], ensure_ascii=False) for word in sorted(self._sets)))

    @classmethod
    def load(cls, path: Path | str) -> ConfusionSets:
        """Read what :meth:`save` wrote.

        Raises:
            DataError: a line is not such an entry.
        """
        known: dict[str, list[str]] = {}
        for number, line in enumerate(read_lines(path), start=1):
            try:
                word, others = json.loads(line)
                known[word] = [str(other) for other in others]
            except (ValueError, TypeError):
                raise DataError(path, "expected [word, [other, ...]]", number) from None
        return cls(known)


def confusion_set(word: str) -> tuple[str, ...]:
    """hunspell's suggestions for a lower-case word, at most 20, nearest first.

    The distance is the mean of the edit distances of spelling and of sound (Metaphone). A suggestion may be two words, but
    not the word itself, its capitalised form, or the hyphenated twin of two words.
    """
    import jellyfish
    from rapidfuzz.distance import Levenshtein

    if not word.isalpha() or not word.isascii():
        return ()
    sound = jellyfish.metaphone(word)

    def distance(other: str) -> float:
        return (Levenshtein.distance(word, other) + Levenshtein.distance(sound, jellyfish.metaphone(other))) / 2

    others = dict.fromkeys(suggestion.lower() for suggestion in _spell_checker().suggest(word) if "-" not in suggestion)
    others.pop(word, None)
    return tuple(sorted(others, key=lambda other: (distance(other), other))[:SIZE])


@functools.cache
def _spell_checker() -> Any:
    from hunspell import Hunspell

    return Hunspell("en_US")

"""Words that are nearly always written with a capital (Choe et al. 2019, section 7.2)."""

from __future__ import annotations

from collections.abc import Mapping


class Casing:
    """Capitalised forms of the words of a text that writes them so far more often than in lower case.

    Args:
        counts: how often the text writes each word, in the capitals in which it stands. Words that begin a sentence are to be
            left out of the count: they are capitalised for another reason.
        times: a word belongs here when its capitalised form comes more than this many times as often as the one in lower case,
            and more than this many times at all.
    """

    def __init__(self, counts: Mapping[str, int], times: float = 99.0) -> None:
        self._capitalised = {
            word.lower(): word
            for word, count in counts.items()
            if word == word.lower().capitalize() != word.lower() and count > times * max(1, counts.get(word.lower(), 0))
        }

    def __getitem__(self, word: str) -> str | None:
        """The capitalised form of a word in lower case, if that is how it is nearly always written."""
        return self._capitalised.get(word)

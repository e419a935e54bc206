"""Which words are English, American or British, and what may be meant by others."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from pseudogec.text.spell_checker import spell_checker

_MOST_SUGGESTIONS = 10


@functools.lru_cache(maxsize=100_000)
def suggestions(word: str) -> tuple[str, ...] | None:
    """What may be meant by a word that is not in the dictionary, best first; ``None`` for one that is.

    The dictionary is hunspell's American one. British spellings (*colour*) are right too: they are held to be in it when their
    American counterparts, by spaCy's table of normal forms, are; without this, every third correction of the W&I development set
    would be of a British spelling.

    Args:
        word: ASCII letters, in lower case or with a capital first. For one with a capital, what may be meant by it in lower case
            is capitalised; hunspell itself would rather offer names (*Esay*: *Essy*, *Esau*).
    """
    checker = spell_checker()
    if checker.spell(word) or checker.spell(_american_spellings().get(word.lower(), word)):
        return None
    found = checker.suggest(word.lower())[:_MOST_SUGGESTIONS]
    return tuple(found) if word.islower() else tuple(dict.fromkeys(other[:1].upper() + other[1:] for other in found))


@functools.cache
def _american_spellings() -> Mapping[str, str]:
    """American spellings by others (``colour`` to ``color``), among other normal forms."""
    from spacy.lookups import load_lookups

    return load_lookups("en", ["lexeme_norm"]).get_table("lexeme_norm")

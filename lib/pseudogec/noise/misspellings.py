"""Misspellings of a word: common ones, changes that keep the sound, and typing errors."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import numpy as np

from pseudogec.noise.common_errors import MISSPELLINGS_OF

SHORTEST = 4
"""Letters of the shortest words that are misspelt by rule."""

_SLIPS = 0.3
"""The share of typing errors among the misspellings of a word that has others."""

_SAME_SOUND = tuple(
    (re.compile(pattern), written)
    for pattern, _, written in (
        rule.partition("→")
        for rule in r"""
    (?<=\w)([b-df-hj-np-tv-z])\1(?=\w)→\1 (?<=[aeiou])([bdfglmnprst])(?=[aeiou])→\1\1 (?<=[aeiou])l$→ll ll$→l ie→ei
    ei→ie ^kn→n ^wr→r ^wh→w ^ps→s mb$→m (?<=[aou])ght→gth (?<=i)ght→gth (?<=[aeiou])gh→g sc(?=[ei])→s ance$→ence
    ence$→ance ant$→ent ent$→ant able$→ible ible$→able tion→sion sion→tion cious$→tious ely$→ly ally$→aly ement→ment
    (?<=[a-z]{3})e(?=ing$|d$)→ (?<=[b-df-hj-np-tv-z])ing$→eing ies$→ys y(?=ing$)→ (?<=[a-z]{3}[b-df-hj-np-tv-z])e$→
    ph→f (?<=[a-z])c(?=[eiy])→s (?<=[a-z])s(?=[ei])→c ck→k qu→q ea→e ee→ea ou→o au→o ai→ei oo→u (?<=[a-z]{2})th→t
    ch→sh (?<=[a-z]{2})e(?=[a-z]{2})→a (?<=[a-z]{2})a(?=[a-z]{2})→e (?<=[a-z]{2})i(?=[a-z]{2})→e
    (?<=[a-z]{2})e(?=[a-z]{2})→i (?<=[a-z]{2})o(?=r)→e (?<=[a-z]{2})e(?=r)→a
    (?<=[a-z]{2}[b-df-hj-np-tv-z])e(?=[rnl][a-z])→ ^in(?=[mpb])→im ^im(?=[mpb])→in ^un→in ^dis(?=s)→di ^dis→des ^de→di
    """.split()
    )
)
"""Rules of spelling: a pattern and what is written for it, such as runing, adress, untill,
writting, carefull, diffrent.
"""
_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEIGHBOURS = {
    letter: row[max(place - 1, 0) : place + 2].replace(letter, "")
    for row in _KEYBOARD
    for place, letter in enumerate(row)
}


def misspell(word: str, random: np.random.Generator) -> str:
    """A misspelling of a word of ASCII letters; those that keep its sound are equally likely, and
    more so than typing errors.
    """
    lowered = word.lower()
    known = known_misspellings(lowered)
    if known and (len(word) < SHORTEST or random.random() >= _SLIPS):
        written = known[int(random.integers(len(known)))]
    else:
        written = slip(lowered, random)
    return written[:1].upper() + written[1:] if word[0].isupper() else written


@functools.lru_cache(maxsize=1 << 16)
def known_misspellings(word: str) -> tuple[str, ...]:
    """Common misspellings of a lower-case word, twice each, and those by rules of sound; none for a
    short word without any.
    """
    by_rule = _by_sound(word) if len(word) >= SHORTEST else ()
    return MISSPELLINGS_OF.get(word, ()) * 2 + tuple(dict.fromkeys(by_rule))


def _by_sound(word: str) -> Iterator[str]:
    for pattern, written in _SAME_SOUND:
        for match in pattern.finditer(word):
            yield word[: match.start()] + match.expand(written) + word[match.end() :]


def slip(word: str, random: np.random.Generator) -> str:
    """A typing error: a letter is left out, doubled, exchanged with the next, or is its neighbour
    on the keyboard.

    The first letter stays where it is. The word has 2 letters or more; if all of them are the same,
    it may stay as it is.
    """
    place, action = int(random.integers(1, len(word))), int(random.integers(4))
    before, letter, after = word[:place], word[place], word[place + 1 :]
    if action == 0:
        return before + after
    if action == 1:
        return before + letter * 2 + after
    if action == 2 and after:
        return before + after[0] + letter + after[1:]
    near = _NEIGHBOURS[letter]
    return before + near[int(random.integers(len(near)))] + after

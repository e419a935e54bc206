"""How learners misspell: by sound, by doubling, by the keyboard, by haste; never into another English word."""

from __future__ import annotations

import functools
import random
import re

from learner_world.lexicon import frequencies

HABIT_SHARE = 0.45
"""Share of misspellings that are the word's own usual ones; the rest are slips that may hit any letter."""

_KEYBOARD = {
    "a": "qsz", "b": "vgn", "c": "xdv", "d": "sfe", "e": "wrd", "f": "dgr", "g": "fht", "h": "gjy", "i": "uok", "j": "hku",
    "k": "jli",
    "l": "kop", "m": "nk", "n": "bmh", "o": "ipl", "p": "ol", "q": "wa", "r": "etf", "s": "adw", "t": "ryg", "u": "yij",
    "v": "cbf",
    "w": "qes", "x": "zcs", "y": "tuh", "z": "xas",
}  # fmt: skip

_BY_SOUND = (
    # what stands in the word, what is written for it
    ("ie", "ei"), ("ei", "ie"), ("ph", "f"), ("ous", "us"), ("tion", "sion"), ("sion", "tion"), ("able", "ible"), ("ible",
    "able"),
    ("ent", "ant"), ("ant", "ent"), ("ence", "ance"), ("ance", "ence"), ("ea", "ee"), ("ee", "ea"), ("ou", "o"), ("ai", "a"),
    ("gh", "g"), ("ght", "gth"), ("wh", "w"), ("kn", "n"), ("ck", "k"), ("qu", "cu"), ("ce", "se"), ("se", "ce"), ("ful", "full"),
    ("ly", "lly"), ("ery", "ary"), ("ary", "ery"), ("er", "or"), ("or", "er"), ("al", "el"), ("le", "el"), ("sc", "s"), ("th",
    "t"),
    ("ch", "sh"), ("sh", "ch"), ("oo", "u"), ("au", "o"), ("aw", "au"), ("ue", "u"), ("iou", "io"), ("eau", "eu"), ("y", "i"),
    ("ui", "iu"), ("ate", "eit"), ("ture", "cher"), ("tly", "ly"), ("ely", "ly"), ("mn", "m"), ("mb", "m"), ("wr", "r"), ("x",
    "ks"),
)  # fmt: skip

_KNOWN_WORD = 1e-6  # a misspelling commoner than this share of running text would be another word


def misspell(word: str, random_number: float, habitual: bool) -> str:
    """A misspelling of a word, or the word itself when none was found.

    Args:
        word: lower case or capitalised; its first letter keeps its case.
        random_number: in [0, 1), decides which of the possible ones.
        habitual: take one of the word's usual misspellings.
    """
    lowered = word.lower()
    if habitual:
        usual = _usual(lowered)
        wrong = usual[int(random_number**2 * len(usual))] if usual else lowered
    else:
        wrong = _slip(lowered, random_number)
    return wrong[0].upper() + wrong[1:] if word[0].isupper() else wrong


@functools.cache
def _usual(word: str) -> tuple[str, ...]:
    """Up to three usual misspellings, chosen once for each word among those by sound and doubling."""
    seeded = random.Random(f"misspelling of {word}")
    candidates = sorted({wrong for wrong in (*_sound_alikes(word), *_doublings(word)) if _is_no_word(wrong) and wrong != word})
    return tuple(seeded.sample(candidates, min(3, len(candidates))))


def _sound_alikes(word: str) -> list[str]:
    found = []
    for right, wrong in _BY_SOUND:
        for match in re.finditer(right, word):
            if match.start() > 0 or right in ("wh", "kn", "ph", "wr", "qu", "th"):
                found.append(word[: match.start()] + wrong + word[match.end() :])
    for match in re.finditer(r"(?<=[a-z])[aeiou](?=[a-z])", word):
        found.append(
            word[: match.start()] + {"a": "e", "e": "i", "i": "e", "o": "a", "u": "o"}[match.group()] + word[match.end() :]
        )
    if word.endswith("e"):
        found.append(word[:-1])
    return found


def _doublings(word: str) -> list[str]:
    found = [word[: match.start()] + match.group()[0] + word[match.end() :] for match in re.finditer(r"([a-z])\1", word)]
    for match in re.finditer(r"(?<=[aeiou])[bcdfglmnprst](?=[aeiou])", word):
        found.append(word[: match.start()] + match.group() * 2 + word[match.end() :])
    return found


def _slip(word: str, random_number: float) -> str:
    """One letter left out, doubled, replaced by its keyboard neighbour, or swapped with the next."""
    scaled = random_number * 4
    kind, scaled = int(scaled), (scaled % 1) * (len(word) - 1)
    place, rest = int(scaled) + 1, scaled % 1
    letter = word[place]
    before, after = word[:place], word[place + 1 :]
    match kind:
        case 0:
            wrong = before + after
        case 1:
            wrong = before + letter + letter + after
        case 2:
            neighbours = _KEYBOARD.get(letter, letter)
            wrong = before + neighbours[int(rest * len(neighbours))] + after
        case _:
            wrong = before + after[:1] + letter + after[1:]
    return wrong if _is_no_word(wrong) else word


def _is_no_word(text: str) -> bool:
    return frequencies().get(text, 0.0) < _KNOWN_WORD

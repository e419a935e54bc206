"""Learners' errors with particular words, and their misspellings.

Curated tables contain well-known errors (*depend of*, *discuss about*, *an advice*); seeded tables extend the same kinds
of error to thousands of words, always the same for a word, as in a community of learners. A model can learn them from genuine
pairs, not from noise that ignores learners.
"""

from __future__ import annotations

import functools
import hashlib
import random
import re
from collections import defaultdict

from learner_world.words import frequencies, read_sections, word_pairs

EXTRA_PREPOSITION_SHARE = 0.18
"""Share of transitive verbs after which learners tend to put a preposition."""

_EXTRA = ("to", "with", "about", "of", "on", "at", "for")

_CIRCUMSTANCE = {
    # key of a preposition of time: what learners write ("-" for none)
    "year": ("on", "at"),
    "weekday": ("in", "at", "-"),
    "night": ("in", "on"),
    "morning": ("at", "on"),
    "future": ("after", "at"),
    "duration": ("since", "during", "-"),
    "since": ("from", "for"),
}

_LINKING = {
    # preposition that adds a circumstance: what learners write
    "with": ("together", "by"), "after": ("when", "since"), "before": ("until", "when"), "during": ("in", "while"),
    "because of": ("because", "by"), "by": ("for", "with"), "without": ("not", "no"), "instead of": ("in place of", "instead"),
}  # fmt: skip


def share(*key: str) -> float:
    """A number in [0, 1) that belongs to a word, always the same."""
    digest = hashlib.blake2b("/".join(key).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") / 2**32


@functools.cache
def difficulty(family: str, word: str) -> float:
    """The rate of errors with this word, relative to the hardest words, from 0.15 to 1: some words are hard, most are not."""
    return 0.15 + 0.85 * share("difficulty", family, word) ** 2


@functools.cache
def wrong_prepositions(kind: str, governor: str, preposition: str) -> tuple[str, ...]:
    """Learners' words for a preposition, the commonest first; ``-`` for none.

    Args:
        kind: the preposition's role: ``governed``, ``place_preposition``, ``time_preposition``, ``recipient``, ``of`` ...
        governor: the verb, adjective or noun that decides (or the kind of time).
        preposition: the right one.
    """
    if kind == "governed":
        return _governed().get((governor, preposition), ("to", "of"))
    if kind == "time_preposition":
        return _CIRCUMSTANCE[governor]
    if kind == "motion_preposition":
        return ("in", "at", "-") if share("motion", governor) < 0.5 else ("-", "at", "for")
    if kind == "recipient":
        return ("for", "-") if share("recipient", governor) < 0.6 else ("at", "for")
    if kind == "linking_preposition":
        return _LINKING[governor]
    if kind == "agent":
        return ("from", "for")
    if kind == "of":
        return ("from", "for") if share("of", governor) < 0.5 else ("about", "in")
    others = [other for other in ("in", "on", "at") if other != preposition]
    return tuple(others) if share("place", governor) < 0.5 else (*others[::-1], "-")


@functools.cache
def _governed() -> dict[tuple[str, str], tuple[str, ...]]:
    table: dict[tuple[str, str], tuple[str, ...]] = {}
    for header, lines in read_sections("governed"):
        if not header.startswith("no_preposition"):
            for line in lines:
                word, preposition, *wrong = line.split()
                if wrong:
                    table[word, preposition] = tuple(wrong[0].split(","))
    return table


@functools.cache
def extra_preposition(verb: str) -> str:
    """The preposition that learners add before the object of a verb that takes none, or an empty string."""
    curated = _no_preposition().get(verb)
    if curated:
        return curated
    if share("extra", verb) < EXTRA_PREPOSITION_SHARE:
        return _EXTRA[int(share("which extra", verb) * len(_EXTRA))]
    return ""


@functools.cache
def _no_preposition() -> dict[str, str]:
    table = {}
    for header, lines in read_sections("governed"):
        if header.startswith("no_preposition"):
            table.update({line.split()[0]: line.split()[1].split(",")[0] for line in lines})
    return table


@functools.cache
def confused(section: str) -> dict[str, tuple[str, ...]]:
    """Word -> the words written for it, from a section of ``grammar_words.txt``; noun pairs go both ways."""
    table: dict[str, list[str]] = defaultdict(list)
    for right, wrong in word_pairs(section):
        table[right].append(wrong)
        if section in ("noun_confusions", "abstract_pairs", "verb_noun_pairs"):
            table[wrong].append(right)
    return {word: tuple(wrong) for word, wrong in table.items()}


@functools.cache
def derived(word: str) -> tuple[str, ...]:
    """Words of the same family and another part of speech: *beauty* for *beautiful*, *quick* for *quickly*."""
    found = [*confused("abstract_pairs").get(word, ()), *confused("verb_noun_pairs").get(word, ())]
    known = frequencies()
    for ending, others in _FAMILY_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: len(word) - len(ending)]
            found += [
                stem + other for other in others if known.get(stem + other, 0.0) > _FAMILY_MINIMUM
            ]
    return tuple(dict.fromkeys(other for other in found if other != word))


_FAMILY_MINIMUM = 3e-7
_FAMILY_ENDINGS = (
    ("ically", ("ic",)), ("ily", ("y",)), ("ly", ("",)), ("ic", ("ically", "y")), ("iness", ("y",)), ("ness", ("",)),
    ("ility", ("le",)), ("ity", ("e", "")), ("ation", ("e", "ate", "")), ("ion", ("e", "")), ("ment", ("",)), ("ent", ("ence",)),
    ("ence", ("ent",)), ("ant", ("ance",)), ("ance", ("ant",)), ("ful", ("", "fully")), ("less", ("lessly",)), ("ous", ("ously",
    "")),
    ("able", ("ably",)), ("ive", ("ively", "ion")), ("al", ("ally", "")), ("ize", ("ization",)), ("ify", ("ification",)),
    ("ate", ("ation",)), ("ful", ("fulness",)), ("y", ("ily",)), ("e", ("ely",)),
)  # fmt: skip


# How learners misspell: by sound, by doubling, by haste; not as another English word, nor with letters that English never joins

HABIT_SHARE = 0.5
"""Share of misspellings that are the word's usual ones; the rest are typing errors in any letter."""

_BY_SOUND = (
    # letters of the word, letters written for them
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

_COMMON_WORD = 3e-6  # words from this share of running text on show which letters English joins
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
    candidates = sorted(
        {
            wrong
            for wrong in (*_sound_alikes(word), *_doublings(word))
            if wrong != word and _is_no_word(wrong) and _can_be_said(wrong)
        }
    )
    return tuple(seeded.sample(candidates, min(3, len(candidates))))


def _sound_alikes(word: str) -> list[str]:
    found = []
    for right, wrong in _BY_SOUND:
        for match in re.finditer(right, word):
            if match.start() > 0 or right in ("wh", "kn", "ph", "wr", "qu", "th"):
                found.append(word[: match.start()] + wrong + word[match.end() :])
    for match in re.finditer(r"(?<=[a-z])[aeiou](?=[a-z])", word):
        vowel = {"a": "e", "e": "i", "i": "e", "o": "a", "u": "o"}[match.group()]
        found.append(word[: match.start()] + vowel + word[match.end() :])
    if word.endswith("e"):
        found.append(word[:-1])
    return found


def _doublings(word: str) -> list[str]:
    found = [
        word[: match.start()] + match.group()[0] + word[match.end() :]
        for match in re.finditer(r"([a-z])\1", word)
    ]
    for match in re.finditer(r"(?<=[aeiou])[bcdfglmnprst](?=[aeiou])", word):
        found.append(word[: match.start()] + match.group() * 2 + word[match.end() :])
    return found


def _slip(word: str, random_number: float) -> str:
    """One letter left out, doubled, or swapped with the next, or one vowel for another."""
    scaled = random_number * 4
    kind, scaled = int(scaled), (scaled % 1) * (len(word) - 1)
    place, rest = int(scaled) + 1, scaled % 1
    letter = word[place]
    before, after = word[:place], word[place + 1 :]
    match kind:
        case 0:
            wrong = before + after
        case 1 if letter not in "aiuhjkqvwxy":
            wrong = before + letter + letter + after
        case 2 if letter in "aeiou":
            wrong = before + "aeiou"[int(rest * 5)] + after
        case _:
            wrong = before + after[:1] + letter + after[1:]
    return wrong if _is_no_word(wrong) and _can_be_said(wrong) else word


def _is_no_word(text: str) -> bool:
    return frequencies().get(text, 0.0) < _KNOWN_WORD


def _can_be_said(text: str) -> bool:
    """Whether all its sequences of three letters occur in common English words: *beatiful* and *becuase*, but not *declch*."""
    return _letter_sequences(text) <= _english_sequences()


@functools.cache
def _english_sequences() -> frozenset[str]:
    common = (
        word
        for word, share in frequencies().items()
        if share > _COMMON_WORD and word.isascii() and word.isalpha()
    )
    return frozenset(sequence for word in common for sequence in _letter_sequences(word))


def _letter_sequences(word: str) -> set[str]:
    marked = f"^{word}$"
    return {marked[place : place + 3] for place in range(len(marked) - 2)}

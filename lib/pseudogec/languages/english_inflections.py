"""Parts of speech and inflections of single English words, out of context; HanTa gives the tags of
CLAWS 5.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from pseudogec.languages.language import LONGEST_WORD

NOUN_TAGS = frozenset({"NN0", "NN1", "NN2"})
VERB_TAG_STARTS = ("VB", "VD", "VH", "VV")  # be, do, have, other verbs; not VM0, the modals
_PARTICIPLES = {"lay": "lain", "woke": "woken", "bore": "borne", "lit": "lit", "hanged": "hanged"}
_PENN_VERB_TAGS = ("VB", "VBZ", "VBP", "VBD", "VBN", "VBG")
PREPOSITIONS = tuple(
    """
    about above across after against along among around at before behind below beneath beside between beyond by despite
    down during except for from in inside into like near of off on onto out outside over past since through throughout to
    toward towards under until up upon with within without
    """.split()
)


@functools.lru_cache(maxsize=1 << 16)
def part_of_speech(word: str) -> str:
    """The tag of CLAWS 5; empty for no word, and for what is too long for one.

    The tagger's time grows with the square of the length.
    """
    if not 0 < len(word) <= LONGEST_WORD:
        return ""
    tag: str = _tagger().tag_word(word, cutoff=0)[0][0]
    return tag


@functools.lru_cache(maxsize=1 << 16)
def lemma_of(word: str, tag: str) -> str:
    lemma: str = _tagger().analyze(word, pos=tag)[0]
    return lemma.lower()


def other_forms(word: str) -> list[str]:
    """The words into which a word may change by its part of speech, which HanTa gives, out of
    context.

    A preposition becomes another one or nothing, which an empty text stands for; a noun changes its
    number, a verb its inflection (Choe et al. 2019, section 4).
    """
    lowered = word.lower()
    if lowered in PREPOSITIONS:
        others = [*(other for other in PREPOSITIONS if other != lowered), ""]
    elif not word.isalpha() or (word.isupper() and len(word) > 1):
        return []
    else:
        tag = part_of_speech(word)
        if tag in NOUN_TAGS:
            others = other_number(lowered, lemma_of(word, tag))
        elif tag.startswith(VERB_TAG_STARTS):
            others = other_inflections(lowered, lemma_of(word, tag))
        else:
            return []
    return [other[:1].upper() + other[1:] for other in others] if word[0].isupper() else others


def forms(lemma: str, tag: str) -> tuple[str, ...]:
    """The inflections of a lemma with a tag of the Penn Treebank, the most usual first."""
    from lemminflect import getInflection

    inflections: tuple[str, ...] = getInflection(lemma, tag=tag)
    return inflections


def other_number(word: str, lemma: str) -> list[str]:
    """The singular of a lower-case plural, the plural of a singular; nothing for a noun without
    one.
    """
    if word != lemma:
        return [lemma]
    return [plural for plural in forms(lemma, "NNS") if plural != word][:1]


def other_inflections(word: str, lemma: str) -> list[str]:
    """The inflections of a verb except the given lower-case one, each once."""
    inflections = (form for tag in _PENN_VERB_TAGS for form in forms(lemma, tag))
    return [form for form in dict.fromkeys(inflections) if form != word]


def chosen_instead(
    choices: Mapping[str, Sequence[str]], word: str, lemma: str, tag: str
) -> tuple[str, ...]:
    """The words that a table of lemmas gives for a noun or verb, in its inflection; the first word
    of several is inflected.
    """
    if word in choices:
        lemma = word
    penn = {"NN2": "NNS", "VVZ": "VBZ", "VVD": "VBD", "VVN": "VBN", "VVG": "VBG"}.get(tag)
    chosen = []
    for choice in choices.get(lemma, ()):
        first, space, rest = choice.partition(" ")
        inflected = forms(first, penn)[:1] if penn and lemma != word else (first,)
        chosen += [form + space + rest for form in inflected if form + space + rest != word]
    return tuple(chosen)


def compound_tenses(past: str, lemma: str) -> list[str]:
    """Forms that learners write for the simple past: *has gone*, *have gone*, *had gone*, *was
    going*.
    """
    participles, continuous = forms(lemma, "VBN"), forms(lemma, "VBG")
    # The table of inflections has some rare or wrong forms first: *waked*, *born*, *sting*; and
    # *lied* alone, for *lay* too.
    best = (
        past
        if past in participles
        else _PARTICIPLES.get(past, participles[0] if participles else "")
    )
    perfect = [f"{auxiliary} {best}" for auxiliary in ("has", "have", "had") if best]
    return perfect + [f"was {form}" for form in continuous[:1] if form != lemma]


@functools.cache
def _tagger() -> Any:
    from HanTa.HanoverTagger import HanoverTagger

    return HanoverTagger("morphmodel_en.pgz")

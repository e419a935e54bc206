"""The ERRANT type that a rule's error has because of the rule that made it; of tables of words,
because of the words.
"""

from __future__ import annotations

import functools

from pseudogec.languages import ENGLISH
from pseudogec.languages.english_inflections import (
    NOUN_TAGS,
    VERB_TAG_STARTS,
    lemma_of,
    part_of_speech,
)

_OF_KIND = {
    "determiner_dropped": "DET", "determiner_added": "DET", "determiner_exchanged": "DET", "article_form": "DET",
    "counted": "DET",
    "noun_number": "NOUN:NUM", "agreement": "VERB:SVA", "agreement_after_subject": "VERB:SVA",
    "tense_after_subject": "VERB:TENSE", "tense_after_pronoun": "VERB:TENSE", "gerund_after_to": "VERB:FORM",
    "gerund_after_verb": "VERB:FORM", "comparison": "ADJ:FORM", "auxiliary_dropped": "VERB:TENSE", "comma_dropped": "PUNCT",
    "comma_added": "PUNCT", "stop_dropped": "PUNCT", "question_mark": "PUNCT", "spelling": "SPELL", "capital": "ORTH",
    "adverb": "MORPH", "word_order": "WO", "rephrasing": "OTHER", "noun_choice": "NOUN", "verb_choice": "VERB",
    "adjective_choice": "ADJ", "adverb_choice": "ADV", "pronoun_dropped": "PRON", "possessive": "NOUN:POSS",
}  # fmt: skip
_OF_TAG_START = {
    "AT": "DET", "DP": "DET", "DT": "DET", "PR": "PREP", "PN": "PRON", "NN": "NOUN", "NP": "NOUN", "V": "VERB", "AJ": "ADJ",
    "AVP": "PART", "AV": "ADV", "CJ": "CONJ", "TO": "PART", "POS": "NOUN:POSS", "PU": "PUNCT",
}  # fmt: skip
_PARTICLES = frozenset("up out off down away back".split())
_ALIKE = 4
"""First letters that words of a family share."""


@functools.lru_cache(maxsize=1 << 16)
def true_type(kind: str, right: str, written: str) -> str:
    """The main type, such as ``NOUN:NUM``; none if nothing is written otherwise.

    Args:
        kind: of error, as the rules name it.
        right: the word or two that are right.
        written: the text in their place.
    """
    if right == written:
        return ""
    if kind.startswith("preposition"):
        return "PART" if right in _PARTICLES else "PREP"
    return _OF_KIND.get(kind) or _of_words(right.split(), written.split())


def _of_words(right: list[str], written: list[str]) -> str:
    if "".join(right).lower() == "".join(written).lower():
        return "ORTH"
    while right and written and right[0] == written[0]:
        right, written = right[1:], written[1:]
    while right and written and right[-1] == written[-1]:
        right, written = right[:-1], written[:-1]
    classes = {_class_of(word) for word in (*right, *written)}
    if len(right) == len(written) == 1:
        return _of_one(right[0], written[0], classes)
    if sorted(right) == sorted(written):
        return "WO"
    if any("'" in word for word in (*right, *written)):
        return "CONTR"
    if len(classes) == 1 and not (right and written):
        return classes.pop()
    return "VERB:TENSE" if classes == {"VERB"} else "OTHER"


def _of_one(right: str, written: str, classes: set[str]) -> str:
    tags = part_of_speech(right), part_of_speech(written)
    same = lemma_of(right, tags[0]) == lemma_of(written, tags[1])
    if not ENGLISH.dictionary.knows(written):
        return (
            "NOUN:INFL"
            if right in _IRREGULAR_PLURALS
            else "VERB:INFL"
            if classes == {"VERB"}
            else "SPELL"
        )
    if tags[0].startswith(VERB_TAG_STARTS) and same:
        return _of_inflections(*tags)
    if tags[0] in NOUN_TAGS and same:
        return "NOUN:NUM"
    if tags[0].startswith("PN") and classes == {"PRON", "DET"}:
        return "PRON"  # *your* for *you*
    if len(classes) == 1:
        (alone,) = classes
        return "ADJ:FORM" if alone == "ADJ" and same else alone
    return "MORPH" if same or right[:_ALIKE] == written[:_ALIKE] else "OTHER"


_IRREGULAR_PLURALS = frozenset(
    "men women children feet teeth mice people lives wives knives child".split()
)


def _of_inflections(right: str, written: str) -> str:
    """By the last letters of CLAWS's tags: G and N are participles, I infinitives, D the past, Z
    the third person.
    """
    ends = {right[-1], written[-1]}
    if right == written:  # *was* and *were*
        return "VERB:SVA"
    if ends & set("GNI"):
        return "VERB:FORM"
    return "VERB:TENSE" if "D" in ends else "VERB:SVA"


def _class_of(word: str) -> str:
    tag = part_of_speech(word)
    if word in _PARTICLES:
        return "PART"
    if word in ("as", "like", "than"):
        return "PREP"
    return next((name for start, name in _OF_TAG_START.items() if tag.startswith(start)), "OTHER")

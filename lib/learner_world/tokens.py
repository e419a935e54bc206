"""The grammar's output: tokens with their roles in the sentence, from which follow the mistakes that are possible there."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import NamedTuple


class VerbForm(NamedTuple):
    """How a verb stands in its clause.

    Attributes:
        tag: Penn Treebank tag (VBZ, VBP, VBD, VB, VBG, VBN).
        cue: whether something in the sentence (a time adverbial, another clause) shows which tense is right.
        takes_object: whether a plain object follows.
        agreement: VBZ or VBP, what the subject takes in the present; empty for verbs that agree with nothing.
    """

    tag: str
    cue: bool = False
    takes_object: bool = False
    agreement: str = ""


class NounForm(NamedTuple):
    """How a noun stands in its phrase.

    Attributes:
        kind: meaning class.
        plural: its number.
        countability: count, mass, plural or relational.
        cue: whether a determiner or a verb shows its number.
    """

    kind: str
    plural: bool
    countability: str
    cue: bool


@dataclass(slots=True)
class Token:
    """One token.

    Attributes:
        text: as in the sentence.
        role: its function there; the keys of the learner's rules (``mistakes.RULES``) are the roles that matter to it.
        lemma: its lemma, or for function words the word that governs them.
        form: grammatical detail of verbs and nouns.
        opens: for the first token of a noun phrase without determiner: ``mass``, ``plural`` or ``name``; else empty.
    """

    text: str
    role: str = ""
    lemma: str = ""
    form: VerbForm | NounForm | None = None
    opens: str = ""


@dataclass(slots=True)
class NounPhrase:
    """A noun phrase and the information that its context needs.

    Attributes:
        tokens: its tokens.
        person: 1, 2 or 3.
        plural: its number for agreement.
        kind: meaning class of its head.
        pronoun: the subject pronoun that would stand for it (``I``, ``she``, ``it``, ``they`` ...).
    """

    tokens: list[Token]
    person: int
    plural: bool
    kind: str
    pronoun: str


def plain(text: str, role: str = "") -> list[Token]:
    """Tokens of a fixed stretch of text."""
    return [Token(word, role) for word in text.split()]


# a union, a euro, a user
_SAID_WITH_CONSONANT = re.compile(
    r"uni(?!m|n|de)|unan|eu|us[aeu]|ut[eio]|ubi|ur[aio]|uk|one$|once|oneness"
)
_SAID_WITH_VOWEL = re.compile(r"hour|honest|honor|heir")


def capitalised(word: str) -> str:
    return word[0].upper() + word[1:]


def takes_an(word: str) -> bool:
    """Whether *an* precedes the word: by its sound, not by its letter (*an hour*, *a university*)."""
    lowered = word.lower()
    if _SAID_WITH_VOWEL.match(lowered):
        return True
    return lowered[0] in "aeiou" and not _SAID_WITH_CONSONANT.match(lowered)


def finish(tokens: list[Token]) -> list[Token]:
    """Choose between *a* and *an* and capitalise the first letter of the sentence."""
    for token, following in itertools.pairwise(tokens):
        if token.role == "indefinite":
            token.text = "an" if takes_an(following.text) else "a"
    for token in tokens:
        if token.role != "quote":
            token.text = capitalised(token.text)
            break
    return tokens

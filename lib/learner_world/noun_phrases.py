"""Noun phrases: determiners, number, mass nouns, adjectives, possessors, *of*-phrases, names and pronouns."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from learner_world.draws import Choice, Draws
from learner_world.registers import Register
from learner_world.tokens import NounForm, NounPhrase, Token
from learner_world.words import (
    Noun,
    Words,
    comparable_adjectives,
    inflect,
    noun_complements,
    word_pairs,
    word_set,
)

PRONOUNS = {
    # subject: object, possessive, person, plural
    "I": ("me", "my", 1, False),
    "you": ("you", "your", 2, True),
    "he": ("him", "his", 3, False),
    "she": ("her", "her", 3, False),
    "it": ("it", "its", 3, False),
    "we": ("us", "our", 1, True),
    "they": ("them", "their", 3, True),
}

_PERSONS = ("I", "you", "he", "she", "we", "they")

# Determiners by the number and countability of the noun. "possessive" and "owner" are written out later, "" is no determiner.
_SINGULAR = Choice(
    ("indefinite", "the", "possessive", "this", "that", "every", "each", "another", "one", "owner"),
    (38, 28, 14, 5, 2, 3, 1, 3, 1, 8),
)
_SINGULAR_SUBJECT = Choice(
    ("the", "possessive", "this", "indefinite", "every", "each", "owner", "that"),
    (52, 18, 7, 10, 3, 2, 6, 2),
)
_PLURAL = Choice(
    (
        "",
        "the",
        "possessive",
        "these",
        "those",
        "many",
        "some",
        "several",
        "a few",
        "number",
        "a lot of",
        "most",
        "all the",
        "other",
    ),
    (26, 20, 10, 5, 2, 7, 6, 4, 2, 8, 4, 3, 2, 2),
)
_MASS = Choice(
    ("", "the", "possessive", "some", "this", "a lot of", "too much", "container", "more"),
    (50, 10, 9, 9, 4, 6, 2, 7, 3),
)
_ABSTRACT = Choice(("", "possessive", "the of"), (45, 20, 35))
_NUMBERS = Choice(
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty"),
    (24, 18, 10, 9, 6, 4, 4, 3, 6, 2, 3),
)

_MALE = frozenset(word_set("male"))
_FEMALE = frozenset(word_set("female"))
_OF_HEADS = frozenset({"idea", "part", "organization", "document", "event", "artwork"})


@dataclass(frozen=True, slots=True)
class Writer:
    """The means to write a sentence: a register's words and the sentence's random draws."""

    register: Register
    words: Words
    draws: Draws


def count_noun(lemma: str, kind: str, plural: bool) -> Token:
    """A countable noun whose number its surroundings show."""
    return Token(
        inflect(lemma, "NNS") if plural else lemma,
        "noun",
        lemma,
        NounForm(kind, plural, "count", True),
    )


def pronoun(subject: str) -> NounPhrase:
    """A subject pronoun."""
    _, _, person, plural = PRONOUNS[subject]
    return NounPhrase(
        [Token(subject, "subject_pronoun", subject)], person, plural, "person", subject
    )


def object_pronoun(writer: Writer, owner: NounPhrase | None) -> NounPhrase:
    """An object pronoun that does not refer to the subject."""
    subject = owner.pronoun if owner else ""
    clash = {"I": ("I", "we"), "we": ("I", "we"), "you": ("you",)}.get(subject, ())
    choice = writer.draws.one_of([person for person in _PERSONS if person not in clash])
    form, _, person, plural = PRONOUNS[choice]
    return NounPhrase([Token(form, "object_pronoun", choice)], person, plural, "person", choice)


def personal(writer: Writer) -> NounPhrase:
    """A pronoun, drawn with the register's weights."""
    return pronoun(writer.draws.pick(_persons(writer.register.persons)))


@functools.cache
def _persons(weights: tuple[float, ...]) -> Choice[str]:
    return Choice(_PERSONS, weights)


def person_name(writer: Writer) -> NounPhrase:
    """A name: a first name, or in learned texts and news mostly a full name or a surname."""
    draws, words = writer.draws, writer.words
    female = draws.chance(0.5)
    parts = [words.name(draws, "first_female" if female else "first_male")]
    if writer.register.name in ("encyclopedic", "newswire") and draws.chance(0.8):
        parts.append(words.name(draws, "surname"))
    tokens = [Token(part, "name", part) for part in parts]
    tokens[0].opens = "person_name"
    return NounPhrase(tokens, 3, False, "person", "she" if female else "he")


def place_name(writer: Writer) -> NounPhrase:
    """A city or a country."""
    name = writer.words.name(writer.draws, "city" if writer.draws.chance(0.55) else "country")
    return NounPhrase([Token(name, "name", name, opens="name")], 3, False, "outdoor", "it")


def noun_phrase(
    writer: Writer,
    kinds: Sequence[str],
    *,
    company: str = "",
    owner: NounPhrase | None = None,
    subject: bool = False,
    simple: bool = False,
) -> NounPhrase:
    """A noun phrase headed by a noun of one of the classes.

    Args:
        writer: register and draws.
        kinds: meaning classes.
        company: the verb or adjective that it goes with, whose favourites are preferred.
        owner: the subject of the clause, to whom a possessive refers.
        subject: whether it stands as a subject (more often definite).
        simple: leave out adjectives and *of*-phrases.
    """
    noun = writer.words.noun(writer.draws, kinds, company)
    if noun.countability == "count":
        return _count_phrase(writer, noun, owner, subject, simple)
    if noun.countability == "plural":
        return _plural_phrase(writer, noun, noun.lemma, owner, simple)
    return _mass_phrase(writer, noun, owner, simple)


def _count_phrase(
    writer: Writer, noun: Noun, owner: NounPhrase | None, subject: bool, simple: bool
) -> NounPhrase:
    draws = writer.draws
    if draws.chance(0.24 if noun.kind == "relative" else 0.34):
        return _plural_phrase(writer, noun, inflect(noun.lemma, "NNS"), owner, simple)
    if noun.kind == "relative":
        determiner = "owner" if draws.chance(0.15) else "possessive"
    elif noun.kind == "body":
        determiner = "possessive"
    else:
        determiner = draws.pick(_SINGULAR_SUBJECT if subject else _SINGULAR)
    opening = _determiner(writer, determiner, owner)
    cue = determiner in ("indefinite", "this", "that", "every", "each", "another", "one")
    head = Token(noun.lemma, "noun", noun.lemma, NounForm(noun.kind, False, "count", cue))
    tokens = [*opening, *_adjective(writer, noun, simple, opening), head]
    if not simple and noun.lemma in noun_complements() and draws.chance(_COMPLEMENT_SHARE):
        tokens += _governed_phrase(writer, noun.lemma)
    elif (
        not simple
        and noun.kind in _OF_HEADS
        and determiner == "the"
        and draws.chance(writer.register.postmodifiers)
    ):
        tokens += _of_phrase(writer, noun.lemma)
    return NounPhrase(tokens, 3, False, noun.kind, _gender(draws, noun))


def _plural_phrase(
    writer: Writer, noun: Noun, text: str, owner: NounPhrase | None, simple: bool
) -> NounPhrase:
    if noun.kind in ("relative", "body"):
        determiner = "possessive"
    elif noun.countability == "plural":
        determiner = writer.draws.one_of(("the", "possessive", "some", "these", ""))
    else:
        determiner = writer.draws.pick(_PLURAL)
    opening = _determiner(writer, determiner, owner)
    cue = determiner not in ("", "the", "possessive", "other")
    head = Token(text, "noun", noun.lemma, NounForm(noun.kind, True, noun.countability, cue))
    tokens = [*opening, *_adjective(writer, noun, simple, opening), head]
    if not opening:
        tokens[0].opens = "plural"
    return NounPhrase(tokens, 3, True, noun.kind, "they")


def _mass_phrase(writer: Writer, noun: Noun, owner: NounPhrase | None, simple: bool) -> NounPhrase:
    draws = writer.draws
    relational = noun.countability == "relational"
    if relational:
        determiner = "the of" if not draws.chance(0.1) else "possessive"
    elif noun.kind in ("subject", "activity", "illness"):
        determiner = ""
    elif noun.kind == "quality":
        determiner = draws.pick(_ABSTRACT)
    else:
        determiner = draws.pick(_MASS)
    head = Token(
        noun.lemma,
        "noun",
        noun.lemma,
        NounForm(noun.kind, False, "relational" if relational else "mass", False),
    )
    if determiner == "container":
        if noun.lemma in _CONTAINERS:
            piece = _CONTAINERS[noun.lemma]
            container = count_noun(piece, "container", False)
            return NounPhrase(
                [Token("a", "indefinite", piece), container, Token("of", "of"), head],
                3,
                False,
                noun.kind,
                "it",
            )
        determiner = "some"
    opening = _determiner(writer, "the" if determiner == "the of" else determiner, owner)
    tokens = [
        *opening,
        *_adjective(
            writer, noun, simple or (not opening and noun.kind in ("subject", "illness")), opening
        ),
        head,
    ]
    if not simple and noun.lemma in noun_complements() and draws.chance(_COMPLEMENT_SHARE):
        tokens += _governed_phrase(writer, noun.lemma)
    elif determiner == "the of":
        tokens += _of_phrase(writer, noun.lemma)
    if not opening:
        tokens[0].opens = "mass"
    return NounPhrase(tokens, 3, False, noun.kind, "it")


_CONTAINERS = dict(word_pairs("irregular_mass_containers"))


def _of_phrase(writer: Writer, head: str) -> list[Token]:
    """*of the city*, *of water*: a simple phrase that cannot grow further."""
    draws = writer.draws
    if draws.chance(0.2):
        inner = place_name(writer)
    else:
        kinds = ("organization", "outdoor", "person", "substance", "event")
        inner = noun_phrase(writer, kinds, company=head, subject=True, simple=True)
    return [Token("of", "of", head), *inner.tokens]


def _governed_phrase(writer: Writer, head: str) -> list[Token]:
    """*for the delay*: the phrase that a noun such as *reason* governs."""
    preposition, kinds = noun_complements()[head]
    inner = noun_phrase(writer, kinds, company=head, simple=True)
    return [Token(preposition, "governed", head), *inner.tokens]


_COMPLEMENT_SHARE = 0.45  # of nouns that govern a preposition, how many use it


def _determiner(writer: Writer, determiner: str, owner: NounPhrase | None) -> list[Token]:
    draws = writer.draws
    match determiner:
        case "":
            return []
        case "indefinite":
            return [Token("a", "indefinite")]
        case "the":
            return [Token("the", "the")]
        case "possessive":
            if owner and owner.pronoun != "it" and draws.chance(0.75):
                who = owner.pronoun
            else:
                who = draws.one_of(
                    ("I", "he", "she", "we", "they")
                    if writer.register.persons[0] > 5
                    else ("he", "she", "they")
                )
            return [Token(PRONOUNS[who][1], "possessive", who)]
        case "owner":
            return [*person_name(writer).tokens, Token("'s", "genitive")]
        case "number":
            return [Token(draws.pick(_NUMBERS), "number")]
        case "this" | "that" | "these" | "those":
            return [Token(determiner, "demonstrative", determiner)]
        case _:
            return quantifier(determiner)


def quantifier(text: str) -> list[Token]:
    """*many*, *a lot of*: each token records the whole phrase."""
    return [
        Token(word, "quantifier_rest" if place else "quantifier", text)
        for place, word in enumerate(text.split())
    ]


def _adjective(writer: Writer, noun: Noun, simple: bool, opening: list[Token]) -> list[Token]:
    draws = writer.draws
    if (
        simple
        or not draws.chance(writer.register.adjectives)
        or noun.kind in ("body", "relative", "activity")
    ):
        return []
    adjective = writer.words.adjective(draws, noun.kind)
    tokens = [Token(adjective, "adjective", adjective)]
    if (
        opening
        and opening[-1].role == "indefinite"
        and draws.chance(0.12)
        and adjective in comparable_adjectives()
    ):
        tokens.insert(0, Token(draws.one_of(("very", "really", "very")), "degree"))
    return tokens


def fits_gender(noun: str, pronoun_: str) -> bool:
    """Whether a person called *he* or *she* can be this (no *he is a queen*)."""
    return noun not in (_FEMALE if pronoun_ == "he" else _MALE)


def _gender(draws: Draws, noun: Noun) -> str:
    if noun.lemma in _MALE:
        return "he"
    if noun.lemma in _FEMALE:
        return "she"
    return draws.one_of(("he", "she")) if noun.kind in ("person", "relative") else "it"


_AT = frozenset(word_set("place_at"))
_ON = frozenset(word_set("place_on"))


def place_phrase(writer: Writer, motion: bool = False) -> list[Token]:
    """*in the garden*, *at the station*; with ``motion``: *to the park*."""
    draws = writer.draws
    role = "motion_preposition" if motion else "place_preposition"
    if draws.chance(0.3):
        return [Token("to" if motion else "in", role, "city"), *place_name(writer).tokens]
    noun = writer.words.noun(draws, ("building", "outdoor"))
    preposition = (
        "to" if motion else "at" if noun.lemma in _AT else "on" if noun.lemma in _ON else "in"
    )
    determiner = "the" if draws.chance(0.72) else draws.one_of(("indefinite", "possessive", "this"))
    opening = _determiner(writer, determiner, None)
    head = Token(noun.lemma, "noun", noun.lemma, NounForm(noun.kind, False, "count", False))
    adjective = _adjective(writer, noun, not draws.chance(0.6), opening)
    return [Token(preposition, role, noun.lemma), *opening, *adjective, head]

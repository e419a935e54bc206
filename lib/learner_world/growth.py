"""Longer sentences: additions before or after a statement, so that lengths have the long tail of real text."""

from __future__ import annotations

import functools
from collections.abc import Callable

from learner_world.clauses import (
    Clause,
    Tense,
    action,
    clause,
    comma,
    ending,
    finite_be,
    fixed_phrase,
    gerund_phrase,
    to_infinitive,
    verb_group,
)
from learner_world.draws import Choice
from learner_world.noun_phrases import Writer, noun_phrase, personal, pronoun
from learner_world.tokens import NounPhrase, Token, VerbForm, plain
from learner_world.words import adjectives

Addition = Callable[[Writer, list[Token], bool], list[Token]]
"""Makes a statement (without its final mark) longer; told in the past or not. Where it does not fit, nothing changes."""


def grown(writer: Writer, tokens: list[Token]) -> list[Token]:
    """The sentence with further clauses and phrases; questions, requests and quotations stay as they are."""
    *statement, final = tokens
    if final.text != "." or any(token.role in ("quote", "imperative") for token in statement):
        return tokens
    past = _told_in_past(statement)
    while writer.draws.chance(writer.register.growth):
        statement = writer.draws.pick(_additions(writer.register.name))(writer, statement, past)
    return [*statement, *ending()]


def _told_in_past(tokens: list[Token]) -> bool:
    """Whether the last finite verb is in the past."""
    for token in reversed(tokens):
        if token.role == "be" or (
            isinstance(token.form, VerbForm) and token.form.tag in ("VBD", "VBZ", "VBP", "MD")
        ):
            tag = token.form.tag if isinstance(token.form, VerbForm) else ""
            return tag == "VBD" or token.text in ("was", "were", "could", "would")
    return False


def verb_phrase(writer: Writer, tense: str, first: Clause) -> list[Token]:
    """A second predicate of the subject: *... and watched a film*."""
    second = clause(
        writer, tense, first.subject, adverbials=False, negatable=False, short_forms=False
    )
    return second.tokens[len(first.subject.tokens) :]


def _someone_again(writer: Writer, statement: list[Token]) -> NounPhrase | None:
    """Mostly a pronoun, preferably the first of the sentence: a text continues about the same people."""
    draws = writer.draws
    if draws.chance(0.4) and statement[0].role == "subject_pronoun":
        return pronoun(statement[0].text)
    return personal(writer) if draws.chance(0.45) else None


# After the statement


_COORDINATORS = Choice(("and", "but", "so"), (50, 32, 18))
_REASONS = Choice(
    ("because", "when", "although", "while", "before", "after", "since", "until", "if"),
    (36, 22, 10, 10, 5, 6, 4, 3, 4),
)


def _another_clause(writer: Writer, statement: list[Token], past: bool) -> list[Token]:
    """*..., and she went home*, *..., but he stayed and waited for us*."""
    draws = writer.draws
    tense = "past" if past else draws.one_of(("present", "present", "can", "future", "perfect"))
    second = clause(
        writer, tense, _someone_again(writer, statement), adverbials=draws.chance(0.3), cue=True
    )
    coordinator = draws.pick(_COORDINATORS)
    if coordinator != "and" and any(token.text == coordinator for token in statement):
        coordinator = "and"
    tokens = [*second.opening, comma(), *second.tokens] if second.opening else second.tokens
    if draws.chance(0.35):
        tokens = [*tokens, Token("and", "and"), *verb_phrase(writer, tense, second)]
    return [*statement, comma(), Token(coordinator, "coordinator"), *tokens]


def _circumstance(writer: Writer, statement: list[Token], past: bool) -> list[Token]:
    """*... because it was raining*; a word that the sentence has already is not used again."""
    draws = writer.draws
    subordinator = draws.pick(_REASONS)
    if (subordinator == "if" and past) or any(token.text == subordinator for token in statement):
        return statement
    link = [comma()] if subordinator in ("although", "while") else []
    may_be_negative = subordinator not in ("before", "until")
    who = _someone_again(writer, statement)
    side = clause(
        writer,
        "past" if past else "present",
        who,
        adverbials=False,
        cue=True,
        negatable=may_be_negative,
    )
    return [*statement, *link, Token(subordinator, "subordinator"), *side.tokens]


def _comment(writer: Writer, statement: list[Token], past: bool) -> list[Token]:
    """*..., which was very interesting*, *..., which makes me happy*."""
    draws = writer.draws
    if any(token.text == "which" for token in statement):
        return statement
    it = pronoun("it")
    which = Token("which", "relative", "thing")
    cause, feeling = draws.one_of(adjectives()["feeling"])
    if draws.chance(0.5):
        be = verb_group("be", Tense("past" if past else "present", cue=True), it).finite
        said = [be, *_degree(writer), Token(cause, "cause", feeling)]
    else:
        make = verb_group(
            "make", Tense("past" if past else "present", cue=True), it, takes_object=True
        ).finite
        whom = draws.one_of(
            (("me", "I"), ("us", "we"), ("him", "he"), ("her", "she"), ("them", "they"))
        )
        mood = draws.one_of(("happy", "sad", "angry", "nervous", "tired", "proud"))
        said = [
            make,
            Token(whom[0], "object_pronoun", whom[1]),
            *_degree(writer),
            Token(mood, "predicative", mood),
        ]
    return [*statement, comma(), which, *said]


def _degree(writer: Writer) -> list[Token]:
    return (
        [Token(writer.draws.one_of(("very", "really", "so", "quite")), "degree")]
        if writer.draws.chance(0.4)
        else []
    )


def _purpose(writer: Writer, statement: list[Token], past: bool) -> list[Token]:
    """*... in order to find a job*, *... so that they can see the city*."""
    draws = writer.draws
    if any(token.role in ("to", "purpose") for token in statement[-8:]):
        return statement
    if draws.chance(0.4):
        who = personal(writer)
        inner = action(writer, who)
        group = verb_group(
            inner.lemma, Tense("could" if past else "can"), who, takes_object=inner.takes_object
        )
        return [
            *statement,
            *plain("so that", "purpose"),
            *who.tokens,
            group.finite,
            *group.rest,
            *inner.complement,
        ]
    return [*statement, *plain("in order", "purpose"), *to_infinitive(writer, pronoun("they"))]


def _accompaniment(writer: Writer, statement: list[Token], past: bool) -> list[Token]:
    """*... with my friends*, *... after the concert*, *... because of the storm*."""
    draws = writer.draws
    if any(token.role == "linking_preposition" for token in statement):
        return statement
    match draws.pick(_ACCOMPANIMENTS):
        case "with":
            words, phrase = "with", noun_phrase(writer, ("relative", "person"), subject=True).tokens
        case "because of":
            words, phrase = (
                "because of",
                noun_phrase(writer, ("event", "idea"), subject=True).tokens,
            )
        case words:
            phrase = noun_phrase(writer, ("event",), subject=True).tokens
    return [
        *statement,
        *(Token(word, "linking_preposition", words) for word in words.split()),
        *phrase,
    ]


_ACCOMPANIMENTS = Choice(("with", "after", "before", "during", "because of"), (44, 16, 12, 14, 14))


# Before the statement

_MAY_FOLLOW_AN_OPENING = frozenset(
    (
        "subject_pronoun",
        "the",
        "possessive",
        "demonstrative",
        "name",
        "indefinite",
        "dummy_it",
        "there",
        "quantifier",
        "noun",
    )
)


def _opening_clause(writer: Writer, statement: list[Token], past: bool) -> list[Token]:
    """*When I was a child, ...*, *After visiting the museum, ...*, *If they agree, ...*."""
    draws = writer.draws
    if not _is_plain(statement):
        return statement
    style = draws.uniform()
    if style < 0.3:
        return [*fixed_phrase(writer, "start"), comma(), *statement]
    if style < 0.55 and statement[0].role == "subject_pronoun":
        preposition = draws.one_of(("after", "before", "by", "without", "instead of"))
        words = [Token(word, "linking_preposition", preposition) for word in preposition.split()]
        return [*words, *gerund_phrase(writer, pronoun(statement[0].text)), comma(), *statement]
    subordinator = draws.one_of(("when", "although", "because", "while", "if", "since"))
    if (subordinator == "if" and past) or any(token.text == subordinator for token in statement):
        return statement
    side = clause(writer, "past" if past else "present", adverbials=False, cue=True)
    return [Token(subordinator, "subordinator"), *side.tokens, comma(), *statement]


def _opinion(writer: Writer, statement: list[Token], past: bool) -> list[Token]:
    """*I think that ...*, *The problem is that ...*, *It is true that ...*, *Experts believe that ...*."""
    draws = writer.draws
    if not _is_plain(statement) or any(token.role == "that" for token in statement):
        return statement
    style, speaks = draws.uniform(), writer.register.persons[0] > 5
    if style < 0.45:
        who = (
            personal(writer)
            if speaks
            else noun_phrase(writer, ("person",), subject=True, simple=True)
        )
        verb = draws.one_of(
            ("think", "believe", "know", "think", "hope")
            if speaks
            else ("believe", "know", "think")
        )
        frame = [*who.tokens, verb_group(verb, Tense("present", cue=True), who).finite]
    elif style < 0.75:
        it = pronoun("it")
        it.tokens[0].role = "dummy_it"
        adjective = draws.one_of(
            ("true", "clear", "obvious", "important", "possible", "sad", "strange", "surprising")
        )
        frame = [
            *it.tokens,
            verb_group("be", Tense("present"), it).finite,
            Token(adjective, "predicative", adjective),
        ]
    else:
        noun = draws.one_of(
            ("problem", "truth", "fact", "reason", "result", "best thing", "main problem")
        )
        subject = NounPhrase([Token("the", "the"), *plain(noun)], 3, False, "idea", "it")
        frame = [
            *subject.tokens,
            Token(finite_be(subject, False), "be", "be", VerbForm("VBZ", agreement="VBZ")),
        ]
    if statement[0].text == "that":
        return statement
    return [*frame, Token("that", "that"), *statement]


def _is_plain(statement: list[Token]) -> bool:
    """Whether the statement begins with its subject, so that something may be put before it."""
    return statement[0].role in _MAY_FOLLOW_AN_OPENING


_ADDITIONS: dict[Addition, float] = {
    _another_clause: 27, _circumstance: 25, _comment: 6, _purpose: 12, _accompaniment: 18, _opening_clause: 16, _opinion: 9,
}  # fmt: skip


@functools.cache
def _additions(register: str) -> Choice[Addition]:
    weights = dict(_ADDITIONS)
    if register in ("encyclopedic", "newswire"):
        weights[_comment] = 1
        weights[_purpose] = 5
        weights[_opinion] = 3
    return Choice(list(weights), list(weights.values()))

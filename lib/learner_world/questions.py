"""Sentence patterns that ask: direct questions, questions inside statements, requests."""

from __future__ import annotations

from learner_world.adverbials import with_time
from learner_world.clauses import ending, inverted, some_to_any, subject_for
from learner_world.noun_phrases import Writer, personal, pronoun
from learner_world.predicates import action, plan, predicate
from learner_world.tokens import Token
from learner_world.verb_groups import Tense, assemble, verb_group


def question(writer: Writer) -> list[Token]:
    """Questions with *do*, *be*, a modal verb, or a question word."""
    draws = writer.draws
    chosen = plan(writer, "person")
    name = draws.one_of(("present", "past", "present", "future", "can", "should"))
    subject = pronoun("you") if draws.chance(0.4) else subject_for(writer, chosen, name == "past")
    if len(subject.tokens) > 4 or subject.pronoun == "I":
        subject = pronoun("they")
    filled = predicate(writer, chosen, subject)
    tense, time, _ = with_time(writer, name, 0.3)
    group = verb_group(filled.lemma, tense, subject, support=True, takes_object=filled.takes_object)
    opening: list[Token] = []
    if draws.chance(0.5):
        word = draws.one_of(("why", "when", "how", "where") if not time else ("why", "how"))
        if word == "where" and (
            filled.lemma == "be" or any(token.role in ("motion_preposition", "place_preposition") for token in filled.complement)
        ):
            word = "why"
        if word in ("how", "when") and filled.lemma in ("be", "look", "feel", "seem", "become", "know"):
            word = "why"
        opening = [Token(word, "question_word")]
    return [*inverted(writer, group, subject, filled.complement, opening), *time, *ending("?")]


def embedded_question(writer: Writer) -> list[Token]:
    """*I do n't know where she lives*: the order of a statement inside."""
    draws = writer.draws
    speaker = personal(writer)
    past = draws.chance(writer.register.past)
    negated = draws.chance(0.5)
    verb = (
        draws.one_of(("know", "understand", "remember"))
        if negated
        else draws.one_of(("wonder", "know", "ask", "explain", "understand"))
    )
    group = verb_group(verb, Tense("past" if past else "present"), speaker, support=negated)
    head = assemble(
        speaker, group, negated=negated, contracted=draws.chance(writer.register.contractions), adverb=[], short_forms=False
    )
    chosen = plan(writer, "person")
    subject = subject_for(writer, chosen, past)
    filled = predicate(writer, chosen, subject)
    word = draws.one_of(("why", "why", "how", "when", "whether")) if filled.lemma != "be" else draws.one_of(("why", "whether"))
    inner = verb_group(filled.lemma, Tense("past" if past else "present", cue=past), subject, takes_object=filled.takes_object)
    inner.finite.role = "embedded_be" if inner.finite.role == "be" else inner.finite.role
    return [*head, Token(word, "question_word"), *subject.tokens, inner.finite, *inner.rest, *filled.complement, *ending()]


def request(writer: Writer) -> list[Token]:
    """*Please write to me soon*."""
    draws = writer.draws
    filled = action(writer, pronoun("you"))
    while filled.stative and filled.lemma != "be":
        filled = action(writer, pronoun("you"))
    verb = Token(filled.lemma, "imperative", filled.lemma)
    if draws.chance(0.35):
        some_to_any(filled.complement)
        do = [Token("do", "do_imperative"), Token("n't", "not")]
        return [*do, verb, *filled.complement, *ending()]
    opening = [Token("please", "please")] if draws.chance(0.6) else []
    return [*opening, verb, *filled.complement, *ending()]

"""Sentence patterns: how clauses become sentences of a register."""

from __future__ import annotations

import functools
from collections.abc import Callable

from learner_world import questions, statements
from learner_world.adverbials import tense_of
from learner_world.clauses import Clause, clause, comma, ending, joined, linking, passive_clause
from learner_world.noun_phrases import Writer, noun_phrase, person_name, personal, pronoun
from learner_world.sampling import Choice
from learner_world.tokens import NounPhrase, Token, finish, plain
from learner_world.verb_groups import Tense, assemble, verb_group


def write_sentence(writer: Writer) -> list[Token]:
    """One sentence of the writer's register."""
    pattern = writer.draws.pick(_patterns(writer.register.name, tuple(writer.register.patterns.items())))
    return finish(_PATTERNS[pattern](writer))


@functools.cache
def _patterns(name: str, weights: tuple[tuple[str, float], ...]) -> Choice[str]:
    return Choice([pattern for pattern, _ in weights], [weight for _, weight in weights])


def _simple(writer: Writer) -> list[Token]:
    part = clause(writer)
    return [*joined(part.opening or linking(writer), part.tokens), *ending()]


def _passive(writer: Writer) -> list[Token]:
    part = passive_clause(writer)
    return [*joined(part.opening or linking(writer), part.tokens), *ending()]


def _again(writer: Writer, first: Clause) -> NounPhrase | None:
    """The same subject taken up by a pronoun, when it is a person."""
    if first.subject.kind in ("person", "relative") and writer.draws.chance(0.5):
        return pronoun(first.subject.pronoun)
    return None


def _coordinate(writer: Writer) -> list[Token]:
    """Two clauses of one time, joined by *and*, *but*, *so* or *or*."""
    tense = writer.draws.one_of(("past", "present")) if writer.draws.chance(0.75) else tense_of(writer)
    first = clause(writer, tense)
    second = clause(writer, tense, _again(writer, first), adverbials=False, cue=True)
    conjunction = Token(writer.draws.pick(_COORDINATORS), "coordinator")
    return [*joined(first.opening, first.tokens), comma(), conjunction, *second.tokens, *ending()]


_COORDINATORS = Choice(("and", "but", "so"), (45, 33, 22))

_SUBORDINATORS = Choice(
    ("because", "when", "although", "while", "before", "after", "since", "if", "until"),
    (34, 26, 13, 8, 7, 7, 2, 6, 2),
)


def _adverbial_clause(writer: Writer) -> list[Token]:
    """A main and a subordinate clause whose tenses agree; the subordinate one may come first, with a comma."""
    draws = writer.draws
    subordinator = draws.pick(_SUBORDINATORS)
    past = draws.chance(writer.register.past + 0.1) and subordinator != "if"
    tense = "past" if past else "present"
    main_tense = (
        "future"
        if subordinator == "if" or (not past and subordinator in ("when", "until", "before", "after") and draws.chance(0.5))
        else tense
    )
    main = clause(writer, main_tense, adverbials=draws.chance(0.3), cue=True)
    if main.opening:
        return [*joined(main.opening, main.tokens), *ending()]
    side = clause(
        writer, tense, _again(writer, main), adverbials=False, cue=True, negatable=subordinator not in ("before", "until")
    )
    opener = Token(subordinator, "subordinator")
    if draws.chance(0.42):
        return [opener, *side.tokens, comma(), *main.tokens, *ending()]
    link = [comma()] if subordinator in ("although", "while") else []
    return [*main.tokens, *link, opener, *side.tokens, *ending()]


def _conditional(writer: Writer) -> list[Token]:
    """*If* with the present and *will*, or with the past and *would*."""
    draws = writer.draws
    real = draws.chance(0.6)
    side = clause(writer, "present" if real else "past", adverbials=False, cue=True)
    main = clause(
        writer, draws.one_of(("will", "will", "can")) if real else "would", _again(writer, side), adverbials=False, cue=True
    )
    opener = Token("if", "subordinator")
    if draws.chance(0.6):
        return [opener, *side.tokens, comma(), *main.tokens, *ending()]
    return [*main.tokens, opener, *side.tokens, *ending()]


def _report(writer: Writer) -> list[Token]:
    """*He said that ...*: after a past verb of saying, the past, *would* or the past perfect."""
    draws = writer.draws
    frame = writer.words.frame(draws, "that")
    verb = writer.words.word_of(draws, frame)
    if draws.chance(writer.register.pronouns):
        speaker = personal(writer)
    else:
        speaker = person_name(writer) if draws.chance(0.3) else noun_phrase(writer, frame.subjects, subject=True)
    past = draws.chance(writer.register.past + 0.1)
    inner_tense = draws.pick(_REPORTED_PAST if past else _REPORTED_PRESENT)
    inner = clause(writer, inner_tense, adverbials=draws.chance(0.25), cue=True)
    negated = draws.chance(0.1) and verb in ("think", "believe", "know", "say")
    group = verb_group(verb, Tense("past" if past else "present", cue=past), speaker, support=negated)
    head = assemble(
        speaker, group, negated=negated, contracted=draws.chance(writer.register.contractions), adverb=[], short_forms=False
    )
    that = (
        [Token("that", "that")]
        if inner.opening or draws.chance(0.6) or verb not in ("say", "think", "know", "believe", "hope")
        else []
    )
    if that and inner.tokens[0].text == "that":
        inner.tokens[0].text = inner.tokens[0].lemma = "this"
    return [*head, *that, *joined(inner.opening, inner.tokens), *ending()]


_REPORTED_PAST = Choice(("past", "would", "past_perfect", "could"), (50, 25, 15, 10))
_REPORTED_PRESENT = Choice(("present", "future", "can", "perfect", "should", "past"), (50, 16, 10, 8, 10, 6))


def _quotation(writer: Writer) -> list[Token]:
    """Direct speech and its speaker."""
    draws = writer.draws
    inner = clause(
        writer, draws.one_of(("present", "future", "past")), personal(writer) if draws.chance(0.6) else None, adverbials=False
    )
    words = inner.tokens
    words[0].text = words[0].text[0].upper() + words[0].text[1:]
    speaker = person_name(writer) if draws.chance(0.6) else noun_phrase(writer, ("person",), subject=True, simple=True)
    verbs = (
        ("said", "said", "added", "explained", "told reporters") if writer.register.name == "newswire" else ("said", "answered")
    )
    tail = [*speaker.tokens, *plain(draws.one_of(verbs))]
    return [Token('"', "quote"), *words, Token(",", "quote_comma"), Token('"', "quote"), *tail, *ending()]


_PATTERNS: dict[str, Callable[[Writer], list[Token]]] = {
    "simple": _simple,
    "coordinate": _coordinate,
    "adverbial_clause": _adverbial_clause,
    "report": _report,
    "question": questions.question,
    "existential": statements.existential,
    "dummy_it": statements.dummy_it,
    "comparative": statements.comparative,
    "passive": _passive,
    "conditional": _conditional,
    "embedded_question": questions.embedded_question,
    "request": questions.request,
    "gerund_subject": statements.gerund_subject,
    "habit": statements.habit,
    "definition": statements.definition,
    "quotation": _quotation,
}

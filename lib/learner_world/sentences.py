"""Sentence patterns of a register, of one clause or several, before additions (`growth.py`)."""

from __future__ import annotations

import functools
from collections.abc import Callable

from learner_world.clauses import (
    Clause,
    Tense,
    action,
    add_relative_clause,
    assemble,
    clause,
    comma,
    describing,
    ending,
    finite_be,
    gerund_phrase,
    inverted,
    joined,
    linking,
    passive_clause,
    plan,
    predicate,
    some_to_any,
    subject_for,
    tense_of,
    to_infinitive,
    verb_group,
    with_time,
)
from learner_world.draws import Choice
from learner_world.growth import grown, verb_phrase
from learner_world.noun_phrases import (
    PRONOUNS,
    Writer,
    count_noun,
    fits_gender,
    noun_phrase,
    person_name,
    personal,
    place_name,
    place_phrase,
    pronoun,
    quantifier,
)
from learner_world.tokens import NounForm, NounPhrase, Token, capitalised, finish, plain
from learner_world.words import grades_with_ending, inflect

# Sentence patterns with a form of their own: *there is*, *it is*, comparison, definitions, habits and wishes


def existential(writer: Writer) -> list[Token]:
    """*There are three books on the table*: the verb agrees with what follows."""
    draws = writer.draws
    kinds = ("person", "object", "building", "animal", "plant", "food", "document")
    noun = writer.words.noun(draws, kinds)
    while noun.countability != "count":
        noun = writer.words.noun(draws, kinds)
    plural = draws.chance(0.62)
    many = ("many", "some", "two", "three", "several", "a lot of", "a few", "four")
    opening = quantifier(draws.one_of(many if plural else ("a", "a", "no")))
    if opening[0].lemma in ("a", "two", "three", "four"):
        opening[0].role = "indefinite" if opening[0].lemma == "a" else "number"
    if draws.chance(writer.register.adjectives + 0.1):
        adjective = writer.words.adjective(draws, noun.kind)
        opening.append(Token(adjective, "adjective", adjective))
    phrase = NounPhrase(
        [*opening, count_noun(noun.lemma, noun.kind, plural)], 3, plural, noun.kind, "it"
    )
    past = draws.chance(writer.register.past)
    be = Token(finite_be(phrase, past), "be", "be")
    tokens = [Token("there", "there"), be, *phrase.tokens]
    _, time, may_open = with_time(writer, "past", 0.4) if past else (Tense("present"), [], False)
    place = place_phrase(writer)
    if draws.chance(writer.register.postmodifiers):
        add_relative_clause(writer, phrase, past)
        return [
            *joined(time if may_open else [], [Token("there", "there"), be, *phrase.tokens]),
            *ending(),
        ]
    if draws.chance(0.3):
        return [*place, comma(), *tokens, *ending()]
    return [*joined(time if may_open and draws.chance(0.5) else [], [*tokens, *place]), *ending()]


def dummy_it(writer: Writer) -> list[Token]:
    """*It is important (for us) to ...*, and the weather."""
    draws = writer.draws
    past = draws.chance(writer.register.past * 0.5)
    it = pronoun("it")
    it.tokens[0].role = "dummy_it"
    be = verb_group("be", Tense("past" if past else "present"), it).finite
    if draws.chance(0.12):
        return _weather(writer, it, be, past)
    adjective = draws.pick(_EVALUATIONS)
    tokens = [*it.tokens, be]
    if draws.chance(0.3) and adjective not in _ABSOLUTE:
        tokens.append(Token(draws.one_of(("very", "really", "so", "quite", "too")), "degree"))
    tokens.append(Token(adjective, "predicative", adjective))
    actor = personal(writer)
    if draws.chance(0.4):
        tokens += [
            Token("for", "for_actor"),
            Token(PRONOUNS[actor.pronoun][0], "object_pronoun", actor.pronoun),
        ]
    else:
        actor = (
            pronoun("they")
            if writer.register.persons[0] < 5
            else pronoun(draws.one_of(("we", "you", "I")))
        )
    tokens += to_infinitive(writer, actor)
    return [*joined(linking(writer), tokens), *ending()]


def _weather(writer: Writer, it: NounPhrase, be: Token, past: bool) -> list[Token]:
    draws = writer.draws
    weather = draws.one_of(
        ("sunny", "rainy", "cold", "windy", "cloudy", "hot", "foggy", "snowy", "warm")
    )
    _, time, may_open = with_time(writer, "past" if past else "progressive", 0.9)
    degree = [Token("very", "degree")] if draws.chance(0.4) else []
    tokens = [*it.tokens, be, *degree, Token(weather, "predicative", weather)]
    return [*joined(time, tokens), *ending()] if may_open else [*tokens, *time, *ending()]


_EVALUATIONS = Choice(
    ("important", "difficult", "easy", "good", "interesting", "hard", "necessary", "useful", "possible", "dangerous", "fun",
     "impossible", "exciting", "boring", "common", "essential", "expensive", "nice", "strange"),
    (20, 14, 10, 8, 7, 7, 6, 5, 5, 4, 3, 3, 2, 2, 2, 2, 3, 3, 2),
)  # fmt: skip


_ABSOLUTE = frozenset(("possible", "impossible", "necessary", "essential"))


def comparative(writer: Writer) -> list[Token]:
    """*bigger than*, *more useful than*, *as good as*, *the oldest*."""
    draws = writer.draws
    kind = draws.one_of(
        ("person", "building", "outdoor", "idea", "document", "object", "food", "vehicle", "event")
    )
    adjective = writer.words.comparable(draws, kind)
    subject = noun_phrase(writer, (kind,), subject=True, simple=True)
    be = verb_group(
        "be", Tense("past" if draws.chance(writer.register.past * 0.5) else "present"), subject
    ).finite
    style = draws.uniform()
    if style < 0.6:
        degree = [Token("much", "degree")] if draws.chance(0.2) else []
        other = noun_phrase(writer, (kind,), subject=True, simple=True)
        compared = [*degree, *graded(adjective, "JJR"), Token("than", "than"), *other.tokens]
    elif style < 0.75:
        other = noun_phrase(writer, (kind,), subject=True, simple=True)
        compared = [
            Token("as", "as"),
            Token(adjective, "as_adjective", adjective),
            Token("as", "as"),
            *other.tokens,
        ]
    else:
        compared = _superlative(writer, kind, adjective, subject)
    return [*joined(linking(writer), [*subject.tokens, be, *compared]), *ending()]


def graded(adjective: str, tag: str) -> list[Token]:
    """A comparative (JJR) or superlative (JJS), with an ending or with *more* and *most*."""
    word, role = ("more", "comparative") if tag == "JJR" else ("most", "superlative")
    if grades_with_ending(adjective):
        return [Token(inflect(adjective, tag), role, adjective)]
    return [
        Token(word, f"{role}_word", adjective),
        Token(adjective, f"{role}_adjective", adjective),
    ]


def _superlative(writer: Writer, kind: str, adjective: str, subject: NounPhrase) -> list[Token]:
    noun = writer.words.noun(writer.draws, (kind,))
    while noun.countability != "count":
        noun = writer.words.noun(writer.draws, (kind,))
    number = [Token("one", "number"), Token("of", "of")] if not subject.plural else []
    head = Token(
        inflect(noun.lemma, "NNS"), "noun", noun.lemma, NounForm(kind, True, "count", bool(number))
    )
    where = [Token("in", "place_preposition", "city"), *place_name(writer).tokens]
    return [*number, Token("the", "the_superlative"), *graded(adjective, "JJS"), head, *where]


def gerund_subject(writer: Writer) -> list[Token]:
    """*Learning English is important for me*."""
    draws = writer.draws
    who = pronoun("I") if writer.register.persons[0] > 5 else pronoun("they")
    phrase = gerund_phrase(writer, who)
    whole = NounPhrase(phrase, 3, False, "activity", "it")
    be = verb_group("be", Tense("present"), whole).finite
    if draws.chance(0.6):
        adjective = draws.pick(_EVALUATIONS)
        people = noun_phrase(writer, ("person", "relative"), simple=True)
        rest = [
            Token(adjective, "predicative", adjective),
            Token("for", "for_actor"),
            *people.tokens,
        ]
    else:
        rest = [
            Token("a", "indefinite"),
            *describing(writer, "idea")[-1:],
            count_noun("experience", "idea", False),
        ]
    return [*phrase, be, *rest, *ending()]


def habit(writer: Writer) -> list[Token]:
    """Habits and wishes of learners' letters: *I am looking forward to ...*, *I would like to ...*, *I used to ...*."""
    draws = writer.draws
    speaker = personal(writer)
    style = draws.one_of(("forward", "would_like", "used_to", "spend", "have_to"))
    if style == "forward":
        group = verb_group("look", Tense("progressive"), speaker)
        rest = [
            Token("forward", "forward"),
            Token("to", "forward_to"),
            *gerund_phrase(writer, speaker),
        ]
    elif style == "spend":
        group = verb_group("spend", Tense(draws.one_of(("past", "present"))), speaker)
        rest = [
            Token("a"),
            Token("lot"),
            Token("of"),
            Token("time", "light_object", "time"),
            *gerund_phrase(writer, speaker),
        ]
    else:
        verb, tense = {
            "would_like": ("like", "would"),
            "used_to": ("use", "past"),
            "have_to": ("have", "present"),
        }[style]
        group = verb_group(verb, Tense(tense), speaker)
        rest = to_infinitive(writer, speaker)
    if style == "used_to":
        group.finite.role = "used"
    short_forms = draws.chance(writer.register.contractions * 0.5)
    tokens = assemble(
        speaker, group, negated=False, contracted=False, adverb=[], short_forms=short_forms
    )
    return [*joined(linking(writer), [*tokens, *rest]), *ending()]


def definition(writer: Writer) -> list[Token]:
    """*Oslo is a large city ...*, *She is a Danish poet who ...*, *X , a chemist , ...*."""
    return _who_is(writer) if writer.draws.chance(0.45) else _what_is(writer)


def _who_is(writer: Writer) -> list[Token]:
    draws = writer.draws
    past = draws.chance(0.5)
    tense = "past" if past else "present"
    name = person_name(writer)
    nationality = writer.words.name(draws, "nationality")
    noun = writer.words.noun(draws, ("person",))
    while not fits_gender(noun.lemma, name.pronoun):
        noun = writer.words.noun(draws, ("person",))
    role = [
        Token("a", "indefinite"),
        Token(nationality, "name", nationality),
        count_noun(noun.lemma, "person", False),
    ]
    if draws.chance(0.5):
        body = clause(writer, tense, name, adverbials=False, negatable=False).tokens[
            len(name.tokens) :
        ]
        return [
            *name.tokens,
            Token(",", "apposition_comma"),
            *role,
            Token(",", "apposition_comma"),
            *body,
            *ending(),
        ]
    phrase = NounPhrase(role, 3, False, "person", name.pronoun)
    add_relative_clause(writer, phrase, past)
    return [*name.tokens, verb_group("be", Tense(tense), name).finite, *phrase.tokens, *ending()]


def _what_is(writer: Writer) -> list[Token]:
    draws = writer.draws
    if draws.chance(0.6):
        kind, past = "outdoor", False
        what = draws.one_of(("city", "country"))
        name = writer.words.name(draws, what)
        subject = NounPhrase([Token(name, "name", name, opens="name")], 3, False, kind, "it")
    else:
        kind, past = "artwork", draws.chance(0.5)
        what = writer.words.noun(draws, (kind,)).lemma
        subject = noun_phrase(writer, (kind,), subject=True)
    adjective = writer.words.adjective(draws, kind)
    described = [Token(adjective, "adjective", adjective), count_noun(what, kind, subject.plural)]
    if subject.plural:
        described[0].opens = "plural"
    else:
        described.insert(0, Token("a", "indefinite"))
    phrase = NounPhrase(described, 3, subject.plural, kind, "it")
    if kind == "artwork" and draws.chance(0.6):
        add_relative_clause(writer, phrase, past)
    be = verb_group("be", Tense("past" if past else "present"), subject).finite
    return [*subject.tokens, be, *phrase.tokens, *ending()]


# Sentence patterns that ask: direct questions, questions inside statements, requests


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
        says_where = any(
            token.role in ("motion_preposition", "place_preposition") for token in filled.complement
        )
        if word == "where" and (filled.lemma == "be" or says_where):
            word = "why"
        if word in ("how", "when") and filled.lemma in (
            "be",
            "look",
            "feel",
            "seem",
            "become",
            "know",
        ):
            word = "why"
        opening = [Token(word, "question_word")]
    return [*inverted(writer, group, subject, filled.complement, opening), *time, *ending("?")]


def embedded_question(writer: Writer) -> list[Token]:
    """*I do n't know where she lives*: the order of a statement inside."""
    draws = writer.draws
    speaker = personal(writer)
    past = draws.chance(writer.register.past)
    negated = draws.chance(0.5)
    verbs = (
        ("know", "understand", "remember")
        if negated
        else ("wonder", "know", "ask", "explain", "understand")
    )
    verb = draws.one_of(verbs)
    group = verb_group(verb, Tense("past" if past else "present"), speaker, support=negated)
    contracted = draws.chance(writer.register.contractions)
    head = assemble(
        speaker, group, negated=negated, contracted=contracted, adverb=[], short_forms=False
    )
    chosen = plan(writer, "person")
    subject = subject_for(writer, chosen, past)
    filled = predicate(writer, chosen, subject)
    word = draws.one_of(
        ("why", "why", "how", "when", "whether") if filled.lemma != "be" else ("why", "whether")
    )
    inner = verb_group(
        filled.lemma,
        Tense("past" if past else "present", cue=past),
        subject,
        takes_object=filled.takes_object,
    )
    if inner.finite.role == "be":
        inner.finite.role = "embedded_be"
    return [
        *head,
        Token(word, "question_word"),
        *subject.tokens,
        inner.finite,
        *inner.rest,
        *filled.complement,
        *ending(),
    ]


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


# Sentence patterns: how clauses become sentences of a register


def write_sentence(writer: Writer) -> list[Token]:
    """One sentence of the writer's register."""
    pattern = writer.draws.pick(
        _patterns(writer.register.name, tuple(writer.register.patterns.items()))
    )
    return finish(grown(writer, _PATTERNS[pattern](writer)))


@functools.cache
def _patterns(name: str, weights: tuple[tuple[str, float], ...]) -> Choice[str]:
    return Choice([pattern for pattern, _ in weights], [weight for _, weight in weights])


def _simple(writer: Writer) -> list[Token]:
    return _alone(writer, clause(writer))


def _passive(writer: Writer) -> list[Token]:
    return _alone(writer, passive_clause(writer))


def _alone(writer: Writer, part: Clause) -> list[Token]:
    return [*joined(part.opening or linking(writer), part.tokens), *ending()]


def _again(writer: Writer, first: Clause) -> NounPhrase | None:
    """The same subject taken up by a pronoun, when it is a person."""
    if first.subject.kind in ("person", "relative") and writer.draws.chance(0.5):
        return pronoun(first.subject.pronoun)
    return None


def _coordinate(writer: Writer) -> list[Token]:
    """Two clauses of one time, joined by *and*, *but* or *so*, or two predicates of one subject."""
    tense = (
        writer.draws.one_of(("past", "present")) if writer.draws.chance(0.75) else tense_of(writer)
    )
    first = clause(writer, tense)
    second = clause(writer, tense, _again(writer, first), adverbials=False, cue=True)
    conjunction = Token(writer.draws.pick(_COORDINATORS), "coordinator")
    opened = joined(first.opening, first.tokens)
    if writer.draws.chance(writer.register.growth * 0.4):  # one subject that does two things
        return [*opened, Token("and", "and"), *verb_phrase(writer, tense, first), *ending()]
    return [*opened, comma(), conjunction, *second.tokens, *ending()]


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
    may_be_future = not past and subordinator in ("when", "until", "before", "after")
    future = subordinator == "if" or (may_be_future and draws.chance(0.5))
    main = clause(writer, "future" if future else tense, adverbials=draws.chance(0.3), cue=True)
    if main.opening:
        return [*joined(main.opening, main.tokens), *ending()]
    negatable = subordinator not in ("before", "until")
    side = clause(
        writer, tense, _again(writer, main), adverbials=False, cue=True, negatable=negatable
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
    tense = draws.one_of(("will", "will", "can")) if real else "would"
    main = clause(writer, tense, _again(writer, side), adverbials=False, cue=True)
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
        speaker = (
            person_name(writer)
            if draws.chance(0.3)
            else noun_phrase(writer, frame.subjects, subject=True)
        )
    past = draws.chance(writer.register.past + 0.1)
    inner_tense = draws.pick(_REPORTED_PAST if past else _REPORTED_PRESENT)
    inner = clause(writer, inner_tense, adverbials=draws.chance(0.25), cue=True)
    negated = draws.chance(0.1) and verb in ("think", "believe", "know", "say")
    group = verb_group(
        verb, Tense("past" if past else "present", cue=past), speaker, support=negated
    )
    contracted = draws.chance(writer.register.contractions)
    head = assemble(
        speaker, group, negated=negated, contracted=contracted, adverb=[], short_forms=False
    )
    needed = (
        inner.opening
        or draws.chance(0.6)
        or verb not in ("say", "think", "know", "believe", "hope")
    )
    that = [Token("that", "that")] if needed else []
    if that and inner.tokens[0].text == "that":
        inner.tokens[0].text = inner.tokens[0].lemma = "this"
    return [*head, *that, *joined(inner.opening, inner.tokens), *ending()]


_REPORTED_PAST = Choice(("past", "would", "past_perfect", "could"), (50, 25, 15, 10))
_REPORTED_PRESENT = Choice(
    ("present", "future", "can", "perfect", "should", "past"), (50, 16, 10, 8, 10, 6)
)


def _quotation(writer: Writer) -> list[Token]:
    """Direct speech and its speaker."""
    draws = writer.draws
    tense = draws.one_of(("present", "future", "past"))
    words = clause(
        writer, tense, personal(writer) if draws.chance(0.6) else None, adverbials=False
    ).tokens
    words[0].text = capitalised(words[0].text)
    speaker = (
        person_name(writer)
        if draws.chance(0.6)
        else noun_phrase(writer, ("person",), subject=True, simple=True)
    )
    newswire = writer.register.name == "newswire"
    verb = draws.one_of(
        ("said", "said", "added", "explained", "told reporters")
        if newswire
        else ("said", "answered")
    )
    tail = [*speaker.tokens, *plain(verb)]
    return [
        Token('"', "quote"),
        *words,
        Token(",", "quote_comma"),
        Token('"', "quote"),
        *tail,
        *ending(),
    ]


_PATTERNS: dict[str, Callable[[Writer], list[Token]]] = {
    "simple": _simple, "coordinate": _coordinate, "adverbial_clause": _adverbial_clause, "report": _report, "question": question,
    "existential": existential, "dummy_it": dummy_it, "comparative": comparative, "passive": _passive,
    "conditional": _conditional, "embedded_question": embedded_question, "request": request, "gerund_subject": gerund_subject,
    "habit": habit, "definition": definition, "quotation": _quotation,
}  # fmt: skip

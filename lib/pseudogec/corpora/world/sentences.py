"""Sentence patterns: how clauses become sentences of a register."""

from __future__ import annotations

import functools
from collections.abc import Callable

from pseudogec.corpora.world.adverbials import tense_of, with_time
from pseudogec.corpora.world.clauses import (
    Clause,
    add_relative_clause,
    clause,
    comma,
    ending,
    inverted,
    joined,
    passive_clause,
    subject_for,
)
from pseudogec.corpora.world.inflection import grades_with_ending, inflect
from pseudogec.corpora.world.noun_phrases import (
    PRONOUNS,
    Writer,
    noun_phrase,
    person_name,
    personal,
    place_name,
    place_phrase,
    pronoun,
)
from pseudogec.corpora.world.predicates import describing, gerund_phrase, people_plan, predicate, to_infinitive
from pseudogec.corpora.world.sampling import Choice
from pseudogec.corpora.world.tokens import NounForm, NounPhrase, Token, finish, plain
from pseudogec.corpora.world.verb_groups import Tense, assemble, finite_be, verb_group


def write_sentence(writer: Writer) -> list[Token]:
    """One sentence of the writer's register."""
    pattern = writer.draws.pick(_patterns(writer.register.name, tuple(writer.register.patterns.items())))
    return finish(_PATTERNS[pattern](writer))


@functools.cache
def _patterns(name: str, weights: tuple[tuple[str, float], ...]) -> Choice[str]:
    return Choice([pattern for pattern, _ in weights], [weight for _, weight in weights])


def _linking(writer: Writer) -> list[Token]:
    """A sentence adverb or fixed phrase at the start, now and then."""
    draws = writer.draws
    if not draws.chance(0.12):
        return []
    if draws.chance(0.5):
        phrase = writer.words.fixed_phrase(draws, "start").phrase
        return [Token(word, "fixed" if position == 0 else "fixed_rest", phrase) for position, word in enumerate(phrase.split())]
    return [Token(writer.words.adverb(draws, "sentence"), "sentence_adverb")]


def _simple(writer: Writer) -> list[Token]:
    part = clause(writer)
    return [*joined(part.opening or _linking(writer), part.tokens), *ending()]


def _passive(writer: Writer) -> list[Token]:
    part = passive_clause(writer)
    return [*joined(part.opening or _linking(writer), part.tokens), *ending()]


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
    if not real:
        for token in side.tokens:  # "if he were": the register stays with "was", which learners may write
            token.form = token.form
    opener = Token("if", "subordinator")
    if draws.chance(0.6):
        return [opener, *side.tokens, comma(), *main.tokens, *ending()]
    return [*main.tokens, opener, *side.tokens, *ending()]


def _report(writer: Writer) -> list[Token]:
    """*He said that ...*: after a past verb of saying, the past, *would* or the past perfect."""
    draws = writer.draws
    frame = writer.words.frame(draws, "that")
    verb = writer.words.word_of(draws, frame)
    speaker = personal(writer) if draws.chance(writer.register.pronouns) else person_name(writer) if draws.chance(0.3) else noun_phrase(
        writer, frame.subjects, subject=True)  # fmt: skip
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
    said = Token(
        draws.one_of(
            ("said", "said", "added", "explained", "told reporters")
            if writer.register.name == "newswire"
            else ("said", "said", "asked")
        )
    )
    said.text = "said" if said.text == "asked" else said.text
    tail = [*speaker.tokens, *plain(said.text)]
    return [Token('"', "quote"), *words, Token(",", "quote_comma"), Token('"', "quote"), *tail, *ending()]


def _question(writer: Writer) -> list[Token]:
    """Questions with *do*, *be*, a modal verb, or a question word."""
    draws = writer.draws
    chosen = people_plan(writer)
    subject = pronoun("you") if draws.chance(0.4) else subject_for(writer, chosen)
    if len(subject.tokens) > 4:
        subject = personal(writer)
    filled = predicate(writer, chosen, subject)
    name = draws.one_of(("present", "past", "present", "future", "can", "should"))
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


def _embedded_question(writer: Writer) -> list[Token]:
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
    chosen = people_plan(writer)
    subject = subject_for(writer, chosen)
    filled = predicate(writer, chosen, subject)
    word = draws.one_of(("why", "why", "how", "when", "whether")) if filled.lemma != "be" else draws.one_of(("why", "whether"))
    inner = verb_group(filled.lemma, Tense("past" if past else "present", cue=past), subject, takes_object=filled.takes_object)
    inner.finite.role = "embedded_be" if inner.finite.role == "be" else inner.finite.role
    return [*head, Token(word, "question_word"), *subject.tokens, inner.finite, *inner.rest, *filled.complement, *ending()]


def _existential(writer: Writer) -> list[Token]:
    """*There are three books on the table*: the verb agrees with what follows."""
    draws = writer.draws
    number = draws.uniform()
    kinds = ("person", "object", "building", "animal", "idea", "event", "plant", "organization", "food", "document")
    noun = writer.words.noun(draws, kinds)
    while noun.countability != "count":
        noun = writer.words.noun(draws, kinds)
    plural = number < 0.62
    determiner = (
        draws.one_of(("many", "some", "two", "three", "several", "a lot of", "few", "four"))
        if plural
        else draws.one_of(("a", "a", "no"))
    )
    role = "indefinite" if determiner == "a" else "number" if determiner in ("two", "three", "four") else "quantifier"
    opening = [
        Token(word, role if position == 0 else "quantifier_rest", determiner) for position, word in enumerate(determiner.split())
    ]
    adjective = writer.words.adjective(draws, noun.kind) if draws.chance(writer.register.adjectives + 0.1) else ""
    head = Token(
        inflect(noun.lemma, "NNS") if plural else noun.lemma, "noun", noun.lemma, NounForm(noun.kind, plural, "count", True)
    )
    phrase = NounPhrase(
        [*opening, *([Token(adjective, "adjective", adjective)] if adjective else []), head], 3, plural, noun.kind, "it"
    )
    past = draws.chance(writer.register.past)
    be = Token(finite_be(phrase, past), "be", "be")
    tokens = [Token("there", "there"), be, *phrase.tokens]
    tense, time, may_open = with_time(writer, "past", 0.4) if past else (Tense("present"), [], False)
    place = place_phrase(writer)
    if draws.chance(writer.register.postmodifiers):
        add_relative_clause(writer, phrase)
        return [*joined(time if may_open else [], [Token("there", "there"), be, *phrase.tokens]), *ending()]
    if draws.chance(0.3):
        return [*place, comma(), *tokens, *ending()]
    return [*joined(time if may_open and draws.chance(0.5) else [], [*tokens, *place]), *ending()]


def _dummy_it(writer: Writer) -> list[Token]:
    """*It is important (for us) to ...*, *It takes ...*, weather."""
    draws = writer.draws
    past = draws.chance(writer.register.past * 0.5)
    it = pronoun("it")
    it.tokens[0].role = "dummy_it"
    be = verb_group("be", Tense("past" if past else "present"), it).finite
    if draws.chance(0.12):
        weather = draws.one_of(("sunny", "rainy", "cold", "windy", "cloudy", "hot", "foggy", "snowy", "warm"))
        tense, time, may_open = with_time(writer, "past" if past else "progressive", 0.9)
        return [*joined(time if may_open else [], [*it.tokens, be, *plain("very" if draws.chance(0.4) else ""), Token(weather, "predicative", weather),
                *([] if may_open else time)]), *ending()]  # fmt: skip
    adjective = draws.pick(_EVALUATIONS)
    degree = [Token(draws.one_of(("very", "really", "so", "quite", "too")), "degree")] if draws.chance(0.3) else []
    actor = personal(writer)
    actor_tokens = (
        [Token("for", "for_actor"), Token(PRONOUNS[actor.pronoun][0], "object_pronoun", actor.pronoun)]
        if draws.chance(0.4)
        else []
    )
    if not actor_tokens:
        actor = pronoun("they") if writer.register.persons[0] < 5 else pronoun(draws.one_of(("we", "you", "I")))
    tokens = [*it.tokens, be, *degree, Token(adjective, "predicative", adjective), *actor_tokens, *to_infinitive(writer, actor)]
    return [*joined(_linking(writer), tokens), *ending()]


_EVALUATIONS = Choice(
    ("important", "difficult", "easy", "good", "interesting", "hard", "necessary", "useful", "possible", "dangerous", "better", "fun",
     "impossible", "exciting", "boring", "common", "essential", "expensive", "nice", "strange"),
    (20, 14, 10, 8, 7, 7, 6, 5, 5, 4, 2, 3, 3, 2, 2, 2, 2, 3, 3, 2),
)  # fmt: skip


def _comparative(writer: Writer) -> list[Token]:
    """*bigger than*, *more useful than*, *as good as*, *the oldest*."""
    draws = writer.draws
    kind = draws.one_of(("person", "building", "outdoor", "idea", "document", "object", "food", "vehicle", "event"))
    adjective = writer.words.comparable(draws, kind)
    subject = noun_phrase(writer, (kind,), subject=True, simple=True)
    be = verb_group("be", Tense("past" if draws.chance(writer.register.past * 0.5) else "present"), subject).finite
    style = draws.uniform()
    if style < 0.6:
        degree = [Token("much", "degree")] if draws.chance(0.2) else []
        other = noun_phrase(writer, (kind,), subject=True, simple=True)
        compared = [*degree, *graded(adjective, "JJR"), Token("than", "than"), *other.tokens]
    elif style < 0.75:
        other = noun_phrase(writer, (kind,), subject=True, simple=True)
        compared = [Token("as", "as"), Token(adjective, "as_adjective", adjective), Token("as", "as"), *other.tokens]
    else:
        compared = _superlative(writer, kind, adjective, subject)
    return [*joined(_linking(writer), [*subject.tokens, be, *compared]), *ending()]


def graded(adjective: str, tag: str) -> list[Token]:
    """A comparative (JJR) or superlative (JJS), with an ending or with *more* and *most*."""
    role = "comparative" if tag == "JJR" else "superlative"
    if grades_with_ending(adjective):
        return [Token(inflect(adjective, tag), role, adjective)]
    return [
        Token("more" if tag == "JJR" else "most", f"{role}_word", adjective),
        Token(adjective, f"{role}_adjective", adjective),
    ]


def _superlative(writer: Writer, kind: str, adjective: str, subject: NounPhrase) -> list[Token]:
    noun = writer.words.noun(writer.draws, (kind,))
    while noun.countability != "count":
        noun = writer.words.noun(writer.draws, (kind,))
    place = place_name(writer)
    number = [Token("one", "number"), Token("of", "of")] if not subject.plural else []
    text = inflect(noun.lemma, "NNS")
    head = Token(text, "noun", noun.lemma, NounForm(kind, True, "count", bool(number)))
    return [
        *number,
        Token("the", "the_superlative"),
        *graded(adjective, "JJS"),
        head,
        Token("in", "place_preposition", "city"),
        *place.tokens,
    ]


def _imperative(writer: Writer) -> list[Token]:
    """*Please write to me soon*."""
    draws = writer.draws
    filled = predicate(writer, people_plan(writer), pronoun("you"))
    if filled.stative or filled.lemma in ("become", "seem", "look"):
        filled = predicate(writer, people_plan(writer), pronoun("you"))
    verb = Token(filled.lemma, "imperative", filled.lemma)
    if draws.chance(0.35):
        do = [Token("do", "do_imperative"), Token("n't", "not")]
        return [*do, verb, *filled.complement, *ending()]
    opening = [Token("please", "please")] if draws.chance(0.6) else []
    return [*opening, verb, *filled.complement, *ending()]


def _gerund_subject(writer: Writer) -> list[Token]:
    """*Learning English is important for me*."""
    draws = writer.draws
    who = pronoun("I") if writer.register.persons[0] > 5 else pronoun("they")
    phrase = gerund_phrase(writer, who)
    whole = NounPhrase(phrase, 3, False, "activity", "it")
    be = verb_group("be", Tense("present"), whole).finite
    if draws.chance(0.6):
        rest = [
            Token(draws.pick(_EVALUATIONS), "predicative"),
            Token("for", "for_actor"),
            *noun_phrase(writer, ("person", "relative"), simple=True).tokens,
        ]
        if rest[0].text == "better":
            rest[0].text = "good"
        rest[0].lemma = rest[0].text
    else:
        rest = [
            Token("a", "indefinite"),
            *describing(writer, "idea")[-1:],
            Token("experience", "noun", "experience", NounForm("idea", False, "count", True)),
        ]
    return [*phrase, be, *rest, *ending()]


def _light(writer: Writer) -> list[Token]:
    """Habits and wishes of learners' letters: *I am looking forward to ...*, *I would like to ...*, *I am used to ...*."""
    draws = writer.draws
    speaker = personal(writer)
    style = draws.one_of(("forward", "would_like", "used_to", "spend", "had_better"))
    if style == "forward":
        group = verb_group("look", Tense("progressive"), speaker)
        rest = [Token("forward", "forward"), Token("to", "forward_to"), *gerund_phrase(writer, speaker)]
    elif style == "would_like":
        group = verb_group("like", Tense("would"), speaker)
        rest = to_infinitive(writer, speaker)
    elif style == "used_to":
        group = verb_group("use", Tense("past"), speaker)
        rest = to_infinitive(writer, speaker)
    elif style == "spend":
        group = verb_group("spend", Tense(draws.one_of(("past", "present"))), speaker)
        rest = [Token("a"), Token("lot"), Token("of"), Token("time", "light_object", "time"), *gerund_phrase(writer, speaker)]
    else:
        group = verb_group("have", Tense("present"), speaker)
        rest = to_infinitive(writer, speaker)
    group.finite.role = "used" if style == "used_to" else group.finite.role
    tokens = assemble(
        speaker, group, negated=False, contracted=False, adverb=[], short_forms=draws.chance(writer.register.contractions * 0.5)
    )
    return [*joined(_linking(writer), [*tokens, *rest]), *ending()]


def _definition(writer: Writer) -> list[Token]:
    """*Oslo is a large city in Norway*, *A poet is a person who ...*, *X , a chemist , ...*."""
    draws = writer.draws
    style = draws.uniform()
    past = draws.chance(0.5)
    if style < 0.45:
        name = person_name(writer)
        adjective = writer.words.name(draws, "nationality")
        noun = writer.words.noun(draws, ("person",))
        role = [
            Token("a", "indefinite"),
            Token(adjective, "name", adjective),
            Token(noun.lemma, "noun", noun.lemma, NounForm("person", False, "count", True)),
        ]
        if draws.chance(0.5):
            body = clause(writer, "past" if past else "present", name, adverbials=True, cue=True, negatable=False)
            after = body.tokens[len(name.tokens) :]
            return [*name.tokens, Token(",", "apposition_comma"), *role, Token(",", "apposition_comma"), *after, *ending()]
        be = verb_group("be", Tense("past" if past else "present"), name).finite
        relative = NounPhrase(role, 3, False, "person", name.pronoun)
        add_relative_clause(writer, relative)
        return [*name.tokens, be, *relative.tokens, *ending()]
    kind = "outdoor" if style < 0.75 else "artwork"
    subject = place_name(writer) if kind == "outdoor" else noun_phrase(writer, ("artwork",), subject=True)
    noun = writer.words.noun(draws, ("outdoor",)) if kind == "outdoor" else writer.words.noun(draws, ("artwork",))
    if kind == "outdoor":
        noun_lemma = draws.one_of(("city", "place", "capital"))
    else:
        noun_lemma = noun.lemma
    adjective = writer.words.adjective(draws, kind)
    be = verb_group("be", Tense("past" if past and kind != "outdoor" else "present"), subject).finite
    if subject.plural:
        phrase = [
            Token(adjective, "adjective", adjective, opens="plural"),
            Token(inflect(noun_lemma, "NNS"), "noun", noun_lemma, NounForm(kind, True, "count", True)),
        ]
    else:
        phrase = [
            Token("a", "indefinite"),
            Token(adjective, "adjective", adjective),
            Token(noun_lemma, "noun", noun_lemma, NounForm(kind, False, "count", True)),
        ]
    whole = NounPhrase(phrase, 3, subject.plural, kind, "it")
    add_relative_clause(writer, whole)
    return [*subject.tokens, be, *whole.tokens, *ending()]


_PATTERNS: dict[str, Callable[[Writer], list[Token]]] = {
    "simple": _simple,
    "coordinate": _coordinate,
    "adverbial_clause": _adverbial_clause,
    "report": _report,
    "question": _question,
    "existential": _existential,
    "dummy_it": _dummy_it,
    "comparative": _comparative,
    "passive": _passive,
    "conditional": _conditional,
    "embedded_question": _embedded_question,
    "imperative": _imperative,
    "gerund_subject": _gerund_subject,
    "light": _light,
    "definition": _definition,
    "quotation": _quotation,
}

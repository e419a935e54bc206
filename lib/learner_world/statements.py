"""Sentence patterns with a form of their own: *there is*, *it is*, comparison, definitions, habits and wishes."""

from __future__ import annotations

from learner_world.adverbials import with_time
from learner_world.clauses import add_relative_clause, clause, comma, ending, joined, linking
from learner_world.inflection import grades_with_ending, inflect
from learner_world.noun_phrases import (
    PRONOUNS,
    Writer,
    fits_gender,
    noun_phrase,
    person_name,
    personal,
    place_name,
    place_phrase,
    pronoun,
)
from learner_world.predicates import describing, gerund_phrase, to_infinitive
from learner_world.sampling import Choice
from learner_world.tokens import NounForm, NounPhrase, Token
from learner_world.verb_groups import Tense, assemble, finite_be, verb_group


def existential(writer: Writer) -> list[Token]:
    """*There are three books on the table*: the verb agrees with what follows."""
    draws = writer.draws
    kinds = ("person", "object", "building", "animal", "plant", "food", "document")
    noun = writer.words.noun(draws, kinds)
    while noun.countability != "count":
        noun = writer.words.noun(draws, kinds)
    plural = draws.chance(0.62)
    determiner = (
        draws.one_of(("many", "some", "two", "three", "several", "a lot of", "a few", "four"))
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
    _, time, may_open = with_time(writer, "past", 0.4) if past else (Tense("present"), [], False)
    place = place_phrase(writer)
    if draws.chance(writer.register.postmodifiers):
        add_relative_clause(writer, phrase, past)
        return [*joined(time if may_open else [], [Token("there", "there"), be, *phrase.tokens]), *ending()]
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
    degree = (
        [Token(draws.one_of(("very", "really", "so", "quite", "too")), "degree")]
        if draws.chance(0.3) and adjective not in _ABSOLUTE
        else []
    )
    actor = personal(writer)
    actor_tokens = (
        [Token("for", "for_actor"), Token(PRONOUNS[actor.pronoun][0], "object_pronoun", actor.pronoun)]
        if draws.chance(0.4)
        else []
    )
    if not actor_tokens:
        actor = pronoun("they") if writer.register.persons[0] < 5 else pronoun(draws.one_of(("we", "you", "I")))
    tokens = [*it.tokens, be, *degree, Token(adjective, "predicative", adjective), *actor_tokens, *to_infinitive(writer, actor)]
    return [*joined(linking(writer), tokens), *ending()]


def _weather(writer: Writer, it: NounPhrase, be: Token, past: bool) -> list[Token]:
    draws = writer.draws
    weather = draws.one_of(("sunny", "rainy", "cold", "windy", "cloudy", "hot", "foggy", "snowy", "warm"))
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
    return [*joined(linking(writer), [*subject.tokens, be, *compared]), *ending()]


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
        rest = [Token(adjective, "predicative", adjective), Token("for", "for_actor"), *people.tokens]
    else:
        rest = [
            Token("a", "indefinite"),
            *describing(writer, "idea")[-1:],
            Token("experience", "noun", "experience", NounForm("idea", False, "count", True)),
        ]
    return [*phrase, be, *rest, *ending()]


def habit(writer: Writer) -> list[Token]:
    """Habits and wishes of learners' letters: *I am looking forward to ...*, *I would like to ...*, *I used to ...*."""
    draws = writer.draws
    speaker = personal(writer)
    style = draws.one_of(("forward", "would_like", "used_to", "spend", "have_to"))
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
    head = Token(noun.lemma, "noun", noun.lemma, NounForm("person", False, "count", True))
    role = [Token("a", "indefinite"), Token(nationality, "name", nationality), head]
    if draws.chance(0.5):
        body = clause(writer, tense, name, adverbials=False, negatable=False).tokens[len(name.tokens) :]
        return [*name.tokens, Token(",", "apposition_comma"), *role, Token(",", "apposition_comma"), *body, *ending()]
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
    described = Token(adjective, "adjective", adjective)
    head = Token(inflect(what, "NNS") if subject.plural else what, "noun", what, NounForm(kind, subject.plural, "count", True))
    if subject.plural:
        described.opens = "plural"
    phrase = NounPhrase(
        [described, head] if subject.plural else [Token("a", "indefinite"), described, head], 3, subject.plural, kind, "it"
    )
    if kind == "artwork" and draws.chance(0.6):
        add_relative_clause(writer, phrase, past)
    be = verb_group("be", Tense("past" if past else "present"), subject).finite
    return [*subject.tokens, be, *phrase.tokens, *ending()]

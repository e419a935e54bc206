"""Clauses: verb groups, predicates, adverbials of time, and their order in statements, relative clauses and passives."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from learner_world.draws import Choice
from learner_world.noun_phrases import (
    PRONOUNS,
    Writer,
    count_noun,
    fits_gender,
    noun_phrase,
    object_pronoun,
    person_name,
    personal,
    place_phrase,
)
from learner_world.tokens import NounPhrase, Token, VerbForm, plain
from learner_world.words import Frame, adjectives, comparable_adjectives, inflect, word_set

# Verb groups: tense, agreement, auxiliaries, negation, contraction and the place of adverbs

MODALS = ("can", "could", "should", "must", "may", "might", "would", "will")

_CONTRACTED_BEFORE_NOT = {"can": "ca", "will": "wo"}
_NEVER_CONTRACTED = frozenset({"may", "might", "must", "am"})
_CONTRACTED_AFTER_PRONOUN = {
    "am": "'m", "is": "'s", "are": "'re", "have": "'ve", "has": "'s", "had": "'d", "will": "'ll", "would": "'d",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tense:
    """A tense and whether the sentence shows it.

    Attributes:
        name: ``present``, ``past``, ``future``, ``perfect``, ``past_perfect``, ``progressive``, ``past_progressive``, ``going``,
            or a modal verb.
        cue: whether the sentence shows that it is the right one.
    """

    name: str
    cue: bool = False


def agreement_tag(subject: NounPhrase) -> str:
    """VBZ or VBP, by the subject, in the present."""
    return "VBZ" if subject.person == 3 and not subject.plural else "VBP"


def finite_be(subject: NounPhrase, past: bool) -> str:
    """The form of *be* that agrees with the subject."""
    singular = not subject.plural
    if past:
        return "was" if singular and subject.person != 2 else "were"
    if subject.pronoun == "I":
        return "am"
    return "is" if singular and subject.person == 3 else "are"


@dataclass(slots=True)
class VerbGroup:
    """The finite verb and the words after it, apart, so that a question can put the subject between them."""

    finite: Token
    rest: list[Token]


def verb_group(
    lemma: str,
    tense: Tense,
    subject: NounPhrase,
    *,
    passive: bool = False,
    support: bool = False,
    takes_object: bool = False,
) -> VerbGroup:
    """The verb group of a clause.

    Args:
        lemma: the main verb.
        tense: its tense.
        subject: it agrees with this phrase.
        passive: put it in the passive.
        support: it is negated or a question, so a lone main verb needs *do*.
        takes_object: whether a plain object follows it.
    """
    chain = [(lemma, "")]
    if passive:
        chain = [("be", ""), (lemma, "passive_participle")]
    match tense.name:
        case "perfect" | "past_perfect":
            chain = [("have", ""), (chain[0][0], "participle"), *chain[1:]]
        case "progressive" | "past_progressive":
            chain = [("be", ""), (chain[0][0], "progressive"), *chain[1:]]
        case "going":
            chain = [("be", ""), ("go", "going"), ("to", "to"), (chain[0][0], "bare"), *chain[1:]]
        case "present" | "past":
            if support and chain[0][0] != "be":
                chain = [("do", ""), (chain[0][0], "bare")]
        case _:
            chain = [
                ("will" if tense.name == "future" else tense.name, ""),
                (chain[0][0], "bare"),
                *chain[1:],
            ]
    finite = _finite(chain[0][0], tense, subject, takes_object and len(chain) == 1)
    return VerbGroup(finite, [_nonfinite(word, role, takes_object) for word, role in chain[1:]])


def _finite(lemma: str, tense: Tense, subject: NounPhrase, takes_object: bool) -> Token:
    past = tense.name.startswith("past")
    agreement = agreement_tag(subject)
    tag = "VBD" if past else agreement
    if lemma in MODALS:
        return Token(lemma, "modal", lemma, VerbForm("MD", tense.cue, agreement=agreement))
    if lemma == "be":
        return Token(
            finite_be(subject, past), "be", "be", VerbForm(tag, tense.cue, agreement=agreement)
        )
    perfect = tense.name in ("perfect", "past_perfect")
    role = (
        "have"
        if lemma == "have" and perfect
        else "do"
        if lemma == "do" and not takes_object
        else "finite"
    )
    return Token(
        inflect(lemma, tag), role, lemma, VerbForm(tag, tense.cue, takes_object, agreement)
    )


_TAG_OF_ROLE = {
    "participle": "VBN",
    "passive_participle": "VBN",
    "progressive": "VBG",
    "going": "VBG",
    "bare": "VB",
    "to": "TO",
}


def _nonfinite(lemma: str, role: str, takes_object: bool) -> Token:
    tag = _TAG_OF_ROLE[role]
    text = lemma if tag in ("VB", "TO") else inflect(lemma, tag)
    return Token(
        text, role, lemma, VerbForm(tag, False, takes_object and role != "passive_participle")
    )


def assemble(
    subject: NounPhrase,
    group: VerbGroup,
    *,
    negated: bool,
    contracted: bool,
    adverb: list[Token],
    short_forms: bool,
) -> list[Token]:
    """Subject, verb group, negation and mid-position adverb in a statement's order.

    Args:
        subject: the subject.
        group: its verb group (made with ``support`` when negated).
        negated: insert *not* or *n't*.
        contracted: use *n't* where English allows it.
        adverb: an adverb for the middle of the clause: before a lone main verb, after *be* or the first auxiliary.
        short_forms: let *be*, *have* and *will* lean on a pronoun (*I 'm*).
    """
    finite, rest = group.finite, group.rest
    negation: list[Token] = []
    if negated:
        negation = [negate(finite, contracted)]
    elif (
        short_forms
        and subject.tokens[-1].role == "subject_pronoun"
        and finite.role in ("be", "have", "modal")
    ):
        _shorten(subject, finite, bool(rest))
    if finite.role == "finite":
        return [*subject.tokens, *adverb, finite, *rest]
    return [*subject.tokens, finite, *negation, *adverb, *rest]


def negate(finite: Token, contracted: bool) -> Token:
    """The negation that follows a finite verb; contracting may change the verb itself (*will* to *wo n't*)."""
    if contracted and finite.text not in _NEVER_CONTRACTED:
        finite.text = _CONTRACTED_BEFORE_NOT.get(finite.text, finite.text)
        return Token("n't", "not")
    return Token("not", "not")


def _shorten(subject: NounPhrase, finite: Token, followed: bool) -> None:
    short = _CONTRACTED_AFTER_PRONOUN.get(finite.text)
    ambiguous = short == "'d" or (short == "'s" and finite.text == "has" and not followed)
    if short and not ambiguous:
        finite.lemma, finite.text, finite.role = finite.text, short, "short_form"


# Predicates: a verb (or *be* with an adjective or noun) together with everything that it governs

PEOPLE = ("person", "relative")

_PATTERNS = {
    # pattern: weight; those from "copula" on have no verbs of their own
    "transitive": 40, "intransitive": 7, "motion": 8, "verb": 11, "adjective": 6, "infinitive": 8, "gerund": 4,
    "person_infinitive": 4, "ditransitive": 4, "no_preposition": 6,
    "copula": 10, "copula_noun": 4, "phrasal": 5, "light": 6, "phrasal_bare": 3,
}  # fmt: skip

_DESCRIBED = ("person", "relative", "object", "building", "outdoor", "idea", "event", "contest", "document", "artwork",
              "food", "animal", "vehicle", "device", "clothing", "process", "organization")  # fmt: skip
_WITHOUT_VERBS = {  # frames of patterns that choose their verb themselves
    "copula": Frame("copula", _DESCRIBED),
    **{
        pattern: Frame(pattern, PEOPLE)
        for pattern in ("copula_noun", "phrasal", "light", "phrasal_bare")
    },
}

_BEFORE_NOUNS_ONLY = frozenset(word_set("before_nouns_only"))
_STATIVE = frozenset(word_set("stative_verbs"))


@dataclass(slots=True)
class Predicate:
    """A predicate.

    Attributes:
        lemma: the main verb.
        complement: the tokens that follow the verb group.
        takes_object: whether a plain object comes first in the complement.
        object: that object, when a relative clause may be added to it.
    """

    lemma: str
    complement: list[Token]
    takes_object: bool = False
    object: NounPhrase | None = None

    @property
    def stative(self) -> bool:
        """Whether the verb avoids the progressive."""
        return self.lemma == "be" or self.lemma in _STATIVE


_NOT_EMBEDDED = frozenset(("adjective", "copula_noun", "infinitive", "gerund", "person_infinitive"))


@functools.cache
def _pattern_choice(register: str, embedded: bool) -> Choice[str]:
    weights = {
        pattern: weight
        for pattern, weight in _PATTERNS.items()
        if not (embedded and pattern in _NOT_EMBEDDED)
    }
    if register in ("encyclopedic", "newswire"):
        for pattern in {
            "phrasal_bare",
            "light",
            "gerund",
            "ditransitive",
            "copula_noun",
            "no_preposition",
        } & set(weights):
            weights[pattern] //= 2
    return Choice(list(weights), list(weights.values()))


def plan(writer: Writer, subject_kind: str = "", embedded: bool = False) -> Frame:
    """Choose the kind of predicate, and its possible subjects.

    Args:
        writer: register and draws.
        subject_kind: meaning class of the subject, when it is already there.
        embedded: the predicate is inside another (*to ...*, a relative clause) and stays simple: an action.
    """
    draws = writer.draws
    for _ in range(8):
        pattern = draws.pick(_pattern_choice(writer.register.name, embedded))
        found = (
            _WITHOUT_VERBS[pattern]
            if pattern in _WITHOUT_VERBS
            else writer.words.frame(draws, pattern)
        )
        if not subject_kind or subject_kind in found.subjects:
            return found
    return Frame("copula", (subject_kind,))


def predicate(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    """Fill a frame for a subject, whose possessives the complement may use."""
    return _BUILDERS[frame.pattern](writer, frame, subject)


def embedded_predicate(writer: Writer, subject: NounPhrase, kind: str) -> Predicate:
    """A predicate for a thing of a kind, inside another predicate or a relative clause."""
    frame = plan(writer, kind, embedded=True)
    if frame.pattern == "copula" and subject.kind in PEOPLE:
        attitude = writer.draws.one_of(word_set("attitudes"))
        return Predicate("be", [Token(attitude, "predicative", attitude)])
    return predicate(writer, frame, subject)


def action(writer: Writer, subject: NounPhrase) -> Predicate:
    """Something that a person does, for infinitives, gerunds and requests."""
    return embedded_predicate(writer, subject, "person")


def _object(writer: Writer, frame: Frame, verb: str, subject: NounPhrase) -> NounPhrase:
    people = "person" in frame.objects
    if people and writer.draws.chance(writer.register.pronouns * 0.5):
        return object_pronoun(writer, subject)
    phrase = noun_phrase(writer, frame.objects, company=verb, owner=subject)
    if writer.draws.chance(writer.register.growth * 0.3):
        _list_further(writer, phrase, frame, verb, subject)
    return phrase


def _list_further(
    writer: Writer, phrase: NounPhrase, frame: Frame, verb: str, subject: NounPhrase
) -> None:
    """Make an object a list: *the tickets and our passports*, *some bread , an apple and a glass of milk*."""

    named = {token.lemma for token in phrase.tokens if token.role == "noun"}
    for _ in range(1 + writer.draws.chance(0.35)):
        further = noun_phrase(
            writer, frame.objects, company=verb, owner=subject, simple=True
        ).tokens
        nouns = {token.lemma for token in further if token.role == "noun"}
        if not nouns & named:
            for token in phrase.tokens:  # the last member alone has "and" before it
                if token.role == "and":
                    token.text, token.role = ",", "list_comma"
            phrase.tokens += [Token("and", "and"), *further]
            named |= nouns


def _transitive(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    verb = writer.words.word_of(writer.draws, frame)
    object_ = _object(writer, frame, verb, subject)
    return Predicate(verb, object_.tokens, takes_object=True, object=object_)


def _intransitive(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    draws = writer.draws
    verb = writer.words.word_of(draws, frame)
    complement: list[Token] = []
    if frame.subjects[0] in ("person", "animal", "vehicle") and draws.chance(0.6):
        complement = manner(writer, verb) if draws.chance(0.6) else place_phrase(writer)
    return Predicate(verb, complement)


def _motion(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    verb = writer.words.word_of(writer.draws, frame)
    if writer.draws.chance(0.12) and verb in ("go", "come", "return", "walk", "drive"):
        return Predicate(verb, [Token("home", "home")])
    return Predicate(verb, place_phrase(writer, motion=True))


def _governed_verb(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    verb, preposition = writer.words.word_of(writer.draws, frame).split()
    object_ = _object(writer, frame, verb, subject)
    return Predicate(verb, [Token(preposition, "governed", verb), *object_.tokens], object=object_)


def _governed_adjective(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    draws = writer.draws
    adjective, preposition = writer.words.word_of(draws, frame).split()
    object_ = noun_phrase(writer, frame.objects, company=adjective, owner=subject)
    before_gerund = (
        "interested",
        "good",
        "bad",
        "keen",
        "tired",
        "fond",
        "afraid",
        "proud",
        "capable",
    )
    tokens = object_.tokens
    if adjective in before_gerund and draws.chance(0.4):
        tokens = gerund_phrase(writer, subject)
    degree = (
        [Token(draws.one_of(("very", "really", "quite")), "degree")] if draws.chance(0.2) else []
    )
    if adjective in (
        "married",
        "identical",
        "equivalent",
        "essential",
        "perfect",
        "related",
        "based",
    ):
        degree = []
    described = [*degree, Token(adjective, "predicative", adjective)]
    return Predicate("be", [*described, Token(preposition, "governed", adjective), *tokens])


def to_infinitive(writer: Writer, subject: NounPhrase) -> list[Token]:
    """*to* and a bare predicate."""
    inner = action(writer, subject)
    return [Token("to", "to", inner.lemma), Token(inner.lemma, "to_bare", inner.lemma, VerbForm("VB", False, inner.takes_object)),
            *inner.complement]  # fmt: skip


def gerund_phrase(writer: Writer, subject: NounPhrase) -> list[Token]:
    """An *-ing* phrase."""
    inner = action(writer, subject)
    gerund = Token(
        inflect(inner.lemma, "VBG"),
        "gerund",
        inner.lemma,
        VerbForm("VBG", False, inner.takes_object),
    )
    return [gerund, *inner.complement]


def _infinitive(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    return Predicate(writer.words.word_of(writer.draws, frame), to_infinitive(writer, subject))


def _gerund(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    verb = writer.words.word_of(writer.draws, frame)
    if verb in (
        "begin",
        "start",
        "keep",
        "stop",
    ):  # "started being tired", "is starting starting": keep these to actions
        activity = noun_phrase(writer, ("activity",), company=verb)
        return Predicate("enjoy" if verb == "keep" else verb, activity.tokens)
    return Predicate(verb, gerund_phrase(writer, subject))


def _person_infinitive(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    draws = writer.draws
    verb = writer.words.word_of(draws, frame)
    by_pronoun = draws.chance(writer.register.pronouns)
    person = (
        object_pronoun(writer, subject)
        if by_pronoun
        else noun_phrase(writer, PEOPLE, company=verb, owner=subject)
    )
    return Predicate(verb, [*person.tokens, *to_infinitive(writer, person)], takes_object=True)


def _ditransitive(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    draws = writer.draws
    verb = writer.words.word_of(draws, frame)
    thing = noun_phrase(writer, frame.objects, company=verb, owner=subject)
    by_pronoun = draws.chance(writer.register.pronouns)
    person = (
        object_pronoun(writer, subject)
        if by_pronoun
        else noun_phrase(writer, PEOPLE, owner=subject, simple=True)
    )
    if draws.chance(0.6) and verb != "pass":
        return Predicate(verb, [*person.tokens, *thing.tokens], takes_object=True)
    return Predicate(
        verb, [*thing.tokens, Token("to", "recipient", verb), *person.tokens], takes_object=True
    )


def _no_preposition(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    verb = writer.words.word_of(writer.draws, frame).split()[0]
    object_ = _object(writer, frame, verb, subject)
    return Predicate(verb, object_.tokens, takes_object=True, object=object_)


def describing(writer: Writer, kind: str) -> list[Token]:
    """An adjective after *be*, sometimes with a degree or as a pair of feeling and cause (*bored*, *boring*)."""
    draws = writer.draws
    if draws.chance(0.22) and kind in (
        "person",
        "relative",
        "idea",
        "event",
        "contest",
        "document",
        "artwork",
    ):
        cause, feeling = draws.one_of(adjectives()["feeling"])
        person = kind in PEOPLE
        tokens = [Token(feeling if person else cause, "feeling" if person else "cause", feeling)]
    else:
        common = kind in ("outdoor", "building") or draws.chance(0.55)
        adjective = (
            writer.words.comparable(draws, kind) if common else writer.words.adjective(draws, kind)
        )
        if adjective in _BEFORE_NOUNS_ONLY:
            adjective = writer.words.comparable(draws, kind)
        tokens = [Token(adjective, "predicative", adjective)]
    if draws.chance(0.3) and (
        tokens[0].role != "predicative" or tokens[0].text in comparable_adjectives()
    ):
        tokens.insert(
            0, Token(draws.one_of(("very", "really", "so", "too", "quite", "rather")), "degree")
        )
    return tokens


def _copula(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    draws = writer.draws
    verb = "be"
    if subject.kind in PEOPLE and draws.chance(0.25):
        verb = draws.one_of(("feel", "look", "seem", "become"))
    return Predicate(verb, describing(writer, subject.kind))


def _copula_noun(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    """*is a teacher*, *are teachers*: the complement agrees in number with the subject."""
    draws = writer.draws
    noun = writer.words.noun(draws, ("person",))
    while subject.pronoun in ("he", "she") and not fits_gender(noun.lemma, subject.pronoun):
        noun = writer.words.noun(draws, ("person",))
    described = draws.chance(writer.register.adjectives + 0.1)
    adjective = [writer.words.adjective(draws, "person")] if described else []
    plural = subject.plural and subject.pronoun != "you"
    tokens = [
        *(Token(word, "adjective", word) for word in adjective),
        count_noun(noun.lemma, "person", plural),
    ]
    if not plural:
        return Predicate("be", [Token("a", "indefinite"), *tokens])
    tokens[0].opens = "plural"
    return Predicate("be", tokens)


def _phrasal(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    chosen = writer.words.phrasal_verb(writer.draws, with_object=True)
    object_ = noun_phrase(writer, chosen.objects, company=chosen.verb, owner=subject)
    return Predicate(
        chosen.verb, [Token(chosen.particle, "particle", chosen.verb), *object_.tokens]
    )


def _phrasal_bare(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    chosen = writer.words.phrasal_verb(writer.draws, with_object=False)
    return Predicate(chosen.verb, [Token(chosen.particle, "particle", chosen.verb)])


def _light(writer: Writer, frame: Frame, subject: NounPhrase) -> Predicate:
    chosen = writer.words.light_verb(writer.draws)
    tokens = []
    for word in chosen.phrase.split():
        if word in ("a", "an"):
            tokens.append(Token(word, "indefinite"))
        elif word == "the":
            tokens.append(Token(word, "the"))
        elif word == "my":
            tokens.append(Token(PRONOUNS[subject.pronoun][1], "possessive", subject.pronoun))
        else:
            tokens.append(Token(word, "light_object", word))
    if tokens[0].role == "light_object":
        tokens[0].opens = "name" if tokens[0].text[0].isupper() else "mass"
    return Predicate(chosen.verb, tokens)


def manner(writer: Writer, verb: str) -> list[Token]:
    """An adverb of manner: a typical one of the verb (*work hard*), a common one, or seldom a rare one."""
    draws = writer.draws
    special = [adverb for adverb, verbs in _LIKED_ADVERBS.items() if verb in verbs]
    if special and draws.chance(0.5):
        adverb = draws.one_of(special)
    else:
        adverb = writer.words.adverb(
            draws,
            "rare manner" if draws.chance(writer.register.rare_adjectives * 0.4) else "manner",
        )
    return [Token(adverb, "manner", adverb)]


_LIKED_ADVERBS = {
    "hard": word_set("hard_actions"),
    "fast": word_set("fast_actions"),
    "well": word_set("well_actions"),
}


_BUILDERS: dict[str, Callable[[Writer, Frame, NounPhrase], Predicate]] = {
    "transitive": _transitive, "intransitive": _intransitive, "motion": _motion, "verb": _governed_verb,
    "adjective": _governed_adjective, "infinitive": _infinitive, "gerund": _gerund, "person_infinitive": _person_infinitive,
    "ditransitive": _ditransitive, "no_preposition": _no_preposition, "copula": _copula, "copula_noun": _copula_noun,
    "phrasal": _phrasal, "phrasal_bare": _phrasal_bare, "light": _light,
}  # fmt: skip


# Adverbials of time that fit a tense and show it, and tenses that fit a register

_UNITS = ("day", "week", "month", "year")
_COUNTS = ("two", "three", "four", "five", "six", "ten", "several", "many")

_PAST = Choice(
    ("last", "ago", "year", "yesterday", "weekday", "month", "childhood"),
    (26, 22, 18, 16, 10, 6, 2),
)
_PRESENT = Choice(("every", "weekdays", "time_of_day", "once"), (45, 20, 22, 13))
_FUTURE = Choice(("next", "tomorrow", "soon", "in", "weekday"), (34, 26, 14, 14, 12))
_PERFECT = Choice(("for", "since", "recently", "already"), (45, 40, 10, 5))

_PERIODS = Choice(
    ("week", "month", "year", "night", "summer", "weekend", "spring", "winter"),
    (24, 18, 20, 12, 10, 10, 3, 3),
)

CURRENT_TENSES = Choice(
    (
        "present",
        "perfect",
        "progressive",
        "future",
        "can",
        "should",
        "going",
        "must",
        "may",
        "could",
        "might",
    ),
    (58, 9, 7, 8, 7, 4, 3, 2, 1, 1, 1),
)
PAST_TENSES = Choice(("past", "past_progressive", "past_perfect", "could"), (88, 5, 4, 3))

_STARTS_SENTENCE = frozenset(
    {"last", "ago", "year", "yesterday", "every", "next", "tomorrow", "month", "weekday"}
)


def tense_of(writer: Writer) -> str:
    """A tense, drawn with the register's weights."""
    past = writer.draws.chance(writer.register.past)
    return writer.draws.pick(PAST_TENSES if past else CURRENT_TENSES)


def time_adverbial(writer: Writer, tense: str) -> tuple[list[Token], bool]:
    """An adverbial of time for a tense, and whether it may open the sentence; empty when the tense takes none."""
    choice = {
        "past": _PAST,
        "present": _PRESENT,
        "future": _FUTURE,
        "going": _FUTURE,
        "perfect": _PERFECT,
    }.get(tense)
    if choice is None:
        if tense == "progressive":
            return plain(
                writer.draws.one_of(("now", "at the moment", "right now", "today", "these days"))
            ), False
        if tense == "past_progressive":
            return plain(writer.draws.one_of(("at that time", "at that moment", "then"))), False
        return [], False
    kind = writer.draws.pick(choice)
    return _written(writer, kind, tense), kind in _STARTS_SENTENCE


def with_time(writer: Writer, name: str, probability: float) -> tuple[Tense, list[Token], bool]:
    """A tense together with, at some probability, an adverbial that shows it."""
    if writer.draws.chance(probability):
        tokens, may_open = time_adverbial(writer, name)
        if tokens:
            return Tense(name, cue=True), tokens, may_open
    return Tense(name), [], False


def _written(writer: Writer, kind: str, tense: str) -> list[Token]:
    draws, words = writer.draws, writer.words
    match kind:
        case "last" | "next" | "every":
            period = draws.pick(_PERIODS)
            if kind == "every" and draws.chance(0.5):
                period = draws.one_of(("day", "morning", "evening"))
            if kind == "next" and period == "night":
                period = "week"
            return [Token(kind, "period_word"), Token(period, "period")]
        case "ago":
            return [*_duration(writer), Token("ago", "ago")]
        case "year":
            place = draws.uniform()
            year = (
                1500 + int(place**0.4 * 520)
                if writer.register.name == "encyclopedic"
                else 1950 + int(place * 72)
            )
            return [Token("in", "time_preposition", "year"), Token(str(year), "year")]
        case "month":
            return [
                Token("in", "time_preposition", "year"),
                Token(words.name(draws, "month"), "name"),
            ]
        case "weekday":
            return [
                Token("on", "time_preposition", "weekday"),
                Token(words.name(draws, "weekday"), "name"),
            ]
        case "weekdays":
            return [
                Token("on", "time_preposition", "weekday"),
                Token(f"{words.name(draws, 'weekday')}s", "name"),
            ]
        case "time_of_day":
            if draws.chance(0.3):
                return [Token("at", "time_preposition", "night"), Token("night")]
            part = draws.one_of(("morning", "afternoon", "evening"))
            return [Token("in", "time_preposition", "morning"), Token("the", "the"), Token(part)]
        case "once":
            unit = draws.one_of(_UNITS[:3])
            return [Token(draws.one_of(("once", "twice"))), Token("a", "indefinite"), Token(unit)]
        case "in":
            return [Token("in", "time_preposition", "future"), *_duration(writer)]
        case "for":
            return [Token("for", "time_preposition", "duration"), *_duration(writer)]
        case "since":
            return [Token("since", "time_preposition", "since"), *_starting_point(writer)]
        case "childhood":
            return (
                plain("when I was a child")
                if writer.register.persons[0] > 5
                else plain("at that time")
            )
        case _:
            return plain(kind)


def _starting_point(writer: Writer) -> list[Token]:
    draws = writer.draws
    if draws.chance(0.6):
        return [Token(str(1960 + int(draws.uniform() * 62)), "year")]
    if draws.chance(0.5):
        return [
            Token("last", "period_word"),
            Token(draws.one_of(("week", "month", "year", "summer")), "period"),
        ]
    return [Token(writer.words.name(draws, "month"), "name")]


def _duration(writer: Writer) -> list[Token]:
    unit = writer.draws.one_of(_UNITS)
    if writer.draws.chance(0.12):
        return [Token("a", "indefinite"), count_noun(unit, "time", False)]
    count = writer.draws.one_of(_COUNTS)
    role = "quantifier" if count in ("several", "many") else "number"
    return [Token(count, role, count), count_noun(unit, "time", True)]


# Clauses: subject, verb group, complement and adverbials in order, with relative clauses and passives

NEGATION = 0.11
"""Share of negated clauses."""

_PLAIN_TENSES = frozenset({"present", "past", "future", "perfect", "past_perfect"})
_FREQUENCY_TENSES = frozenset({"present", "past"})


@dataclass(slots=True)
class Clause:
    """A clause and the information that a sentence needs to extend it.

    Attributes:
        tokens: without final punctuation.
        subject: its subject.
        opening: an adverbial that stands before it with a comma; empty if none.
    """

    tokens: list[Token]
    subject: NounPhrase
    opening: list[Token]


def is_past(tense: str) -> bool:
    """Whether a clause in this tense is in the past, so that dependent clauses are too."""
    return tense.startswith("past") or tense in ("could", "would")


def subject_for(writer: Writer, chosen: Frame, past: bool) -> NounPhrase:
    """A subject that a frame allows: pronouns and names for people, or a noun phrase whose relative clause keeps to the tense."""
    draws = writer.draws
    if "person" in chosen.subjects and chosen.pattern != "copula":
        if draws.chance(writer.register.pronouns):
            return personal(writer)
        if draws.chance(0.3):
            return person_name(writer)
    elif "person" in chosen.subjects and draws.chance(writer.register.pronouns * 0.4):
        return personal(writer)
    kinds = chosen.subjects
    if (
        "relative" in kinds
        and writer.register.name in ("encyclopedic", "newswire")
        and draws.chance(0.8)
    ):
        kinds = ("person",)
    phrase = noun_phrase(writer, kinds, subject=True)
    if draws.chance(writer.register.postmodifiers * 0.8):
        add_relative_clause(writer, phrase, past)
    return phrase


def clause(
    writer: Writer,
    tense: str = "",
    subject: NounPhrase | None = None,
    *,
    adverbials: bool = True,
    cue: bool = False,
    negatable: bool = True,
    short_forms: bool = True,
) -> Clause:
    """A statement.

    Args:
        writer: register and draws.
        tense: its tense; by default drawn with the register's weights.
        subject: its subject; by default one that the predicate allows.
        adverbials: whether adverbials of time and place may come.
        cue: whether the rest of the sentence shows the tense.
        negatable: whether it may be negated.
        short_forms: whether its verb may lean on a pronoun (*I 'm*).
    """
    draws = writer.draws
    chosen = plan(writer, subject.kind if subject else "")
    name = tense or tense_of(writer)
    subject = subject or subject_for(writer, chosen, is_past(name))
    filled = predicate(writer, chosen, subject)
    name = _possible(name, filled)
    time_share = writer.register.adverbials + (0.25 if name in ("past", "perfect") else 0.0)
    when, time, may_open = with_time(writer, name, time_share if adverbials else 0.0)
    when = Tense(when.name, when.cue or cue)
    negated = negatable and draws.chance(NEGATION) and name not in ("going", "past_perfect")
    group = verb_group(
        filled.lemma, when, subject, support=negated, takes_object=filled.takes_object
    )
    core = assemble(
        subject,
        group,
        negated=negated,
        contracted=draws.chance(writer.register.contractions),
        adverb=_middle_adverb(writer, subject, filled, when, negated),
        short_forms=short_forms and draws.chance(writer.register.contractions * 0.6),
    )
    relative = False
    if (
        filled.object is not None
        and (may_open or not time)
        and draws.chance(writer.register.postmodifiers * 0.6)
    ):
        relative = True
        filled.complement = filled.complement[: len(filled.complement) - len(filled.object.tokens)]
        add_relative_clause(writer, filled.object, is_past(name))
        filled.complement += filled.object.tokens
    if negated:
        some_to_any(filled.complement)
    tokens = core + filled.complement
    if adverbials:
        tokens += _further(writer, filled, bool(time) or relative)
    if time and may_open and (relative or draws.chance(0.4)):
        return Clause(tokens, subject, time)
    return Clause(tokens + time, subject, [])


def some_to_any(complement: list[Token]) -> None:
    """Make a complement fit a negation: *I did n't see any birds*."""
    for token in complement:
        if token.role == "quantifier" and token.text == "some":
            token.text = token.lemma = "any"


def _possible(tense: str, filled: Predicate) -> str:
    """The tense, or the nearest one that the verb allows."""
    if filled.stative:
        return {"progressive": "present", "past_progressive": "past", "going": "future"}.get(
            tense, tense
        )
    return tense


_MIDDLE = Choice(
    ("also", "still", "probably", "finally", "suddenly", "really"), (30, 16, 14, 12, 6, 5)
)


def _middle_adverb(
    writer: Writer, subject: NounPhrase, filled: Predicate, tense: Tense, negated: bool
) -> list[Token]:
    draws = writer.draws
    if (
        negated
        or subject.tokens[-1].role == "manner"
        or not draws.chance(writer.register.adverbials * 0.45)
    ):
        return []
    if tense.name in _FREQUENCY_TENSES and not tense.cue and draws.chance(0.7):
        return [Token(writer.words.adverb(draws, "frequency"), "mid_adverb")]
    if tense.name in ("perfect", "past_perfect"):
        return (
            []
            if tense.cue
            else [Token(draws.one_of(("already", "just", "never", "always")), "mid_adverb")]
        )
    if tense.name in _PLAIN_TENSES and filled.lemma != "be":
        return [Token(draws.pick(_MIDDLE), "mid_adverb")]
    return []


def _further(writer: Writer, filled: Predicate, has_time: bool) -> list[Token]:
    """A manner adverb, a fixed phrase or a place after the complement."""
    draws = writer.draws
    share = writer.register.adverbials * (0.35 if has_time else 0.6)
    if filled.lemma == "be" or len(filled.complement) > 7 or not draws.chance(share):
        return []
    kind = draws.uniform()
    if not filled.complement or kind < 0.25:
        last = filled.complement[-1].role if filled.complement else ""
        return (
            []
            if last in ("manner", "place_preposition", "predicative", "feeling")
            else manner(writer, filled.lemma)
        )
    if any(
        token.role in ("place_preposition", "motion_preposition", "home", "manner")
        for token in filled.complement
    ):
        return []
    if kind < 0.4 and writer.register.domains["everyday"] == 1.0:
        return fixed_phrase(writer, "end")
    return place_phrase(writer)


def fixed_phrase(writer: Writer, place: str) -> list[Token]:
    """A set phrase for the ``start`` or the ``end`` of a clause; its first token remembers the whole."""
    phrase = writer.words.fixed_phrase(writer.draws, place).phrase
    return [
        Token(word, "fixed" if position == 0 else "fixed_rest", phrase)
        for position, word in enumerate(phrase.split())
    ]


def add_relative_clause(writer: Writer, phrase: NounPhrase, past: bool) -> None:
    """Append a restrictive relative clause, in the past or the present, to a noun phrase (not to a pronoun or a name)."""
    if phrase.tokens[-1].role != "noun" or any(token.role == "relative" for token in phrase.tokens):
        return
    draws = writer.draws
    person = phrase.kind in PEOPLE
    word = draws.one_of(("who", "who", "that") if person else ("that", "which"))
    relative = Token(word, "relative", "person" if person else "thing")
    tense = "past" if past else "present"
    if draws.chance(0.3) and not person and phrase.kind not in ("outdoor", "building"):
        phrase.tokens += _object_relative(writer, phrase, relative, tense)
        return
    if not person and draws.chance(0.5):
        filled = predicate(writer, _WITHOUT_VERBS["copula"], phrase)
    else:
        filled = embedded_predicate(writer, phrase, "person" if person else phrase.kind)
    group = verb_group(filled.lemma, Tense(tense), phrase, takes_object=filled.takes_object)
    phrase.tokens += [relative, group.finite, *group.rest, *filled.complement]


def _object_relative(
    writer: Writer, phrase: NounPhrase, relative: Token, tense: str
) -> list[Token]:
    """*that she bought*: a verb whose object the noun may be."""
    for _ in range(6):
        frame = writer.words.frame(writer.draws, "transitive")
        if phrase.kind in frame.objects and "person" in frame.subjects:
            by_pronoun = writer.draws.chance(0.6)
            subject = (
                personal(writer)
                if by_pronoun
                else noun_phrase(writer, ("person",), subject=True, simple=True)
            )
            verb = writer.words.word_of(writer.draws, frame)
            return [relative, *subject.tokens, verb_group(verb, Tense(tense), subject).finite]
    return []


def passive_clause(writer: Writer, tense: str = "") -> Clause:
    """*The bridge was built by the company in 1932*."""
    draws = writer.draws
    frame = writer.words.frame(draws, "transitive")
    while not {"person", "organization"} & set(frame.subjects) or {"body"} & set(frame.objects):
        frame = writer.words.frame(draws, "transitive")
    verb = writer.words.word_of(draws, frame)
    while verb in _NO_PASSIVE:
        frame = writer.words.frame(draws, "transitive")
        verb = writer.words.word_of(draws, frame)
    subject = noun_phrase(writer, frame.objects, company=verb, subject=True)
    name = tense or draws.pick(
        _PASSIVE_TENSES if draws.chance(writer.register.past) else _PASSIVE_CURRENT
    )
    when, time, may_open = with_time(writer, name, writer.register.adverbials + 0.15)
    negated = draws.chance(NEGATION * 0.6) and name != "going"
    group = verb_group(verb, when, subject, passive=True, support=negated)
    adverb = [
        Token(
            draws.one_of(("also", "often", "usually", "never", "later", "still", "finally")),
            "mid_adverb",
        )
    ]
    use_adverb = not negated and not time and draws.chance(0.12) and name in ("present", "past")
    tokens = assemble(
        subject, group, negated=negated, contracted=draws.chance(writer.register.contractions),
        adverb=adverb if use_adverb else [], short_forms=False,
    )  # fmt: skip
    if draws.chance(0.42):
        kinds = [kind for kind in frame.subjects if kind != "relative"]
        agent = noun_phrase(writer, kinds, company=verb, simple=draws.chance(0.5))
        tokens += [Token("by", "agent"), *agent.tokens]
    elif draws.chance(0.25):
        tokens += place_phrase(writer)
    if time and may_open and draws.chance(0.4):
        return Clause(tokens, subject, time)
    return Clause(tokens + time, subject, [])


_NO_PASSIVE = frozenset(
    "have like want resemble fit own need love get attend miss enter leave".split()
)
_PASSIVE_TENSES = Choice(("past", "past_perfect"), (95, 5))
_PASSIVE_CURRENT = Choice(
    ("present", "perfect", "future", "can", "should", "must", "may"), (55, 22, 8, 6, 4, 3, 2)
)


def inverted(
    writer: Writer, group: VerbGroup, subject: NounPhrase, rest: list[Token], opening: list[Token]
) -> list[Token]:
    """A question's order: question word, finite verb, subject, the rest."""
    if group.finite.role in ("do", "be", "have", "modal"):
        group.finite.role = f"question_{group.finite.role}"
    return [*opening, group.finite, *subject.tokens, *group.rest, *rest]


def linking(writer: Writer) -> list[Token]:
    """A sentence adverb or fixed phrase at the start, now and then."""
    draws = writer.draws
    if not draws.chance(0.12):
        return []
    if draws.chance(0.5):
        return fixed_phrase(writer, "start")
    return [Token(writer.words.adverb(draws, "sentence"), "sentence_adverb")]


def comma() -> Token:
    """A comma between parts of a sentence that learners tend to forget."""
    return Token(",", "clause_comma")


def joined(opening: list[Token], tokens: list[Token]) -> list[Token]:
    """An adverbial before a clause, with its comma."""
    return [*opening, comma(), *tokens] if opening else tokens


def ending(mark: str = ".") -> list[Token]:
    """The final mark."""
    return plain(mark, "final")

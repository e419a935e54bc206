"""Predicates: a verb (or *be* with an adjective or noun) together with everything that it governs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from learner_world.inflection import inflect
from learner_world.lexicon import Frame, adjectives, comparable_adjectives, word_set
from learner_world.noun_phrases import PRONOUNS, Writer, fits_gender, noun_phrase, object_pronoun, place_phrase
from learner_world.sampling import Choice
from learner_world.tokens import NounForm, NounPhrase, Token, VerbForm

PEOPLE = ("person", "relative")

_PATTERNS = {
    # pattern: weight; those below "copula" need no frame
    "transitive": 40, "intransitive": 7, "motion": 8, "verb": 11, "adjective": 6, "infinitive": 8, "gerund": 4,
    "person_infinitive": 4, "ditransitive": 4, "no_preposition": 6,
    "copula": 10, "copula_noun": 4, "phrasal": 5, "light": 6, "phrasal_bare": 3,
}  # fmt: skip

_SUBJECTS_WITHOUT_FRAME = {
    "copula": ("person", "relative", "object", "building", "outdoor", "idea", "event", "contest", "document", "artwork",
               "food", "animal", "vehicle", "device", "clothing", "process", "organization"),
    "copula_noun": PEOPLE, "phrasal": PEOPLE, "light": PEOPLE, "phrasal_bare": PEOPLE,
}  # fmt: skip

_BEFORE_NOUNS_ONLY = frozenset(word_set("before_nouns_only"))
_STATIVE = frozenset(word_set("stative_verbs"))


@dataclass(slots=True)
class Predicate:
    """What is said of a subject.

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


@dataclass(frozen=True, slots=True)
class Plan:
    """A pattern, the frame that fills it, the subjects that it allows, and whether it stands inside another predicate."""

    pattern: str
    frame: Frame | None
    subjects: tuple[str, ...]
    embedded: bool = False


_NOT_EMBEDDED = frozenset(("adjective", "copula_noun", "infinitive", "gerund", "person_infinitive"))


@functools.cache
def _pattern_choice(register: str, embedded: bool) -> Choice[str]:
    weights = {pattern: weight for pattern, weight in _PATTERNS.items() if not (embedded and pattern in _NOT_EMBEDDED)}
    if register in ("encyclopedic", "newswire"):
        for pattern in {"phrasal_bare", "light", "gerund", "ditransitive", "copula_noun", "no_preposition"} & set(weights):
            weights[pattern] //= 2
    return Choice(list(weights), list(weights.values()))


def plan(writer: Writer, subject_kind: str = "", embedded: bool = False) -> Plan:
    """Decide what kind of predicate comes.

    Args:
        writer: register and draws.
        subject_kind: meaning class of the subject, when it is already there.
        embedded: the predicate stands inside another (*to ...*, a relative clause) and stays simple: something one does.
    """
    draws = writer.draws
    for _ in range(8):
        pattern = draws.pick(_pattern_choice(writer.register.name, embedded))
        if pattern in _SUBJECTS_WITHOUT_FRAME:
            found = Plan(pattern, None, _SUBJECTS_WITHOUT_FRAME[pattern], embedded)
        else:
            frame = writer.words.frame(draws, pattern)
            found = Plan(pattern, frame, frame.subjects, embedded)
        if not subject_kind or subject_kind in found.subjects:
            return found
    return Plan("copula", None, (subject_kind,), embedded)


def predicate(writer: Writer, chosen: Plan, subject: NounPhrase) -> Predicate:
    """Fill a plan for a subject, whose possessives the complement may use."""
    return _BUILDERS[chosen.pattern](writer, chosen.frame, subject, chosen.embedded)


def action(writer: Writer, subject: NounPhrase) -> Predicate:
    """Something that a person does, for infinitives, gerunds and requests."""
    return predicate(writer, plan(writer, "person", embedded=True), subject)


def _object(writer: Writer, frame: Frame, verb: str, subject: NounPhrase) -> NounPhrase:
    people = "person" in frame.objects
    if people and writer.draws.chance(writer.register.pronouns * 0.5):
        return object_pronoun(writer, subject)
    return noun_phrase(writer, frame.objects, company=verb, owner=subject)


def _transitive(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    assert frame
    verb = writer.words.word_of(writer.draws, frame)
    object_ = _object(writer, frame, verb, subject)
    return Predicate(verb, object_.tokens, takes_object=True, object=object_)


def _intransitive(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    assert frame
    draws = writer.draws
    verb = writer.words.word_of(draws, frame)
    complement: list[Token] = []
    if frame.subjects[0] in ("person", "animal", "vehicle") and draws.chance(0.6):
        complement = manner(writer, verb) if draws.chance(0.6) else place_phrase(writer)
    return Predicate(verb, complement)


def _motion(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    assert frame
    verb = writer.words.word_of(writer.draws, frame)
    if writer.draws.chance(0.12) and verb in ("go", "come", "return", "walk", "drive"):
        return Predicate(verb, [Token("home", "home")])
    return Predicate(verb, place_phrase(writer, motion=True))


def _governed_verb(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    assert frame
    verb, preposition = writer.words.word_of(writer.draws, frame).split()
    object_ = _object(writer, frame, verb, subject)
    return Predicate(verb, [Token(preposition, "governed", verb), *object_.tokens], object=object_)


def _governed_adjective(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    assert frame
    draws = writer.draws
    adjective, preposition = writer.words.word_of(draws, frame).split()
    object_ = noun_phrase(writer, frame.objects, company=adjective, owner=subject)
    gerund = adjective in ("interested", "good", "bad", "keen", "tired", "fond", "afraid", "proud", "capable") and draws.chance(
        0.4
    )
    tokens = object_.tokens
    if gerund:
        inner = action(writer, subject)
        tokens = [_gerund_form(inner), *inner.complement]
    degree = [Token(draws.one_of(("very", "really", "quite")), "degree")] if draws.chance(0.2) else []
    if adjective in ("married", "identical", "equivalent", "essential", "perfect", "related", "based"):
        degree = []
    return Predicate(
        "be", [*degree, Token(adjective, "predicative", adjective), Token(preposition, "governed", adjective), *tokens]
    )


def _gerund_form(inner: Predicate) -> Token:
    return Token(inflect(inner.lemma, "VBG"), "gerund", inner.lemma, VerbForm("VBG", False, inner.takes_object))


def to_infinitive(writer: Writer, subject: NounPhrase) -> list[Token]:
    """*to* and a bare predicate."""
    inner = action(writer, subject)
    return [Token("to", "to", inner.lemma), Token(inner.lemma, "to_bare", inner.lemma, VerbForm("VB", False, inner.takes_object)),
            *inner.complement]  # fmt: skip


def gerund_phrase(writer: Writer, subject: NounPhrase) -> list[Token]:
    """An *-ing* phrase."""
    inner = action(writer, subject)
    return [_gerund_form(inner), *inner.complement]


def _infinitive(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    assert frame
    return Predicate(writer.words.word_of(writer.draws, frame), to_infinitive(writer, subject))


def _gerund(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    assert frame
    verb = writer.words.word_of(writer.draws, frame)
    if verb in ("begin", "start", "keep", "stop"):  # "started being tired", "is starting starting": keep these to actions
        activity = noun_phrase(writer, ("activity",), company=verb)
        return Predicate("enjoy" if verb == "keep" else verb, activity.tokens)
    return Predicate(verb, gerund_phrase(writer, subject))


def _person_infinitive(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    assert frame
    draws = writer.draws
    verb = writer.words.word_of(draws, frame)
    person = (
        object_pronoun(writer, subject)
        if draws.chance(writer.register.pronouns)
        else noun_phrase(writer, PEOPLE, company=verb, owner=subject)
    )
    return Predicate(verb, [*person.tokens, *to_infinitive(writer, person)], takes_object=True)


def _ditransitive(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    assert frame
    draws = writer.draws
    verb = writer.words.word_of(draws, frame)
    thing = noun_phrase(writer, frame.objects, company=verb, owner=subject)
    person = (
        object_pronoun(writer, subject)
        if draws.chance(writer.register.pronouns)
        else noun_phrase(writer, PEOPLE, owner=subject, simple=True)
    )
    if draws.chance(0.6) and verb != "pass":
        return Predicate(verb, [*person.tokens, *thing.tokens], takes_object=True)
    return Predicate(verb, [*thing.tokens, Token("to", "recipient", verb), *person.tokens], takes_object=True)


def _no_preposition(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    assert frame
    verb = writer.words.word_of(writer.draws, frame).split()[0]
    object_ = _object(writer, frame, verb, subject)
    return Predicate(verb, object_.tokens, takes_object=True, object=object_)


def describing(writer: Writer, kind: str) -> list[Token]:
    """An adjective after *be*, sometimes with a degree or as a pair of feeling and cause (*bored*, *boring*)."""
    draws = writer.draws
    if draws.chance(0.22) and kind in ("person", "relative", "idea", "event", "contest", "document", "artwork"):
        cause, feeling = draws.one_of(adjectives()["feeling"])
        person = kind in PEOPLE
        tokens = [Token(feeling if person else cause, "feeling" if person else "cause", feeling)]
    else:
        adjective = (
            writer.words.comparable(draws, kind)
            if kind in ("outdoor", "building") or draws.chance(0.55)
            else writer.words.adjective(draws, kind)
        )
        if adjective in _BEFORE_NOUNS_ONLY:
            adjective = writer.words.comparable(draws, kind)
        tokens = [Token(adjective, "predicative", adjective)]
    if draws.chance(0.3) and (tokens[0].role != "predicative" or tokens[0].text in comparable_adjectives()):
        tokens.insert(0, Token(draws.one_of(("very", "really", "so", "too", "quite", "rather")), "degree"))
    return tokens


def _copula(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    draws = writer.draws
    verb = "be"
    if embedded and subject.kind in PEOPLE:
        attitude = draws.one_of(word_set("attitudes"))
        return Predicate(verb, [Token(attitude, "predicative", attitude)])
    if subject.kind in PEOPLE and draws.chance(0.25):
        verb = draws.one_of(("feel", "look", "seem", "become"))
    return Predicate(verb, describing(writer, subject.kind))


def _copula_noun(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    """*is a teacher*, *are teachers*: the complement agrees in number with the subject."""
    draws = writer.draws
    noun = writer.words.noun(draws, ("person",))
    while subject.pronoun in ("he", "she") and not fits_gender(noun.lemma, subject.pronoun):
        noun = writer.words.noun(draws, ("person",))
    adjective = writer.words.adjective(draws, "person") if draws.chance(writer.register.adjectives + 0.1) else ""
    plural = subject.plural if subject.pronoun != "you" else False
    opening = [] if plural else [Token("a", "indefinite")]
    head = Token(
        inflect(noun.lemma, "NNS") if plural else noun.lemma, "noun", noun.lemma, NounForm("person", plural, "count", True)
    )
    tokens = [*opening, *([Token(adjective, "adjective", adjective)] if adjective else []), head]
    if plural:
        tokens[0].opens = "plural"
    return Predicate("be", tokens)


def _phrasal(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    chosen = writer.words.phrasal_verb(writer.draws, with_object=True)
    object_ = noun_phrase(writer, chosen.objects, company=chosen.verb, owner=subject)
    return Predicate(chosen.verb, [Token(chosen.particle, "particle", chosen.verb), *object_.tokens])


def _phrasal_bare(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
    chosen = writer.words.phrasal_verb(writer.draws, with_object=False)
    return Predicate(chosen.verb, [Token(chosen.particle, "particle", chosen.verb)])


def _light(writer: Writer, frame: Frame | None, subject: NounPhrase, embedded: bool) -> Predicate:
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
    """An adverb of manner: one that the verb likes (*work hard*), a common one, or seldom a rare one."""
    draws = writer.draws
    special = [adverb for adverb, verbs in _LIKED_ADVERBS.items() if verb in verbs]
    if special and draws.chance(0.5):
        adverb = draws.one_of(special)
    else:
        adverb = writer.words.adverb(draws, "rare manner" if draws.chance(writer.register.rare_adjectives * 0.4) else "manner")
    return [Token(adverb, "manner", adverb)]


_LIKED_ADVERBS = {"hard": word_set("hard_actions"), "fast": word_set("fast_actions"), "well": word_set("well_actions")}


_Builder = Callable[[Writer, Frame | None, NounPhrase, bool], Predicate]

_BUILDERS: dict[str, _Builder] = {
    "transitive": _transitive,
    "intransitive": _intransitive,
    "motion": _motion,
    "verb": _governed_verb,
    "adjective": _governed_adjective,
    "infinitive": _infinitive,
    "gerund": _gerund,
    "person_infinitive": _person_infinitive,
    "ditransitive": _ditransitive,
    "no_preposition": _no_preposition,
    "copula": _copula,
    "copula_noun": _copula_noun,
    "phrasal": _phrasal,
    "phrasal_bare": _phrasal_bare,
    "light": _light,
}

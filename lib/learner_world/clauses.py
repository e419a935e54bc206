"""Clauses: subject, verb group, complement and adverbials in order, with relative clauses and passives."""

from __future__ import annotations

from dataclasses import dataclass

from learner_world.adverbials import tense_of, with_time
from learner_world.noun_phrases import Writer, noun_phrase, person_name, personal, place_phrase
from learner_world.predicates import PEOPLE, Plan, Predicate, manner, plan, predicate
from learner_world.sampling import Choice
from learner_world.tokens import NounPhrase, Token, plain
from learner_world.verb_groups import Tense, VerbGroup, assemble, verb_group

NEGATION = 0.11
"""Share of negated clauses."""

_PLAIN_TENSES = frozenset({"present", "past", "future", "perfect", "past_perfect"})
_FREQUENCY_TENSES = frozenset({"present", "past"})


@dataclass(slots=True)
class Clause:
    """A clause and what a sentence must know to build on it.

    Attributes:
        tokens: without final punctuation.
        subject: its subject.
        opening: an adverbial that stands before it with a comma; empty if none.
    """

    tokens: list[Token]
    subject: NounPhrase
    opening: list[Token]


def is_past(tense: str) -> bool:
    """Whether a clause in this tense is told in the past, so that what hangs on it is too."""
    return tense.startswith("past") or tense in ("could", "would")


def subject_for(writer: Writer, chosen: Plan, past: bool) -> NounPhrase:
    """A subject that a plan allows: pronouns and names for people, or a noun phrase whose relative clause keeps to the tense."""
    draws = writer.draws
    if "person" in chosen.subjects and chosen.pattern not in ("copula",):
        if draws.chance(writer.register.pronouns):
            return personal(writer)
        if draws.chance(0.3):
            return person_name(writer)
    elif "person" in chosen.subjects and draws.chance(writer.register.pronouns * 0.4):
        return personal(writer)
    kinds = chosen.subjects
    if "relative" in kinds and writer.register.name in ("encyclopedic", "newswire") and draws.chance(0.8):
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
) -> Clause:
    """A statement.

    Args:
        writer: register and draws.
        tense: its tense; by default one that the register likes.
        subject: its subject; by default one that the predicate allows.
        adverbials: whether adverbials of time and place may come.
        cue: whether the rest of the sentence already shows the tense.
        negatable: whether it may be negated.
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
    group = verb_group(filled.lemma, when, subject, support=negated, takes_object=filled.takes_object)
    core = assemble(
        subject,
        group,
        negated=negated,
        contracted=draws.chance(writer.register.contractions),
        adverb=_middle_adverb(writer, subject, filled, when, negated),
        short_forms=draws.chance(writer.register.contractions * 0.6),
    )
    relative = filled.object is not None and (may_open or not time) and draws.chance(writer.register.postmodifiers * 0.6)
    if relative and filled.object is not None:
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
        return {"progressive": "present", "past_progressive": "past", "going": "future"}.get(tense, tense)
    return tense


_MIDDLE = Choice(("also", "still", "probably", "finally", "suddenly", "really"), (30, 16, 14, 12, 6, 5))


def _middle_adverb(writer: Writer, subject: NounPhrase, filled: Predicate, tense: Tense, negated: bool) -> list[Token]:
    draws = writer.draws
    if negated or subject.tokens[-1].role == "manner" or not draws.chance(writer.register.adverbials * 0.45):
        return []
    if tense.name in _FREQUENCY_TENSES and not tense.cue and draws.chance(0.7):
        return [Token(writer.words.adverb(draws, "frequency"), "mid_adverb")]
    if tense.name in ("perfect", "past_perfect"):
        return (
            [Token(draws.one_of(("already", "just", "never", "always")) if not tense.cue else "already", "mid_adverb")]
            if not tense.cue
            else []
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
        return [] if last in ("manner", "place_preposition", "predicative", "feeling") else manner(writer, filled.lemma)
    if any(token.role in ("place_preposition", "motion_preposition", "home", "manner") for token in filled.complement):
        return []
    if kind < 0.4 and writer.register.domains["everyday"] == 1.0:
        return fixed_phrase(writer, "end")
    return place_phrase(writer)


def fixed_phrase(writer: Writer, place: str) -> list[Token]:
    """A set phrase for the ``start`` or the ``end`` of a clause; its first token remembers the whole."""
    phrase = writer.words.fixed_phrase(writer.draws, place).phrase
    return [Token(word, "fixed" if position == 0 else "fixed_rest", phrase) for position, word in enumerate(phrase.split())]


def add_relative_clause(writer: Writer, phrase: NounPhrase, past: bool) -> None:
    """Append a restrictive relative clause, in the past or the present, to a noun phrase (not to a pronoun or a name)."""
    if phrase.tokens[-1].role != "noun" or any(token.role == "relative" for token in phrase.tokens):
        return
    draws = writer.draws
    person = phrase.kind in PEOPLE
    relative = Token(
        draws.one_of(("who", "who", "that")) if person else draws.one_of(("that", "which")),
        "relative",
        "person" if person else "thing",
    )
    tense = "past" if past else "present"
    if draws.chance(0.3) and not person and phrase.kind not in ("outdoor", "building"):
        phrase.tokens += _object_relative(writer, phrase, relative, tense)
        return
    chosen = (
        plan(writer, "person", embedded=True)
        if person
        else Plan("copula", None, (phrase.kind,))
        if draws.chance(0.5)
        else plan(writer, phrase.kind, embedded=True)
    )
    filled = predicate(writer, chosen, phrase)
    group = verb_group(filled.lemma, Tense(tense), phrase, takes_object=filled.takes_object)
    phrase.tokens += [relative, group.finite, *group.rest, *filled.complement]


def _object_relative(writer: Writer, phrase: NounPhrase, relative: Token, tense: str) -> list[Token]:
    """*that she bought*: a verb whose object the noun may be."""
    for _ in range(6):
        frame = writer.words.frame(writer.draws, "transitive")
        if phrase.kind in frame.objects and "person" in frame.subjects:
            subject = (
                personal(writer) if writer.draws.chance(0.6) else noun_phrase(writer, ("person",), subject=True, simple=True)
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
    name = tense or draws.pick(_PASSIVE_TENSES if draws.chance(writer.register.past) else _PASSIVE_CURRENT)
    when, time, may_open = with_time(writer, name, writer.register.adverbials + 0.15)
    negated = draws.chance(NEGATION * 0.6) and name != "going"
    group = verb_group(verb, when, subject, passive=True, support=negated)
    adverb = [Token(draws.one_of(("also", "often", "usually", "never", "later", "still", "finally")), "mid_adverb")]
    use_adverb = not negated and not time and draws.chance(0.12) and name in ("present", "past")
    tokens = assemble(
        subject, group, negated=negated, contracted=draws.chance(writer.register.contractions),
        adverb=adverb if use_adverb else [], short_forms=False,
    )  # fmt: skip
    if draws.chance(0.42):
        agent = noun_phrase(
            writer, [kind for kind in frame.subjects if kind != "relative"], company=verb, simple=draws.chance(0.5)
        )
        tokens += [Token("by", "agent"), *agent.tokens]
    elif draws.chance(0.25):
        tokens += place_phrase(writer)
    if time and may_open and draws.chance(0.4):
        return Clause(tokens, subject, time)
    return Clause(tokens + time, subject, [])


_NO_PASSIVE = frozenset(
    ("have", "like", "want", "resemble", "fit", "own", "need", "love", "get", "attend", "miss", "enter", "leave")
)
_PASSIVE_TENSES = Choice(("past", "past_perfect"), (95, 5))
_PASSIVE_CURRENT = Choice(("present", "perfect", "future", "can", "should", "must", "may"), (55, 22, 8, 6, 4, 3, 2))


def inverted(writer: Writer, group: VerbGroup, subject: NounPhrase, rest: list[Token], opening: list[Token]) -> list[Token]:
    """A question's order: question word, finite verb, subject, the rest."""
    group.finite.role = (
        "question_" + group.finite.role if group.finite.role in ("do", "be", "have", "modal") else group.finite.role
    )
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

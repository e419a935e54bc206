"""Adverbials of time that fit a tense and show it, and tenses that fit a register."""

from __future__ import annotations

from learner_world.inflection import inflect
from learner_world.noun_phrases import Writer
from learner_world.sampling import Choice
from learner_world.tokens import NounForm, Token, plain
from learner_world.verb_groups import Tense

_UNITS = ("day", "week", "month", "year")
_COUNTS = ("two", "three", "four", "five", "six", "ten", "several", "many")

_PAST = Choice(("last", "ago", "year", "yesterday", "weekday", "month", "childhood"), (26, 22, 18, 16, 10, 6, 2))
_PRESENT = Choice(("every", "weekdays", "time_of_day", "once"), (45, 20, 22, 13))
_FUTURE = Choice(("next", "tomorrow", "soon", "in", "weekday"), (34, 26, 14, 14, 12))
_PERFECT = Choice(("for", "since", "recently", "already"), (45, 40, 10, 5))

_PERIODS = Choice(("week", "month", "year", "night", "summer", "weekend", "spring", "winter"), (24, 18, 20, 12, 10, 10, 3, 3))

CURRENT_TENSES = Choice(
    ("present", "perfect", "progressive", "future", "can", "should", "going", "must", "may", "could", "might"),
    (58, 9, 7, 8, 7, 4, 3, 2, 1, 1, 1),
)
PAST_TENSES = Choice(("past", "past_progressive", "past_perfect", "could"), (88, 5, 4, 3))

_STARTS_SENTENCE = frozenset({"last", "ago", "year", "yesterday", "every", "next", "tomorrow", "month", "weekday"})


def tense_of(writer: Writer) -> str:
    """A tense as the register likes them."""
    past = writer.draws.chance(writer.register.past)
    return writer.draws.pick(PAST_TENSES if past else CURRENT_TENSES)


def time_adverbial(writer: Writer, tense: str) -> tuple[list[Token], bool]:
    """An adverbial of time for a tense, and whether it may open the sentence; empty when the tense takes none."""
    choice = {"past": _PAST, "present": _PRESENT, "future": _FUTURE, "going": _FUTURE, "perfect": _PERFECT}.get(tense)
    if choice is None:
        if tense == "progressive":
            return plain(writer.draws.one_of(("now", "at the moment", "right now", "today", "these days"))), False
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
            year = (
                1500 + int(draws.uniform() ** 0.4 * 520)
                if writer.register.name == "encyclopedic"
                else 1950 + int(draws.uniform() * 72)
            )
            return [Token("in", "time_preposition", "year"), Token(str(year), "year")]
        case "month":
            return [Token("in", "time_preposition", "year"), Token(words.name(draws, "month"), "name")]
        case "weekday":
            return [Token("on", "time_preposition", "weekday"), Token(words.name(draws, "weekday"), "name")]
        case "weekdays":
            return [Token("on", "time_preposition", "weekday"), Token(f"{words.name(draws, 'weekday')}s", "name")]
        case "time_of_day":
            if draws.chance(0.3):
                return [Token("at", "time_preposition", "night"), Token("night")]
            return [
                Token("in", "time_preposition", "morning"),
                Token("the", "the"),
                Token(draws.one_of(("morning", "afternoon", "evening"))),
            ]
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
            return plain("when I was a child") if writer.register.persons[0] > 5 else plain("at that time")
        case _:
            return plain(kind)


def _starting_point(writer: Writer) -> list[Token]:
    draws = writer.draws
    if draws.chance(0.6):
        return [Token(str(1960 + int(draws.uniform() * 62)), "year")]
    if draws.chance(0.5):
        return [Token("last", "period_word"), Token(draws.one_of(("week", "month", "year", "summer")), "period")]
    return [Token(writer.words.name(draws, "month"), "name")]


def _duration(writer: Writer) -> list[Token]:
    unit = writer.draws.one_of(_UNITS)
    if writer.draws.chance(0.12):
        return [Token("a", "indefinite"), Token(unit, "noun", unit, NounForm("time", False, "count", True))]
    count = writer.draws.one_of(_COUNTS)
    role = "quantifier" if count in ("several", "many") else "number"
    return [Token(count, role, count), Token(inflect(unit, "NNS"), "noun", unit, NounForm("time", True, "count", True))]

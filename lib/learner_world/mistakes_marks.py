"""Mistakes of writing: punctuation, capitals, words joined or split, spelling, contractions, connectives, set phrases."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from learner_world.habits import confused
from learner_world.lexicon import fixed_phrases, frequencies
from learner_world.mistakes import Mistake, commonest_first, leave_out, put_in, recase, replace, rule
from learner_world.sampling import Draws
from learner_world.spelling import HABIT_SHARE, misspell
from learner_world.tokens import Token


@rule("PUNCT", "clause_comma", "clause_comma", "clause_comma", "apposition_comma", "quote_comma")
def _comma_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    return leave_out(index)


@rule("PUNCT", "final")
def _final_mark(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    if tokens[index].text == "?":
        return replace(index, ".", "?")
    if not draws.chance(0.25):  # every sentence ends, but few writers forget it
        return None
    return leave_out(index) if draws.chance(0.6) else replace(index, ",", ".")


@rule("PUNCT", "that", "relative", "subordinator", "agent", "coordinator")
def _needless_comma(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*He said , that ...*."""
    if index == 0 or tokens[index - 1].text == "," or not draws.chance(0.6):
        return None
    return put_in(index, ",")


@rule("CONJ", "clause_comma")
def _needless_conjunction(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*Although ... , but ...*, *Because ... , so ...*."""
    extra = {"although": "but", "because": "so", "since": "so"}.get(tokens[0].text.lower())
    return put_in(index + 1, extra) if extra and tokens[0].role == "subordinator" else None


_CONJUNCTIONS = {
    "because": "cause",
    "although": "despite",
    "while": "during",
    "so": "then",
    "until": "till",
    "but": "although",
}


@rule("CONJ", "subordinator", "coordinator")
def _wrong_conjunction(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    text = tokens[index].text.lower()
    wrong = _CONJUNCTIONS.get(text, "")
    if tokens[index].role == "coordinator" and draws.chance(0.4):
        return leave_out(index)
    return replace(index, wrong, text)


@rule("CONJ", "question_word")
def _that_for_whether(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    return replace(index, "that", "whether") if tokens[index].text == "whether" else None


@rule("CONTR", "not")
def _apostrophe_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    if tokens[index].text != "n't":
        return None
    return replace(index, "nt" if tokens[index - 1].text in ("ca", "wo") or draws.chance(0.5) else "not", "n't")


@rule("CONTR", "short_form")
def _short_form_without_apostrophe(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    return replace(index, tokens[index].text[1:], tokens[index].text)


@rule("ORTH", "name", "subject_pronoun")
def _small_letter(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    if token.role == "subject_pronoun" and token.text != "I":
        return None
    return recase(index, token.text.lower(), token.text)


@rule("ORTH", "first")
def _small_first_letter(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    text = tokens[index].text
    return recase(index, text[0].lower() + text[1:], text)


@rule("ORTH", "noun", "light_object")
def _capital_or_split(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*class room*, *the Government*."""
    text = tokens[index].text
    split = _split(text)
    if split:
        return replace(index, split, text)
    if index == 0 or not text.islower():
        return recase(index, text.lower(), text) if index else None
    return recase(index, text.capitalize(), text) if draws.chance(0.35) else None


@rule("ORTH", "period_word")
def _every_day(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    if tokens[index].text.lower() == "every" and tokens[index + 1].text == "day":
        return Mistake(index, index + 2, ("everyday",))
    return None


@rule("ORTH", "quantifier")
def _alot(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    if tokens[index].lemma == "a lot of" and tokens[index + 1].text == "lot":
        return Mistake(index, index + 2, ("alot",))
    return None


@functools.cache
def _split(word: str) -> str:
    """A compound written as two common words, or an empty string."""
    known = frequencies()
    for place in range(3, len(word) - 2):
        if known.get(word[:place], 0.0) > 2e-5 and known.get(word[place:], 0.0) > 2e-5:
            return f"{word[:place]} {word[place:]}"
    return ""


@rule("SPELL", "long_word")
def _misspelling(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    text = tokens[index].text
    return replace(index, misspell(text, draws.uniform(), draws.chance(HABIT_SHARE)), text)


@rule("OTHER", "fixed")
def _fixed_phrase(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    right = tokens[index].lemma
    wrong = commonest_first(draws, _wrong_phrases()[right])
    return _narrowed(index, right.split(), wrong.split())


@functools.cache
def _wrong_phrases() -> dict[str, tuple[str, ...]]:
    return {entry.phrase: entry.wrong for entry in fixed_phrases()}


_PREPOSITIONS = frozenset("in on at by for with from to of off as".split())
_ARTICLES = frozenset(("a", "an", "the"))


def _narrowed(index: int, right: list[str], wrong: list[str]) -> Mistake:
    """The part of a phrase that differs, with the type that its words show."""
    start = 0
    while start < min(len(right), len(wrong)) and right[start] == wrong[start]:
        start += 1
    tail = 0
    while tail < min(len(right), len(wrong)) - start and right[-1 - tail] == wrong[-1 - tail]:
        tail += 1
    old, new = right[start : len(right) - tail], wrong[start : len(wrong) - tail]
    kind = (
        "DET"
        if {*old, *new} <= _ARTICLES
        else "PREP"
        if len(old) <= 1 and len(new) <= 1 and {*old, *new} <= _PREPOSITIONS
        else ""
    )
    return Mistake(index + start, index + start + len(old), tuple(new), kind)


@rule("OTHER", "possessive", "than", "degree", "there")
def _sounds_alike(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*there* for *their*, *then* for *than*: what natives confuse too."""
    text = tokens[index].text.lower()
    options = confused("other_confusions").get(text)
    return replace(index, draws.one_of(options), text, "SPELL") if options else None  # as ERRANT types them

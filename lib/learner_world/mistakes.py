"""Learners' mistakes: rules by the role of the token at which they apply, and their rates at each level.

Levels A (beginner), B (intermediate), C (advanced) and N (native) differ in how many mistakes they make and of which kinds. Rates
of A to C are fitted to the Write & Improve corpus; those of N follow figure 6 of Kiyono et al. (2020). For each sentence a number
of mistakes is drawn, for each mistake a family by the level's weights, and a place where that family is
possible; some words attract more mistakes than others (`habits`).
"""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from learner_world.draws import Choice, Draws
from learner_world.habits import (
    HABIT_SHARE,
    confused,
    derived,
    difficulty,
    extra_preposition,
    misspell,
    share,
    wrong_prepositions,
)
from learner_world.tokens import NounForm, Token, VerbForm, capitalised, takes_an
from learner_world.words import (
    fixed_phrases,
    frequencies,
    inflect,
    light_verbs,
    phrasal_verbs,
    rephrasings,
    resource_lines,
)

# Mistakes and rules


class Edit(NamedTuple):
    """The correction of a mistake.

    Attributes:
        start: first token of the wrong sentence's span, counted from 0.
        end: the token after the span; equal to ``start`` for an insertion.
        correction: the replacement of the span, tokens separated by spaces.
        type: ERRANT's type, such as ``R:VERB:SVA``.
    """

    start: int
    end: int
    correction: str
    type: str


class Mistake(NamedTuple):
    """A learner's text instead of a span of the right sentence.

    Attributes:
        start: first token of the right sentence.
        end: the token after the span; equal to ``start`` when something needless is written.
        wrong: the tokens written there; empty when something is left out.
        kind: ERRANT's main type (``DET``, ``VERB:SVA``); empty for that of the rule's family.
    """

    start: int
    end: int
    wrong: tuple[str, ...]
    kind: str = ""


Rule = Callable[[Sequence[Token], int, Draws], Mistake | None]
"""A function of a sentence, the place of a token and random draws; returns a mistake there, or None if none fits."""

RULES: dict[str, list[tuple[str, Rule]]] = {}
"""Role of a token -> the rules that may apply to it, each with its family (an ERRANT main type)."""


def rule(family: str, *roles: str) -> Callable[[Rule], Rule]:
    """Register a rule for the roles at which it applies."""

    def register(function: Rule) -> Rule:
        for role in roles:
            RULES.setdefault(role, []).append((family, function))
        return function

    return register


def replace(index: int, wrong: str, right: str, kind: str = "") -> Mistake | None:
    """One word for another, or nothing when they are the same."""
    return (
        Mistake(index, index + 1, tuple(wrong.split()), kind)
        if wrong and wrong.lower() != right.lower()
        else None
    )


def recase(index: int, wrong: str, right: str) -> Mistake | None:
    """A word that lost or gained its capital, or nothing when it looks the same."""
    return Mistake(index, index + 1, (wrong,)) if wrong != right else None


def leave_out(index: int) -> Mistake:
    return Mistake(index, index + 1, ())


def put_in(index: int, word: str, kind: str = "") -> Mistake:
    """A needless word before a token."""
    return Mistake(index, index, (word,), kind)


def swap(tokens: Sequence[Token], index: int) -> Mistake:
    """A word and the next one in the other order."""
    return Mistake(index, index + 2, (tokens[index + 1].text, tokens[index].text))


def commonest_first(draws: Draws, options: Sequence[str]) -> str:
    """One of the options; the first most often."""
    return options[int(draws.uniform() ** 2.2 * len(options))]


# Mistakes of writing: punctuation, capitals, words joined or split, spelling, contractions, connectives, set phrases


@rule("PUNCT", "clause_comma", "clause_comma", "clause_comma", "apposition_comma", "quote_comma")
@rule(
    "DET", "indefinite", "the", "the_superlative", "the"
)  # a role named twice gets a mistake twice as often
@rule("NOUN:POSS", "genitive")
@rule("PRON", "dummy_it")
def _word_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    return leave_out(index)


@rule("PUNCT", "final")
def _final_mark(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    if tokens[index].text == "?":
        return replace(index, ".", "?")
    if not draws.chance(0.4):  # every sentence ends, but few writers forget it
        return None
    return leave_out(index) if draws.chance(0.5) else replace(index, ",", ".")


@rule("PUNCT", "clause_comma")
def _stop_for_comma(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*When I came home . I was tired*."""
    return replace(index, "." if draws.chance(0.8) else ";", ",")


@rule("PUNCT", "that", "relative", "subordinator", "agent", "coordinator")
def _needless_comma(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*He said , that ...*."""
    if index == 0 or tokens[index - 1].text == "," or not draws.chance(0.25):
        return None
    return put_in(index, ",")


@rule("CONJ", "clause_comma")
def _needless_conjunction(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*Although ... , but ...*, *Because ... , so ...*."""
    extra = {"although": "but", "because": "so", "since": "so"}.get(tokens[0].text.lower())
    return put_in(index + 1, extra) if extra and tokens[0].role == "subordinator" else None


_CONJUNCTIONS = {
    "because": "cause", "although": "despite", "while": "during", "so": "then", "until": "till", "but": "although",
}  # fmt: skip


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
    return replace(
        index, "nt" if tokens[index - 1].text in ("ca", "wo") or draws.chance(0.5) else "not", "n't"
    )


@rule("CONTR", "short_form")
def _short_form_without_apostrophe(
    tokens: Sequence[Token], index: int, draws: Draws
) -> Mistake | None:
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


@rule("OTHER", "phrase")
def _rephrased(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*have the possibility to* for *can*, *many* for *a lot of*."""
    token = tokens[index]
    if token.role in ("name", "question_word") or (
        token.role == "be" and tokens[index - 1].role != "noun"
    ):
        return None
    for right, wrong, role in rephrasings("phrases")[token.text.lower()]:
        words = tuple(other.text.lower() for other in tokens[index : index + len(right)])
        if words == right and role in ("", token.role):
            return Mistake(index, index + len(right), tuple(draws.one_of(wrong).split()))
    return None


@rule("OTHER", "rephrased_verb")
def _rephrased_verb(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*made a visit to* for *visited*."""
    token = tokens[index]
    form = _form(token)
    section = "verbs with object" if form.takes_object else "verbs"
    first, *rest = draws.one_of(rephrasings(section)[token.lemma][0].wrong).split()
    return Mistake(index, index + 1, (inflect(first, form.tag), *rest))


@rule("OTHER", "rephrased_noun")
def _rephrased_noun(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*place to cook* for *kitchen*."""
    token = tokens[index]
    if isinstance(token.form, NounForm) and token.form.plural:
        return None
    return Mistake(
        index, index + 1, tuple(draws.one_of(rephrasings("nouns")[token.lemma][0].wrong).split())
    )


@rule(
    "OTHER",
    "governed",
    "place_preposition",
    "motion_preposition",
    "time_preposition",
    "of",
    "recipient",
)
def _phrase_begun_without(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*We went station*: preposition and determiner are both left out."""
    if index + 2 >= len(tokens) or tokens[index + 1].role not in (
        "the",
        "indefinite",
        "possessive",
    ):
        return None
    return Mistake(index, index + 2, ())


@rule("OTHER", "clause_comma")
def _run_on(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*I like it I buy it*: the comma and the conjunction are both left out."""
    return Mistake(index, index + 2, ()) if tokens[index + 1].role == "coordinator" else None


@rule("OTHER", "there", "dummy_it", "relative")
def _without_subject_and_be(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*In the garden two trees*, *Important to go*, *a house very big*."""
    return (
        Mistake(index, index + 2, ())
        if tokens[index + 1].role == "be" or tokens[index + 1].lemma == "be"
        else None
    )


@rule("OTHER", "finite", "be")
def _subject_with_comma(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*My brother , he likes it*."""
    subject = tokens[index - 1]
    if (
        index < 2
        or not isinstance(subject.form, NounForm)
        or tokens[index - 2].role not in ("possessive", "the", "adjective")
    ):
        return None
    again = (
        "they"
        if subject.form.plural
        else {"person": "he", "relative": "she"}.get(subject.form.kind, "it")
    )
    return Mistake(index, index, (",", again))


@rule("OTHER", "noun")
def _of_the(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*many of the people* for *many people*, *visited to the museum*."""
    if index == 0 or tokens[index - 1].lemma not in (
        "many",
        "some",
        "several",
        "most",
        "a few",
        "two",
        "three",
        "every",
    ):
        return None
    return Mistake(index, index, ("of", "the"))


@rule("OTHER", "period_word")
def _in_the_last(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*in the last week* for *last week*."""
    if (
        index == 0
        or tokens[index].text not in ("last", "next")
        or tokens[index - 1].role == "time_preposition"
    ):
        return None
    return Mistake(index, index, (draws.one_of(("in", "at")), "the"))


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
    kind = ""
    if {*old, *new} <= _ARTICLES:
        kind = "DET"
    elif len(old) <= 1 and len(new) <= 1 and {*old, *new} <= _PREPOSITIONS:
        kind = "PREP"
    return Mistake(index + start, index + start + len(old), tuple(new), kind)


@rule("OTHER", "possessive", "than", "degree", "there")
def _sounds_alike(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*there* for *their*, *then* for *than*: native writers confuse these too."""
    text = tokens[index].text.lower()
    options = confused("other_confusions").get(text)
    return (
        replace(index, draws.one_of(options), text, "SPELL") if options else None
    )  # as ERRANT types them


# Mistakes in noun phrases: determiners, number, possessives, pronouns, prepositions, adjectives and comparison


@rule("DET", "indefinite")
def _wrong_article(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    wrong = "a" if tokens[index].text.lower() == "an" else "an"
    following = tokens[index + 1].text
    if wrong == "an" and not (following[0] in "hu" or draws.chance(0.25)):
        return None
    return replace(index, wrong, tokens[index].text)


@rule("DET", "demonstrative")
def _demonstrative_number(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    text = tokens[index].text.lower()
    return replace(
        index, {"this": "these", "these": "this", "that": "those", "those": "that"}[text], text
    )


_QUANTIFIERS = {
    "many": "much", "much": "many", "several": "much", "every": "all", "most": "almost", "another": "other", "each": "every",
    "some": "any",
}  # fmt: skip


@rule("DET", "quantifier")
def _quantifier(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    text = tokens[index].text.lower()
    wrong = _QUANTIFIERS.get(text, "")
    if text == "many" and tokens[index].lemma == "too much":
        return None
    return replace(index, wrong, text)


@rule("DET", "possessive")
def _possessive_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    head = next((token for token in tokens[index + 1 :] if token.role == "noun"), None)
    if (
        head is None
        or not isinstance(head.form, NounForm)
        or head.form.kind not in ("relative", "body", "clothing")
    ):
        return None
    return leave_out(index)


@rule("DET", "opens")
def _needless_article(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*the life*, *an advice*, *the France*; the words that get one are fixed (`habits`)."""
    token = tokens[index]
    if token.opens == "person_name":
        return None
    head = next(
        (other for other in tokens[index:] if other.role in ("noun", "name", "light_object")), token
    )
    if share("needless article", head.lemma or head.text) < 0.1:
        return None
    if token.opens == "mass" and share("needless a", head.lemma) < 0.4:
        return put_in(index, "an" if takes_an(token.text) else "a")
    return put_in(index, "the")


@rule("NOUN:NUM", "noun")
def _noun_number(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    form = token.form
    assert isinstance(form, NounForm)
    if form.countability not in ("count",) or (not form.cue and not draws.chance(0.12)):
        return None
    wrong = token.lemma if form.plural else inflect(token.lemma, "NNS")
    return replace(index, wrong, token.text)


@rule("NOUN:INFL", "noun")
def _noun_inflection(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*informations*, *childs*."""
    token = tokens[index]
    form = token.form
    assert isinstance(form, NounForm)
    if form.countability == "mass" and form.kind in (
        "knowledge",
        "furnishing",
        "food",
        "substance",
        "quality",
    ):
        return (
            replace(index, inflect_regularly(token.lemma), token.text)
            if share("mass plural", token.lemma) < 0.5
            else None
        )
    if form.plural and form.countability == "count":
        return replace(index, inflect_regularly(token.lemma), token.text)
    return None


def inflect_regularly(noun: str) -> str:
    """The plural by the plain rule, even where English has another (*childs*, *womans*)."""
    if noun.endswith(("s", "x", "ch", "sh", "z")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"


@rule("NOUN", "noun", "light_object")
def _noun_choice(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    options = confused("noun_confusions").get(token.lemma, ()) + confused("false_friends").get(
        token.lemma, ()
    )
    wrong = draws.one_of(options) if options else ""
    plural = isinstance(token.form, NounForm) and token.form.plural
    return replace(index, inflect(wrong, "NNS") if wrong and plural else wrong, token.text)


@rule(
    "MORPH",
    "noun",
    "adjective",
    "predicative",
    "manner",
    "superlative_adjective",
    "comparative_adjective",
)
def _word_family(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*beauty* for *beautiful*, *quick* for *quickly*."""
    token = tokens[index]
    if isinstance(token.form, NounForm) and token.form.plural:
        return None
    options = derived(token.lemma)
    return replace(index, commonest_first(draws, options), token.text) if options else None


@rule(
    "PREP", "governed", "place_preposition", "motion_preposition", "time_preposition", "recipient", "agent", "of",
    "linking_preposition",
)  # fmt: skip
def _wrong_preposition(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    if token.role == "of" and draws.chance(0.6):
        return None
    if token.role == "linking_preposition" and " " in token.lemma:
        return None
    if draws.chance(0.14):
        return leave_out(index)
    wrong = commonest_first(draws, wrong_prepositions(token.role, token.lemma, token.text.lower()))
    return leave_out(index) if wrong == "-" else replace(index, wrong, token.text.lower())


@rule("PREP", "home")
def _to_home(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    return put_in(index, "to")


@rule("PREP", "period_word")
def _needless_before_period(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*in last week*, *on every Monday*."""
    if index and tokens[index - 1].role == "time_preposition":
        return None
    return put_in(index, "in" if tokens[index].text.lower() != "every" else "on")


_SUBJECT_FOR_OBJECT = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they"}


@rule("PRON", "object_pronoun")
def _case(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    return replace(index, _SUBJECT_FOR_OBJECT.get(tokens[index].text, ""), tokens[index].text)


@rule("PRON", "relative")
def _relative(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    text = tokens[index].text
    if draws.chance(0.3):
        return leave_out(index)
    if text == "who":
        return replace(index, draws.one_of(("which", "which", "what")), text)
    return replace(
        index, draws.one_of(("what", "who")) if tokens[index].lemma == "thing" else "which", text
    )


@rule("PRON", "subject_pronoun")
def _subject_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*I like it because is cheap*: a pronoun that the sentence has already, or *it*."""
    text = tokens[index].text
    named = any(other.text.lower() == text.lower() for other in tokens[:index])
    return leave_out(index) if index and named and tokens[index + 1].role != "short_form" else None


@rule("ADJ", "feeling", "cause")
def _feeling_and_cause(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*I am boring* for *I am bored*."""
    feeling = tokens[index].lemma
    cause = f"{feeling[:-3]}ying" if feeling.endswith("ied") else f"{feeling[:-2]}ing"
    return replace(index, cause if tokens[index].role == "feeling" else feeling, tokens[index].text)


@rule("ADJ", "adjective", "predicative")
def _adjective_choice(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    options = confused("adjective_confusions").get(token.lemma)
    return replace(index, draws.one_of(options), token.text) if options else None


@rule("ADJ:FORM", "comparative", "superlative")
def _comparison_with_more(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*more big*, *gooder*, *more better*."""
    token = tokens[index]
    word = "more" if token.role == "comparative" else "most"
    if draws.chance(0.55):
        return replace(index, f"{word} {token.lemma}", token.text)
    if draws.chance(0.5):
        return replace(index, token.lemma, token.text)
    return put_in(index, word, "ADV")


@rule("ADJ:FORM", "comparative_word", "superlative_word")
def _comparison_with_ending(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*beautifuler*, *difficultest*."""
    adjective = tokens[index].lemma
    stem = adjective.removesuffix("e")
    return Mistake(
        index, index + 2, (stem + ("er" if tokens[index].role == "comparative_word" else "est"),)
    )


@rule("ADV", "manner", "sentence_adverb")
def _adverb_choice(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    text = tokens[index].text.lower()
    wrong = {"well": "good", "hard": "hardly", "fast": "fastly", "late": "lately", "actually": "nowadays", "finally": "lastly",
             "quickly": "fast", "carefully": "careful", "easily": "easy"}.get(text, "")  # fmt: skip
    return replace(index, wrong, text)


@rule("ADV", "ago")
def _before_for_ago(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    return replace(index, "before", "ago")


@rule("WO", "adjective")
def _adjective_after_noun(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*a house big*."""
    if index == 0 or tokens[index + 1].role != "noun" or tokens[index - 1].role == "indefinite":
        return None
    return swap(tokens, index)


# Mistakes in verb groups and around them: agreement, tense, form, choice, particles, order

_BARE = ("bare", "to_bare", "imperative")
_OTHER_NUMBER = {
    "is": "are", "are": "is", "am": "is", "was": "were", "were": "was", "has": "have", "have": "has", "does": "do", "do": "does",
}  # fmt: skip


def _form(token: Token) -> VerbForm:
    return token.form if isinstance(token.form, VerbForm) else VerbForm("VB")


@rule(
    "VERB:SVA",
    "finite",
    "be",
    "embedded_be",
    "have",
    "do",
    "question_do",
    "question_be",
    "question_have",
)
def _agreement(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    text = token.text.lower()
    if text in _OTHER_NUMBER:
        return replace(index, _OTHER_NUMBER[text], text)
    tag = _form(token).tag
    if tag not in ("VBZ", "VBP"):
        return None
    return replace(index, inflect(token.lemma, "VBP" if tag == "VBZ" else "VBZ"), token.text)


@rule("VERB:TENSE", "finite")
def _tense_of_main_verb(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    form = _form(token)
    if not form.cue:
        return None
    if form.tag == "VBD":
        if draws.chance(0.75):
            return replace(index, inflect(token.lemma, form.agreement or "VBP"), token.text)
        return replace(
            index,
            f"{'has' if form.agreement == 'VBZ' else 'have'} {inflect(token.lemma, 'VBN')}",
            token.text,
        )
    if draws.chance(0.65):
        return replace(index, inflect(token.lemma, "VBD"), token.text)
    return replace(
        index,
        f"{'is' if form.agreement == 'VBZ' else 'are'} {inflect(token.lemma, 'VBG')}",
        token.text,
    )


@rule("VERB:TENSE", "be")
def _tense_of_be(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    if index + 1 < len(tokens) and tokens[index + 1].role == "progressive":
        return leave_out(index)
    if not _form(token).cue:
        return None
    changed = {"was": "is", "were": "are", "is": "was", "are": "were", "am": "was"}
    return replace(index, changed[token.text.lower()], token.text)


@rule("VERB:TENSE", "modal")
def _will_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*Tomorrow I go* for *Tomorrow I will go*."""
    token = tokens[index]
    following = tokens[index + 1]
    if token.text == "will" and _form(token).cue and following.role == "bare":
        return leave_out(index)
    if token.text == "would" and _form(token).cue:
        return replace(index, "will", "would")
    return None


@rule("VERB:TENSE", "have")
def _perfect_avoided(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*I live here for two years*, *I been*."""
    following = tokens[index + 1]
    if following.role != "participle":
        return None
    kind = draws.uniform()
    form = _form(tokens[index])
    if kind < 0.25:
        return leave_out(index)
    if kind < 0.65 and form.cue and following.lemma != "be":
        return Mistake(index, index + 2, (inflect(following.lemma, form.agreement or "VBP"),))
    if following.lemma == "be":
        return leave_out(index)
    return Mistake(index, index + 2, (inflect(following.lemma, "VBD"),))


@rule("VERB:TENSE", "passive_participle")
def _passive_be_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    be = index > 0 and tokens[index - 1].lemma == "be" and tokens[index - 1].role in ("be", "bare")
    return leave_out(index - 1) if be else None


@rule("VERB:FORM", "bare")
def _form_after_auxiliary(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*did n't went*, *can to go*, *does n't likes*."""
    token = tokens[index]
    if token.lemma == "be":
        return put_in(index, "to") if draws.chance(0.5) else None
    kind = draws.uniform()
    if kind < 0.05:
        return put_in(index, "to")
    tag = "VBD" if kind < 0.6 else "VBZ" if kind < 0.75 else "VBG"
    return replace(index, inflect(token.lemma, tag), token.text)


@rule("VERB:FORM", "to")
def _to_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    if draws.chance(0.5):
        return leave_out(index)
    following = tokens[index + 1]
    if following.role == "to_bare" and following.lemma != "be":
        return Mistake(index, index + 2, (inflect(following.lemma, "VBG"),))
    return None


@rule("VERB:FORM", "to_bare")
def _form_after_to(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    return replace(
        index, inflect(token.lemma, draws.one_of(("VBG", "VBD", "VBZ", "VBG"))), token.text
    )


@rule("VERB:FORM", "gerund")
def _infinitive_for_gerund(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*enjoy to swim*, *interested in learn*."""
    lemma = tokens[index].lemma
    after_to = index > 0 and tokens[index - 1].text == "to"
    return replace(
        index, lemma if after_to or draws.chance(0.5) else f"to {lemma}", tokens[index].text
    )


@rule("VERB:FORM", "participle", "passive_participle", "progressive")
def _wrong_participle(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    past = inflect(token.lemma, "VBD") if token.lemma != "be" else "was"
    wrong = (
        past
        if token.role != "progressive" and past != token.text and draws.chance(0.6)
        else token.lemma
    )
    return replace(index, wrong, token.text)


@rule("VERB:INFL", "finite", "participle", "passive_participle")
def _regular_past(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*goed*, *catched*, *planed*."""
    token = tokens[index]
    if _form(token).tag not in ("VBD", "VBN") or token.lemma in ("be", "have", "do"):
        return None
    lemma = token.lemma
    wrong = f"{lemma}d" if lemma.endswith("e") else f"{lemma}ed"
    return replace(index, wrong, token.text)


@functools.cache
def _light_table() -> dict[tuple[str, str], tuple[str, ...]]:
    return {(entry.phrase.split()[-1], entry.verb): entry.wrong for entry in light_verbs()}


@rule("VERB", "light_object")
def _light_verb(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*do a mistake*: the noun decides, the verb a few words before it is wrong."""
    for place in range(index - 1, max(-1, index - 5), -1):
        token = tokens[place]
        if (
            isinstance(token.form, VerbForm)
            and (tokens[index].lemma, token.lemma) in _light_table()
        ):
            wrong = commonest_first(draws, _light_table()[tokens[index].lemma, token.lemma])
            return replace(
                place,
                inflect(wrong, token.form.tag) if token.form.tag not in ("VB", "TO") else wrong,
                token.text,
            )
    return None


@rule("VERB", "finite", *_BARE, "participle", "gerund")
def _verb_choice(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    options = confused("verb_confusions").get(token.lemma)
    wrong = draws.one_of(options) if options else ""
    tag = _form(token).tag
    return replace(index, inflect(wrong, tag) if wrong and tag != "VB" else wrong, token.text)


@rule("VERB", "be")
def _be_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*My brother tired*."""
    following = tokens[index + 1].role
    return (
        leave_out(index)
        if following in ("predicative", "feeling", "cause", "degree", "indefinite")
        else None
    )


@rule("PREP", "finite", *_BARE, "participle", "progressive", "gerund")
def _needless_preposition(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*discuss about the problem*."""
    token = tokens[index]
    extra = (
        extra_preposition(token.lemma) if _form(token).takes_object and draws.chance(0.3) else ""
    )
    return put_in(index + 1, extra) if extra and tokens[index + 1].role != "mid_adverb" else None


@functools.cache
def _particles() -> dict[tuple[str, str], tuple[str, ...]]:
    return {(entry.verb, entry.particle): entry.wrong for entry in phrasal_verbs()}


@rule("PART", "particle")
def _wrong_particle(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    wrong = commonest_first(draws, _particles()[token.lemma, token.text])
    return leave_out(index) if wrong == "-" else replace(index, wrong, token.text)


@rule("WO", "mid_adverb")
def _adverb_after_verb(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*go always*, *always am*."""
    return (
        swap(tokens, index) if tokens[index + 1].role in ("finite", "bare", "participle") else None
    )


@rule("WO", "question_do", "question_be", "question_modal", "question_have")
def _question_without_inversion(
    tokens: Sequence[Token], index: int, draws: Draws
) -> Mistake | None:
    """*Why you do not ...*, *Why they are ...*."""
    return swap(tokens, index) if index and tokens[index + 1].role == "subject_pronoun" else None


@rule("WO", "embedded_be")
def _embedded_inversion(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*I do n't know why are they sad*."""
    return swap(tokens, index - 1) if tokens[index - 1].role == "subject_pronoun" else None


@rule("PRON", "finite")
def _subject_taken_up(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*My brother he likes*."""
    if (
        index < 2
        or tokens[index - 1].role != "noun"
        or tokens[index - 2].role not in ("possessive", "the", "adjective")
    ):
        return None
    if not draws.chance(0.3):
        return None
    agreement = _form(tokens[index]).agreement
    return put_in(index, "they" if agreement == "VBP" else draws.one_of(("he", "she", "it")))


# Levels of proficiency


_ATTEMPTS = 40  # families tried for one mistake before it is given up
_SITE_ATTEMPTS = 4  # places tried for one family


@dataclass(frozen=True)
class Level:
    """The mistakes of a proficiency level: the mean number tried for each token, and the weight of each family."""

    name: str
    mistakes_per_token: float
    weights: Mapping[str, float]


def _read_levels() -> tuple[dict[str, Level], dict[str, Choice[str]]]:
    """``levels.csv``: for each level its rate, and how often each family of mistakes is tried.

    Those of A, B and C are fitted (`tests/bench/fit_world.py`), so that ERRANT's edits of the world's sentences have the
    statistics of W&I's: a family with few possible places is tried more often than its share.
    """
    rates, *rows = csv.DictReader(resource_lines("levels.csv"))
    levels, families = {}, {}
    for name in ("A", "B", "C", "N"):
        levels[name] = Level(
            name,
            float(rates[name]),
            MappingProxyType({row["family"]: float(row[name]) for row in rows}),
        )
        families[name] = Choice(list(levels[name].weights), list(levels[name].weights.values()))
    return levels, families


_levels, _FAMILIES = _read_levels()

LEVELS: Mapping[str, Level] = MappingProxyType(_levels)
"""The levels by name."""

Site = tuple[int, Rule]


def make_mistakes(tokens: Sequence[Token], level: str, draws: Draws) -> list[Mistake]:
    """Mistakes that a learner of a level makes in a sentence, in order, none touching another."""
    rate = LEVELS[level].mistakes_per_token
    wanted = _how_many(rate * len(tokens), draws)
    if not wanted:
        return []
    sites = _sites(tokens)
    made: list[Mistake] = []
    for _ in range(wanted):
        for _ in range(_ATTEMPTS):
            family = draws.pick(_FAMILIES[level])
            if family not in sites:
                continue
            found = _try(tokens, sites[family], family, draws)
            if found and all(found.end < other.start or found.start > other.end for other in made):
                made.append(found)
                break
    return sorted(made)


def _how_many(mean: float, draws: Draws) -> int:
    """A number of mistakes: Poisson with a rate that varies between sentences (gamma, shape 2), as care does."""
    varied = -mean / 2 * math.log((1.0 - draws.uniform()) * (1.0 - draws.uniform()))
    threshold, product, count = math.exp(-varied), draws.uniform(), 0
    while product > threshold:
        product *= draws.uniform()
        count += 1
    return count


def _sites(tokens: Sequence[Token]) -> dict[str, list[Site]]:
    """Where each family of mistakes may happen."""
    sites: dict[str, list[Site]] = {}
    phrases, nouns = rephrasings("phrases"), rephrasings("nouns")
    verbs, with_object = rephrasings("verbs"), rephrasings("verbs with object")
    for index, token in enumerate(tokens):
        _collect(sites, token.role, index)
        if token.opens:
            _collect(sites, "opens", index)
        if len(token.text) > 3 and token.text.isalpha():
            _collect(sites, "long_word", index)
        if token.text.lower() in phrases:
            _collect(sites, "phrase", index)
        if token.lemma in nouns and token.role == "noun":
            _collect(sites, "rephrased_noun", index)
        elif isinstance(token.form, VerbForm) and token.lemma in (
            with_object if token.form.takes_object else verbs
        ):
            _collect(sites, "rephrased_verb", index)
    _collect(sites, "first", 0)
    return sites


def _collect(sites: dict[str, list[Site]], role: str, index: int) -> None:
    for family, rule in RULES.get(role, ()):
        sites.setdefault(family, []).append((index, rule))


def _try(tokens: Sequence[Token], sites: list[Site], family: str, draws: Draws) -> Mistake | None:
    """A mistake of a family at one of its sites, rather at a word that learners find hard."""
    for attempt in range(_SITE_ATTEMPTS):
        index, rule = draws.one_of(sites)
        ease = 1.0 - difficulty(family, tokens[index].lemma or tokens[index].text)
        if attempt < _SITE_ATTEMPTS - 1 and draws.chance(ease):
            continue
        found = rule(tokens, index, draws)
        if found:
            return found if found.kind else found._replace(kind=family)
    return None


def write_wrong(
    tokens: Sequence[Token], mistakes: Sequence[Mistake]
) -> tuple[list[str], list[Edit]]:
    """The sentence with its mistakes, and the edits that correct it.

    Args:
        tokens: the right sentence.
        mistakes: in order, none touching another.

    Returns:
        Source tokens, and edits of these tokens that give the right sentence back.
    """
    source: list[str] = []
    edits: list[Edit] = []
    position = 0
    for mistake in mistakes:
        mistake = _at_sentence_start(tokens, mistake) if mistake.start == 0 else mistake
        source.extend(token.text for token in tokens[position : mistake.start])
        start = len(source)
        source.extend(mistake.wrong)
        correction = " ".join(token.text for token in tokens[mistake.start : mistake.end])
        edits.append(Edit(start, len(source), correction, mistake.kind))
        position = mistake.end
    source.extend(token.text for token in tokens[position:])
    return source, edits


def _at_sentence_start(tokens: Sequence[Token], mistake: Mistake) -> Mistake:
    """Type and span of a mistake, with the capital where the learner's sentence would have it."""
    first = tokens[0]
    if not mistake.wrong:  # "Dog runs" for "The dog runs"
        following = tokens[mistake.end].text
        return mistake._replace(end=mistake.end + 1, wrong=(capitalised(following),))
    if mistake.end == 0:  # "The life is" for "Life is"
        kept = (
            first.text
            if first.role == "name" or first.text == "I"
            else first.text[0].lower() + first.text[1:]
        )
        return mistake._replace(
            end=1, wrong=(capitalised(mistake.wrong[0]), *mistake.wrong[1:], kept)
        )
    if mistake.kind.endswith("ORTH"):
        return mistake
    return mistake._replace(wrong=(capitalised(mistake.wrong[0]), *mistake.wrong[1:]))


def typed(mistake: Mistake) -> Mistake:
    """The mistake with ERRANT's operation before its type: M (missing), U (unnecessary) or R (replace)."""
    operation = "M" if not mistake.wrong else "U" if mistake.start == mistake.end else "R"
    return mistake._replace(kind=f"{operation}:{mistake.kind}")

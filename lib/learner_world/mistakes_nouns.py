"""Mistakes in noun phrases: determiners, number, possessives, pronouns, prepositions, adjectives and comparison."""

from __future__ import annotations

from collections.abc import Sequence

from learner_world.habits import confused, derived, look_alike, share, wrong_prepositions
from learner_world.inflection import inflect
from learner_world.mistakes import Mistake, commonest_first, leave_out, put_in, replace, rule
from learner_world.sampling import Draws
from learner_world.tokens import NounForm, Token, takes_an


@rule("DET", "indefinite", "the", "the_superlative", "the")
def _article_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    return leave_out(index)


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
    return replace(index, {"this": "these", "these": "this", "that": "those", "those": "that"}[text], text)


_QUANTIFIERS = {
    "many": "much",
    "much": "many",
    "several": "much",
    "every": "all",
    "most": "almost",
    "another": "other",
    "each": "every",
    "some": "any",
}


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
    if head is None or not isinstance(head.form, NounForm) or head.form.kind not in ("relative", "body", "clothing"):
        return None
    return leave_out(index)


@rule("DET", "opens")
def _needless_article(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*the life*, *an advice*, *the France*; which words attract an article is their own habit."""
    token = tokens[index]
    if token.opens == "person_name":
        return None
    head = next((other for other in tokens[index:] if other.role in ("noun", "name", "light_object")), token)
    if share("needless article", head.lemma or head.text) < 0.45:
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
    if form.countability == "mass" and form.kind in ("knowledge", "furnishing", "food", "substance", "quality"):
        return replace(index, inflect_regularly(token.lemma), token.text) if share("mass plural", token.lemma) < 0.5 else None
    if form.plural and form.countability == "count":
        return replace(index, inflect_regularly(token.lemma), token.text)
    return None


def inflect_regularly(noun: str) -> str:
    """The plural by the plain rule, even where English has another (*childs*, *womans*)."""
    if noun.endswith(("s", "x", "ch", "sh", "z")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"


@rule("NOUN:POSS", "genitive")
def _genitive_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    return leave_out(index)


@rule("NOUN", "noun", "light_object")
def _noun_choice(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    options = confused("noun_confusions").get(token.lemma)
    alike = look_alike("NOUN", token.lemma) if token.role == "noun" else ""
    wrong = draws.one_of(options) if options and draws.chance(0.8) else alike
    plural = isinstance(token.form, NounForm) and token.form.plural
    return replace(index, inflect(wrong, "NNS") if wrong and plural else wrong, token.text)


@rule("MORPH", "noun", "adjective", "predicative", "manner", "superlative_adjective", "comparative_adjective")
def _word_family(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*beauty* for *beautiful*, *quick* for *quickly*."""
    token = tokens[index]
    if isinstance(token.form, NounForm) and token.form.plural:
        return None
    options = derived(token.lemma)
    return replace(index, commonest_first(draws, options), token.text) if options else None


@rule("PREP", "governed", "place_preposition", "motion_preposition", "time_preposition", "recipient", "agent", "of")
def _wrong_preposition(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    if token.role == "of" and draws.chance(0.6):
        return None
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


@rule("PRON", "dummy_it")
def _it_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    return leave_out(index)


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
    return replace(index, draws.one_of(("what", "who")) if tokens[index].lemma == "thing" else "which", text)


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
    return replace(index, draws.one_of(options) if options else look_alike("ADJ", token.lemma), token.text)


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
    return Mistake(index, index + 2, (stem + ("er" if tokens[index].role == "comparative_word" else "est"),))


@rule("ADV", "manner", "sentence_adverb")
def _adverb_choice(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    text = tokens[index].text.lower()
    wrong = {"well": "good", "hard": "hardly", "fast": "fastly", "late": "lately", "actually": "nowadays", "finally": "lastly",
             "however": "but", "therefore": "so"}.get(text)  # fmt: skip
    return replace(index, wrong or look_alike("ADV", text), text)


@rule("ADV", "ago")
def _before_for_ago(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    return replace(index, "before", "ago")


@rule("WO", "adjective")
def _adjective_after_noun(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*a house big*."""
    if index == 0 or tokens[index + 1].role != "noun" or tokens[index - 1].role == "indefinite":
        return None
    return Mistake(index, index + 2, (tokens[index + 1].text, tokens[index].text))

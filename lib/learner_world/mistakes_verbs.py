"""Mistakes in verb groups and around them: agreement, tense, form, choice, particles, order."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from learner_world.habits import confused, extra_preposition, look_alike
from learner_world.inflection import inflect
from learner_world.lexicon import light_verbs, phrasal_verbs
from learner_world.mistakes import Mistake, commonest_first, leave_out, put_in, replace, rule
from learner_world.sampling import Draws
from learner_world.tokens import Token, VerbForm

_BARE = ("bare", "to_bare", "imperative")
_OTHER_NUMBER = {
    "is": "are",
    "are": "is",
    "am": "is",
    "was": "were",
    "were": "was",
    "has": "have",
    "have": "has",
    "does": "do",
    "do": "does",
}


def _form(token: Token) -> VerbForm:
    return token.form if isinstance(token.form, VerbForm) else VerbForm("VB")


@rule("VERB:SVA", "finite", "be", "embedded_be", "have", "do", "question_do", "question_be", "question_have")
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
        return replace(index, f"{'has' if form.agreement == 'VBZ' else 'have'} {inflect(token.lemma, 'VBN')}", token.text)
    if draws.chance(0.65):
        return replace(index, inflect(token.lemma, "VBD"), token.text)
    return replace(index, f"{'is' if form.agreement == 'VBZ' else 'are'} {inflect(token.lemma, 'VBG')}", token.text)


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
    return (
        leave_out(index - 1) if index and tokens[index - 1].lemma == "be" and tokens[index - 1].role in ("be", "bare") else None
    )


@rule("VERB:FORM", "bare")
def _form_after_auxiliary(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*did n't went*, *can to go*, *does n't likes*."""
    token = tokens[index]
    if token.lemma == "be":
        return put_in(index, "to") if draws.chance(0.5) else None
    kind = draws.uniform()
    if kind < 0.3:
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
    return replace(index, inflect(token.lemma, draws.one_of(("VBG", "VBD", "VBZ", "VBG"))), token.text)


@rule("VERB:FORM", "gerund")
def _infinitive_for_gerund(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*enjoy to swim*, *interested in learn*."""
    lemma = tokens[index].lemma
    after_to = index > 0 and tokens[index - 1].text == "to"
    return replace(index, lemma if after_to or draws.chance(0.5) else f"to {lemma}", tokens[index].text)


@rule("VERB:FORM", "participle", "passive_participle", "progressive")
def _wrong_participle(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    past = inflect(token.lemma, "VBD") if token.lemma != "be" else "was"
    wrong = past if token.role != "progressive" and past != token.text and draws.chance(0.6) else token.lemma
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
        if isinstance(token.form, VerbForm) and (tokens[index].lemma, token.lemma) in _light_table():
            wrong = commonest_first(draws, _light_table()[tokens[index].lemma, token.lemma])
            return replace(place, inflect(wrong, token.form.tag) if token.form.tag not in ("VB", "TO") else wrong, token.text)
    return None


@rule("VERB", "finite", *_BARE, "participle", "gerund")
def _verb_choice(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    token = tokens[index]
    options = confused("verb_confusions").get(token.lemma)
    wrong = draws.one_of(options) if options else look_alike("VERB", token.lemma)
    tag = _form(token).tag
    return replace(index, inflect(wrong, tag) if wrong and tag != "VB" else wrong, token.text)


@rule("VERB", "be")
def _be_left_out(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*My brother tired*."""
    following = tokens[index + 1].role
    return leave_out(index) if following in ("predicative", "feeling", "cause", "degree", "indefinite") else None


@rule("PREP", "finite", *_BARE, "participle", "progressive", "gerund")
def _needless_preposition(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*discuss about the problem*."""
    token = tokens[index]
    extra = extra_preposition(token.lemma) if _form(token).takes_object else ""
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
    following = tokens[index + 1]
    if following.role in ("finite", "bare", "participle"):
        return Mistake(index, index + 2, (following.text, tokens[index].text))
    return None


@rule("WO", "question_do", "question_be", "question_modal", "question_have")
def _question_without_inversion(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*Why you do not ...*, *Why they are ...*."""
    if index == 0 or tokens[index + 1].role != "subject_pronoun":
        return None
    return Mistake(index, index + 2, (tokens[index + 1].text, tokens[index].text))


@rule("WO", "embedded_be")
def _embedded_inversion(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*I do n't know why are they sad*."""
    if tokens[index - 1].role != "subject_pronoun":
        return None
    return Mistake(index - 1, index + 1, (tokens[index].text, tokens[index - 1].text))


@rule("PRON", "finite")
def _subject_taken_up(tokens: Sequence[Token], index: int, draws: Draws) -> Mistake | None:
    """*My brother he likes*."""
    if index < 2 or tokens[index - 1].role != "noun" or tokens[index - 2].role not in ("possessive", "the", "adjective"):
        return None
    agreement = _form(tokens[index]).agreement
    return put_in(index, "they" if agreement == "VBP" else draws.one_of(("he", "she", "it")))

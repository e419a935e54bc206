"""Verb groups: tense, agreement, auxiliaries, negation, contraction and the place of adverbs."""

from __future__ import annotations

from dataclasses import dataclass

from learner_world.inflection import inflect
from learner_world.tokens import NounPhrase, Token, VerbForm

MODALS = ("can", "could", "should", "must", "may", "might", "would", "will")

_CONTRACTED_BEFORE_NOT = {"can": "ca", "will": "wo"}
_NEVER_CONTRACTED = frozenset({"may", "might", "must", "am"})
_CONTRACTED_AFTER_PRONOUN = {
    "am": "'m", "is": "'s", "are": "'re", "have": "'ve", "has": "'s", "had": "'d", "will": "'ll", "would": "'d",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tense:
    """A tense with what it needs.

    Attributes:
        name: ``present``, ``past``, ``future``, ``perfect``, ``past_perfect``, ``progressive``, ``past_progressive``, ``going``,
            or a modal verb.
        cue: whether the sentence shows that it is the right one.
    """

    name: str
    cue: bool = False


def agreement_tag(subject: NounPhrase) -> str:
    """VBZ or VBP, whichever the subject takes in the present."""
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
    """The finite verb and what follows it, kept apart so that a question can put the subject between them."""

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
        subject: what it agrees with.
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
            chain = [("will" if tense.name == "future" else tense.name, ""), (chain[0][0], "bare"), *chain[1:]]
    finite = _finite(chain[0][0], tense, subject, takes_object and len(chain) == 1)
    return VerbGroup(finite, [_nonfinite(word, role, takes_object) for word, role in chain[1:]])


def _finite(lemma: str, tense: Tense, subject: NounPhrase, takes_object: bool) -> Token:
    past = tense.name.startswith("past")
    agreement = agreement_tag(subject)
    tag = "VBD" if past else agreement
    if lemma in MODALS:
        return Token(lemma, "modal", lemma, VerbForm("MD", tense.cue, agreement=agreement))
    if lemma == "be":
        return Token(finite_be(subject, past), "be", "be", VerbForm(tag, tense.cue, agreement=agreement))
    perfect = tense.name in ("perfect", "past_perfect")
    role = "have" if lemma == "have" and perfect else "do" if lemma == "do" and not takes_object else "finite"
    return Token(inflect(lemma, tag), role, lemma, VerbForm(tag, tense.cue, takes_object, agreement))


_TAG_OF_ROLE = {"participle": "VBN", "passive_participle": "VBN", "progressive": "VBG", "going": "VBG", "bare": "VB", "to": "TO"}


def _nonfinite(lemma: str, role: str, takes_object: bool) -> Token:
    tag = _TAG_OF_ROLE[role]
    text = lemma if tag in ("VB", "TO") else inflect(lemma, tag)
    return Token(text, role, lemma, VerbForm(tag, False, takes_object and role != "passive_participle"))


def assemble(
    subject: NounPhrase, group: VerbGroup, *, negated: bool, contracted: bool, adverb: list[Token], short_forms: bool
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
    elif short_forms and subject.tokens[-1].role == "subject_pronoun" and finite.role in ("be", "have", "modal"):
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

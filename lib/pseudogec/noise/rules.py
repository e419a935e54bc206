"""Noise by rules alone: Choe et al.'s changes of type (2019, section 4), and other errors that
textbooks of English warn of.

Nothing is learnt from learners' text, so the licences of learner corpora do not apply to models
trained on this noise.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from pseudogec.languages.english import article_before
from pseudogec.languages.english_agreement import may_disagree
from pseudogec.languages.english_inflections import (
    NOUN_TAGS,
    PREPOSITIONS,
    VERB_TAG_STARTS,
    chosen_instead,
    compound_tenses,
    forms,
    lemma_of,
    other_inflections,
    other_number,
    part_of_speech,
)
from pseudogec.noise.common_errors import (
    BEFORE_GERUND,
    CONFUSIONS,
    MISTAKEN_PAIRS,
    MISTAKES_FOR,
    PHRASES_FOR,
    PREPOSITIONS_FOR,
    UNCOUNTABLE,
    WRITTEN_FOR,
)
from pseudogec.noise.learner_levels import Level, factors_of
from pseudogec.noise.method import METHODS, Operation, TextMethod, delete, insert, keep
from pseudogec.noise.misspellings import SHORTEST, known_misspellings, misspell
from pseudogec.noise.resources import NoiseResources
from pseudogec.noise.true_types import true_type
from pseudogec.noise.word_choices import ADJECTIVES, ADVERBS, NOUNS, REPHRASINGS, VERBS

_ARTICLES = {"the": ("a",), "a": ("the",), "an": ("the",)}
_AUXILIARIES = frozenset("am is are was were be been has have had do does did will would".split())
_NUMBER_OF_VERB = {
    "am": ("is", "are"),
    "is": ("are",),
    "are": ("is",),
    "was": ("were",),
    "were": ("was",),
    "has": ("have",),
    "have": ("has",),
    "does": ("do",),
    "do": ("does",),
}
_AFTER_COMMA = frozenset("and but or so because that which who when if while".split())
_ANY_PREPOSITION = ("in", "on", "at", "of", "for", "to", "with")
_CONTRACTED = frozenset(("n't", "'s", "'m", "'re", "'ve", "'ll", "'d"))
_SUBJECT_TAGS = frozenset(("NP0", "NN0", "NN1", "NN2", "PNP", "PNI", "PNQ", "DTQ"))
_ADJECTIVE = "AJ0"
_ADVERB = "AV0"
_NAME = "NP0"
_GERUND = "VVG"
_BASE_TAGS = frozenset(("VVB", "VVI"))
_COMPARED_TAGS = frozenset(("AJC", "AJS"))
_PRONOUN = "PNP"
_SUBJECT_PRONOUNS = frozenset("i you he she it we they".split())
_BEFORE_PARTICIPLE = frozenset(
    "am is are was were be been being have has had having get gets got 'm 's 're 've 'd".split()
)
_RUDE = frozenset(
    "shit ass asses arse bitch sex tit tits cunt dick fuck crap damn piss cum cock "
    "slut whore anal".split()
)
_QUESTION_WORDS = frozenset("who what which where when why how whose".split())
_FINITE = frozenset("am is are was were have has had do does did".split())
_BEFORE_LIKE = frozenset(
    "look looks looked looking feel feels felt sound sounds sounded taste tastes smell smells "
    "smelled seem seems is was".split()
)
_OBJECT_PRONOUNS = frozenset("it them him her me us".split())
_TAGS_BEFORE_NOUN = frozenset(
    ("AT0", "DPS", "DT0", _ADJECTIVE, "AJC", "AJS", "CRD", "ORD", "PRF", "POS")
)
_RATES_OF_LEARNERS = {
    "unchanged": 0.0,
    "comma_dropped": 0.5,
    "comma_added": 0.15,
    "stop_dropped": 0.04,
    "word_choice": 0.05,
    "rephrasing": 0.05,
    "question_mark": 0.1,
    "possessive": 0.1,
    "pronoun_dropped": 0.03,
}
"""The rates that have another default with a level."""
# A noun phrase without a determiner may begin after these: verbs, prepositions, conjunctions,
# punctuation marks, nothing.
_TAG_STARTS_BEFORE_PHRASE = ("V", "PR", "CJ", "PU")
_START = ""
_WORD = re.compile("[A-Za-z]+")


class _Word(NamedTuple):
    """The errors that may be made in a word, or in two: a kind and a text for each, whose bounds
    are their shares of [0, 1).

    The rest of [0, 1) is the share of leaving the word unchanged. A misspelling has no text, since
    there are too many to keep.
    """

    tag: str
    errors: tuple[tuple[str, str], ...] = ()
    bounds: tuple[float, ...] = (0.0,)

    def error_at(self, point: float) -> tuple[str, str] | None:
        return self.errors[bisect_right(self.bounds, point)] if point < self.bounds[-1] else None


_CACHED_WORDS = 1 << 17  # about 100 MB, on a corpus of any size


class _Words(dict[str, _Word]):
    """Words with the errors of a method; each is looked at when it first occurs."""

    def __init__(self, method: RuleNoise) -> None:
        super().__init__({_START: _Word(_START)})
        self._method = method
        self.pairs: dict[tuple[str, str], _Word] = {}

    def __reduce__(self) -> tuple[type[_Words], tuple[RuleNoise]]:
        return (type(self), (self._method,))

    def __missing__(self, word: str) -> _Word:
        if len(self) >= _CACHED_WORDS:
            self.clear()
            self[_START] = _Word(_START)
        self[word] = entry = self._method.errors_of(word)
        return entry

    def pair(self, word: str, follower: str) -> _Word:
        if (entry := self.pairs.get((word, follower))) is None:
            if len(self.pairs) >= _CACHED_WORDS:
                self.pairs.clear()
            entry = self.pairs[word, follower] = self._method.errors_of_pair(
                word, follower, (self[word].tag, self[follower].tag)
            )
        return entry


@METHODS.register
class RuleNoise(TextMethod):
    """Make errors that textbooks of English warn of, of each kind at a rate of its own."""

    name = "rules"
    label = "Rules"
    needed_parts: ClassVar[tuple[str, ...]] = ("handbook",)
    colour = "#8C6D31"
    version = 4
    added_later: ClassVar[frozenset[str]] = frozenset(
        {"level", "word_choice", "rephrasing", "question_mark", "possessive", "pronoun_dropped"}
    )
    summary = (
        "errors that textbooks warn of, by kind and rate, learnt from no learner's text "
        "(after Choe et al. 2019)"
    )

    unchanged: float = Field(
        0.05, ge=0, le=1, description="share of sentences that are left unchanged"
    )
    determiner_dropped: float = Field(
        0.1, ge=0, le=1, description="probability that an article is left out"
    )
    determiner_added: float = Field(
        0.05,
        ge=0,
        le=1,
        description="probability that an article is put before a noun phrase without a determiner",
    )
    determiner_exchanged: float = Field(
        0.04, ge=0, le=1, description="probability that an article becomes another one"
    )
    article_form: float = Field(
        0.02, ge=0, le=1, description="probability that *a* becomes *an* or *an* becomes *a*"
    )
    preposition_dropped: float = Field(
        0.03, ge=0, le=1, description="probability that a preposition is left out"
    )
    preposition_exchanged: float = Field(
        0.07, ge=0, le=1, description="probability that a preposition becomes another one"
    )
    noun_number: float = Field(
        0.05, ge=0, le=1, description="probability that a noun changes its number"
    )
    verb_form: float = Field(
        0.06, ge=0, le=1, description="probability that a verb changes its inflection"
    )
    agreement: float = Field(
        0.06,
        ge=0,
        le=1,
        description="probability that a verb in the present, or was or were, "
        "does not agree with its subject",
    )
    tense: float = Field(
        0.03,
        ge=0,
        le=1,
        description="probability that a past form after a subject becomes perfect or continuous",
    )
    gerund: float = Field(
        0.05,
        ge=0,
        le=1,
        description="probability that *hearing* in *look forward to hearing* or "
        "*enjoy hearing* becomes *hear*",
    )
    comparison: float = Field(
        0.08,
        ge=0,
        le=1,
        description="probability that a comparative or superlative is formed wrongly",
    )
    auxiliary_dropped: float = Field(
        0.03, ge=0, le=1, description="probability that be, have, do or will is left out"
    )
    comma_dropped: float = Field(
        0.18, ge=0, le=1, description="probability that a comma is left out"
    )
    comma_added: float = Field(
        0.06,
        ge=0,
        le=1,
        description="probability that a comma is put before a conjunction or relative",
    )
    stop_dropped: float = Field(
        0.06,
        ge=0,
        le=1,
        description="probability that the stop at the end of a sentence is left out",
    )
    confusion: float = Field(
        0.04,
        ge=0,
        le=1,
        description="probability that a word of the table of confusions is confused",
    )
    mistake: float = Field(
        0.05,
        ge=0,
        le=1,
        description="probability that a word or two of the table of mistakes are written wrongly: "
        "*discuss about*",
    )
    phrase: float = Field(
        0.08,
        ge=0,
        le=1,
        description="probability that two words of the table of phrases, or a "
        "contraction, are written wrongly",
    )
    spelling: float = Field(
        0.03, ge=0, le=1, description="probability that a word of 4 letters or more is misspelt"
    )
    capital: float = Field(
        0.05, ge=0, le=1, description="probability that a capital letter becomes a small one"
    )
    adverb: float = Field(
        0.06, ge=0, le=1, description="probability that an adverb in -ly loses its ending"
    )
    word_order: float = Field(
        0.05,
        ge=0,
        le=1,
        description="probability that a verb and the adverb or pronoun beside it change places",
    )

    word_choice: float = Field(
        0.0,
        ge=0,
        le=1,
        description="probability that a word becomes a near-synonym or a false friend",
    )
    rephrasing: float = Field(
        0.0, ge=0, le=1, description="probability that a word or two are said at length"
    )
    question_mark: float = Field(
        0.0, ge=0, le=1, description="probability that a question or exclamation ends with a stop"
    )
    possessive: float = Field(
        0.0, ge=0, le=1, description="probability that *'s* after a noun is left out"
    )
    pronoun_dropped: float = Field(
        0.0, ge=0, le=1, description="probability that a pronoun after a verb, or *it*, is left out"
    )
    level: Level | None = Field(
        None,
        description="A, B, C or N (native): rates are multiplied so that each type of error is as "
        "frequent as there",
    )

    @model_validator(mode="before")
    @classmethod
    def _of_level(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**_RATES_OF_LEARNERS, **values} if values.get("level") else values

    def learn(self, resources: NoiseResources) -> _Words:
        return _Words(self)

    def draw(
        self, tokens: Sequence[str], learnt: _Words, random: np.random.Generator
    ) -> list[Operation]:
        """One operation for each word, two where a word is inserted, one for two words that change
        together.
        """
        return [operation for operation, _ in self.draw_typed(tokens, learnt, random)]

    def draw_typed(
        self, tokens: Sequence[str], learnt: _Words, random: np.random.Generator
    ) -> list[tuple[Operation, str]]:
        """The operations of `draw`, each with the main ERRANT type of its error; a word that is
        kept has none.
        """
        if random.random() < self.unchanged:
            return [(keep(token), "") for token in tokens]
        of_words, of_pairs = random.random((2, len(tokens))).tolist()
        start = next((place for place, token in enumerate(tokens) if token[0].isalpha()), -1)
        typed: list[tuple[Operation, str]] = []
        before, place = learnt[_START], 0
        while place < len(tokens):
            token, follower = tokens[place], tokens[place + 1] if place + 1 < len(tokens) else ""
            word = within_sentence(token) if place == start else token
            entry = learnt[word]
            both = learnt.pair(word, follower).error_at(of_pairs[place]) if follower else None
            plausible = both is not None and (
                self.level is None or _pair_is_plausible(both[0], tokens, place)
            )
            if both is not None and plausible and both[1] != f"{word} {follower}":
                kind, written = both
                swapped = written == f"{follower} {word}"
                written = _like(token, written) if place == start else written
                operation = Operation(
                    "swap" if swapped else "replace", f"{token} {follower}", written
                )
                typed.append(
                    (operation, "WO" if swapped else true_type(kind, f"{word} {follower}", both[1]))
                )
                before, place = learnt[follower], place + 2
                continue
            kind, written = self._of_word(
                word, entry, before, tokens, place, of_words[place], random
            )
            error = true_type(kind, word, written) if kind else ""
            if (
                not kind
                and word != token
                and of_pairs[place] >= 1 - self.capital * self._factor("ORTH")
            ):
                typed.append((Operation("replace", token, word), "ORTH"))
            elif not kind:
                typed.append((keep(token), ""))
            elif written == "" and word != token:  # the sentence now begins with the next word
                if _WORD.fullmatch(follower):
                    typed.append(
                        (Operation("replace", f"{token} {follower}", _like(token, follower)), error)
                    )
                    entry, place = learnt[follower], place + 1
                else:
                    typed.append((keep(token), ""))
            else:
                first = place == start and kind != "capital"
                typed += [
                    (each, error)
                    for each in _operations(
                        kind, token, _like(token, written) if first else written
                    )
                ]
            before, place = entry, place + 1
        return typed

    def _of_word(
        self,
        word: str,
        entry: _Word,
        before: _Word,
        tokens: Sequence[str],
        place: int,
        point: float,
        random: np.random.Generator,
    ) -> tuple[str, str]:
        """The kind of error in a word and the text written for it; no kind for a word that stays as
        it is.
        """
        kind, written = entry.error_at(point) or ("", word)
        if kind == "spelling":
            misspelt = misspell(word, random)
            return (
                (kind, misspelt)
                if self.level is None or misspelt.lower() not in _RUDE
                else ("", word)
            )
        if not kind or not _fits(kind, before.tag, tokens, place):
            return "", word
        plausible = self.level is None or _is_plausible(kind, written, before.tag, tokens, place)
        return (kind, written) if plausible else ("", word)

    def _factor(self, errant_type: str) -> float:
        return 1.0 if self.level is None else factors_of(self.level).get(errant_type, 1.0)

    def _weighed(
        self, word: str, tag: str, errors: Iterable[tuple[str, float, tuple[str, ...]]]
    ) -> _Word:
        """The errors of a word or two; where their rates exceed 1 together, they keep their
        proportions.
        """
        each = [
            (
                (kind, text),
                rate
                / len(texts)
                * (1.0 if self.level is None else self._factor(true_type(kind, word, text))),
            )
            for kind, rate, texts in errors
            for text in texts
            if rate
        ]
        if not each:
            return _Word(tag)
        choices, rates = zip(*each, strict=True)
        total = max(sum(rates), 1.0)
        return _Word(tag, choices, tuple(accumulate(rate / total for rate in rates)))

    def errors_of(self, word: str) -> _Word:
        """The errors that may be made in a word, whatever its neighbours are."""
        tag = part_of_speech(word)
        return self._weighed(word, tag, self._errors(word, tag))

    def errors_of_pair(self, word: str, follower: str, tags: tuple[str, str]) -> _Word:
        """The errors that may be made in a word and its follower together; a text like both stands
        for none.
        """
        pair, both = ("i" if word == "I" else word, follower), f"{word} {follower}"
        mistakes, phrases = MISTAKEN_PAIRS.get(pair, ()), PHRASES_FOR.get(pair, ())
        if follower in _CONTRACTED and word.isalpha():
            phrases = (*phrases, word + follower.replace("'", ""))  # dont, its, my friends car
        phrases = tuple(_like(word, text) for text in phrases)
        change_places = any(tag.startswith("V") for tag in tags) and any(
            tag in (_ADVERB, _PRONOUN) for tag in tags
        )
        swapped = (
            (f"{follower} {word}",)
            if change_places and word.isalpha() and follower.isalpha()
            else ()
        )
        errors = [
            ("mistake", self.mistake, tuple(_like(word, text) for text in mistakes)),
            ("phrase", self.phrase, phrases or (both,) * (not mistakes)),
            ("word_order", self.word_order, swapped),
            (
                "rephrasing",
                self.rephrasing,
                tuple(_like(word, text) for text in REPHRASINGS.get(pair, ())),
            ),
        ]
        return self._weighed(both, "", errors)

    def _errors(self, word: str, tag: str) -> Iterator[tuple[str, float, tuple[str, ...]]]:
        """Yield the kinds of errors in a word with their rates and texts."""
        if word == ",":
            yield "comma_dropped", self.comma_dropped, ("",)
        elif word == ".":
            yield "stop_dropped", self.stop_dropped, ("",)
        elif word in ("?", "!"):
            yield "question_mark", self.question_mark, (".", "")
        elif word == "'s":
            yield "possessive", self.possessive, ("",)
        elif word == "I":
            yield "capital", self.capital, ("i",)
        elif not _WORD.fullmatch(word) or (word.isupper() and len(word) > 1):
            return
        elif word[0].isupper():
            yield "capital", self.capital, (word.lower(),)
            # Europe, European
            yield (
                "confusion",
                self.confusion,
                tuple(map(str.capitalize, CONFUSIONS.get(word.lower(), ()))),
            )
            yield from self._spelling(word)
        else:
            yield from self._errors_of_class(word, tag)
            yield (
                "confusion",
                self.confusion,
                (*CONFUSIONS.get(word, ()), *WRITTEN_FOR.get(word, ())),
            )
            yield "mistake", self.mistake, MISTAKES_FOR.get(word, ())
            yield "rephrasing", self.rephrasing, REPHRASINGS.get((word,), ())
            yield from self._spelling(word)
            if word in _AFTER_COMMA:
                yield "comma_added", self.comma_added, (f", {word}",)

    def _spelling(self, word: str) -> Iterator[tuple[str, float, tuple[str, ...]]]:
        if len(word) >= SHORTEST or known_misspellings(word):
            yield "spelling", self.spelling, ("",)  # the text is drawn, since there are many

    def _errors_of_class(self, word: str, tag: str) -> Iterator[tuple[str, float, tuple[str, ...]]]:
        """Yield errors that belong to a class of words: articles, prepositions, auxiliaries, nouns,
        verbs, adverbs.
        """
        if word in _ARTICLES:
            yield "determiner_dropped", self.determiner_dropped, ("",)
            yield "determiner_exchanged", self.determiner_exchanged, _ARTICLES[word]
            yield "article_form", self.article_form, {"a": ("an",), "an": ("a",)}.get(word, ())
        elif word in PREPOSITIONS:
            others = tuple(
                other for other in PREPOSITIONS_FOR.get(word, _ANY_PREPOSITION) if other != word
            )
            yield "preposition_dropped", self.preposition_dropped, ("",)
            yield "preposition_exchanged", self.preposition_exchanged, others
        elif tag in NOUN_TAGS:
            lemma = lemma_of(word, tag)
            yield "noun_number", self.noun_number, tuple(other_number(word, lemma))
            yield "noun_choice", self.word_choice, chosen_instead(NOUNS, word, lemma, tag)
        elif tag.startswith(VERB_TAG_STARTS):
            lemma = lemma_of(word, tag)
            yield "verb_form", self.verb_form, tuple(other_inflections(word, lemma))
            yield "verb_choice", self.word_choice, chosen_instead(VERBS, word, lemma, tag)
            if word in _NUMBER_OF_VERB:
                yield "agreement", self.agreement, _NUMBER_OF_VERB[word]
            elif tag == "VVZ":
                yield "agreement", self.agreement, (lemma,)
            elif tag in _BASE_TAGS:
                yield "agreement_after_subject", self.agreement, forms(lemma, "VBZ")[:1] or (lemma,)
            elif tag == "VVD":
                yield "tense_after_subject", self.tense, (lemma, *compound_tenses(word, lemma))
            # *made* and *left* are more often participles, but hardly after a pronoun
            elif tag == "VVN":
                yield "tense_after_pronoun", self.tense, tuple(compound_tenses(word, lemma))
        elif tag == _ADVERB and word.endswith("ly") and len(word) > len("early"):
            yield "adverb", self.adverb, (_adjective(word),)
        elif tag in _COMPARED_TAGS and word.endswith(("er", "est")):
            more, adjective = "more" if word.endswith("er") else "most", lemma_of(word, tag)
            yield (
                "comparison",
                self.comparison,
                tuple(f"{more} {form}" for form in dict.fromkeys((word, adjective))),
            )
        elif tag == _ADJECTIVE:
            yield "adjective_choice", self.word_choice, ADJECTIVES.get(word, ())
        elif tag == _PRONOUN and word in _OBJECT_PRONOUNS:
            yield "pronoun_dropped", self.pronoun_dropped, ("",)
        if tag == _ADVERB:
            yield "adverb_choice", self.word_choice, ADVERBS.get(word, ())
        if word.endswith("ing") and word in forms(lemma := lemma_of(word, _GERUND), "VBG"):
            yield "gerund_after_to", self.gerund, (lemma,)
            yield "gerund_after_verb", self.gerund, (f"to {lemma}",)
        if word in _AUXILIARIES:
            yield "auxiliary_dropped", self.auxiliary_dropped, ("",)
        if tag in NOUN_TAGS or tag == _ADJECTIVE:
            indefinite = () if tag == "NN2" else (f"{article_before(word)} {word}",)
            yield "determiner_added", self.determiner_added, (f"the {word}", *indefinite)
            yield "counted", self.mistake, indefinite  # *a good advice*


def _fits(kind: str, tag_before: str, tokens: Sequence[str], place: int) -> bool:
    if kind in ("determiner_added", "counted"):
        begins = tag_before == _START or tag_before.startswith(_TAG_STARTS_BEFORE_PHRASE)
        return begins and (
            kind == "determiner_added" or not UNCOUNTABLE.isdisjoint(tokens[place : place + 2])
        )
    if kind.startswith("agreement"):
        return not may_disagree(tokens, place) and (
            kind == "agreement" or tag_before in _SUBJECT_TAGS
        )
    if kind.startswith("gerund"):
        return place > 0 and tokens[place - 1].lower() in (
            ("to",) if kind == "gerund_after_to" else BEFORE_GERUND
        )
    if kind == "noun_choice":  # *we work* is no noun
        return tag_before in _TAGS_BEFORE_NOUN or tag_before in NOUN_TAGS
    if kind == "verb_choice":
        return tag_before not in _TAGS_BEFORE_NOUN
    if kind == "pronoun_dropped":
        return tag_before.startswith(VERB_TAG_STARTS) or (place == 0 and tokens[0] == "It")
    if kind == "possessive":
        return tag_before in (*NOUN_TAGS, _NAME) and part_of_speech(
            "".join(tokens[place + 1 : place + 2])
        ) in (
            *NOUN_TAGS,
            _ADJECTIVE,
        )
    if kind == "comma_added":
        return tag_before != _START and not tag_before.startswith("PU")
    if kind.startswith("tense_") and place > 1 and tokens[place - 2].lower() in _BEFORE_PARTICIPLE:
        return False  # *lost* in *Have you lost it?* is a participle
    if kind == "tense_after_pronoun":
        return place > 0 and tokens[place - 1].lower() in _SUBJECT_PRONOUNS
    if kind == "tense_after_subject":
        return tag_before in _SUBJECT_TAGS
    return kind != "stop_dropped" or place + 1 == len(tokens)


def _is_plausible(
    kind: str, written: str, tag_before: str, tokens: Sequence[str], place: int
) -> bool:
    """Whether a learner could make this error here: stricter than `_fits`, and slower."""
    word, follower = tokens[place].lower(), "".join(tokens[place + 1 : place + 2]).lower()
    before, tag_after = tokens[place - 1].lower() if place else "", part_of_speech(follower)
    if place == 0 and word in _QUESTION_WORDS:
        return kind in ("capital", "spelling")
    if kind == "verb_form":  # neither *done you* nor *the broke*
        return tag_before not in _TAGS_BEFORE_NOUN and (
            word not in _AUXILIARIES or written in _FINITE
        )
    if kind == "verb_choice" and word in _AUXILIARIES:
        return place > 0 and (tag_after in _TAGS_BEFORE_NOUN or tag_after in NOUN_TAGS)
    if word == "like" and not kind.startswith("spelling"):
        return before in _BEFORE_LIKE
    if word == "to" and written:  # before a verb *for to go*, before a person *for me*
        return written in ("for", "for to") or tag_after in ("AT0", "DPS", "DT0", _NAME)
    if kind == "comma_added":
        return before not in _AFTER_COMMA and (word != "so" or tag_after == _PRONOUN)
    if kind == "rephrasing":
        return tag_after != _PRONOUN and follower not in ("n't", "not")
    if written in ("so that", "so such", "want that", "wants that"):
        return tag_after == _PRONOUN
    if kind == "mistake" and written.startswith(f"{word} "):
        return before not in _FINITE
    if kind == "determiner_added" and part_of_speech(word) == _ADJECTIVE:
        return tag_after in NOUN_TAGS
    if written == "lifes":
        return tag_before in _TAGS_BEFORE_NOUN
    return written != "won't" and (written != "ago" or not follower.isalnum())


def _pair_is_plausible(kind: str, tokens: Sequence[str], place: int) -> bool:
    """Whether a learner could write two words otherwise: *what is it* for *what it is*, but not *do
    I n't* nor *got I hurt*.
    """
    if kind == "word_order" and part_of_speech(tokens[place].lower()) == _PRONOUN:
        return place > 0 and tokens[place - 1].lower() in _QUESTION_WORDS
    return tokens[place + 1] == "n't" or tokens[place + 2 : place + 3] != ["n't"]


@functools.lru_cache(maxsize=1 << 16)
def within_sentence(word: str) -> str:
    """The first word of a sentence as it is written inside a sentence."""
    if word == "I" or (word.isupper() and len(word) > 1) or not _WORD.fullmatch(word):
        return word
    small = word.lower()
    return word if part_of_speech(word) == _NAME and part_of_speech(small) == _NAME else small


def _like(word: str, written: str) -> str:
    """The text written for the first word of a sentence, with a capital if the word has one."""
    return written[:1].upper() + written[1:] if word[0].isupper() else written


def _adjective(adverb: str) -> str:
    stem = adverb.removesuffix("ly")
    if stem.endswith("i"):
        return f"{stem[:-1]}y"  # happily
    # Possibly, simply, gently
    return f"{stem}le" if stem.endswith(("b", "p", "gent", "subt")) else stem


def _operations(kind: str, token: str, written: str) -> list[Operation]:
    if written == token:
        return [keep(token)]
    if not written:
        return [delete(token)]
    if written.endswith(f" {token}"):
        return [insert(written.removesuffix(f" {token}")), keep(token)]
    if written.startswith(f"{token} "):
        return [keep(token), insert(written.removeprefix(f"{token} "))]
    return [Operation("spell" if kind == "spelling" else "replace", token, written)]

"""A spellchecker that takes the sentence into account (Choe et al. 2019, sections 6 and 7.2)."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field, model_validator

from pseudogec.artefacts.files import read_lines
from pseudogec.correct.step import (
    STEPS,
    Before,
    Built,
    Corrected,
    Need,
    Planning,
    ReadyStep,
    Sentences,
    SentenceScorer,
    Step,
    Told,
)
from pseudogec.languages import ENGLISH
from pseudogec.languages.english import american_spellings, article_before, frequency
from pseudogec.languages.english_inflections import forms, part_of_speech
from pseudogec.text import Tokens

_SENTENCES_AT_ONCE = 2000
"""Sentences whose candidates are scored together: one word in dozens has some, a dozen at most."""

_HALVES = frozenset({("gon", "na"), ("wan", "na"), ("got", "ta"), ("lem", "me"), ("gim", "me")})
"""Words that the tokeniser splits, and whose parts are not words."""
# Letters; most short strings are near a frequent word
_SHORT, _TIMES_OF_SHORT, _FIRST_OF_SHORT = 4, 10, 6
# The frequency from which on a short word that the dictionary lacks is one, such as *nan*
_USUAL = 2e-6
_NEGATIONS = frozenset({"n't", "n\u2019t", "nt"})
"""Endings that the tokeniser splits off *can't*, *won't* and the like; the rest need not be a
word.
"""


@dataclass
class _Sentence:
    """A sentence whose words are corrected from left to right; ``doubtful`` is the place of each
    word that has candidates, with these, the last place first.
    """

    tokens: list[str]
    doubtful: list[tuple[int, list[str]]]
    mended: list[str] = field(default_factory=list)

    def variants(self) -> list[list[str]]:
        """The sentence with each candidate of its next doubtful word."""
        place, candidates = self.doubtful[-1]
        return [
            [*self.tokens[:place], *candidate.split(), *self.tokens[place + 1 :]]
            for candidate in candidates
        ]

    def mend(self, best: int | None) -> None:
        place, candidates = self.doubtful.pop()
        written = self.tokens[place]
        chosen = written if best is None else candidates[best]
        if chosen != written:
            self.mended.append(f"{written} → {chosen}")
            self.tokens[place : place + 1] = chosen.split()
            added = len(chosen.split()) - 1
            self.doubtful = [(later + added, candidates) for later, candidates in self.doubtful]

    def mend_articles(self) -> None:
        for place, (article, word) in enumerate(pairwise(self.tokens)):
            right = article_before(word)
            if (
                article.lower() in {"a", "an"} - {right}
                and _may_follow_article(word)
                and not (right == "a" and word[0] == "h")
            ):
                self.tokens[place] = right.capitalize() if article[0].isupper() else right
                self.mended.append(f"{article} → {self.tokens[place]}")


@STEPS.register
class Spelling(Step):
    """Words that hunspell does not know are replaced, and those capitalised that are nearly always
    written so (Choe et al. 2019).

    The candidates of a word that hunspell does not know are its suggestions; those of another are
    the word itself. With casing, the capitalised form joins them, first of all. The language model
    chooses the candidate whose sentence is likeliest, word by word from left to right, so that each
    choice sees those before it. Without a language model the first candidate is taken: Choe et al.,
    table 8, compare hunspell alone, with a language model, and with both.

    Some words stay as they are: those with characters other than a to z (numbers, clitics,
    hyphenated words), words in capitals (acronyms), words with a capital inside a sentence (names),
    and halves of contractions (*wo n't*, *gon na*).
    """

    name: ClassVar[str] = "spelling"
    label: ClassVar[str] = "spelling"
    needed_parts: ClassVar[tuple[str, ...]] = ("dictionary", "handbook")
    added_later: ClassVar[frozenset[str]] = frozenset({"suggestions", "times"})
    language_model: bool = Field(
        default=True, description="rank suggestions by the sentence; otherwise the first is taken"
    )
    casing: bool = Field(
        default=True,
        description="offer the capitalised form of words that are far more often written so",
    )
    casing_times: float = Field(default=99.0, gt=1, description="how many times as often")
    suggestions: int = Field(default=10, ge=1, description="of hunspell for a word, at most")
    times: float = Field(
        default=0.0,
        ge=0,
        description="if above 0, a word stays that the text of the language model has, and one is "
        "replaced only by words that "
        "wordfreq has this many times as often; *a* and *an* then follow the sound of the next "
        "word, too",
    )

    @model_validator(mode="after")
    def _casing_is_judged(self) -> Self:
        if self.casing and not self.language_model:
            raise ValueError(
                "spelling: capitalised forms are judged by the language model; write "
                "`casing: false` without it"
            )
        return self

    def describe(self) -> str:
        judged = " by the language model" if self.language_model else ""
        return f"spelling{judged}" + (" with capitals" if self.casing else "")

    @property
    def uses_language_model(self) -> bool:
        return self.language_model

    def needs(self, planning: Planning) -> dict[str, Need]:
        needs: dict[str, Need] = {}
        if self.language_model:
            needs = {"subwords": planning.subwords, "language_model": planning.language_model}
        if self.casing or self.times:
            needs["words"] = planning.word_counts
        return needs

    def prepare(self, built: Built) -> ReadyStep:
        return partial(
            self.mend,
            language_model=built.language_model if self.language_model else None,
            casing=_casing(built.folder("words"), self.casing_times) if self.casing else None,
            familiar=_familiar(built.folder("words")) if self.times else frozenset(),
        )

    def mend(
        self,
        sources: Sentences,
        before: Before,
        progress: Told = None,
        *,
        language_model: SentenceScorer | None = None,
        casing: Casing | None = None,
        familiar: Collection[str] = (),
    ) -> list[Corrected]:
        after: list[Corrected] = []
        for first in range(0, len(before), _SENTENCES_AT_ONCE):
            batch = [
                _Sentence(list(sentence.tokens), self._doubtful(sentence.tokens, casing, familiar))
                for sentence in before[first : first + _SENTENCES_AT_ONCE]
            ]
            while waiting := [sentence for sentence in batch if sentence.doubtful]:
                for sentence, best in zip(waiting, _choose(waiting, language_model), strict=True):
                    sentence.mend(best)
            for sentence in batch if self.times else ():
                sentence.mend_articles()
            after += [
                Corrected(tuple(sentence.tokens), ", ".join(sentence.mended)) for sentence in batch
            ]
            if progress is not None:
                progress(len(after), len(before))
        return after

    def _doubtful(
        self, tokens: Tokens, casing: Casing | None, familiar: Collection[str]
    ) -> list[tuple[int, list[str]]]:
        """Words with candidates, the last one first."""
        doubtful = []
        # Behind quotation marks, bullets
        start = next((place for place, word in enumerate(tokens) if word[:1].isalpha()), 0)
        for place, word in enumerate(tokens):
            before = tokens[place - 1] if place else ""
            following = tokens[place + 1] if place + 1 < len(tokens) else ""
            is_half = following in _NEGATIONS or not _HALVES.isdisjoint(
                [(word, following), (before, word)]
            )
            if _is_ordinary(word, begins=place == start) and not is_half:
                candidates = self._candidates(word, casing, familiar)
                if candidates and candidates != [word]:
                    doubtful.append((place, candidates))
        return doubtful[::-1]

    def _candidates(self, word: str, casing: Casing | None, familiar: Collection[str]) -> list[str]:
        capitalised = casing[word] if casing is not None else None
        offered = self._sure(word, familiar) if self.times else suggestions(word, self.suggestions)
        candidates = [word] if offered is None else list(offered)
        return (
            list(dict.fromkeys([capitalised, *candidates]))
            if capitalised is not None
            else candidates
        )

    def _sure(self, word: str, familiar: Collection[str]) -> Sequence[str] | None:
        """The suggestions of which there is little doubt. A short word may itself be right: many
        are names of things.
        """
        offered = suggestions(word, self.suggestions)
        if offered is None or (irregular := _irregular(word)):
            return offered and irregular
        is_short = len(word) <= _SHORT
        if word.lower() in familiar or (
            is_short and (word[0].isupper() or frequency(word) > _USUAL)
        ):
            return None
        times, most = (
            (_TIMES_OF_SHORT * self.times, _FIRST_OF_SHORT) if is_short else (self.times, None)
        )
        commoner = [
            other
            for other in offered[:most]
            if _is_commoner(other, word, times) and not _is_name(other)
        ]
        return [word, *commoner] if is_short else commoner or None


def _may_follow_article(word: str) -> bool:
    """Whether a word may belong to the article before it, as it does not in *plan a is*, and its
    letters tell its sound.
    """
    is_ordinary = (
        word.isalpha() and word.islower() and len(word) > 1 and ENGLISH.dictionary.knows(word)
    )
    return is_ordinary and part_of_speech(word).startswith(
        ("NN", "AJ", "AV", "ORD", "CRD", "VVG", "VVN")
    )


def _irregular(word: str) -> list[str]:
    """The past forms of an irregular verb that was inflected like a regular one: *bought* for
    *buyed*, *ran* for *runned*.
    """
    stem = word.removesuffix("ed")
    if stem == word or not stem:
        return []
    verbs = [stem, f"{stem}e"] + ([stem[:-1]] if stem[-2:-1] == stem[-1] else [])
    pasts = (form for verb in verbs for tag in ("VBD", "VBN") for form in forms(verb, tag))
    return [
        form
        for form in dict.fromkeys(pasts)
        if not form.endswith("ed") and ENGLISH.dictionary.knows(form)
    ]


def _is_name(other: str) -> bool:
    return other[:1].isupper() and not ENGLISH.dictionary.knows(other.lower())


def _is_commoner(words: str, written: str, times: float) -> bool:
    return min(map(frequency, words.split())) >= times * max(frequency(written), 1e-9)


@functools.lru_cache(maxsize=2)
def _casing(words: Path, times: float) -> Casing:
    return Casing(dict(_counts(words)), times)


@functools.lru_cache(maxsize=2)
def _familiar(words: Path) -> frozenset[str]:
    return frozenset(word.lower() for word, _ in _counts(words))


def _counts(words: Path) -> Iterator[tuple[str, int]]:
    for line in read_lines(words / "words.tsv"):
        word, count = line.split("\t")
        yield word, int(count)


def _choose(
    sentences: Sequence[_Sentence], language_model: SentenceScorer | None
) -> list[int | None]:
    """The best candidate of each sentence's next doubtful word; none where the sentence is too long
    for the language model.
    """
    if language_model is None:
        return [0] * len(sentences)
    variants = [sentence.variants() for sentence in sentences]
    scores = iter(language_model([tokens for of_place in variants for tokens in of_place]))
    rated = [[next(scores) for _ in of_place] for of_place in variants]
    return [
        None if max(of_place) == -math.inf else of_place.index(max(of_place)) for of_place in rated
    ]


def _is_ordinary(word: str, begins: bool) -> bool:
    """Whether a word can be looked up in a dictionary; at the beginning of a sentence a capital is
    no sign of a name.
    """
    return word.isascii() and word.isalpha() and (word.islower() or (begins and word[1:].islower()))


class Casing:
    """Capitalised forms of the words that a text writes so more than ``times`` times as often as in
    lower case.
    """

    def __init__(self, counts: Mapping[str, int], times: float = 99.0) -> None:
        self._capitalised = {
            word.lower(): word
            for word, count in counts.items()
            if word == word.lower().capitalize() != word.lower()
            and count > times * max(1, counts.get(word.lower(), 0))
        }

    def __getitem__(self, word: str) -> str | None:
        """The capitalised form of a word in lower case, if it is nearly always capitalised."""
        return self._capitalised.get(word)


@functools.lru_cache(maxsize=100_000)
def suggestions(word: str, most: int = 10) -> tuple[str, ...] | None:
    """Suggestions for a word that is not in the dictionary, best first; ``None`` for one that is.

    The dictionary is hunspell's American one. British spellings (*colour*) are right too: they
    count as known when their American counterparts, by spaCy's table of normal forms, are; every
    third correction of the W&I development set would else be of one.

    Args:
        word: ASCII letters, in lower case or with a capital first. For one with a capital, what may
            be meant by it in lower case is capitalised; hunspell itself would rather offer names
            (*Esay*: *Essy*, *Esau*).
        most: how many are offered at most.
    """
    dictionary = ENGLISH.dictionary
    if dictionary.knows(word) or dictionary.knows(american_spellings().get(word.lower(), word)):
        return None
    words = dictionary.suggest(word.lower())[:most]
    return (
        tuple(words)
        if word.islower()
        else tuple(dict.fromkeys(other[:1].upper() + other[1:] for other in words))
    )

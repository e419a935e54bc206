"""Genuine data from which noising methods learn: unigrams, learners' edits, confusion sets."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pseudogec.artefacts.errors import UserError
from pseudogec.edits import DETECTION_TYPES, AnnotatedSentence, Edit
from pseudogec.languages import ENGLISH, Language
from pseudogec.languages.language import LONGEST_WORD
from pseudogec.text import Bpe

_CONFUSIONS, _NEAR = 20, 2  # most texts of a set; most characters between words that sound alike


class UnigramDistribution:
    """A distribution over tokens with a count above 0.

    Raises:
        UserError: there is no such token.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        # Sorted, so that equal counts give equal draws in any order of counting.
        self.counts = {token: count for token, count in sorted(counts.items()) if count > 0}
        if not self.counts:
            raise UserError("a unigram distribution needs text; the text given holds no token")
        self._tokens = np.array(list(self.counts), dtype=object)
        self._cumulative = np.cumsum(np.fromiter(self.counts.values(), dtype=np.int64))
        self.total = int(self._cumulative[-1])

    def draw(self, count: int, random: np.random.Generator) -> list[str]:
        return self.at(random.integers(self.total, size=count)).tolist()

    def at(self, draws: np.ndarray) -> np.ndarray:
        """The tokens that stand for integers from 0 to ``total``, without ``total``: as many for
        each as its count says.
        """
        return self._tokens[self._cumulative.searchsorted(draws, side="right")]


# --- Learners' edits in reverse (Choe et al. 2019, section 4)


class WrittenFor(NamedTuple):
    correct: str
    written: str
    times: int
    share: float  # of all times that the correct token would have been right


@dataclass(frozen=True)
class DictionarySummary:
    entries: int  # correct tokens
    edits: int  # distinct, without tokens left alone
    occurrences: int  # of correct tokens, written or not
    identity_share: float  # of the occurrences in which writers did write them


class EditDictionary:
    """Counts of the texts written for a correct token; the unchanged token counts too.

    The written text is empty if the token was missing, and two tokens if a superfluous one stood
    before it.

    Raises:
        UserError: there is no entry.
    """

    def __init__(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self.counts = {token: dict(sorted(counts[token].items())) for token in sorted(counts)}
        if not self.counts:
            raise UserError(
                "the edit dictionary is empty: no edit occurs often enough; give more genuine "
                "data, or lower minimum_count"
            )

    @classmethod
    def from_annotated(
        cls, sentences: Iterable[AnnotatedSentence], minimum_count: int = 4
    ) -> EditDictionary:
        """Collect edits (Choe et al. 2019, algorithm 1); each annotator of a sentence counts as a
        sentence of its own.

        Edits of more than one token on either side are left out, as are errors without a
        correction, texts written for a token less often than the minimum, and then tokens that were
        only left alone.
        """
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for edits in sentence.annotators.values() or [()]:
                for correct, written in _written_for(sentence.source, edits):
                    counts[correct][written] += 1
        frequent = {
            correct: {
                written: count for written, count in alternatives.items() if count >= minimum_count
            }
            for correct, alternatives in counts.items()
        }
        return cls(
            {
                correct: alternatives
                for correct, alternatives in frequent.items()
                if alternatives.keys() - {correct}
            }
        )

    def summary(self) -> DictionarySummary:
        occurrences = sum(sum(written.values()) for written in self.counts.values())
        identical = sum(written.get(token, 0) for token, written in self.counts.items())
        edits = sum(len(written.keys() - {token}) for token, written in self.counts.items())
        return DictionarySummary(len(self.counts), edits, occurrences, identical / occurrences)

    def most_frequent(self, most: int = 10) -> list[WrittenFor]:
        edits = [
            WrittenFor(token, text, count, count / sum(written.values()))
            for token, written in self.counts.items()
            for text, count in written.items()
            if text != token
        ]
        return sorted(edits, key=lambda edit: (-edit.times, edit.correct, edit.written))[:most]


def _written_for(source: tuple[str, ...], edits: Iterable[Edit]) -> Iterable[tuple[str, str]]:
    standing: list[str | None] = list(source)  # None: not known to be right
    edits = list(edits)
    for edit in edits:
        standing[edit.start : edit.end] = [None] * (edit.end - edit.start)
    for edit in edits:
        if edit.type in DETECTION_TYPES:
            continue
        correct, written = edit.alternatives[0].split(), source[edit.start : edit.end]
        if len(correct) == 1 and len(written) <= 1:
            yield correct[0], "".join(written)
        elif not correct and len(written) == 1 and edit.end < len(source):
            follower = standing[edit.end]
            if follower is not None:
                yield follower, f"{written[0]} {follower}"
                standing[edit.end] = None  # not left alone: it had a superfluous neighbour
    yield from ((token, token) for token in standing if token is not None)


# --- Words that a writer may confuse (Grundkiewicz et al. 2019, section 4.1)


class ConfusionSets:
    """Confusion sets of words, computed when first needed; keys of ``known`` are lower-case
    words.
    """

    def __init__(
        self, known: Mapping[str, Iterable[str]] | None = None, language: Language = ENGLISH
    ) -> None:
        self._language = language
        self._known = {word: tuple(others) for word, others in (known or {}).items()}

    def __getitem__(self, word: str) -> tuple[str, ...]:
        """Up to 20 texts that a word may be confused with, nearest first, in the word's own
        capitals; none for a non-word.
        """
        lowered = word.lower()
        others = (
            self._known[lowered]
            if lowered in self._known
            else confusion_set(lowered, self._language)
        )
        if word == lowered:
            return others
        if word.isupper() and len(word) > 1:
            return tuple(other.upper() for other in others)
        return tuple(other[:1].upper() + other[1:] for other in others)


@functools.lru_cache(maxsize=1 << 17)  # about 150 MB, on a corpus of any size
def confusion_set(word: str, language: Language) -> tuple[str, ...]:
    """At most 20 texts with which a lower-case word may be confused, nearest first.

    These are hunspell's suggestions and the words of its dictionary that sound alike and are at
    most 2 characters away. The distance is the mean of the edit distances of spelling and of sound.
    A suggestion may be two words, but not the word itself, its capitalised form, or the hyphenated
    twin of two words.
    """
    from rapidfuzz.distance import Levenshtein

    if language.dictionary is None or not language.spells(word) or len(word) > LONGEST_WORD:
        return ()
    sound = language.sound(word)
    suggestions = (
        suggestion.lower()
        for suggestion in language.dictionary.suggest(word)
        if "-" not in suggestion
    )
    alike = (
        other
        for other in _words_by_sound(language).get(sound, ())
        if Levenshtein.distance(word, other) <= _NEAR
    )

    def distance(other: str) -> float:
        return (
            Levenshtein.distance(word, other) + Levenshtein.distance(sound, language.sound(other))
        ) / 2

    return tuple(
        sorted({*suggestions, *alike} - {word}, key=lambda other: (distance(other), other))[
            :_CONFUSIONS
        ]
    )


@functools.cache
def _words_by_sound(language: Language) -> dict[str, list[str]]:
    words: dict[str, list[str]] = defaultdict(list)
    for word in language.dictionary.entries() if language.dictionary else ():
        if language.spells(word) and len(word) > 1:
            words[language.sound(word)].append(word)
    return words


# --- All of them


class NoiseResources:
    """Unigrams, learners' edits, confusion sets and segmentation, each made when a method first
    needs it.

    Args:
        word_counts: of genuine grammatical text (when all text is in subwords: subword counts).
        bpe: the segmentation, if the text to noise is in subwords.
        confusions: confusion sets, if known.
        annotated: genuine pairs as sources with edits, for methods that learn from edits; read once
            for each minimum count.
        sentences: yields genuine grammatical text, for methods that look at the contexts of words.
        language: of the text.
    """

    def __init__(
        self,
        word_counts: Counter[str] | None = None,
        bpe: Bpe | None = None,
        confusions: ConfusionSets | None = None,
        annotated: Iterable[AnnotatedSentence] = (),
        sentences: Callable[[], Iterable[Sequence[str]]] = tuple,
        language: Language = ENGLISH,
    ) -> None:
        self.sentences, self.language = sentences, language
        self._word_counts = {
            word: count for word, count in (word_counts or {}).items() if language.may_draw(word)
        }
        self._annotated = annotated
        self._edits: dict[int, EditDictionary] = {}
        self.bpe = bpe
        self.confusions = confusions or ConfusionSets(language=language)

    @classmethod
    def from_sentences(
        cls, sentences: Iterable[Sequence[str]], bpe: Bpe | None = None
    ) -> NoiseResources:
        """Learn from grammatical text alone: enough for methods that do not learn from edits."""
        kept = list(sentences)
        return cls(
            Counter(word for sentence in kept for word in sentence), bpe=bpe, sentences=lambda: kept
        )

    @cached_property
    def words(self) -> UnigramDistribution:
        return UnigramDistribution(self._word_counts)

    @cached_property
    def subwords(self) -> UnigramDistribution:
        """The words when there is no segmentation."""
        if self.bpe is None:
            return self.words
        counts: Counter[str] = Counter()
        for word, count in self._word_counts.items():
            for subword in self.bpe.apply([word]):
                counts[subword] += count
        return UnigramDistribution(counts)

    def edits(self, minimum_count: int) -> EditDictionary:
        """The edits of the genuine pairs.

        Raises:
            UserError: there are no genuine pairs, or none of their edits occurs often enough.
        """
        if minimum_count not in self._edits:
            if not self._annotated:
                raise UserError(
                    "the method learns from learners' edits and needs genuine pairs (sources and "
                    "targets); none were given"
                )
            self._edits[minimum_count] = EditDictionary.from_annotated(
                self._annotated, minimum_count
            )
        return self._edits[minimum_count]

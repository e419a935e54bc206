"""A spellchecker that reads the sentence (Choe et al. 2019, sections 6 and 7.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pseudogec.correct.casing import Casing
from pseudogec.correct.dictionary import suggestions
from pseudogec.correct.step import Corrected, Progress, SentenceScorer, Tokens

_SENTENCES_AT_ONCE = 2000
"""Sentences whose candidates are scored together: one word in dozens has some, at most 11."""

_HALVES = frozenset({("gon", "na"), ("wan", "na"), ("got", "ta"), ("lem", "me"), ("gim", "me")})
"""Words that the tokeniser takes apart, and whose parts are no words."""
_NEGATIONS = frozenset({"n't", "n\u2019t", "nt"})
"""What the tokeniser takes off *can't*, *won't* and the like; what is left need not be a word."""


@dataclass
class _Sentence:
    """A sentence whose words are mended one after the other.

    Attributes:
        tokens: as they are by now.
        doubtful: place of each word that has candidates, with these, the last place first.
        mended: what was put in place of what.
    """

    tokens: list[str]
    doubtful: list[tuple[int, list[str]]]
    mended: list[str] = field(default_factory=list)

    def variants(self) -> list[list[str]]:
        """The sentence with each candidate of its next doubtful word."""
        place, candidates = self.doubtful[-1]
        return [[*self.tokens[:place], *candidate.split(), *self.tokens[place + 1 :]] for candidate in candidates]

    def mend(self, best: int) -> None:
        """Put a candidate of the next doubtful word in its place."""
        place, candidates = self.doubtful.pop()
        written, chosen = self.tokens[place], candidates[best]
        if chosen != written:
            self.mended.append(f"{written} → {chosen}")
            self.tokens[place : place + 1] = chosen.split()
            added = len(chosen.split()) - 1
            self.doubtful = [(later + added, found) for later, found in self.doubtful]


class SpellingStep:
    """Replaces words that hunspell does not know, and capitalises those that are nearly always written so.

    The candidates of a word that hunspell does not know are its suggestions; those of another are the word itself. With casing,
    the capitalised form joins them, first of all. The language model chooses the candidate whose sentence is likeliest, word by
    word from left to right, so that each choice sees those before it. Without a language model the first candidate is taken:
    Choe et al., table 8, compare hunspell alone, with a language model, and with both.

    Left alone are words that hold anything but the letters a to z (numbers, clitics, hyphenated words), words in capitals
    (acronyms), words with a capital inside a sentence (names), and halves of contractions (*wo n't*, *gon na*).

    Args:
        language_model: scores sentences.
        casing: which words are capitalised.
    """

    def __init__(self, language_model: SentenceScorer | None, casing: Casing | None) -> None:
        self._language_model, self._casing = language_model, casing

    def __call__(
        self, sources: Sequence[Tokens], before: Sequence[Corrected], progress: Progress | None = None
    ) -> list[Corrected]:
        """Mend the spelling of what the steps before left; see `Step`."""
        after: list[Corrected] = []
        for first in range(0, len(before), _SENTENCES_AT_ONCE):
            batch = [
                _Sentence(list(sentence.tokens), self._doubtful(sentence.tokens))
                for sentence in before[first : first + _SENTENCES_AT_ONCE]
            ]
            while waiting := [sentence for sentence in batch if sentence.doubtful]:
                for sentence, best in zip(waiting, self._choose(waiting), strict=True):
                    sentence.mend(best)
            after += [Corrected(tuple(sentence.tokens), ", ".join(sentence.mended)) for sentence in batch]
            if progress is not None:
                progress(len(after), len(before))
        return after

    def _choose(self, sentences: Sequence[_Sentence]) -> list[int]:
        """The best candidate of each sentence's next doubtful word."""
        if self._language_model is None:
            return [0] * len(sentences)
        variants = [sentence.variants() for sentence in sentences]
        scores = iter(self._language_model([tokens for found in variants for tokens in found]))
        rated = [[next(scores) for _ in found] for found in variants]
        return [found.index(max(found)) for found in rated]

    def _doubtful(self, tokens: Tokens) -> list[tuple[int, list[str]]]:
        """Words with candidates, the last one first."""
        found = []
        start = next((place for place, word in enumerate(tokens) if word[:1].isalpha()), 0)  # behind quotation marks, bullets
        for place, word in enumerate(tokens):
            before = tokens[place - 1] if place else ""
            following = tokens[place + 1] if place + 1 < len(tokens) else ""
            is_half = following in _NEGATIONS or not _HALVES.isdisjoint([(word, following), (before, word)])
            if _is_ordinary(word, begins=place == start) and not is_half:
                candidates = self._candidates(word)
                if candidates and candidates != [word]:
                    found.append((place, candidates))
        return found[::-1]

    def _candidates(self, word: str) -> list[str]:
        """What a word may be, each once."""
        capitalised = self._casing[word] if self._casing is not None else None
        found = suggestions(word)
        candidates = [word] if found is None else list(found)
        return list(dict.fromkeys([capitalised, *candidates])) if capitalised is not None else candidates


def _is_ordinary(word: str, begins: bool) -> bool:
    """Whether a word is one that a dictionary may judge; a capital is no sign of a name where a sentence begins."""
    return word.isascii() and word.isalpha() and (word.islower() or (begins and word[1:].islower()))

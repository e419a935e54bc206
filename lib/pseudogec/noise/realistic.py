"""Realistic noise (Choe et al. 2019, section 4 and algorithm 2): learners' edits in reverse, and changes of type."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from pseudogec.noise.inflections import NOUN_TAGS, VERB_TAG_STARTS, lemma_of, other_inflections, other_number, part_of_speech
from pseudogec.noise.method import METHODS, Operation, TextMethod, delete, insert, keep
from pseudogec.noise.resources import NoiseResources

PREPOSITIONS = tuple(
    """
    about above across after against along among around at before behind below beneath beside between beyond by despite
    down during except for from in inside into like near of off on onto out outside over past since through throughout to
    toward towards under until up upon with within without
    """.split()
)


class _Choices(NamedTuple):
    texts: tuple[str, ...]
    bounds: tuple[float, ...]

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> _Choices:
        total = sum(counts.values())
        return cls(tuple(counts), tuple(cumulative / total for cumulative in accumulate(counts.values())))

    def at(self, point: float) -> str:
        return self.texts[min(bisect_right(self.bounds, point), len(self.texts) - 1)]


@METHODS.register
class RealisticNoise(TextMethod):
    """Put what learners write in the place of a token, or change a preposition, a noun's number or a verb's inflection."""

    name = "realistic"
    label = "Realistic noise"
    colour = "#009E73"
    summary = "learners' edits in reverse; changes of prepositions, of nouns' number and verbs' inflection (Choe et al. 2019)"
    english = True
    needs_pairs: ClassVar[bool] = True

    token_probability: float = Field(
        0.9, ge=0, le=1, description="probability that a token of the edit dictionary is drawn from it"
    )
    type_probability: float = Field(
        0.1, ge=0, le=1, description="otherwise: probability that a preposition, noun or verb changes"
    )
    minimum_count: int = Field(4, ge=1, description="edits that occur less often in the genuine data are left out")

    def learn(self, resources: NoiseResources) -> dict[str, _Choices]:
        return {token: _Choices.of(counts) for token, counts in resources.edits(self.minimum_count).counts.items()}

    def draw(self, tokens: Sequence[str], learnt: Mapping[str, _Choices], random: np.random.Generator) -> list[Operation]:
        """One operation for each word; ``insert`` stands before the word where learners add a word before it."""
        operations: list[Operation] = []
        for token, by_token, by_type, point in zip(tokens, *random.random((3, len(tokens))).tolist(), strict=True):
            choices = learnt.get(token) if by_token < self.token_probability else None
            if choices is None and by_type < self.type_probability:
                choices = type_choices(token)
            written = token if choices is None else choices.at(point)
            if written == token:
                operations.append(keep(token))
            elif not written:
                operations.append(delete(token))
            elif written.endswith(f" {token}"):
                operations += [insert(written.removesuffix(f" {token}")), keep(token)]
            else:
                operations.append(Operation("replace", token, written))
        return operations


@functools.lru_cache(maxsize=1 << 18)
def type_choices(word: str) -> _Choices | None:
    """The words into which a word may change, with equal chances; None for a word that cannot change.

    A preposition becomes another one or nothing, a noun changes its number, a verb its inflection. HanTa gives a word its part of
    speech, out of context.
    """
    lowered = word.lower()
    if lowered in PREPOSITIONS:
        others = [*(other for other in PREPOSITIONS if other != lowered), ""]
    elif not word.isalpha() or (word.isupper() and len(word) > 1):
        return None
    else:
        tag = part_of_speech(word)
        if tag in NOUN_TAGS:
            others = other_number(lowered, lemma_of(word, tag))
        elif tag.startswith(VERB_TAG_STARTS):
            others = other_inflections(lowered, lemma_of(word, tag))
        else:
            return None
    if word[0].isupper():
        others = [other[:1].upper() + other[1:] for other in others]
    return _Choices.of(dict.fromkeys(others, 1)) if others else None

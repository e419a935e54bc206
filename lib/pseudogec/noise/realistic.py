"""Realistic noise (Choe et al. 2019, section 4 and algorithm 2): learners' edits in reverse, and
changes of type.
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from pseudogec.languages import Language
from pseudogec.noise.method import METHODS, Operation, TextMethod, delete, insert, keep
from pseudogec.noise.resources import NoiseResources


class _Choices(NamedTuple):
    texts: tuple[str, ...]
    bounds: tuple[float, ...]

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> _Choices:
        total = sum(counts.values())
        return cls(
            tuple(counts), tuple(cumulative / total for cumulative in accumulate(counts.values()))
        )

    def at(self, point: float) -> str:
        return self.texts[min(bisect_right(self.bounds, point), len(self.texts) - 1)]


class _Learnt(NamedTuple):
    choices: Mapping[str, _Choices]
    language: Language


@METHODS.register
class RealisticNoise(TextMethod):
    """Put what learners write in the place of a token, or change a preposition, a noun's number or
    a verb's inflection.
    """

    name = "realistic"
    label = "Realistic noise"
    colour = "#009E73"
    summary = (
        "learners' edits in reverse; changes of prepositions, of nouns' number and verbs' "
        "inflection (Choe et al. 2019)"
    )
    needed_parts: ClassVar[tuple[str, ...]] = ("inflections",)
    needs_pairs: ClassVar[bool] = True

    token_probability: float = Field(
        0.9,
        ge=0,
        le=1,
        description="probability that a token of the edit dictionary is drawn from it",
    )
    type_probability: float = Field(
        0.1,
        ge=0,
        le=1,
        description="otherwise: probability that a preposition, noun or verb changes, in a "
        "language with inflections",
    )
    minimum_count: int = Field(
        4, ge=1, description="edits that occur less often in the genuine data are left out"
    )

    @property
    def needs_of_language(self) -> tuple[str, ...]:
        return self.needed_parts if self.type_probability else ()

    def learn(self, resources: NoiseResources) -> _Learnt:
        edits = resources.edits(self.minimum_count).counts
        return _Learnt(
            {token: _Choices.of(counts) for token, counts in edits.items()}, resources.language
        )

    def draw(
        self, tokens: Sequence[str], learnt: _Learnt, random: np.random.Generator
    ) -> list[Operation]:
        """One operation for each word; ``insert`` stands before the word where learners add a word
        before it.
        """
        operations: list[Operation] = []
        for token, by_token, by_type, point in zip(
            tokens, *random.random((3, len(tokens))).tolist(), strict=True
        ):
            choices = learnt.choices.get(token) if by_token < self.token_probability else None
            if choices is None and by_type < self.type_probability:
                choices = type_choices(token, learnt.language)
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
def type_choices(word: str, language: Language) -> _Choices | None:
    """The words into which a word may change for its type, with equal chances; None for a word that
    cannot change.
    """
    others = language.other_forms(word)
    return _Choices.of(dict.fromkeys(others, 1)) if others else None

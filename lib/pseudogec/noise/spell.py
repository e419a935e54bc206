"""Direct noise with a spell checker's confusion sets (Grundkiewicz et al. 2019, section 4.1; TASLP
section III-B).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from pseudogec.languages import Language
from pseudogec.noise.method import METHODS, Operation, TextMethod, delete, insert, keep
from pseudogec.noise.resources import ConfusionSets, NoiseResources, UnigramDistribution
from pseudogec.noise.spelling_errors import edit_character
from pseudogec.text import SEPARATOR

_REPLACE, _DELETE, _INSERT, _SWAP = range(4)


class _Learnt(NamedTuple):
    words: UnigramDistribution
    confusions: ConfusionSets
    language: Language


@METHODS.register
class SpellNoise(TextMethod):
    """Change a share of a sentence's words, most of them to words they may be confused with;
    misspell some of the others.

    A word without a confusion set, and a last word that would be swapped, stay as they are. A word
    that its neighbour was swapped with keeps its form.
    """

    name = "direct_noise_spell"
    label = "Spelling confusions"
    needed_parts: ClassVar[tuple[str, ...]] = ("dictionary",)
    colour = "#56B4E9"
    summary = (
        "replace words from a spell checker's confusion sets; delete, insert, swap, misspell "
        "(Grundkiewicz et al. 2019)"
    )

    mean: float = Field(
        0.15, ge=0, le=1, description="mean of the share of a sentence's words that change"
    )
    deviation: float = Field(
        0.2, ge=0, description="standard deviation of that share, which is clipped to [0, 1]"
    )
    replace: float = Field(
        0.7, ge=0, le=1, description="of the changed words: replaced from their confusion set"
    )
    delete: float = Field(0.1, ge=0, le=1, description="of the changed words: deleted")
    insert: float = Field(
        0.1, ge=0, le=1, description="of the changed words: followed by a random word"
    )
    swap: float = Field(0.1, ge=0, le=1, description="of the changed words: swapped with the next")
    character_noise: float = Field(
        0.1, ge=0, le=1, description="probability that a word that stays gets one wrong character"
    )

    @model_validator(mode="after")
    def _sum_to_one(self) -> Self:
        total = self.replace + self.delete + self.insert + self.swap
        if abs(total - 1) > 1e-6:
            raise ValueError(
                f"replace {self.replace:g} + delete {self.delete:g} + insert {self.insert:g} + "
                f"swap {self.swap:g} = {total:g}; "
                "they must sum to 1 (the paper's are 0.7, 0.1, 0.1, 0.1)"
            )
        return self

    @cached_property
    def _thresholds(self) -> np.ndarray:
        thresholds = np.cumsum([self.replace, self.delete, self.insert])
        if self.swap == 0:
            thresholds[-1] = 1.0  # the sum of the other three may miss 1 by a rounding error
        return thresholds

    def learn(self, resources: NoiseResources) -> _Learnt:
        return _Learnt(resources.words, resources.confusions, resources.language)

    def draw(
        self, tokens: Sequence[str], learnt: _Learnt, random: np.random.Generator
    ) -> list[Operation]:
        """One operation for each word, two where a word is inserted, one for two words that are
        swapped.
        """
        changes = self._choose(len(tokens), random)
        misspelt = random.random(len(tokens)) < self.character_noise
        operations: list[Operation] = []
        number = 0
        while number < len(tokens):
            token, change = tokens[number], changes.get(number)
            if change == _SWAP and number + 1 < len(tokens):
                operations.append(
                    Operation(
                        "swap", f"{token} {tokens[number + 1]}", f"{tokens[number + 1]} {token}"
                    )
                )
                number += 2
                continue
            if change == _DELETE:
                operations.append(delete(token))
            elif change == _REPLACE and (others := learnt.confusions[token]):
                operations.append(
                    Operation("replace", token, others[int(random.integers(len(others)))])
                )
            else:
                operations.append(
                    _misspell(token, random, learnt.language) if misspelt[number] else keep(token)
                )
            if change == _INSERT:
                operations.append(insert(learnt.words.draw(1, random)[0]))
            number += 1
        return operations

    def _choose(self, length: int, random: np.random.Generator) -> dict[int, int]:
        share = min(max(random.normal(self.mean, self.deviation), 0.0), 1.0)
        count = round(share * length)
        positions = random.choice(length, count, replace=False).tolist()
        actions = self._thresholds.searchsorted(random.random(count), side="right").tolist()
        return dict(zip(positions, actions, strict=True))


def _misspell(token: str, random: np.random.Generator, language: Language) -> Operation:
    """Change one character of a word; numbers and punctuation marks, which have no letter, stay."""
    core = token.removesuffix(SEPARATOR)
    if not any(map(str.isalpha, core)):
        return keep(token)
    written = edit_character(
        core, int(random.integers(len(core))), random, language.letters_for(core)
    )
    if written == core:
        return keep(token)
    return Operation("spell", token, written + token[len(core) :]) if written else delete(token)

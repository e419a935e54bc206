"""Random noise (Zhao et al. 2019), as Choe et al. 2019 (section 8.2) compare it with theirs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from pseudogec.noise.method import METHODS, Operation, TextMethod, delete, insert, keep
from pseudogec.noise.resources import NoiseResources, UnigramDistribution


@METHODS.register
class RandomNoise(TextMethod):
    """Delete, replace, or insert after each word, then shuffle words locally.

    Random words are drawn by their frequency in genuine text; Choe et al. (2019) speak of any word
    of the vocabulary.
    """

    name = "random"
    label = "Random noise"
    colour = "#4B1FA8"
    summary = "delete, replace, insert words at random, shuffle locally (Zhao et al. 2019)"

    delete: float = Field(0.1, ge=0, le=1, description="probability that a word is deleted")
    replace: float = Field(
        0.1, ge=0, le=1, description="probability that a random word takes a word's place"
    )
    insert: float = Field(0.1, ge=0, le=1, description="probability that a random word follows")
    shuffle_deviation: float = Field(
        0.5, ge=0, description="words are sorted by position + N(0, this); 0 keeps their order"
    )

    @model_validator(mode="after")
    def _leave_something(self) -> Self:
        total = self.delete + self.replace + self.insert
        if total > 1 + 1e-6:
            raise ValueError(
                f"delete {self.delete:g} + replace {self.replace:g} + insert {self.insert:g} = "
                f"{total:g}; they may sum to 1 at "
                "most (all other words are kept)"
            )
        return self

    @cached_property
    def _thresholds(self) -> np.ndarray:
        return np.cumsum([self.delete, self.replace, self.insert])

    def learn(self, resources: NoiseResources) -> UnigramDistribution:
        return resources.words

    def draw(
        self, tokens: Sequence[str], learnt: UnigramDistribution, random: np.random.Generator
    ) -> list[Operation]:
        """One operation for each word, two where a word is inserted; ``shuffle`` covers words that
        changed places.
        """
        actions = self._thresholds.searchsorted(random.random(len(tokens)), side="right").tolist()
        new_words = iter(learnt.draw(actions.count(1) + actions.count(2), random))
        operations: list[Operation] = []
        for token, action in zip(tokens, actions, strict=True):
            if action == 0:
                operations.append(delete(token))
            elif action == 1:
                operations.append(Operation("replace", token, next(new_words)))
            else:
                operations.append(keep(token))
                if action == 2:
                    operations.append(insert(next(new_words)))
        return self._shuffle(operations, random) if self.shuffle_deviation else operations

    def _shuffle(self, operations: list[Operation], random: np.random.Generator) -> list[Operation]:
        """Sort the words that are left by position plus noise; each run of words that changed
        places becomes one operation.
        """
        standing = [number for number, operation in enumerate(operations) if operation.after]
        keys = np.arange(len(standing)) + random.normal(0, self.shuffle_deviation, len(standing))
        order = np.argsort(keys).tolist()
        shuffled: list[Operation] = []
        copied = run_start = furthest = 0
        for place, origin in enumerate(order):
            furthest = max(furthest, origin)
            if furthest != place:  # a word from further right stands here: the run goes on
                continue
            if place > run_start:
                first, last = standing[run_start], standing[place]
                before = " ".join(
                    operation.before
                    for operation in operations[first : last + 1]
                    if operation.before
                )
                after = " ".join(
                    operations[standing[number]].after for number in order[run_start : place + 1]
                )
                shuffled += [*operations[copied:first], Operation("shuffle", before, after)]
                copied = last + 1
            run_start = furthest = place + 1
        return shuffled + operations[copied:]

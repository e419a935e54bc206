"""Direct noise (TASLP section III-B, algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from pseudogec.noise.noiser import NoiseParameters, Noiser, Operation, delete, insert, keep, mask, noised_tokens
from pseudogec.noise.unigram import UnigramDistribution
from pseudogec.text import MASK

_TOLERANCE = 1e-6


class DirectNoiseParameters(NoiseParameters):
    """Probabilities of the four operations; they sum to 1.

    What is not given follows TASLP section IV-B: ``mu_keep`` is 0.2, ``mu_mask`` is 3/8 of what ``mu_keep`` leaves (0.3 of 0.8),
    and ``mu_del`` and ``mu_ins`` share the rest equally. So ``mu_mask`` alone describes each point of the paper's sweep; 0.3 is
    the setting of TASLP 2020, 0.5 that of EMNLP 2019.
    """

    mu_mask: float = Field(ge=0, le=1, description="probability that a piece becomes the mask token; default 0.3")
    mu_del: float = Field(ge=0, le=1, description="probability that a piece is deleted; default half of what mask and keep leave")
    mu_ins: float = Field(
        ge=0, le=1, description="probability that a random piece follows; default half of what mask and keep leave"
    )
    mu_keep: float = Field(ge=0, le=1, description="probability that a piece stays; default 0.2")
    mask_token: str = Field(MASK, pattern=r"^\S+$", description="how a mask is written; the authors wrote '|'")
    legacy: bool = Field(
        False, description="the authors' quirk: 1 to 8 masks before the target of a pair that noising left identical"
    )

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, given: Any) -> Any:
        """Fill in the probabilities that were not given."""
        names = ("mu_mask", "mu_del", "mu_ins", "mu_keep")
        try:
            complete = {"mu_keep": 0.2, **given, **{name: float(given[name]) for name in names if name in given}}
        except (TypeError, ValueError):
            return {**dict.fromkeys(names, 0.0), **given}  # the field's own check says what is wrong
        complete.setdefault("mu_mask", round(0.375 * (1 - complete["mu_keep"]), 12))
        missing = [name for name in names if name not in complete]
        rest = 1 - sum(complete[name] for name in names if name in complete)
        if missing and rest < -_TOLERANCE:
            raise ValueError(f"mu_mask {complete['mu_mask']:g} and mu_keep {complete['mu_keep']:g} exceed 1; lower one of them")
        complete.update({name: round(max(rest, 0.0) / len(missing), 12) for name in missing})
        return complete

    @model_validator(mode="after")
    def _sum_to_one(self) -> DirectNoiseParameters:
        total = self.mu_mask + self.mu_del + self.mu_ins + self.mu_keep
        if abs(total - 1) > _TOLERANCE:
            share = max((1 - self.mu_mask - self.mu_keep) / 2, 0)
            raise ValueError(
                f"mu_mask {self.mu_mask:g} + mu_del {self.mu_del:g} + mu_ins {self.mu_ins:g} + mu_keep {self.mu_keep:g} "
                f"= {total:g}; they must sum to 1 (leave out mu_del and mu_ins, and each is {share:g})"
            )
        return self


class DirectNoise(Noiser):
    """Mask, delete, insert after, or keep each piece.

    Args:
        parameters: the probabilities.
        unigrams: pieces of genuine text, from which inserted pieces are drawn.
    """

    unit: ClassVar[Literal["piece", "word"]] = "piece"

    def __init__(self, parameters: DirectNoiseParameters, unigrams: UnigramDistribution) -> None:
        self.parameters = parameters
        self._unigrams = unigrams
        self._thresholds = np.cumsum([parameters.mu_mask, parameters.mu_del, parameters.mu_ins])
        if parameters.mu_keep == 0:
            self._thresholds[-1] = 1.0  # the sum of the other three may miss 1 by a rounding error

    def draw(self, tokens: Sequence[str], random: np.random.Generator) -> list[Operation]:
        """One operation for each piece, two (keep, insert) where a piece is inserted after it."""
        actions = self._thresholds.searchsorted(random.random(len(tokens)), side="right").tolist()
        insertions = actions.count(2)
        inserted = iter(self._unigrams.draw(insertions, random) if insertions else ())
        written = self.parameters.mask_token
        operations: list[Operation] = []
        for token, action in zip(tokens, actions, strict=True):
            if action == 0:
                operations.append(mask(token, written))
            elif action == 1:
                operations.append(delete(token))
            else:
                operations.append(keep(token))
                if action == 2:
                    operations.append(insert(next(inserted)))
        return operations

    def target(self, tokens: Sequence[str], operations: Sequence[Operation], random: np.random.Generator) -> list[str]:
        """The sentence itself; with ``legacy``, 1 to 8 masks stand before it when its source equals it."""
        if self.parameters.legacy and tokens and noised_tokens(operations) == list(tokens):
            return [*[self.parameters.mask_token] * int(random.integers(1, 9)), *tokens]
        return list(tokens)
